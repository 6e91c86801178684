"""What an HTTP failure means: one table for all providers (docs/providers.md)."""

import errno
import os
import re
import socket
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from ..errors import ErrorKind, ProviderError
from ..parties.providers import AskedParty
from ..spending.billing import causes, never_sent
from ..types.rules import size_text
from .error_bodies import HttpFailure, shown
from .fitting import room_and_text, speaks_of_room
from .server_errors import kind_of_5xx

_FIXED = {
    401: ErrorKind.AUTH,
    402: ErrorKind.QUOTA,
    403: ErrorKind.AUTH,
    408: ErrorKind.SERVER,
    409: ErrorKind.SERVER,
    413: ErrorKind.CONTEXT_TOO_LONG,
    429: ErrorKind.RATE_LIMIT,
}
_QUOTA_CODES = {"insufficient_quota", "billing_hard_limit_reached", "billing_error"}
_QUOTA = re.compile(
    r"insufficient[ _](quota|balance|credits?|funds)|(quota|credits?) (is |are |has been )?"
    r"(exceeded|exhausted|used up)|exceeded your.{0,20}quota|out of credits|billing|arrearage"
    r"|(balance|credits?) (is )?too low",
    re.I,
)
_BAD_KEY = re.compile(
    r"(incorrect|invalid|missing|expired|wrong|no|bad)[ _](x-)?(api|auth\w*|access|secret)?[ _-]?"
    r"(key|token|credentials?)(?![ _]?(count|limit|s))"
    r"|(api|access).?key.{0,20}(not valid|invalid|expired|missing|required|incorrect|disabled)"
    r"|unauthori[sz]ed|unauthenticated|authentication|permission[ _]denied|access denied"
    r"|no connected db",  # the LiteLLM proxy without a database, of a key that it does not know
    re.I,
)
_CONTEXT = re.compile(
    r"context.{0,12}(length|window|size|limit)|maximum context|too many (input |prompt )?tokens"
    r"|(prompt|input|inputs|messages?|request|conversation|text) (is |are |was )?too (long|large)"
    r"|(prompt|input|message)s? (length|tokens?)? ?exceeds?|reduce the (length|size) of"
    r"|exceeds? .{0,40}(context|token limit|(max(imum)?|number of) .{0,20}tokens)"
    r"|max(imum)? (input|prompt|sequence) (length|tokens)|string_above_max_length"
    r"|(input|prompt)s?\W{1,3}(token )?(length|count|size)\b|too long to fit"
    r"|(input|prompt)s?\W{1,3}must (have|be) (less|fewer|shorter) than",
    re.I,
)
_TEXT_ALONE = re.compile(
    r"without any (output|completion|generated) tokens|prompt contains \d+ characters \(more than",
    re.I,
)
"""How vLLM says that a prompt fits with no reply at all."""
_PASSED_ON = re.compile(r"\blitellm\.|\b[A-Z]\w+Exception\b")
"""How a proxy names an error of the server behind it."""
_FIELD = (
    r"param|argument|\bfield|option|schema|response.?format|temperature|(top|min)_[kp]\b|\bseed\b"
    r"|\bstop\b|tokens|reasoning|thinking|effort|\broles?\b|system|messages?\b"
)
_NO_MODEL = re.compile(
    rf"(invalid|unknown|unsupported|no such|not a valid)[ _]model\b(?![ _-]?({_FIELD}))"
    r"|no endpoints found for"
    rf"|model\b((?!{_FIELD}).){{0,80}}(does not exist|not[ _]exist|not[ _]found|is unknown"
    r"|is not a valid model|could not be found|cannot be found|decommissioned"
    r"|no longer (available|supported)|has been (removed|retired|deprecated)"
    r"|not (loaded|deployed|served)|is not (available|supported)\W*$)",
    re.I,
)
"""How servers say that they have no such model; a field that a model does not take is another."""
_OF_A_FIELD = re.compile(
    r"parameter|argument|\bfields?\b|\bkeys?\b|\binputs?\b|\boptions?\b|support|not permitted"
    r"|response_format|json_schema|structured|schema|temperature|\b(top|min)_[kp]\b|\bseed\b"
    r"|max_\w*tokens|reasoning|thinking|effort|\bstop\b|system (role|message|prompt)|\broles?\b"
    r"|参数",
    re.I,
)
"""What makes a 404 one of a request that nobody there can answer, as brokers give it."""
_FILTER = re.compile(
    r"content.{0,12}?(filter|polic(y|ies)|moderation|inspection|risk)|data.?inspection"
    r"|safety (system|filter|policy)|moderat(ion|ed)|flagged|responsible.?ai|guardrail"
    r"|(usage|use|content management) (polic(y|ies)|guidelines)|high.?risk|(un|not )safe\b"
    r"|(inappropriate|sensitive|prohibited).?(content|information)|不安全|敏感|违规"
    r"|blocked (by|due to|for) (our |the )?(safety|policy|content)"
    r"|(content|prompt) (was |is )?blocked",
    re.I,
)
_NO_SCHEMA = re.compile(r"response_format.{0,300}json_schema", re.S)
"""Of a JSON schema that a server does not take; llama-cpp-python's says so with status 500."""
_PLAIN = {
    errno.ECONNREFUSED,
    errno.ECONNRESET,
    errno.EHOSTUNREACH,
    errno.ENETUNREACH,
    errno.ETIMEDOUT,
}
"""What the system's own words are clear about."""
_WORDED = (
    (_NO_MODEL, ErrorKind.NOT_FOUND),
    (_CONTEXT, ErrorKind.CONTEXT_TOO_LONG),
    (_QUOTA, ErrorKind.QUOTA),
    (_BAD_KEY, ErrorKind.AUTH),
    (_FILTER, ErrorKind.REFUSED),
)
"""What a 400, a 404 or a 422 is where its words say so; else it is of the request's form."""
_ANSWERED_WITH = frozenset({400, 404, 422, 500})
_SECONDS = re.compile(r"-?\d{1,300}(\.\d{1,300})?", re.ASCII)
"""A time to wait: digits alone, as Python reads more than that as a number, such as ``1_0``."""
_SHOWN_OF_BODY = 80


def kind_of(failure: HttpFailure) -> ErrorKind:
    """The error kind of a failed HTTP answer."""
    status, message = failure.status, f"{failure.code} {failure.message}"
    if status >= 500:
        is_schema = _NO_SCHEMA.search(message)
        return ErrorKind.INVALID_REQUEST if is_schema else kind_of_5xx(message)
    if status < 400:
        return ErrorKind.NOT_FOUND  # a redirect: what is asked for is elsewhere
    if failure.code in _QUOTA_CODES:
        return ErrorKind.QUOTA
    if status == 403 and _FILTER.search(message):
        return ErrorKind.REFUSED
    if status in _FIXED:
        return _FIXED[status]
    for words, kind in _WORDED:
        if words.search(message):
            return kind
    if status == 404 and not _OF_A_FIELD.search(f"{message} {failure.parameter}"):
        return ErrorKind.NOT_FOUND
    return ErrorKind.INVALID_REQUEST


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to wait: milliseconds, seconds or an HTTP date.

    ``None`` when it asks nothing, or what cannot be read.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        if _SECONDS.fullmatch(headers.get(name, "").strip()):
            return max(0.0, float(headers[name]) * unit)
    try:
        then = parsedate_to_datetime(headers["retry-after"])
        return max(0.0, (then - datetime.now(UTC)).total_seconds())
    except (LookupError, ValueError, TypeError, OverflowError):
        return None


def provider_error(failure: HttpFailure, asked: AskedParty) -> ProviderError:
    """The error to raise for a failed HTTP answer; its message holds no key."""
    kind = kind_of(failure)
    status = "200 with an error in it" if failure.within else failure.status
    text = f"{asked.name} answered {status}: {shown(failure.message) or 'no message'}"
    about_room = kind == ErrorKind.INVALID_REQUEST and speaks_of_room(failure)
    todo = _what_to_do(kind, failure, asked)
    if about_room and asked.options.sampling:
        todo = "check --max-tokens: the server may take a smaller one"
    elif about_room:
        todo = f"the benchmark asks for so many; {asked.options.room} asks for fewer"
    if todo:
        text += f"; {todo}"
    error = ProviderError(
        kind, text, status=failure.status, retry_after=retry_after(failure.headers)
    )
    if failure.status in _ANSWERED_WITH:
        error.answer = failure
    error.words = shown(failure.message)
    return error


def _what_to_do(kind: ErrorKind, failure: HttpFailure, asked: AskedParty) -> str:
    options, key_name, status = asked.options, asked.key_name, failure.status
    if status < 400:
        return f"redirects are not followed: give the final address with {options.base_url}"
    if kind == ErrorKind.AUTH and status != 403 and key_name:
        return f"set {key_name} to a key that is valid there"
    if kind == ErrorKind.AUTH and status != 403:
        return f"name the variable that holds the key for it with {options.api_key_env}"
    if kind in (ErrorKind.CONTEXT_TOO_LONG, ErrorKind.INVALID_REQUEST) and not options.sampling:
        return f"{options.spec} may name one that takes this"
    if kind == ErrorKind.CONNECTION:
        return "the server behind it does not answer: check that one"
    if (
        kind == ErrorKind.CONTEXT_TOO_LONG
        and status >= 500
        and not room_and_text(failure.message)[1]
    ):
        return (
            "the prompt and the room for its reply do not fit: a smaller --max-tokens, or a "
            "server with a longer context"
        )
    if kind == ErrorKind.NOT_FOUND and _PASSED_ON.search(failure.message):
        return f"a server behind {asked.name} said so: check what stands there for this model"
    return {
        ErrorKind.AUTH: "this key may not use this model",
        ErrorKind.QUOTA: "the account's quota is used up; the same command goes on later",
        ErrorKind.NOT_FOUND: (
            f"check {options.spec} and {options.base_url} (it usually ends in /v1)"
        ),
        ErrorKind.CONTEXT_TOO_LONG: _room_left(failure.message),
        ErrorKind.RATE_LIMIT: "a smaller --concurrency, or [run] rpm in bench.toml, may help",
        ErrorKind.SERVER: "the same command tries again",
        ErrorKind.REFUSED: "the provider's filter refused this request",
        ErrorKind.INVALID_REQUEST: "check the sampling options and --extra-body",
    }.get(kind, "")


def _room_left(message: str) -> str:
    """What may help where a prompt and the room for its reply are too long together."""
    room, text = room_and_text(message)
    if _TEXT_ALONE.search(message):
        return "its text alone is too long: only a server with a longer context takes it"
    if not (room and text):
        return "a smaller --max-tokens may fit, if the text itself does"
    if text >= room:
        return f"its text alone has {text:,} tokens: only a server with a longer context takes it"
    return f"--max-tokens {room - text} would fit"


def connection_error(asked: AskedParty, cause: BaseException | None) -> ProviderError:
    """The error to raise when no HTTP answer came."""
    message = shown(reason(cause))
    why = f": {message}" if message else f" ({type(cause).__name__})" if cause else ""
    todo = f"check {asked.options.base_url}, and that the server is up"
    failure = ProviderError(ErrorKind.CONNECTION, f"cannot reach {asked.name}{why}; {todo}")
    failure.unsent, failure.words = never_sent(cause), message
    return failure


def reason(cause: BaseException | None) -> str:
    """What the system says of a lost connection, else the words of the library."""
    for error in causes(cause):
        if isinstance(error, socket.gaierror) and error.strerror:
            return error.strerror
        if isinstance(error, OSError) and error.errno in _PLAIN:
            return os.strerror(error.errno)
    return str(cause or "")


def malformed(asked: AskedParty, body: str) -> ProviderError:
    """The error to raise when a 200 holds no reply."""
    start = shown(body, _SHOWN_OF_BODY) or "(empty body)"
    return ProviderError(
        ErrorKind.MALFORMED,
        f"{asked.name} answered 200 without a reply: {start!r}; "
        f"check that {asked.options.base_url} is the API's address (it usually ends in /v1)",
    )


def too_large(asked: AskedParty, most: int) -> ProviderError:
    """The error to raise when a reply goes on after the most that is read of one."""
    return ProviderError(
        ErrorKind.TOO_LARGE,
        f"{asked.name} sent a reply of more than {size_text(most)}, the rest of which was not "
        "read; a larger [run] max_reply in bench.toml takes it",
    )
