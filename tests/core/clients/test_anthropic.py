"""The anthropic client against a server on this machine: what goes out, what comes back."""

import asyncio
import warnings
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest

from eibench.core.benchmark import Benchmark
from eibench.core.clients.anthropic import MAX_TOKENS, AnthropicClient
from eibench.core.errors import ErrorKind, ProviderError, UsageError
from eibench.core.parties.providers import CallContext, ClientConfig, ModelSpec
from eibench.core.types import ChatRequest, ChatResponse, Finish, Item, Message, Sampling, Usage
from eibench.testing import Answer, Fault, Gate, LoopbackServer, ReceivedRequest, Reply

KEY = "sk-fake-0123456789abcdef"
CALL = CallContext(cast(Benchmark, None), Item("1"), 1, "generate")
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}


@asynccontextmanager
async def connected(base_url: str | None, **config: Any) -> AsyncIterator[AnthropicClient]:
    """A client that is closed in the end."""
    spec = config.pop("model", ModelSpec("anthropic", "the-model"))
    client = AnthropicClient(ClientConfig(spec, base_url, **({"key": KEY} | config)))
    try:
        yield client
    finally:
        await client.close()


def asking(prompt: str = "Hi", **sampling: Any) -> ChatRequest:
    """A request of one message."""
    return ChatRequest((Message("user", prompt),), Sampling(**sampling))


async def received(request: ChatRequest, **config: Any) -> ReceivedRequest:
    """What a server gets for a request."""
    async with LoopbackServer() as server, connected(server.root_url, **config) as client:
        await client.complete(request, CALL)
    return server.requests[0]


async def answered(reply: Reply) -> ChatResponse:
    """What the client makes of a reply."""
    async with (
        LoopbackServer(lambda request: reply) as server,
        connected(server.root_url) as client,
    ):
        return await client.complete(asking(), CALL)


def refusing(*refusals: tuple[str, str]) -> Callable[[ReceivedRequest], Fault | None]:
    """Refuses, in Anthropic's words, a request whose body holds a word; the first that fits."""

    def plan(request: ReceivedRequest) -> Fault | None:
        body = str(dict(request.body))
        found = (words for held, words in refusals if held in body)
        return next((Fault("400", message=words) for words in found), None)

    return plan


async def test_sampling_goes_into_the_body() -> None:
    """What the SDK's own method would not take is sent; what the API does not know is not."""
    drawn: dict[str, Any] = {"temperature": 0.5, "top_p": 0.9, "top_k": 40}
    request = asking(**drawn, min_p=0.1, seed=7, stop=("END",), max_tokens=9)
    body = (await received(request)).body
    assert {name: body[name] for name in drawn} == drawn
    assert body["stop_sequences"] == ["END"] and body["max_tokens"] == 9
    assert not {"min_p", "seed", "stop"} & body.keys()


async def test_a_limit_is_always_sent() -> None:
    """A request without a token limit gets the default one, and the record shows it."""
    async with LoopbackServer() as server, connected(server.root_url) as client:
        response = await client.complete(asking(), CALL)
    assert server.requests[0].body["max_tokens"] == response.sent["max_tokens"] == MAX_TOKENS


async def test_a_large_limit_is_no_error() -> None:
    """The SDK's objection to long answers without streaming does not apply: we bound the time."""
    assert (await received(asking(max_tokens=120_000))).body["max_tokens"] == 120_000


async def test_an_old_model_gives_no_warning() -> None:
    """A model that the SDK calls deprecated is asked without a word."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = await received(asking(), model=ModelSpec("anthropic", "claude-3-7-sonnet-latest"))
    assert got.model == "claude-3-7-sonnet-latest"


@pytest.mark.parametrize(
    ("sampling", "fields"),
    [
        (
            {"reasoning_effort": "high"},
            {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}},
        ),
        ({"reasoning_effort": "none"}, {"thinking": {"type": "disabled"}}),
        (
            {"json_schema": SCHEMA},
            {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}},
        ),
        ({"extra_body": {"speed": "fast"}}, {"speed": "fast"}),
        ({"max_tokens": 5, "extra_body": {"max_tokens": 6}}, {"max_tokens": 6}),
    ],
)
async def test_settings_in_the_words_of_the_api(
    sampling: Mapping[str, Any], fields: Mapping[str, Any]
) -> None:
    """Effort, schema and further fields go where the API has them; `--extra-body` wins."""
    body = (await received(asking(**sampling))).body
    rest = {k: v for k, v in body.items() if k not in ("model", "messages")}
    assert rest == {"max_tokens": MAX_TOKENS, **fields}


async def test_extra_body_cannot_replace_the_conversation() -> None:
    """The fields that the program fills are refused before anything is sent."""
    async with LoopbackServer() as server, connected(server.root_url) as client:
        with pytest.raises(UsageError, match="system"):
            await client.complete(asking(extra_body={"system": "x"}), CALL)
    assert not server.requests


TURNS = (Message("system", "Rubric."), Message("user", "Long."), Message("user", "Short."))
MARK = {"type": "ephemeral"}


@pytest.mark.parametrize("prefix", [0, 1, 2, 3, 9])
async def test_the_end_of_a_shared_prefix_is_marked(prefix: int) -> None:
    """One cache mark, on the last block that is shared; none when nothing is."""
    body = (await received(ChatRequest(TURNS, cache_prefix=prefix))).body
    blocks = list(body["system"])
    for message in body["messages"]:
        content = message["content"]
        blocks += content if isinstance(content, list) else [{"text": content}]
    assert [block["text"] for block in blocks] == ["Rubric.", "Long.", "Short."]
    marked = [n for n, block in enumerate(blocks, 1) if block.get("cache_control") == MARK]
    assert marked == ([prefix] if 0 < prefix <= 3 else [])


async def test_without_a_system_prompt_none_is_sent() -> None:
    """An empty list of system blocks is no system prompt."""
    assert "system" not in (await received(asking())).body


@pytest.mark.parametrize(
    ("finish", "text", "meant"),
    [
        ("end_turn", "Yes.", Finish.STOP),
        ("stop_sequence", "Yes.", Finish.STOP),
        ("max_tokens", "Ye", Finish.LENGTH),
        ("max_tokens", "", Finish.LENGTH),
        ("model_context_window_exceeded", "Ye", Finish.LENGTH),
        ("refusal", "", Finish.REFUSAL),
        ("pause_turn", "Ye", Finish.OTHER),
        ("tool_use", "Ye", Finish.OTHER),
        ("end_turn", "", Finish.EMPTY),
        ("end_turn", "  \n", Finish.EMPTY),
    ],
)
async def test_finish(finish: str, text: str, meant: Finish) -> None:
    """Every stop reason has its meaning, and is kept as it came."""
    response = await answered(Answer(text, finish=finish))
    assert (response.finish, response.finish_raw) == (meant, finish)


async def test_the_words_of_a_refusal_are_the_text() -> None:
    """A refusal says so, and its explanation stands where the answer would."""
    response = await answered(Answer(None, finish="refusal", refusal="I will not."))
    assert (response.finish, response.text) == (Finish.REFUSAL, "I will not.")


async def test_blocks() -> None:
    """Text blocks are joined, thinking blocks are kept apart, unknown ones do no harm."""
    blocks: list[Any] = [
        {"type": "thinking", "thinking": "Hm. ", "signature": "s"},
        {"type": "redacted_thinking", "data": "xx"},
        {"type": "thinking", "thinking": "So.", "signature": "s"},
        {"type": "text", "text": "One, "},
        {"type": "server_tool_use", "id": "1", "name": "search", "input": {}},
        "odd",
        {"type": "text", "text": "two."},
        {"type": "text", "text": None},
    ]
    response = await answered({"content": blocks, "stop_reason": "end_turn"})
    assert (response.text, response.reasoning) == ("One, two.", "Hm. So.")


async def test_tagged_thinking_is_kept_apart() -> None:
    """A gateway's ``<think>`` text is thinking here as well."""
    response = await answered(Answer("<think>Hm.</think>Yes."))
    assert (response.text, response.reasoning) == ("Yes.", "Hm.")


async def test_usage_counts_the_cache_as_input() -> None:
    """Input is what the server counts apart: fresh, written to and read from the cache."""
    usage = {
        "input_tokens": 7,
        "cache_creation_input_tokens": 20,
        "cache_read_input_tokens": 100,
        "output_tokens": 50,
        "output_tokens_details": {"thinking_tokens": 30},
    }
    response = await answered({"content": [], "stop_reason": "end_turn", "usage": usage})
    assert response.usage == Usage(input=127, cached=100, cache_write=20, output=50, reasoning=30)


@pytest.mark.parametrize("usage", [None, "lots", {}, {"input_tokens": None, "output_tokens": -1}])
async def test_usage_that_makes_no_sense_is_none(usage: Any) -> None:
    """Counts that are not there, or cannot be, are 0."""
    response = await answered({"content": [{"type": "text", "text": "x"}], "usage": usage})
    assert response.usage == Usage()


async def test_who_answered() -> None:
    """Model and request id are those that the server gave."""
    response = await answered(Answer("x", model="the-model-20260101"))
    assert (response.model, response.request_id) == ("the-model-20260101", "req_0")


@pytest.mark.parametrize("suffix", ["", "/v1"])
async def test_both_forms_of_the_address(suffix: str) -> None:
    """The address may end in /v1, as other providers' does, or not."""
    async with LoopbackServer() as server, connected(server.root_url + suffix) as client:
        assert (await client.complete(asking(), CALL)).text == "OK"


async def test_the_key_goes_as_the_sdk_sends_it() -> None:
    """A bearer token, and a version of the API."""
    headers = (await received(asking())).headers
    assert headers["authorization"] == f"Bearer {KEY}"
    assert "x-api-key" not in headers and headers["anthropic-version"]


async def test_headers_of_a_gateway() -> None:
    """A header replaces what the SDK sends, whatever the case of its name."""
    given = {"Anthropic-Version": "2023-06-01", "X-Api-Key": "sk-fake-gateway-0123"}
    headers = (await received(asking(), headers=given)).headers
    assert headers["anthropic-version"] == "2023-06-01"
    assert headers["x-api-key"] == "sk-fake-gateway-0123"
    assert headers["authorization"] == f"Bearer {KEY}"


async def test_no_second_key_beside_a_gateways_own() -> None:
    """Without a key of ours, a gateway's key header is not joined by a made-up bearer token."""
    given = {"x-api-key": "sk-fake-gateway-0123"}
    headers = (await received(asking(), headers=given, key=None)).headers
    assert "authorization" not in headers and headers["x-api-key"] == "sk-fake-gateway-0123"


async def test_the_environment_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key, address or header comes from variables that the SDK would read."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-fake-environment-0123")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "sk-fake-token-0123")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-leak: fake-secret")
    headers = (await received(asking(), key=None)).headers
    assert headers["authorization"] == "Bearer no-key" and "x-leak" not in headers


async def test_a_proxy_does_not_see_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is meant for this machine goes to it directly."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert (await received(asking())).prompt == "Hi"


async def test_refused_parameters_are_left_out_from_then_on() -> None:
    """One more request per refusal, once for all calls; the record shows what went."""
    plan = refusing(
        ("'temperature'", "`temperature` is deprecated for this model."),
        ("'top_p'", "`top_p` is deprecated for this model."),
        ("'adaptive'", "adaptive thinking is not supported on this model"),
        ("'effort'", "This model does not support the effort parameter."),
        ("'format'", "output_config.format: Extra inputs are not permitted"),
    )
    full = asking(temperature=0.5, top_p=0.9, reasoning_effort="low", json_schema=SCHEMA)
    async with LoopbackServer(faults=plan) as server, connected(server.root_url) as client:
        first = await client.complete(full, CALL)
        second = await client.complete(full, CALL)
    assert first.sent == second.sent == {"max_tokens": MAX_TOKENS}
    assert len(server.requests) == 7 and len(server.answered) == 2


async def test_parameters_that_exclude_each_other() -> None:
    """Temperature stays, and top_p goes."""
    plan = refusing(("'top_p'", "`temperature` and `top_p` cannot both be specified."))
    async with LoopbackServer(faults=plan) as server, connected(server.root_url) as client:
        response = await client.complete(asking(temperature=0.5, top_p=0.9), CALL)
    assert response.sent == {"temperature": 0.5, "max_tokens": MAX_TOKENS}


async def test_many_calls_meet_a_refusal_at_once() -> None:
    """Calls under way together each learn of it, and all are answered."""
    plan = refusing(("'temperature'", "`temperature` is deprecated for this model."))
    async with (
        LoopbackServer(faults=plan, latency=Gate(opens_at=8)) as server,
        connected(server.root_url) as client,
    ):
        asked = [client.complete(asking(str(n), temperature=0.5), CALL) for n in range(8)]
        replies = await asyncio.gather(*asked)
    assert len(server.requests) == 16
    assert all("temperature" not in reply.sent for reply in replies)


@pytest.mark.parametrize(
    ("sampling", "words"),
    [
        ({"temperature": 3.0}, "temperature: range: 0..1"),
        ({"extra_body": {"temperature": 0.5}}, "`temperature` is deprecated for this model."),
        ({"extra_body": {"output_config": {"effort": "x"}}}, "effort is not supported"),
    ],
)
async def test_a_users_mistake_is_not_hidden(sampling: Mapping[str, Any], words: str) -> None:
    """A wrong value, and what the user insists on, ends in the server's words at once."""
    plan, typed = refusing(("the-model", words)), frozenset({"temperature"})
    async with (
        LoopbackServer(faults=plan) as server,
        connected(server.root_url, typed=typed) as client,
    ):
        with pytest.raises(ProviderError, match=words.split()[-1]) as caught:
            await client.complete(asking(**sampling), CALL)
    assert caught.value.kind == ErrorKind.INVALID_REQUEST and len(server.requests) == 1


async def test_credit_that_is_used_up_is_a_quota() -> None:
    """Status 400 with these words ends the run, to go on when there is money again."""
    words = "Your credit balance is too low to access the Anthropic API."
    async with (
        LoopbackServer(faults=lambda request: Fault("400", message=words)) as server,
        connected(server.root_url) as client,
    ):
        with pytest.raises(ProviderError) as caught:
            await client.complete(asking(), CALL)
    assert (caught.value.kind, caught.value.fatal) == (ErrorKind.QUOTA, True)
    assert caught.value.status == 400 and len(server.requests) == 1


async def test_an_error_carries_nothing_of_the_sdk() -> None:
    """The SDK's error, which holds the request and so the key, is not attached to ours."""
    async with LoopbackServer(faults={"401": 1.0}) as server, connected(server.root_url) as client:
        with pytest.raises(ProviderError) as caught:
            await client.complete(asking(), CALL)
    assert caught.value.__context__ is None and caught.value.__cause__ is None
