"""What went wrong in litellm, found beneath what litellm says went wrong.

Its own errors give a dropped connection, a garbled body and an overloaded
server the same status 500, and lose headers. The exceptions that it was
handling hold the truth: the HTTP answer, the network's error, or neither, and
then the answer could not be read.
"""

import re

from ..errors import ErrorKind, ProviderError
from ..parties.providers import AskedParty
from ..spending.billing import causes
from .bodies import read_json
from .failures import HttpFailure, connection_error, error_parts, malformed, provider_error

_PREFIX = re.compile(r"^(?:\S*(?:litellm\.\w+|Error|Exception)(?::| -) +)+")
_NETWORK = {"httpx", "httpx2", "httpcore", "aiohttp", "ssl", "socket"}
_KINDS = {
    "ContextWindowExceededError": ErrorKind.CONTEXT_TOO_LONG,
    "ContentPolicyViolationError": ErrorKind.REFUSED,
}


def failure_of(
    error: Exception, asked: AskedParty, body: str = ""
) -> tuple[ProviderError, HttpFailure]:
    """The error to raise, and the failed answer as it was."""
    found = list(causes(error))
    answer = next((seen for cause in found if (seen := _http_answer(cause))), None)
    failure = answer or _in_its_words(error)
    if answer is None and (lost := next((c for c in reversed(found) if _is_network(c)), None)):
        return _lost(lost, asked), failure
    if failure.status < 300 or (answer is None and failure.status >= 500):
        return malformed(asked, body or failure.message), failure
    made = provider_error(failure, asked)
    if kind := _KINDS.get(type(error).__name__):
        made.kind, made.fatal = kind, False
    return made, failure


def is_http_failure(error: Exception) -> bool:
    """Whether the server answered with an error status; those of litellm's own are made up."""
    others = (e for e in causes(error) if not type(e).__module__.startswith("litellm"))
    statuses = (getattr(getattr(e, "response", None), "status_code", 0) for e in others)
    return any(isinstance(status, int) and status >= 300 for status in statuses)


def _http_answer(error: BaseException) -> HttpFailure | None:
    """The HTTP answer that an exception of an HTTP library holds."""
    response = getattr(error, "response", None)
    if type(error).__name__ != "HTTPStatusError" or response is None:
        return None
    try:
        text = response.text
    except Exception:  # noqa: BLE001 - a stream that nobody has read, in any HTTP library
        text = ""
    message, code, parameter = error_parts(read_json(text) or text)
    return HttpFailure(response.status_code, message, code, response.headers, parameter)


def _in_its_words(error: object) -> HttpFailure:
    """The failure in litellm's words, for what never became an HTTP answer."""
    text = _PREFIX.sub("", str(error).split("\nTraceback")[0])
    message, code, parameter = error_parts(getattr(error, "body", None) or read_json(text) or text)
    headers = getattr(error, "litellm_response_headers", None) or {}
    status = getattr(error, "status_code", None)
    return HttpFailure(
        status if isinstance(status, int) else 500, message, code, headers, parameter
    )


def _is_network(error: BaseException) -> bool:
    module = type(error).__module__.partition(".")[0]
    return module in _NETWORK or isinstance(error, OSError)


def _lost(error: BaseException, asked: AskedParty) -> ProviderError:
    if isinstance(error, TimeoutError) and "connect" not in str(error).lower():
        return ProviderError(ErrorKind.TIMEOUT, f"{asked.name} gave no complete answer in time")
    return connection_error(asked, error)
