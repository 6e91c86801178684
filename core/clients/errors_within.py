"""Errors that come with status 200, in the field of a reply or beside a part of one.

A broker has said 200 before the host behind it fails, so the error stands in the body: for all of
it (``{"error": ...}``), in the first choice, or as a finish reason. It is told as if it had come
with the status that its code stands for. A reply with words that ended well is a reply, whatever
else its body holds at the top.

Sources of forms and words: openrouter.ai/docs/api/reference/errors-and-debugging,
platform.claude.com/docs/en/api/errors, cloud.google.com/apis/design/errors,
api-docs.deepseek.com/api/create-chat-completion and docs.bigmodel.cn (finish reasons), MiniMax's
``base_resp``.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from ..errors import ErrorKind, ProviderError
from ..parties.providers import AskedParty
from ..text import is_blank
from ..types import JsonObject
from .error_bodies import HttpFailure, error_parts, shown
from .failures import kind_of, malformed, provider_error
from .replies import json_object, mapping, read_json

_BROKEN_OFF = frozenset(
    {
        *("error", "failed", "abort", "aborted", "cancelled", "canceled"),
        *("network_error", "insufficient_system_resource", "server_error", "internal_error"),
    }
)
"""Finish reasons of a reply that its server could not finish."""
_STATUSES = {
    429: "rate_limit rate_limit_exceeded rate_limit_error rate_limited too_many_requests throttled "
    "throttling throttling_exception resource_exhausted insufficient_quota "
    "billing_hard_limit_reached",
    402: "billing_error insufficient_credits insufficient_balance payment_required",
    401: "authentication_error invalid_api_key unauthenticated unauthorized invalid_authentication",
    403: "permission_error permission_denied permission_denied_error forbidden moderation",
    404: "not_found not_found_error model_not_found",
    408: "request_timeout",
    413: "request_too_large payload_too_large",
    400: "invalid_request invalid_request_error invalid_argument bad_request bad_request_error "
    "context_length_exceeded content_filter content_policy_violation data_inspection_failed",
    500: "api_error server_error internal internal_error internal_server_error",
    502: "bad_gateway upstream_error provider_error",
    503: "unavailable service_unavailable service_unavailable_error engine_overloaded",
    504: "timeout timeout_error deadline_exceeded gateway_timeout",
    529: "overloaded overloaded_error",
}
_STATUS_OF = {word: status for status, words in _STATUSES.items() for word in words.split()}
_IN_WORDS = (
    (429, re.compile(r"rate.?limit|too many requests|resource.?exhausted|throttl", re.I)),
    (402, re.compile(r"insufficient (?:credit|balance|fund|quota)|payment required", re.I)),
    (401, re.compile(r"unauthori[sz]ed|authentication failed", re.I)),
    (
        503,
        re.compile(
            r"overloaded|unavailable|over capacity|bad gateway|internal (?:server )?error"
            r"|server error|timed? ?out|upstream|connection (?:error|reset|refused|closed)",
            re.I,
        ),
    ),
)
"""Of messages without a code that is known."""
_PLACES = ("error", "errors", "base_resp", "detail")
_CODES = ("code", "status_code", "error_code", "status", "type", "error_type")
_NO_ERROR = frozenset({"0", "200", "ok", "success", "none", "null"})
_HTTP = re.compile(r"[45]\d\d")
_EVENT = re.compile(r"^data:[ \t]*(\S.*)$", re.MULTILINE)
NO_HEADERS: Mapping[str, str] = MappingProxyType({})
_STREAM = re.compile(r"\s*(?:data|event|id|retry)?:")


def read_body(text: str, headers: Mapping[str, str], asked: AskedParty) -> JsonObject:
    """The JSON object in a body that came with status 200; empty where there is none.

    Raises:
        ProviderError: It holds an error.
    """
    body = json_object(text)
    if failure := failure_within(text, body, headers):
        raise provider_error(failure, asked)
    return body


def failure_within(
    text: str, body: JsonObject, headers: Mapping[str, str] = NO_HEADERS
) -> HttpFailure | None:
    """What the error in the body of a 200 says; ``None`` where there is none, or it says nothing.

    An error without a code that is known, in the field of a whole reply, says nothing.
    """
    choices = body.get("choices")
    choice = mapping(choices[0] if isinstance(choices, list) and choices else None)
    for holder in (choice, mapping(choice.get("message"))):
        if (error := _stated_error(holder.get("error"))) is not None:
            return _failure(error, headers, otherwise=500)
    finish = str(choice.get("finish_reason") or body.get("stop_reason") or "").lower()
    if finish in _BROKEN_OFF:
        error = _first_error(body) or {"message": f"finish reason {finish!r}"}
        return _failure(error, headers, otherwise=500)
    if _has_words(choice, body):
        return None
    if (error := _first_error(body)) is not None:
        return _failure(error, headers)
    return None if body else _failure_of_several(text, headers)


def no_reply(text: str, asked: AskedParty) -> ProviderError:
    """The error to raise when a 200 holds no reply, nor an error that says why."""
    if not _STREAM.match(text) or not _EVENT.search(text):
        return malformed(asked, text)
    is_whole = text.rstrip().endswith(("[DONE]", '"message_stop"}'))
    failed = ProviderError(
        ErrorKind.MALFORMED,
        f"{asked.name} answered 200 with a stream"
        + (", which was not asked for" if is_whole else " that ends early")
        + f": {shown(text, 80)!r}; see to it that the server, or a proxy before it, heeds "
        '"stream": false and sends one JSON object',
    )
    failed.fatal = is_whole  # each further one would be a stream too, and paid for
    return failed


def _has_words(choice: JsonObject, body: JsonObject) -> bool:
    """Whether a body holds anything that a model said."""
    message = mapping(choice.get("message"))
    texts = [message.get("content"), message.get("refusal"), choice.get("text")]
    if message.get("tool_calls"):
        return True
    return any(map(_is_text, (*texts, body.get("content"))))


def _is_text(content: object) -> bool:
    """Whether a content has words; that of a message may be a list of parts."""
    if isinstance(content, list):
        return any(_is_text(mapping(part).get("text")) or _is_text(part) for part in content)
    return isinstance(content, str) and not is_blank(content)


# What an error says


def _first_error(body: JsonObject) -> JsonObject | None:
    """The error of a whole body, in the places where servers put it."""
    for name in _PLACES:
        if (error := _stated_error(body.get(name))) is not None:
            return error
    if body.get("choices") or isinstance(body.get("content"), list):
        return None
    has_code = any(body.get(name) for name in _CODES)
    return _stated_error(body) if body.get("object") == "error" or has_code else None


def _stated_error(error: object) -> JsonObject | None:
    """An error as an object; ``None`` for what tells of none, such as null or a code of 0."""
    if isinstance(error, list) and error:
        error = error[0]
    if isinstance(error, str) and not is_blank(error):
        return mapping(json_object(error)) or {"message": error}
    stated = mapping(error)
    code, is_told = next(_codes(stated), ""), bool(error_parts(stated)[0])
    if code and code.lower() in _NO_ERROR:
        return None
    return stated if is_told or any(_codes(stated)) else None


def _codes(error: JsonObject) -> Iterator[str]:
    """The codes of an error, the most telling first."""
    for name in _CODES:
        code = error.get(name)
        if isinstance(code, str | int) and not isinstance(code, bool):
            yield str(code).strip()


def _status_of(codes: Iterable[str], whole: str) -> int | None:
    """The HTTP status that codes, or else words, stand for."""
    for code in codes:
        if _HTTP.fullmatch(code):
            return int(code)
        if status := status_named(code):
            return status
    return next((status for status, words in _IN_WORDS if words.search(whole)), None)


def status_named(code: str) -> int | None:
    """The HTTP status that an error's code or type stands for; ``None`` for one nobody knows."""
    named = re.sub(r"(?<=[a-z])(?=[A-Z])|[^A-Za-z0-9]+", "_", code).lower()
    return _STATUS_OF.get(named)


def _failure(
    error: JsonObject, headers: Mapping[str, str], otherwise: int | None = None
) -> HttpFailure | None:
    """The failure that an error tells; `otherwise` is the status of one without a known code."""
    codes = list(_codes(error))
    whole = " ".join(filter(None, (next(iter(codes), ""), error_parts(error)[0])))
    word = next((code for code in codes if not code.isdigit()), "")
    parameter = str(error.get("param") or "")
    failure = HttpFailure(400, whole, word, headers, parameter, within=True)
    status = _status_of(codes, whole)
    if status is None and kind_of(failure) == ErrorKind.INVALID_REQUEST:
        status = otherwise
        if status is None:
            return None
    return failure._replace(status=status or 400)


def _failure_of_several(text: str, headers: Mapping[str, str]) -> HttpFailure | None:
    """What is told by one of several objects that came in the place of one: of a list or stream."""
    listed = read_json(text)
    stated = [mapping(one) for one in listed] if isinstance(listed, list) else []
    if _STREAM.match(text):
        stated = [json_object(event[1]) for event in _EVENT.finditer(text)]
    return next(filter(None, (failure_within("", one, headers) for one in stated if one)), None)
