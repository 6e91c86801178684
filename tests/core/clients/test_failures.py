"""What HTTP failures mean, and what their messages say."""

import errno
import socket
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from eibench.core.clients.error_bodies import HttpFailure, error_parts
from eibench.core.clients.failures import (
    connection_error,
    kind_of,
    malformed,
    provider_error,
    retry_after,
)
from eibench.core.errors import FATAL, RETRYABLE, ErrorKind
from eibench.core.parties.providers import OF_JUDGE, AskedParty
from eibench.core.text import readable

KEY = "sk-fake-0123456789abcdef"
HERE = AskedParty("h")
JUDGE = AskedParty("the judge openai/j at h", OF_JUDGE)


@pytest.mark.parametrize(
    ("failure", "about_tokens"),
    [
        (HttpFailure(400, "max_tokens is too large: 16384"), True),
        (HttpFailure(400, "The maximum tokens allowed are 4096"), True),
        (HttpFailure(400, "max_completion_tokens must be at most 4096"), True),
        (HttpFailure(422, "Input should be less than 4097", parameter="max_tokens"), True),
        (HttpFailure(400, "temperature must be at most 1"), False),
    ],
)
def test_hint_of_an_invalid_request(failure: HttpFailure, about_tokens: bool) -> None:
    """It names the option that the server's words are about, where that is the token limit."""
    message = str(provider_error(failure, HERE))
    assert ("--max-tokens" in message) == about_tokens
    assert ("--extra-body" in message) != about_tokens


@pytest.mark.parametrize(
    ("status", "code", "message", "kind"),
    [
        (302, "", "", "not_found"),
        (400, "", "The request is invalid.", "invalid_request"),
        (400, "", "API key not valid. Please pass a valid API key.", "auth"),
        (400, "", "Incorrect API key provided: x", "auth"),
        (400, "no_db_connection", "No connected db.", "auth"),
        (400, "context_length_exceeded", "too much", "context_too_long"),
        (400, "", "This model's maximum context length is 8192 tokens", "context_too_long"),
        (400, "", "the request exceeds the available context size", "context_too_long"),
        (400, "content_filter", "Blocked.", "refused"),
        (400, "", "blocked by our safety system", "refused"),
        (401, "invalid_api_key", "No.", "auth"),
        (402, "", "Insufficient Balance", "quota"),
        (403, "", "Your key may not use the model.", "auth"),
        (403, "", "Your input was flagged by moderation", "refused"),
        (403, "insufficient_quota", "", "quota"),
        (404, "", "No such model.", "not_found"),
        (404, "", "", "not_found"),
        (404, "", "Not Found", "not_found"),
        (404, "", "No endpoints found for a/b.", "not_found"),
        (
            404,
            "",
            "No endpoints found that can handle the requested parameters.",
            "invalid_request",
        ),
        (
            404,
            "",
            "No endpoints found that support the provided response_format",
            "invalid_request",
        ),
        (400, "", "Model Not Exist", "not_found"),
        (400, "", "a/b is not a valid model ID", "not_found"),
        (400, "", "The model `x` has been decommissioned and is no longer supported.", "not_found"),
        (400, "", "Model m: parameter seed is not supported.", "invalid_request"),
        (400, "", "For this model, temperature has been deprecated", "invalid_request"),
        (400, "", "unsupported model parameter: min_p", "invalid_request"),
        (404, "", "参数 thinking 不被该模型支持", "invalid_request"),
        (400, "", "Insufficient Balance", "quota"),
        (400, "", "Content Exists Risk", "refused"),
        (400, "", "The request was rejected because it was considered high risk", "refused"),
        (403, "data_inspection_failed", "Input data may be inappropriate.", "refused"),
        (400, "", "Range of input length should be [1, 30720]", "context_too_long"),
        (422, "", "`inputs` must have less than 4095 tokens. Given: 9030", "context_too_long"),
        (422, "", "You exceeded your current quota", "quota"),
        (400, "", "min_p is not supported by this model", "invalid_request"),
        (400, "", "Input is too long for requested model.", "context_too_long"),
        (400, "", "Invalid model name passed in model=x.", "not_found"),
        (400, "", "The model `x` does not exist.", "not_found"),
        (408, "", "", "server"),
        (409, "", "", "server"),
        (413, "", "", "context_too_long"),
        (422, "", "extra inputs", "invalid_request"),
        (429, "rate_limit_exceeded", "", "rate_limit"),
        (429, "insufficient_quota", "", "quota"),
        (500, "", "", "server"),
        (500, "", "1 validation error: response_format: input 'json_schema'", "invalid_request"),
        (503, "", "", "server"),
        (529, "overloaded_error", "", "server"),
    ],
)
def test_kind(status: int, code: str, message: str, kind: str) -> None:
    """Each status, code and message has one meaning, and with it whether to try again."""
    failure = HttpFailure(status, message, code)
    error = provider_error(failure, HERE)
    assert kind_of(failure) == kind
    assert error.retryable == (ErrorKind(kind) in RETRYABLE)
    assert error.fatal == (ErrorKind(kind) in FATAL)
    assert f"{HERE.name} answered {status}" in str(error)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "-inf"}, None),
        ({"retry-after": "1e400"}, None),
        ({"retry-after-ms": "inf", "retry-after": "9"}, 9.0),
        ({"retry-after": "86400000"}, 86400000.0),
        ({"retry-after": "9" * 5000}, None),
        ({"retry-after": "Wed, 21 Oct 99999999999999999999 07:28:00 GMT"}, None),
        ({"retry-after": "Wed, 99 Oct 2015 07:28:00 GMT"}, None),
        ({"retry-after": "\udcff"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "1_0"}, None),
        ({"retry-after": "1e308"}, None),
        ({"retry-after": "\u0661"}, None),
        ({"retry-after-ms": "1_0", "retry-after": "9"}, 9.0),
        ({"retry-after": ""}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 -0000"}, None),
    ],
)
def test_retry_after(headers: Mapping[str, str], seconds: float | None) -> None:
    """Milliseconds come before seconds before a date; what cannot be read is as if absent."""
    assert retry_after(headers) == seconds


def test_retry_after_a_date() -> None:
    """An HTTP date in the future is that many seconds away."""
    then = datetime.now(UTC) + timedelta(seconds=100)
    seconds = retry_after({"retry-after": format_datetime(then, usegmt=True)})
    assert seconds is not None and 90 < seconds <= 100


@pytest.mark.parametrize(
    ("body", "parts"),
    [
        (None, ("", "", "")),
        ("<html>Bad gateway</html>", ("<html>Bad gateway</html>", "", "")),
        (
            {"error": {"message": "m", "code": "c", "type": "t", "param": "seed"}},
            ("m", "c", "seed"),
        ),
        ({"error": {"message": "m", "code": None, "type": "t"}}, ("m", "t", "")),
        ({"message": "m", "param": None}, ("m", "", "")),
        ({"error": "out of memory"}, ("out of memory", "", "")),
        ({"error": None, "message": "m"}, ("m", "", "")),
        ({"detail": "Not found"}, ("Not found", "", "")),
        (
            {"detail": [{"loc": ["body", "min_p"], "msg": "no", "type": "extra_forbidden"}]},
            ("min_p: no", "extra_forbidden", "min_p"),
        ),
        (
            {"detail": [{"loc": ["body", "top_p"], "msg": "<= 1", "type": "less_than_equal"}]},
            ("top_p: <= 1", "less_than_equal", ""),
        ),
        ({"detail": []}, ("", "", "")),
        ({"detail": ["odd"]}, (": ['odd']", "", "")),
        ([1, 2], ("[1, 2]", "", "")),
        ([{"error": {"message": "m", "code": 400}}], ("m", "400", "")),
        (
            {"error": {"message": "m", "metadata": {"provider_name": "P", "raw": "no top_k"}}},
            ("m (P: no top_k)", "", ""),
        ),
        ({"success": False, "errors": [{"code": 5006, "message": "m"}]}, ("m", "5006", "")),
        ({"status_code": 400, "msg": "m"}, ("m", "", "")),
        (
            {
                "error": {
                    "message": "Provider returned error",
                    "metadata": {"raw": '{"error": "m"}'},
                }
            },
            ("Provider returned error (behind it: m)", "", ""),
        ),
        (
            {"message": {"detail": [{"loc": ["body", "seed"], "msg": "no", "type": "unknown"}]}},
            ("seed: no", "unknown", "seed"),
        ),
    ],
)
def test_error_parts(body: Any, parts: tuple[str, str, str]) -> None:
    """Message, code and parameter are found in every form that servers give them."""
    assert error_parts(body) == parts


@pytest.mark.parametrize(
    ("status", "key_name", "message"),
    [
        (401, "OTHER_API_KEY", "set OTHER_API_KEY"),
        (401, None, "--api-key-env"),
        (403, "OTHER_API_KEY", "may not use this model"),
        (404, None, "--base-url"),
        (413, None, "--max-tokens"),
        (429, None, "rpm in bench.toml"),
        (307, None, "--base-url"),
        (400, None, "--extra-body"),
    ],
)
def test_what_to_do(status: int, key_name: str | None, message: str) -> None:
    """A message says what the user can do."""
    assert message in str(
        provider_error(HttpFailure(status, "no"), HERE._replace(key_name=key_name))
    )


# As llama-cpp-python and OpenAI, OpenAI, vLLM, llama.cpp and Anthropic say it.
_MAXIMUM = "This model's maximum context length is"


@pytest.mark.parametrize(
    ("message", "wording"),
    [
        (
            f"{_MAXIMUM} 512 tokens. However, you requested 4620 tokens (524 in the messages, "
            "4096 in the completion).",
            "its text alone has 524 tokens: only a server with a longer context takes it",
        ),
        (
            f"{_MAXIMUM} 4096 tokens. However, you requested 4620 tokens (524 in the messages, "
            "4096 in the completion).",
            "--max-tokens 3572 would fit",
        ),
        (
            f"{_MAXIMUM} 8192 tokens. However, your messages resulted in 9000 tokens.",
            "its text alone has 9,000 tokens",
        ),
        (
            f"'max_tokens' is too large: 16384. {_MAXIMUM} 4096 tokens and your request has 700 "
            "input tokens (16384 > 4096 - 700).",
            "--max-tokens 3396 would fit",
        ),
        (
            "request (5600 tokens) exceeds the available context size (4096 tokens), try "
            "increasing it",
            "its text alone has 5,600 tokens",
        ),
        (
            "prompt is too long: 210000 tokens > 200000 maximum",
            "its text alone has 210,000 tokens",
        ),
        (
            f"{_MAXIMUM} 2048 tokens. However, your prompt contains at least 2049 input tokens, "
            "which exceeds this limit even without any output tokens. Please reduce the length of "
            "the input prompt or the number of requested output tokens. "
            "(parameter=input_tokens, value=2049)",
            "its text alone is too long",
        ),
        (
            f"{_MAXIMUM} 2048 tokens. However, your request has 9000 input tokens. Please reduce "
            "the length of the input messages.",
            "its text alone has 9,000 tokens",
        ),
        (
            "You passed 2049 input tokens and requested 100 output tokens. However, the model's "
            "context length is only 2148 tokens, resulting in a maximum input length of 2048 "
            "tokens.",
            "--max-tokens 99 would fit",
        ),
        (f"{_MAXIMUM} 8192 tokens", "a smaller --max-tokens may fit, if the text itself does"),
    ],
)
def test_what_helps_where_the_context_is_too_short(message: str, wording: str) -> None:
    """By the server's own numbers: a smaller token limit does nothing for a text too long."""
    assert f"; {wording}" in str(provider_error(HttpFailure(400, message), HERE))


def test_a_path_that_a_server_behind_lacks_is_not_looked_for_here() -> None:
    """A proxy passed it on: name and address of the model are right."""
    words = 'litellm.NotFoundError: NotFoundError: OpenAIException - {"detail":"Not Found"}'
    message = str(provider_error(HttpFailure(404, words), HERE))
    assert message.endswith("a server behind h said so: check what stands there for this model")
    assert "--base-url" not in message


@pytest.mark.parametrize(
    ("status", "message", "wording"),
    [
        (404, "no such path", "check --judge and --judge-base-url (it usually ends in /v1)"),
        (307, "no", "redirects are not followed: give the final address with --judge-base-url"),
        (401, "who?", "name the variable that holds the key for it with --judge-api-key-env"),
        (413, "too long", "--judge may name one that takes this"),
        (400, "temperature must be at most 1", "--judge may name one that takes this"),
        (
            400,
            "max_tokens is too large",
            "the benchmark asks for so many; --judge-set max_tokens=N asks for fewer",
        ),
    ],
)
def test_what_to_do_about_a_judge(status: int, message: str, wording: str) -> None:
    """A message about a judge names it and its own options, never those of the model."""
    text = str(provider_error(HttpFailure(status, message), JUDGE))
    assert text == f"the judge openai/j at h answered {status}: {message}; {wording}"


def test_a_judge_without_an_answer_is_named() -> None:
    """Also where nothing came, or what came is no reply."""
    assert str(connection_error(JUDGE, None)) == (
        "cannot reach the judge openai/j at h; check --judge-base-url, and that the server is up"
    )
    message = str(malformed(JUDGE, "<html>"))
    assert message.startswith("the judge openai/j at h answered 200 without a reply: '<html>'; ")
    assert "--judge-base-url is the API's address" in message


def test_messages_are_plain() -> None:
    """A server's words come without keys, control characters, surrogates, and not at length."""
    words = f"\x1b[31mred\n{KEY} \ud83d" + "x" * 1000
    for error in (
        provider_error(HttpFailure(500, words), HERE),
        connection_error(HERE, OSError(words)),
        malformed(HERE, words),
    ):
        assert KEY not in str(error)
        assert str(error).isprintable()
        assert len(str(error).encode()) < 500


@pytest.mark.parametrize(
    ("cause", "message"),
    [
        (OSError(errno.ECONNREFUSED, "Connect call failed ('::1', 9)"), "Connection refused"),
        (socket.gaierror(socket.EAI_NONAME, "Name not known"), "Name not known"),
        (OSError(1, "certificate verify failed"), "the library's words"),
    ],
)
def test_a_connection_error_says_why_in_plain_words(cause: OSError, message: str) -> None:
    """Those of the system where it has some, whatever a library has wrapped around them."""
    wrapped = RuntimeError("the library's words")
    wrapped.__cause__ = cause
    assert str(connection_error(HERE, wrapped)).startswith(f"cannot reach h: {message}; ")


def test_connection_error_without_words() -> None:
    """A cause that says nothing is named by its class."""
    assert "(ConnectionResetError)" in str(connection_error(HERE, ConnectionResetError()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain 😀", "plain 😀"),
        ("half \ud83d", "half �"),
        ("\ude00 other half", "� other half"),
        ("\ud83d\ude00 both", "😀 both"),
    ],
)
def test_readable(text: str, expected: str) -> None:
    """Halves of surrogate pairs become U+FFFD; a pair of them becomes its character."""
    assert readable(text) == expected


FILTERED = [
    (400, "The response was filtered due to the prompt triggering Azure OpenAI's content "
     "management policy. Please modify your prompt and retry.", "content_filter"),
    (400, "Content Exists Risk", "invalid_request_error"),
    (400, "Input data may contain inappropriate content.", "data_inspection_failed"),
    (400, "Output data may contain inappropriate content.", "DataInspectionFailed"),
    (400, "Output blocked by content filtering policy", "invalid_request_error"),
    (400, "Your request was rejected as a result of our safety system.", "content_policy"),
    (400, "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
     "invalid_prompt"),
    (403, "openai/m requires moderation. Your input was flagged for \"violence\".", "403"),
    (403, "The request was blocked due to safety", ""),
    (400, "系统检测到输入或生成内容可能包含不安全或敏感内容", "1301"),
    (400, "The request was blocked by the guardrail that is configured for this model.", ""),
    (400, "The prompt is blocked: PROHIBITED_CONTENT", "400"),
    (400, "Provider returned error: content blocked", "400"),
    (422, "The input contains sensitive information", "new_sensitive"),
]  # fmt: skip
NOT_FILTERED = [
    (400, "Unknown parameter: 'safety_settings'.", "unknown_parameter", ErrorKind.INVALID_REQUEST),
    (400, "Invalid content type. image_url is not supported.", "", ErrorKind.INVALID_REQUEST),
    (400, "messages.0.content: field required", "missing", ErrorKind.INVALID_REQUEST),
    (403, "Your key may not use the model m.", "", ErrorKind.AUTH),
    (429, "Content filter is overloaded", "", ErrorKind.RATE_LIMIT),
    (500, "The content filter failed", "", ErrorKind.SERVER),
]


@pytest.mark.parametrize(("status", "message", "code"), FILTERED)
def test_what_filters_of_providers_say(status: int, message: str, code: str) -> None:
    """Azure, DeepSeek, Alibaba, Anthropic, OpenAI, OpenRouter, Zhipu and others."""
    assert kind_of(HttpFailure(status, message, code)) == ErrorKind.REFUSED


@pytest.mark.parametrize(("status", "message", "code", "kind"), NOT_FILTERED)
def test_what_is_no_filter_s_refusal(status: int, message: str, code: str, kind: ErrorKind) -> None:
    """A word of one in another error."""
    assert kind_of(HttpFailure(status, message, code)) == kind
