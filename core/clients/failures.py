"""What an HTTP failure means: one table for all providers (docs/providers.md)."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

from ..errors import ErrorKind, ProviderError
from .keys import redact

_QUOTA_CODES = {"insufficient_quota", "billing_hard_limit_reached", "billing_error"}
_CONTEXT = re.compile(
    r"context.{0,12}(length|window)|maximum context|too many tokens|prompt is too long", re.I
)
_FILTER = re.compile(r"content.?(filter|policy)|safety system", re.I)
_SHOWN = 300


class Failure(NamedTuple):
    """A failed HTTP answer, as much of it as matters."""

    status: int
    message: str
    code: str = ""
    headers: Mapping[str, str] = {}


def kind_of(failure: Failure) -> ErrorKind:
    """The error kind of a failed HTTP answer."""
    status = failure.status
    if status == 429:
        return ErrorKind.QUOTA if failure.code in _QUOTA_CODES else ErrorKind.RATE_LIMIT
    if status >= 500 or status in (408, 409):
        return ErrorKind.SERVER
    fixed = {401: "AUTH", 403: "AUTH", 402: "QUOTA", 404: "NOT_FOUND", 413: "CONTEXT_TOO_LONG"}
    if status in fixed:
        return ErrorKind[fixed[status]]
    told = f"{failure.code} {failure.message}"
    if _CONTEXT.search(told):
        return ErrorKind.CONTEXT_TOO_LONG
    return ErrorKind.REFUSED if _FILTER.search(told) else ErrorKind.INVALID_REQUEST


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to wait: milliseconds, seconds or an HTTP date."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * unit)
        except (KeyError, ValueError):
            continue
    try:
        then = parsedate_to_datetime(headers["retry-after"])
        return max(0.0, (then - datetime.now(UTC)).total_seconds())
    except (KeyError, ValueError, TypeError):
        return None


def provider_error(failure: Failure, host: str, key_name: str | None) -> ProviderError:
    """The error to raise for a failed HTTP answer; its message holds no key."""
    kind = kind_of(failure)
    told = redact(" ".join(failure.message.split()))[:_SHOWN]
    text = f"{host} answered {failure.status}: {told or 'no message'}"
    if todo := _what_to_do(kind, failure.status, host, key_name):
        text += f"; {todo}"
    return ProviderError(
        kind, text, status=failure.status, retry_after=retry_after(failure.headers)
    )


def _what_to_do(kind: ErrorKind, status: int, host: str, key_name: str | None) -> str:
    if kind == ErrorKind.AUTH and status == 401 and key_name:
        return f"set {key_name} to a key that is valid there"
    if kind == ErrorKind.AUTH and status == 401:
        return f"name the variable that holds the key for {host} with --api-key-env"
    return {
        ErrorKind.AUTH: "this key may not use this model",
        ErrorKind.QUOTA: "the account's quota is used up; the same command goes on later",
        ErrorKind.NOT_FOUND: "check the model's name and --base-url (it usually ends in /v1)",
        ErrorKind.CONTEXT_TOO_LONG: "a smaller --max-tokens may fit",
    }.get(kind, "")


def connection_error(host: str, cause: BaseException | None) -> ProviderError:
    """The error to raise when no HTTP answer came."""
    told = redact(" ".join(str(cause or "").split()))[:_SHOWN]
    why = f": {told}" if told else f" ({type(cause).__name__})" if cause else ""
    return ProviderError(ErrorKind.CONNECTION, f"cannot reach {host}{why}")


def malformed(host: str, body: str) -> ProviderError:
    """The error to raise when a 200 holds no reply."""
    start = redact(" ".join(body.split()))[:80]
    return ProviderError(
        ErrorKind.MALFORMED, f"{host} answered 200 without a reply: {start or '(empty body)'!r}"
    )


def error_parts(body: Any) -> tuple[str, str, str]:
    """Message, code (or type) and offending parameter of an error body, as far as it has them."""
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        if isinstance(inner, Mapping):
            code = inner.get("code") or inner.get("type") or ""
            told = inner.get("message") or inner.get("detail") or ""
            return str(told), str(code), str(inner.get("param") or "")
        return str(inner), "", ""
    return str(body or ""), "", ""
