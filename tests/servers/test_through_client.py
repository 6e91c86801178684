"""What eibench does with each server: the last column of the table in docs/servers.md."""

import json
from collections.abc import Callable
from typing import Any, cast

import pytest

from eibench.core.benchmark import Benchmark
from eibench.core.clients.openai import OpenAIClient
from eibench.core.errors import ErrorKind, ProviderError
from eibench.core.parties.providers import CallContext, ClientConfig, ModelSpec
from eibench.core.types import ChatRequest, ChatResponse, Item, Message, Sampling
from tests.servers.started import CONTEXT, KEY, SERVERS, Model, Pair

pytestmark = pytest.mark.servers
CALL = CallContext(cast(Benchmark, None), Item("1"), 1, "generate")
USER, SYSTEM = Message("user", "hi"), Message("system", "be kind")
SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "integer"}},
    "required": ["score"],
    "additionalProperties": False,
}
every_server = pytest.mark.parametrize("name", SERVERS)
with_limits = pytest.mark.parametrize("name", [n for n in SERVERS if n != "transformers"])
Running = Callable[[str], Pair]


async def say(model: Model, *messages: Message, **sampling: Any) -> ChatResponse:
    """What the client makes of the server's answer."""
    spec = ModelSpec.parse(f"openai/{model.name}")
    client = OpenAIClient(ClientConfig(spec, model.base_url, KEY, "SOME_KEY"))
    try:
        return await client.complete(ChatRequest(messages, Sampling(0, **sampling)), CALL)
    finally:
        await client.close()


@every_server
async def test_thinking_is_kept_apart(running: Running, name: str) -> None:
    """Whether the server has a field for it or leaves the marks in the text."""
    response = await say(running(name).strict, USER)
    assert response.reasoning.split() == ["bake"]
    assert len(response.text.split()) == 40
    assert "think>" not in response.text


@every_server
async def test_all_that_a_pack_may_ask(running: Running, name: str) -> None:
    """Fields that a server refuses are left out, and nothing else is."""
    asked = {"top_p": 0.9, "top_k": 20, "min_p": 0.1, "stop": ("###",), "max_tokens": 20}
    response = await say(running(name).plain, USER, **asked)
    refused = {"top_k", "min_p"} if name == "transformers" else set()
    assert set(response.sent) == {"temperature", *asked} - refused
    assert response.usage.output == 20
    assert response.truncated


@every_server
async def test_a_json_schema(running: Running, name: str) -> None:
    """It is kept where the server knows it; transformers serve takes it and says what it likes."""
    response = await say(running(name).plain, USER, json_schema=SCHEMA, max_tokens=200)
    assert "response_format" in response.sent
    if name == "transformers":
        assert not response.text.startswith("{")
    else:
        assert set(json.loads(response.text)) == {"score"}


@every_server
async def test_room_larger_than_the_context(running: Running, name: str) -> None:
    """The reply comes; where the number is refused, with what fits, and never without a limit."""
    response = await say(running(name).plain, USER, max_tokens=1_000_000)
    assert len(response.text.split()) == 40
    sent = response.sent["max_tokens"]
    assert isinstance(sent, int)
    assert 1000 < sent <= CONTEXT if name == "vllm" else sent == 1_000_000


@with_limits
async def test_a_prompt_longer_than_the_context(running: Running, name: str) -> None:
    """It is too long, in each server's words."""
    with pytest.raises(ProviderError) as failed:
        await say(running(name).plain, Message("user", "h" * 5000), max_tokens=20)
    assert failed.value.kind == ErrorKind.CONTEXT_TOO_LONG
    assert "only a server with a longer context takes it" in str(failed.value)


@pytest.mark.parametrize("name", ["vllm"])
async def test_system_text_that_a_template_refuses(running: Running, name: str) -> None:
    """It goes before the first user message, and the call says so."""
    response = await say(running(name).strict, SYSTEM, USER)
    assert response.sent["system"] == "in the first user message"
    assert response.usage.input == len("be kind") + len("hi") + 3 + len("\n\n")


@with_limits
async def test_turns_that_a_template_refuses(running: Running, name: str) -> None:
    """Turns of one speaker are joined, and the call says so."""
    response = await say(running(name).strict, USER, USER)
    assert response.sent["turns"] == "joined"
    assert response.usage.input == len("hihi") + 3 + len("\n\n")


async def test_a_template_that_refuses_without_a_word(running: Running) -> None:
    """A 500 of transformers serve may pass, and is no refusal."""
    with pytest.raises(ProviderError) as failed:
        await say(running("transformers").strict, SYSTEM, USER)
    assert failed.value.kind == ErrorKind.SERVER
