"""Errors that come with status 200: told by their code through every client, graded by none."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import pytest

from eibench.core.clients.openai import OpenAIClient
from eibench.core.errors import ErrorKind, ProviderError
from eibench.core.parties.prompt_templates import find_template
from eibench.core.parties.providers import Client, ClientConfig, ModelSpec
from eibench.core.types import ChatRequest, ChatResponse, Finish, Message
from eibench.testing import LoopbackServer, ReceivedRequest, Response

from .test_three_clients import CALL, KEY, MODELS, address, connected

pytestmark = pytest.mark.usefixtures("no_certificates")
ASKED = ChatRequest((Message("user", "Hi"),))
CHATS = ("openai", "litellm-openai", "litellm-vllm")
MESSAGES = ("anthropic", "litellm-anthropic")


class Told(NamedTuple):
    """What an error has to mean: its kind, the status that it stands for, a word of its message."""

    kind: ErrorKind
    status: int | None
    word: str


LIMIT, SERVER, MALFORMED = ErrorKind.RATE_LIMIT, ErrorKind.SERVER, ErrorKind.MALFORMED
ERRORS: Mapping[str, tuple[object, Told]] = {
    "502": ({"code": 502, "message": "Down."}, Told(SERVER, 502, "Down.")),
    "429": ({"code": 429, "message": "Slow."}, Told(LIMIT, 429, "Slow.")),
    "a text": ({"code": "503", "message": "Busy."}, Told(SERVER, 503, "Busy.")),
    "words": ({"code": "rate_limit_exceeded", "message": "Slow."}, Told(LIMIT, 429, "Slow.")),
    "a type": ({"type": "overloaded_error", "message": "Full."}, Told(SERVER, 529, "Full.")),
    "a class": ({"type": "InternalServerError", "message": "Oh."}, Told(SERVER, 500, "Oh.")),
    "Google's": ({"status": "RESOURCE_EXHAUSTED", "message": "x"}, Told(LIMIT, 429, "EXHAUSTED")),
    "401": ({"code": 401, "message": "No key."}, Told(ErrorKind.AUTH, 401, "No key.")),
    "402": ({"code": 402, "message": "Pay."}, Told(ErrorKind.QUOTA, 402, "Pay.")),
    "quota": ({"code": "insufficient_quota", "message": "x"}, Told(ErrorKind.QUOTA, 429, "quota")),
    "403": ({"code": 403, "message": "Not you."}, Told(ErrorKind.AUTH, 403, "Not you.")),
    "flagged": (
        {"code": 403, "message": "Your input was flagged."},
        Told(ErrorKind.REFUSED, 403, "flagged"),
    ),
    "404": ({"code": 404, "message": "None."}, Told(ErrorKind.NOT_FOUND, 404, "None.")),
    "filter": (
        {"code": "content_filter", "message": "No."},
        Told(ErrorKind.REFUSED, 400, "content_filter"),
    ),
    "context": (
        {"message": "maximum context length is 8192 tokens"},
        Told(ErrorKind.CONTEXT_TOO_LONG, 400, "8192"),
    ),
    "400": ({"code": 400, "message": "Bad."}, Told(ErrorKind.INVALID_REQUEST, 400, "Bad.")),
    "behind it": (
        {
            "code": 429,
            "message": "Provider returned error",
            "metadata": {"provider_name": "Together", "raw": "Slow down."},
        },
        Told(LIMIT, 429, "(Together: Slow down.)"),
    ),
    "no object": ("Rate limit exceeded, wait", Told(LIMIT, 429, "wait")),
    "no code": ({"message": "The server is overloaded"}, Told(SERVER, 503, "overloaded")),
}


def chat(content: object = "", finish: str | None = "stop", **more: object) -> dict[str, Any]:
    """A chat completion with one choice; `more` stands in the choice."""
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "message": message, "finish_reason": finish, **more}
    usage = {"prompt_tokens": 3, "completion_tokens": 5, "total_tokens": 8}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "usage": usage,
            "choices": [choice]}  # fmt: skip


def message(text: str, stop: str, **more: object) -> dict[str, Any]:
    """A message of Anthropic's."""
    blocks = [{"type": "text", "text": text}] if text else []
    usage = {"input_tokens": 3, "output_tokens": 5}
    return {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": blocks,
            "stop_reason": stop, "stop_sequence": None, "usage": usage, **more}  # fmt: skip


def completion(text: str, **more: object) -> dict[str, Any]:
    """A text completion."""
    choice = {"index": 0, "text": text, "finish_reason": "stop", **more}
    return {"object": "text_completion", "model": "m", "choices": [choice]}


@asynccontextmanager
async def completing(base_url: str) -> AsyncIterator[Client]:
    """A client that asks for completions."""
    spec, raw = ModelSpec.parse("openai/m"), find_template("raw")
    client = OpenAIClient(ClientConfig(spec, base_url, KEY, "SOME_KEY", template=raw))
    try:
        yield client
    finally:
        await client.close()


async def asked(name: str, body: object) -> ChatResponse:
    """What a client makes of a 200 with this body; it asks once."""

    def respond(request: ReceivedRequest) -> Any:
        if isinstance(body, str):
            return Response(200, body.encode(), (("Content-Type", "application/json"),))
        return body

    async with LoopbackServer(respond) as server:
        url = address(server, name)
        async with completing(url) if name == "completions" else connected(name, url) as client:
            try:
                return await client.complete(ASKED, CALL)
            finally:
                assert len(server.requests) == 1


async def failed(name: str, body: object) -> ProviderError:
    """The error that a client makes of a 200 with this body; it holds nothing of another's."""
    with pytest.raises(ProviderError) as caught:
        await asked(name, body)
    error = caught.value
    assert error.__cause__ is None and error.__context__ is None
    assert "\n" not in str(error) and "127.0.0.1" in str(error)
    return error


@pytest.mark.parametrize("name", [*MODELS, "completions"])
@pytest.mark.parametrize("case", ERRORS)
async def test_an_error_in_the_place_of_a_reply(name: str, case: str) -> None:
    """Its kind is that of its code or type, else of its words, as if it had come with a status."""
    told, meant = ERRORS[case]
    error = await failed(name, {"type": "error", "error": told})
    assert (error.kind, error.status) == meant[:2]
    assert meant.word in str(error) and "200 with an error in it" in str(error)


@pytest.mark.parametrize("name", CHATS)
@pytest.mark.parametrize("case", ERRORS)
async def test_an_error_in_a_choice(name: str, case: str) -> None:
    """The same, whatever was said before it broke off, and whatever the finish reason says."""
    told, meant = ERRORS[case]
    for body in (chat("", "error", error=told), chat("Half of", "stop", error=told)):
        error = await failed(name, body)
        assert (error.kind, error.status) == meant[:2]
        assert "Half" not in str(error)


@pytest.mark.parametrize("finish", ["error", "ERROR", "insufficient_system_resource", "abort"])
@pytest.mark.parametrize("name", [*MODELS, "completions"])
async def test_a_reply_that_its_server_could_not_finish(name: str, finish: str) -> None:
    """It is no reply, and is asked for again."""
    if name in MESSAGES:
        body = message("Half of it", finish)
    elif name == "completions":
        body = completion("Half of it") | {"choices": [{"text": "Half", "finish_reason": finish}]}
    else:
        body = chat("Half of it", finish)
    error = await failed(name, body)
    assert (error.kind, error.retryable) == (SERVER, True)
    assert finish.lower() in str(error)


@pytest.mark.parametrize("name", CHATS)
async def test_the_error_of_a_body_beside_an_empty_choice(name: str) -> None:
    """An empty text is not the model's where the body says what went wrong."""
    error = await failed(name, chat("") | {"error": {"code": 502, "message": "Down."}})
    assert (error.kind, error.status) == (SERVER, 502)


@pytest.mark.parametrize("name", MESSAGES)
async def test_an_empty_message_with_an_error(name: str) -> None:
    """The same in Anthropic's form."""
    told = {"type": "overloaded_error", "message": "Full."}
    error = await failed(name, message("", "end_turn", error=told))
    assert (error.kind, error.status) == (SERVER, 529)


STREAM = 'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":null}]}\n\n'
NO_REPLY: Mapping[str, tuple[object, Told, bool]] = {
    "no choices": (chat() | {"choices": []}, Told(MALFORMED, None, "without a reply"), True),
    "null": (chat() | {"choices": None}, Told(MALFORMED, None, "without a reply"), True),
    "html": ("<html>502 Bad Gateway</html>", Told(MALFORMED, None, "--base-url"), True),
    "half": ('{"choices":[{"mess', Told(MALFORMED, None, "--base-url"), True),
    "nothing": ("", Told(MALFORMED, None, "empty body"), True),
    "a riddle": ({"error": {"message": "Hm."}}, Told(MALFORMED, None, "Hm."), True),
    "a stream": (STREAM + "data: [DONE]\n\n", Told(MALFORMED, None, "not asked for"), False),
    "half a stream": (STREAM, Told(MALFORMED, None, "ends early"), True),
    "a stream's error": (
        f'{STREAM}data: {{"error":{{"code":429,"message":"Slow."}}}}\n\n',
        Told(LIMIT, 429, "Slow."),
        True,
    ),
    "a list": (
        '[{"error": {"code": 503, "message": "Busy.", "status": "UNAVAILABLE"}}]',
        Told(SERVER, 503, "Busy."),
        True,
    ),
    "an event's error": (
        'event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\n',
        Told(SERVER, 529, "overloaded_error"),
        True,
    ),
    "comments first": (
        f": PROCESSING\n\n{STREAM}data: [DONE]\n\n", Told(MALFORMED, None, "not asked for"), False,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ["openai", "anthropic", "completions"])
@pytest.mark.parametrize("case", NO_REPLY)
async def test_what_is_no_reply(name: str, case: str) -> None:
    """It fails for what it is; a whole stream ends the run: each next one would be paid for too."""
    body, meant, again = NO_REPLY[case]
    error = await failed(name, body)
    assert (error.kind, error.status, error.retryable) == (*meant[:2], again)
    assert error.fatal is not again
    assert meant.word in str(error)


@pytest.mark.parametrize("name", ["litellm-openai", "litellm-vllm", "litellm-anthropic"])
@pytest.mark.parametrize("case", ["html", "half", "half a stream"])
async def test_what_is_no_reply_through_litellm(name: str, case: str) -> None:
    """The same; litellm says less of some of them."""
    body, meant, _ = NO_REPLY[case]
    error = await failed(name, body)
    assert (error.kind, error.retryable) == (meant.kind, True)


GENUINE: Mapping[str, dict[str, Any]] = {
    "null": chat("Yes.", error=None) | {"error": None},
    "empty": chat("Yes.", error={}) | {"error": {}},
    "no text": chat("Yes.", error="") | {"error": ""},
    "code 0": chat("Yes.", error={"code": 0, "message": "success"}),
    "of the body": chat("Yes.") | {"error": {"code": 500, "message": "Log failed."}},
    "success": chat("Yes.") | {"base_resp": {"status_code": 0, "status_msg": ""}},
    "an object of errors": chat('{"error": {"code": 502, "message": "Down."}}'),
    "parts": chat([{"type": "text", "text": "Yes."}]) | {"error": {"code": 500}},
}


@pytest.mark.parametrize("name", CHATS)
@pytest.mark.parametrize("case", GENUINE)
async def test_a_reply_is_none(name: str, case: str) -> None:
    """Words that ended well are the model's, though they, or the body, speak of an error."""
    response = await asked(name, GENUINE[case])
    assert response.finish == Finish.STOP
    assert response.text in ("Yes.", '{"error": {"code": 502, "message": "Down."}}')


async def test_a_wait_that_such_an_error_asks_for() -> None:
    """It is in the headers, as ever."""
    body = json.dumps({"error": {"code": 429, "message": "Slow."}}).encode()
    async with (
        LoopbackServer(lambda _: Response(200, body, (("Retry-After", "7"),))) as server,
        connected("openai", server.base_url) as client,
    ):
        with pytest.raises(ProviderError) as caught:
            await client.complete(ASKED, CALL)
    assert caught.value.retry_after == 7
