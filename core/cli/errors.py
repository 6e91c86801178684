"""Errors as JSON, for programs that read what ``--json`` prints (docs/results.md#errors)."""

from ..clients.keys import redact
from ..errors import (
    BenchError,
    BudgetReached,
    ConfigError,
    DataError,
    Interrupted,
    JournalError,
    JudgeError,
    PluginError,
    ProviderError,
    UsageError,
)
from ..text import line
from ..types import JsonDict

_KINDS = {
    UsageError: "usage",
    ConfigError: "configuration",
    DataError: "data",
    PluginError: "plugin",
    ProviderError: "provider",
    JudgeError: "judge",
    JournalError: "journal",
    BudgetReached: "budget",
    Interrupted: "interrupted",
}


def kind_of(error: BaseException) -> str:
    """What kind of error it is, in a word."""
    return next((kind for known, kind in _KINDS.items() if isinstance(error, known)), "unexpected")


def error_of(kind: str, message: str, code: int, **more: str) -> JsonDict:
    """An error as a program reads it."""
    return {"kind": kind, "message": message, "exit_code": code, **more}


def error_document(error: BenchError, **more: str) -> JsonDict:
    """Likewise of one of several runs, with what names it."""
    return error_of(kind_of(error), line(redact(str(error))), error.exit_code, **more)
