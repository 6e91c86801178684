"""Every error a person can meet, with the exit code it ends the command with.

    BenchError (1)
      UsageError (2)        the command line asks for something that cannot be
      ConfigError (3)       bench.toml, the environment or a key
      DataError (3)         a data pack or a file of responses; says file and place
      PluginError (3)       a plugin; names the distribution it came from
      ProviderError (4)     a model's server; carries kind, status and attempts
      JudgeError (4)        a judge's reply; the raw text is kept
      JournalError (4)      the journal file or the runs folder
      BudgetReached (5)     the spending limit; the run can go on
      Interrupted (130)     stopped by the user; the run can go on
        Unreadable (1)      none of the first replies could be read

A message says what went wrong, where, and what to do. Errors are caught in two
places only: the engine, per sample, and the command line, once.
"""

from enum import StrEnum


class BenchError(Exception):
    """Root of all errors that are shown as one line."""

    exit_code = 1


class UsageError(BenchError):
    """The command line contradicts itself or names something unknown."""

    exit_code = 2


class ConfigError(BenchError):
    """A setting, an environment variable or a key is missing or wrong."""

    exit_code = 3


class DataError(BenchError):
    """A data file is missing or broken.

    Attributes:
        path: The file.
        position: Where in it, such as ``line 3`` or ``item "7"``; empty for the whole file.
    """

    exit_code = 3

    def __init__(self, path: object, message: str, position: str = "") -> None:
        super().__init__(f"{path}{', ' + position if position else ''}: {message}")
        self.path = str(path)
        self.position = position


class DataAbsent(DataError):
    """The data of a stored run is not where it was."""


class PluginError(BenchError):
    """A plugin failed to load, clashes with another, or broke its contract."""

    exit_code = 3


class ErrorKind(StrEnum):
    """What a provider's failure means for us."""

    RATE_LIMIT = "rate_limit"
    QUOTA = "quota"
    AUTH = "auth"
    NOT_FOUND = "not_found"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    SERVER = "server"
    MALFORMED = "malformed"
    TOO_LARGE = "too_large"
    REFUSED = "refused"
    CONTEXT_TOO_LONG = "context_too_long"
    INVALID_REQUEST = "invalid_request"


#: Worth another attempt of the same request.
RETRYABLE = frozenset(
    {ErrorKind.RATE_LIMIT, ErrorKind.CONNECTION, ErrorKind.SERVER, ErrorKind.MALFORMED}
)
#: Would fail for every other request too: the run stops, and can go on later.
FATAL = frozenset({ErrorKind.QUOTA, ErrorKind.AUTH, ErrorKind.NOT_FOUND})


class ProviderError(BenchError):
    """A model's server gave no usable answer.

    Attributes:
        kind: What it means for us.
        status: HTTP status, if there was an answer.
        retry_after: Seconds the server asked to wait, if it said so.
        attempts: Requests sent for this call so far.
        fatal: No other request of the run can succeed either.
        unsent: No connection was made, so nothing can have been billed.
        elsewhere: Another server of the same model can be asked at once.
        final: Another attempt would end the same way.
        answer: What the server said, where it refused the request as it was made.
        words: The server's own words, or the system's; empty where there are none.
        is_all: The server has said nothing else so far.
        phase: Of the call, once it is known: ``generate``, ``role:NAME``, ``judge`` or ``compare``.
    """

    exit_code = 4
    answer: object = None
    phase = ""
    unsent = False
    elsewhere = False
    final = False
    words = ""
    is_all = False

    def __init__(
        self,
        kind: ErrorKind,
        message: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
        attempts: int = 1,
        fatal: bool | None = None,
    ) -> None:
        args: tuple[object, object] = (kind, message)
        if not (isinstance(args[0], ErrorKind) and isinstance(args[1], str)):
            raise TypeError(
                f"ProviderError(kind, message) takes an ErrorKind and a text, not {kind!r:.40} "
                f"and {message!r:.40}"
            )
        super().__init__(message)
        self.kind = kind
        self.status = status
        self.retry_after = retry_after
        self.attempts = attempts
        self.fatal = kind in FATAL if fatal is None else fatal

    @property
    def retryable(self) -> bool:
        """Whether another attempt may help."""
        return self.elsewhere or (self.kind in RETRYABLE and not (self.fatal or self.final))


class JudgeError(BenchError):
    """A judge could not be used; its raw reply, if any, is kept.

    Attributes:
        raw: The judge's reply as it came.
    """

    exit_code = 4

    def __init__(self, message: str, raw: str = "") -> None:
        super().__init__(message)
        self.raw = raw


class JournalError(BenchError):
    """The journal or the runs folder cannot be used as it is."""

    exit_code = 4


class BudgetReached(BenchError):
    """The next call might exceed ``--max-cost``; everything answered so far is kept."""

    exit_code = 5


class Interrupted(BenchError):
    """The user stopped the run; everything answered so far is kept."""

    exit_code = 130


class Waiting(Interrupted):
    """All that is left was sent as batches, and nobody wants to wait for their results."""

    exit_code = 5


class Unreadable(Interrupted):
    """None of the first replies could be read; everything answered so far is kept.

    Args:
        message: What could not be read, and why.
        item_id: Of one of them; empty where that is not known.
        reason: Why that one could not be read.
    """

    exit_code = 1

    def __init__(self, message: str, item_id: str = "", reason: str = "") -> None:
        super().__init__(message)
        self.item_id = item_id
        self.reason = reason


class MissingCall(BenchError):
    """A reply is needed that the journal or the file of responses does not hold."""
