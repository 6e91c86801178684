"""What a 5xx means, by its words: a full context, a server behind the server, one that starts.

The same status is given for all of them. Of a status that names nothing, another attempt may help.
"""

import re

from ..errors import ErrorKind, ProviderError

_CONTEXT = re.compile(
    r"context.{0,12}(length|window|size)|maximum context|too many tokens|prompt is too long"
    r"|\bn_ctx\b|(kv|key.value).{0,3}cache.{0,40}(full|exhausted|exceed|free|space|slot|room|memory)"
    r"|(space|slot|room|memory|full|exhausted).{0,40}(kv|key.value).{0,3}cache"
    r"|(exceed\w{0,4}|out of|beyond) .{0,20}\bcontext\b(?! deadline| cancel)"
    r"|\bcontext\b(?! deadline| cancel).{0,30}(exceed|overflow|\bfull\b|shift)",
    re.I | re.S,
)
"""Of llama.cpp, whose slots may share one context, and of others that name theirs.

Go's "context deadline exceeded" is a time-out.
"""
_BEHIND = re.compile(
    r"connection ?error|connect(ion)?\(?\)? (was )?(failed|refused|reset|timed ?out)"
    r"|connection (failure|termination|aborted|closed)|connect timeout|econn(refused|reset|aborted)"
    r"|(upstream|backend) connect|(cannot|can't|could ?n[o']t|failed to|unable to) connect"
    r"|connect call failed|server disconnected|no route to host|host is unreachable"
    r"|name or service not known|name resolution|enotfound|ehostunreach|dial tcp"
    r"|no healthy (upstream|backend|deployment|endpoint)|all connection attempts failed"
    r"|no live upstreams|no server is available to handle",
    re.I,
)
"""How proxies and brokers say that they do not reach the server behind them."""
_STARTING = re.compile(
    r"\b(re)?(starting|loading|load(s|ed) the model|warming|initiali[sz]\w+)\b|not (yet )?ready"
    r"|overloaded|\bbusy\b|try again|retry|temporar|unavailable|at capacity|too many requests",
    re.I,
)
_NOT_NOW = frozenset({502, 503, 504, 521, 522, 523, 524, 529, 530})
"""A server that starts or has too much to do, and a proxy before one."""
_NO_MODEL = re.compile(
    r"(invalid|unknown|no such) model|model\b.{0,80}(does not exist|not found|is unknown)"
    r"|no available channel|model_not_found",
    re.I,
)
_EXCEPTIONS = re.compile(r"^(?:[\w.]{1,80}(?:Error|Exception)(?::| -) +)+")
_PASSING = re.compile(r"[0-9a-f]{8}[0-9a-f-]*|\d+", re.I)
"""What differs between two errors that say the same: ids, times, counts."""


def kind_of_5xx(message: str) -> ErrorKind:
    """The error kind of a 5xx with these words."""
    if _BEHIND.search(message):
        return ErrorKind.CONNECTION
    return ErrorKind.CONTEXT_TOO_LONG if _CONTEXT.search(message) else ErrorKind.SERVER


def is_5xx(error: ProviderError) -> bool:
    """Whether a server, or one before it, answered with an error of its own."""
    return (error.status or 0) >= 500


def is_full(error: ProviderError) -> bool:
    """Whether a server had no context left: for this request, or for those at a time."""
    return is_5xx(error) and error.kind == ErrorKind.CONTEXT_TOO_LONG


def may_pass(error: ProviderError) -> bool:
    """Whether a 5xx is that of a server that may answer soon, as one that loads its model."""
    if _NO_MODEL.search(error.words):
        return False
    is_asked_to_wait = error.retry_after is not None or _STARTING.search(error.words)
    return error.status in _NOT_NOW or bool(is_asked_to_wait)


def in_short(error: ProviderError) -> str:
    """The server's words with its status, without the names of exceptions that proxies put before.

    Such as ``502: Connection error.``; empty where there are none.
    """
    words = _EXCEPTIONS.sub("", error.words) or error.words
    return f"{error.status}: {words}" if error.status and words else words


def gist(error: ProviderError) -> tuple[int | None, str]:
    """What two errors have in common that say the same."""
    return error.status, _PASSING.sub("#", error.words)
