"""The openai client against a server on this machine: what goes out, what comes back."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest

from eibench.core.benchmark import Benchmark
from eibench.core.clients.keys import Environment, choose_key
from eibench.core.clients.openai import OpenAIClient
from eibench.core.errors import ErrorKind, ProviderError, UsageError
from eibench.core.parties.providers import CallContext, ClientConfig, ModelSpec, Provider
from eibench.core.types import ChatRequest, ChatResponse, Finish, Item, Message, Sampling, Usage
from eibench.testing import Answer, Fault, LoopbackServer, ReceivedRequest, Reply

KEY = "sk-fake-0123456789abcdef"
CALL = CallContext(cast(Benchmark, None), Item("1"), 1, "generate")


@asynccontextmanager
async def connected(base_url: str | None, **config: Any) -> AsyncIterator[OpenAIClient]:
    """A client that is closed in the end."""
    spec = ModelSpec("openai", "the-model")
    client = OpenAIClient(ClientConfig(spec, base_url, **({"key": KEY} | config)))
    try:
        yield client
    finally:
        await client.close()


def asking(prompt: str = "Hi", **sampling: Any) -> ChatRequest:
    """A request of one message."""
    return ChatRequest((Message("user", prompt),), Sampling(**sampling))


async def ask(server: LoopbackServer, request: ChatRequest | None = None) -> ChatResponse:
    """One reply."""
    async with connected(server.base_url) as client:
        return await client.complete(request or asking(), CALL)


async def answered(reply: Reply) -> ChatResponse:
    """What the client makes of a reply."""
    async with LoopbackServer(lambda request: reply) as server:
        return await ask(server)


async def failed(fault: str | Fault, **config: Any) -> tuple[ProviderError, LoopbackServer]:
    """What the client makes of a fault."""
    async with (
        LoopbackServer(faults=lambda request: fault) as server,
        connected(server.base_url, typed=frozenset({"temperature"}), **config) as client,
    ):
        with pytest.raises(ProviderError) as caught:
            await client.complete(asking(temperature=0.5), CALL)
    return caught.value, server


@asynccontextmanager
async def raw_server(answer: bytes) -> AsyncIterator[tuple[str, list[bytes]]]:
    """A server that answers every request with these bytes; its base URL and what it received."""
    received: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        received.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(answer)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", received


def http(status: str, body: bytes, *headers: str) -> bytes:
    """An HTTP response."""
    lines = [f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(body)}", "Connection: close"]
    return "\r\n".join([*lines, "", ""]).encode() + body


# What the server does wrong


@pytest.mark.parametrize(
    ("fault", "kind", "status", "message"),
    [
        ("429", "rate_limit", 429, "--concurrency"),
        ("429-retry-after", "rate_limit", 429, "--concurrency"),
        ("429-retry-after-ms", "rate_limit", 429, "--concurrency"),
        ("quota", "quota", 429, "quota is used up"),
        ("500", "server", 500, "tries again"),
        ("502", "server", 502, "tries again"),
        ("529", "server", 529, "tries again"),
        ("401", "auth", 401, "set OPENAI_API_KEY"),
        ("403", "auth", 403, "may not use this model"),
        ("404", "not_found", 404, "--base-url"),
        ("400", "invalid_request", 400, "--extra-body"),
        ("context", "context_too_long", 400, "--max-tokens"),
        ("400-content-filter", "refused", 400, "filter"),
        ("drop", "connection", None, "--base-url"),
        ("drop-mid", "connection", None, "--base-url"),
        ("html", "malformed", None, "--base-url"),
        ("truncated", "malformed", None, "--base-url"),
        ("empty-object", "malformed", None, "--base-url"),
        ("error-200", "server", 502, "Upstream failed"),
    ],
)
async def test_failures(fault: str, kind: str, status: int | None, message: str) -> None:
    """Each fault has its kind, names the host and says what to do; one request was made."""
    error, server = await failed(fault, key_name="OPENAI_API_KEY")
    assert (error.kind, error.status) == (kind, status)
    assert error.retryable == (kind in ("rate_limit", "server", "connection", "malformed"))
    assert error.fatal == (kind in ("auth", "quota", "not_found"))
    assert f"127.0.0.1:{server.port}" in str(error) and message in str(error)
    assert KEY not in str(error)
    assert error.__cause__ is None and error.__context__ is None
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("fault", "seconds"),
    [
        (Fault("429"), None),
        (Fault("429-retry-after", 7), 7.0),
        (Fault("429-retry-after-ms", 0.25), 0.25),
    ],
)
async def test_retry_after(fault: Fault, seconds: float | None) -> None:
    """What the server asks to wait is read from its headers."""
    assert (await failed(fault))[0].retry_after == seconds


async def test_unauthorized_without_a_named_key() -> None:
    """Who has named no key is told how to."""
    error, _ = await failed("401", key=None)
    assert "--api-key-env" in str(error)


async def test_closed_port() -> None:
    """Nobody there: a connection error that names the address."""
    with LoopbackServer() as server:
        pass
    async with connected(server.base_url) as client:
        with pytest.raises(ProviderError, match=f"127.0.0.1:{server.port}") as caught:
            await client.complete(asking(), CALL)
    assert caught.value.kind == ErrorKind.CONNECTION


@pytest.mark.parametrize("fault", ["hang", "trickle"])
async def test_no_time_limit_of_its_own(fault: str) -> None:
    """However slow the server, the client itself waits: the caller's time limit is the only one."""
    async with LoopbackServer(faults=lambda request: fault) as server:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await ask(server)


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"])
async def test_redirects_are_not_followed(status: str) -> None:
    """A redirect ends in a fatal error; the place it points to sees no request and no key."""
    async with (
        LoopbackServer() as elsewhere,
        raw_server(http(status, b"", f"Location: {elsewhere.base_url}/chat/completions")) as (
            url,
            received,
        ),
        connected(url) as client,
    ):
        with pytest.raises(ProviderError, match="redirects are not followed") as caught:
            await client.complete(asking(), CALL)
    assert caught.value.fatal and len(received) == 1
    assert not elsewhere.requests and not elsewhere.counts


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (http("200 OK", b""), "malformed"),
        (http("200 OK", b"\xff\xfe\x00"), "malformed"),
        (http("200 OK", b"not gzip", "Content-Encoding: gzip"), "malformed"),
        (http("200 OK", b"[" * 100_000), "malformed"),
        (http("200 OK", b"null"), "malformed"),
        (http("200 OK", b'{"choices": {}}'), "malformed"),
        (http("200 OK", b'{"choices": []}'), "malformed"),
        (http("200 OK", b'{"choices": [null]}'), "malformed"),
        (http("200 OK", b'{"choices": [{"message": "OK"}]}'), "malformed"),
        (http("204 No Content", b""), "malformed"),
        (http("400 Bad Request", b""), "invalid_request"),
        (http("500 Oops", b"\xff\xfe"), "server"),
        (http("503 Busy", b'{"error": "\\ud83d"}'), "server"),
        (http("401 No", b'{"detail": "no"}'), "auth"),
        (b"garbage\r\n\r\n", "connection"),
    ],
)
async def test_odd_answers(answer: bytes, kind: str) -> None:
    """No bytes that a server may send make anything but an error of ours, in storable text."""
    async with raw_server(answer) as (url, _), connected(url) as client:
        with pytest.raises(ProviderError) as caught:
            await client.complete(asking(), CALL)
    assert caught.value.kind == kind
    str(caught.value).encode()


# What comes back


async def test_usage_and_identifiers() -> None:
    """Tokens by kind, the model and fingerprint that answered, and the request's id."""
    answer = Answer(
        "Yes", input_tokens=100, cached_tokens=60, output_tokens=50, reasoning_tokens=30,
        model="the-model-2026", fingerprint="fp_1",
    )  # fmt: skip
    made = await answered(answer)
    assert made.usage == Usage(input=100, cached=60, output=50, reasoning=30)
    assert (made.model, made.fingerprint, made.request_id) == ("the-model-2026", "fp_1", "req_0")
    assert (made.text, made.finish, made.finish_raw) == ("Yes", Finish.STOP, "stop")


@pytest.mark.parametrize(
    ("answer", "text", "reasoning", "finish"),
    [
        (Answer("A", reasoning="R"), "A", "R", "stop"),
        (Answer("<think>R</think>\n\nA"), "A", "R", "stop"),
        (Answer("<think>R", finish="length"), "", "R", "length"),
        (Answer("<think>R"), "", "R", "empty"),
        (Answer("<think>R</think>"), "", "R", "empty"),
        (Answer("R</think>A"), "A", "R", "stop"),
        (Answer("<think>S</think>A", reasoning="R"), "A", "R\nS", "stop"),
        (Answer(""), "", "", "empty"),
        (Answer(None), "", "", "empty"),
        (Answer(" \n"), " \n", "", "empty"),
        (Answer("A", finish="length"), "A", "", "length"),
        (Answer("", finish="length"), "", "", "length"),
        (Answer("A", finish="content_filter"), "A", "", "content_filter"),
        (Answer("", finish="content_filter"), "", "", "content_filter"),
        (Answer(None, finish="refusal", refusal="No."), "No.", "", "refusal"),
        (Answer("A", finish="MAX_TOKENS"), "A", "", "length"),
        (Answer("A", finish="tool_calls"), "A", "", "other"),
        (Answer("half \ud83d.", reasoning="\udead"), "half �.", "�", "stop"),
        (Answer("pair \ud83d\ude00."), "pair 😀.", "", "stop"),
    ],
)
async def test_answers(answer: Answer, text: str, reasoning: str, finish: str) -> None:
    """Answer and thinking apart, finish normalised beside the server's own word, text storable."""
    made = await answered(answer)
    assert (made.text, made.reasoning, made.finish) == (text, reasoning, finish)
    assert made.finish_raw == ("stop" if answer.finish == "refusal" else answer.finish)
    json.dumps(made.as_json(), ensure_ascii=False).encode()


def completion(message: Mapping[str, Any], **rest: Any) -> dict[str, Any]:
    """A chat completion with this message."""
    return {"choices": [{"message": message, "finish_reason": "stop"}], **rest}


@pytest.mark.parametrize(
    ("message", "text", "reasoning"),
    [
        ({"content": [{"type": "text", "text": "A"}, {"type": "text", "text": "B"}]}, "AB", ""),
        ({"content": [{"type": "text", "text": None}, "B"]}, "B", ""),
        ({"content": [{"type": "image_url", "image_url": {}}, None, 3]}, "", ""),
        (
            {
                "content": [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "R"}]},
                    {"type": "text", "text": "A"},
                ]
            },
            "A",
            "R",
        ),
        ({"content": [{"type": "reasoning", "text": "R"}, {"text": "A"}]}, "A", "R"),
        ({"content": {"text": "A"}}, "A", ""),
        ({"content": 3, "reasoning_content": 4, "refusal": 5}, "", ""),
        ({"content": "A", "reasoning": "R"}, "A", "R"),
        ({"content": "A", "reasoning_content": None, "reasoning": "R"}, "A", "R"),
        ({"content": "A", "reasoning_content": [{"text": "R"}]}, "A", "R"),
        ({}, "", ""),
    ],
)
async def test_forms_of_content(message: Mapping[str, Any], text: str, reasoning: str) -> None:
    """Text in parts is joined, thinking among them goes apart, anything else is no text."""
    made = await answered(completion(message))
    assert (made.text, made.reasoning) == (text, reasoning)


@pytest.mark.parametrize(
    "rest",
    [
        {"usage": None, "model": None, "id": 7, "system_fingerprint": ["x"]},
        {"usage": {"prompt_tokens": "many", "completion_tokens": -5}},
        {"usage": {"prompt_tokens": 1e300, "completion_tokens": True, "prompt_tokens_details": 3}},
        {"usage": {"prompt_tokens": 2**70, "completion_tokens_details": [1]}},
        {"usage": [], "model": "m" * 10_000, "system_fingerprint": "\ud83d"},
    ],
)
async def test_fields_of_wrong_type(rest: Mapping[str, Any]) -> None:
    """A field that is not as it should be is as if it were not there: the answer counts."""
    made = await answered(completion({"content": "A"}, **rest))
    assert made.text == "A" and made.request_id
    assert max(made.usage.input, made.usage.output) < 2
    assert len(made.model or "") <= 200
    json.dumps(made.as_json(), ensure_ascii=False).encode()


@pytest.mark.parametrize("finish", [None, 3, ["stop"], {"a": 1}])
async def test_finish_of_wrong_type(finish: Any) -> None:
    """A finish reason that is no word is none."""
    body = {"choices": [{"message": {"content": "A"}, "finish_reason": finish}]}
    made = await answered(body)
    assert (made.finish, made.finish_raw) == (Finish.STOP, None)


async def test_compressed_answers() -> None:
    """A server may compress."""
    body = gzip.compress(json.dumps(completion({"content": "A"})).encode())
    async with (
        raw_server(http("200 OK", body, "Content-Encoding: gzip")) as (url, _),
        connected(url) as client,
    ):
        assert (await client.complete(asking(), CALL)).text == "A"


# What goes out

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
ALL: dict[str, Any] = {
    "temperature": 0.5, "top_p": 0.9, "min_p": 0.1, "max_tokens": 64, "seed": 7,
    "stop": ("END",), "reasoning_effort": "low", "json_schema": SCHEMA,
    "extra_body": {"top_k": 40, "chat_template_kwargs": {"enable_thinking": False}},
}  # fmt: skip


@pytest.mark.parametrize(
    "sampling",
    [
        {},
        {"temperature": 0.0},
        ALL,
        {"temperature": 0.5, "min_p": 0.1, "extra_body": {"temperature": 1.0, "min_p": 0.2}},
        {"max_tokens": 5, "extra_body": {"max_completion_tokens": 6}},
        {"temperature": 0.5, "extra_body": {"temperature": None}},
    ],
)
async def test_sent_is_what_went_out(sampling: Mapping[str, Any]) -> None:
    """`sent` and the messages are the whole body that the server received, key for key."""
    async with LoopbackServer() as server:
        messages = (Message("system", "Be."), Message("user", "Hi é 😀"), Message("assistant", "?"))
        made = await ask(server, ChatRequest(messages, Sampling(**sampling)))
    body = dict(server.requests[0].body)
    assert body.pop("model") == "the-model"
    assert body.pop("messages") == [{"role": m.role, "content": m.content} for m in messages]
    assert json.loads(json.dumps(made.sent)) == body


async def test_every_parameter_has_its_name_on_the_wire() -> None:
    """Parameters go by their names in the API; extra fields go beside them and win."""
    async with LoopbackServer() as server:
        made = await ask(server, asking(**ALL | {"extra_body": {"top_k": 40, "seed": 8}}))
    form = {"name": "reply", "schema": SCHEMA, "strict": True}
    assert made.sent == {
        "temperature": 0.5, "top_p": 0.9, "min_p": 0.1, "max_tokens": 64, "seed": 8,
        "stop": ["END"], "reasoning_effort": "low", "top_k": 40,
        "response_format": {"type": "json_schema", "json_schema": form},
    }  # fmt: skip


@pytest.mark.parametrize("name", ["model", "messages", "stream", "n"])
async def test_extra_fields_that_are_ours(name: str) -> None:
    """What makes a request this request cannot be replaced from outside."""
    async with LoopbackServer() as server:
        with pytest.raises(UsageError, match=f"--extra-body may not set {name}"):
            await ask(server, asking(extra_body={name: 2}))
    assert not server.requests


def refusing(*names: str, message: str | None = None) -> Callable[[ReceivedRequest], Reply]:
    """A model that refuses parameters, one at a time, naming each in `param` or in words."""

    def respond(request: ReceivedRequest) -> Reply:
        name = next((n for n in names if n in request.body), None)
        return (
            Fault("400", message=(message or "Unsupported: '{}'.").format(name)) if name else "OK"
        )

    return respond


async def test_a_refused_parameter_is_left_out() -> None:
    """It costs one more request once, is recorded as not sent, and stays left out."""
    plan = lambda request: "400-temperature" if "temperature" in request.body else None  # noqa: E731
    async with LoopbackServer(faults=plan) as server, connected(server.base_url) as client:
        first = await client.complete(asking(temperature=0.5, seed=1), CALL)
        second = await client.complete(asking("again", temperature=0.5, seed=2), CALL)
    assert (first.sent, second.sent) == ({"seed": 1}, {"seed": 2})
    assert [sorted(r.body.keys() - {"model", "messages"}) for r in server.requests] == [
        ["seed", "temperature"],
        ["seed"],
        ["seed"],
    ]


async def test_several_refused_parameters() -> None:
    """Each costs one request, also when calls meet the refusals at the same time."""
    async with (
        LoopbackServer(refusing("temperature", "top_p", "seed"), latency=0.02) as server,
        connected(server.base_url) as client,
    ):
        request = asking(temperature=0.5, top_p=0.5, seed=1, min_p=0.1)
        made = await asyncio.gather(*(client.complete(request, CALL) for _ in range(8)))
        assert all(m.sent == {"min_p": 0.1} for m in made)
        asked = len(server.requests)
        await client.complete(request, CALL)
    assert len(server.requests) == asked + 1 and asked <= 8 * 4


@pytest.mark.parametrize(
    ("refused", "sent"),
    [
        ([], {"max_tokens": 9}),
        (["max_tokens"], {"max_completion_tokens": 9}),
        (["max_tokens", "max_completion_tokens"], {}),
    ],
)
async def test_token_limit_elsewhere(refused: list[str], sent: Mapping[str, int]) -> None:
    """Other servers get max_tokens; one that wants the other name gets that from then on."""
    async with LoopbackServer(refusing(*refused)) as server, connected(server.base_url) as client:
        for _ in range(2):
            assert (await client.complete(asking(max_tokens=9), CALL)).sent == sent
    assert len(server.requests) == 2 + len(refused)


@pytest.mark.parametrize(
    ("refused", "sent"),
    [([], {"max_completion_tokens": 9}), (["max_completion_tokens"], {"max_tokens": 9})],
)
async def test_token_limit_at_openai(
    refused: list[str], sent: Mapping[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenAI's own host gets max_completion_tokens first, and max_tokens if it refuses."""
    async with LoopbackServer(refusing(*refused)) as server:
        monkeypatch.setattr("eibench.core.clients.openai.BASE_URL", server.base_url)
        async with connected(None) as client:
            made = await client.complete(asking(max_tokens=9), CALL)
    assert made.sent == sent


async def test_what_openai_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    """top_k and min_p go to other servers, not to OpenAI's own host; the record shows it."""
    request = asking(temperature=0.5, top_k=40, min_p=0.1)
    async with LoopbackServer() as server:
        async with connected(server.base_url) as client:
            elsewhere = await client.complete(request, CALL)
        monkeypatch.setattr("eibench.core.clients.openai.BASE_URL", server.base_url)
        async with connected(None) as client:
            there = await client.complete(request, CALL)
    assert elsewhere.sent == {"temperature": 0.5, "top_k": 40, "min_p": 0.1}
    assert there.sent == {"temperature": 0.5}
    for response, received in zip((elsewhere, there), server.requests, strict=True):
        assert {**received.body} == {**received.body} | {**response.sent}
        assert ("top_k" in received.body) == ("top_k" in response.sent)


@pytest.mark.parametrize(
    "message", ["'{}' must be positive.", "The request is invalid.", "Unsupported: 'top_k'."]
)
async def test_wrong_values_are_errors(message: str) -> None:
    """A wrong value that a person has set fails at once: it is theirs to mend."""
    typed = frozenset({"seed"})
    async with (
        LoopbackServer(refusing("seed", message=message)) as server,
        connected(server.base_url, typed=typed) as client,
    ):
        with pytest.raises(ProviderError) as caught:
            await client.complete(asking(seed=-1, extra_body={"top_k": 1}), CALL)
    assert caught.value.kind == ErrorKind.INVALID_REQUEST and len(server.requests) == 1


async def test_extra_fields_are_insisted_on() -> None:
    """A refused field of --extra-body is an error, as nobody but the user asked for it."""
    async with LoopbackServer(refusing("top_k")) as server:
        with pytest.raises(ProviderError, match="top_k"):
            await ask(server, asking(extra_body={"top_k": 1}))
    assert len(server.requests) == 1


# Secrets

HIDDEN_VARIABLES = {
    "OPENAI_API_KEY": "sk-fake-environment-0123456789",
    "OPENAI_ADMIN_KEY": "sk-fake-admin-0123456789",
    "OPENAI_ORG_ID": "org-fake-0123456789",
    "OPENAI_PROJECT_ID": "proj-fake-0123456789",
    "OPENAI_CUSTOM_HEADERS": "X-Custom: custom-fake-0123456789",
    "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
    "OPENAI_WEBHOOK_SECRET": "whsec-fake-0123456789",
    "HTTP_PROXY": "http://127.0.0.1:9",
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "ALL_PROXY": "http://127.0.0.1:9",
}


@pytest.mark.parametrize("key", [None, KEY])
async def test_variables_do_not_reach_the_wire(
    key: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of OPENAI_* variables nothing is sent but the key that was chosen, and none redirects."""
    for name, value in HIDDEN_VARIABLES.items():
        monkeypatch.setenv(name, value)
        monkeypatch.setenv(name.lower(), value)
    async with LoopbackServer() as server, connected(server.base_url, key=key) as client:
        await client.complete(asking(), CALL)
    request = server.requests[0]
    assert request.api_key == (key or "no-key")
    wire = f"{dict(request.headers)} {request.body}"
    assert "fake" not in wire.replace(KEY, "")
    assert not {"openai-organization", "openai-project", "x-custom"} & set(request.headers)


async def test_a_key_goes_to_its_host_alone() -> None:
    """Of two servers each sees the key that was named for it, and nothing of the other's."""
    provider = Provider("openai", "", OpenAIClient, "api.openai.com", "OPENAI_API_KEY")
    environment = Environment({"A_KEY": "sk-fake-aaaaaaaaaaaa", "B_KEY": "sk-fake-bbbbbbbbbbbb"})
    async with LoopbackServer() as a, LoopbackServer() as b:
        for server, name in ((a, "A_KEY"), (b, "B_KEY")):
            key, key_name = choose_key(provider, server.base_url, name, environment)
            async with connected(server.base_url, key=key, key_name=key_name) as client:
                await client.complete(asking(), CALL)
    assert [r.api_key for r in a.requests] == ["sk-fake-aaaaaaaaaaaa"]
    assert [r.api_key for r in b.requests] == ["sk-fake-bbbbbbbbbbbb"]


async def test_headers_are_sent() -> None:
    """Headers of the user go with each request, and may take the place of the key's."""
    headers = {"X-Team": "blue", "Authorization": "Basic fake"}
    async with (
        LoopbackServer() as server,
        connected(server.base_url, key=None, headers=headers) as client,
    ):
        await client.complete(asking(), CALL)
    sent = server.requests[0].headers
    assert (sent["x-team"], sent["authorization"]) == ("blue", "Basic fake")
