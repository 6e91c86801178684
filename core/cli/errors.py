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
    errors.Interrupted: "interrupted",
}


def kind_of(error: BaseException) -> str:
    """What kind of error it is, in a word."""
    return next((kind for of, kind in _KINDS.items() if isinstance(error, of)), "unexpected")


def error_of(kind: str, message: str, code: int, **more: str) -> JsonDict:
    """An error as a program reads it; of one of several runs with what names it."""
    return {"kind": kind, "message": line(redact(message)), "exit_code": code, **more}
