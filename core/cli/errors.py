"""Errors as JSON, for programs that read what ``--json`` prints (docs/results.md#errors)."""

from .. import errors
from ..clients.keys import redact
from ..text import line
from ..types import JsonDict

_KINDS = {
    errors.UsageError: "usage",
    errors.ConfigError: "configuration",
    errors.DataError: "data",
    errors.PluginError: "plugin",
    errors.ProviderError: "provider",
    errors.JudgeError: "judge",
    errors.JournalError: "journal",
    errors.BudgetReached: "budget",
    errors.Waiting: "waiting",
    errors.Interrupted: "interrupted",
}


def kind_of(error: BaseException) -> str:
    """What kind of error it is, in a word: "unexpected" for one that is none of ours."""
    return next((kind for known, kind in _KINDS.items() if isinstance(error, known)), "unexpected")


def error_of(kind: str, message: str, code: int, **more: str) -> JsonDict:
    """An error as a program reads it.

    Args:
        kind: What it is, see `kind_of`.
        message: Put on one line, and without keys.
        code: The exit code.
        **more: Fields that name the run, where there are several.
    """
    return {"kind": kind, "message": line(redact(message)), "exit_code": code, **more}
