"""What a process does once before its first request takes none of that request's time."""

import asyncio
import sys
from typing import cast

import pytest

from eibench.core.benchmark import Benchmark
from eibench.core.clients.caller import Caller
from eibench.core.clients.limits import Limits
from eibench.core.clients.pool import PooledServer, ServerPool
from eibench.core.errors import PluginError
from eibench.core.guard import make_client
from eibench.core.parties.providers import (
    SOMEBODY,
    CallContext,
    Client,
    ClientConfig,
    ModelSpec,
    Provider,
)
from eibench.core.types import ChatRequest, ChatResponse, Item, Message
from eibench.plugins.litellm.client import LiteLLMClient
from eibench.testing import LoopbackServer
from tests.core.clients.test_waiting import timeless

CALL = CallContext(cast(Benchmark, None), Item("1"), 1, "generate")
ASKED = ChatRequest((Message("user", "Hi"),))


class Slow:
    """A client that takes a minute before its first request, as an import may."""

    def __init__(self) -> None:
        self.lock, self.is_ready, self.prepared = asyncio.Lock(), False, 0

    async def prepare(self) -> None:
        """Get ready, once."""
        async with self.lock:
            if not self.is_ready:
                await asyncio.sleep(60.0)
                self.is_ready, self.prepared = True, self.prepared + 1

    async def complete(self, request: ChatRequest, call: CallContext) -> ChatResponse:
        """An answer after a moment."""
        assert self.is_ready
        await asyncio.sleep(1.0)
        return ChatResponse("OK")

    async def close(self) -> None:
        """Nothing to close."""


@pytest.mark.parametrize("way", ["plain", "guarded", "pool"])
def test_a_call_s_time_begins_when_it_can_be_sent(way: str) -> None:
    """Four calls with 2 s each wait for a client that needs a minute, and are answered."""

    async def main() -> None:
        clients = [Slow(), Slow()]
        client: Client = clients[0]
        if way == "guarded":
            provider = Provider("mine", "Mine", lambda config: clients[0], host="")
            client = make_client(provider, ClientConfig(ModelSpec("mine", "m")))
        elif way == "pool":
            servers = [PooledServer(one, str(n)) for n, one in enumerate(clients)]
            client = ServerPool(servers, SOMEBODY)
        clock = asyncio.get_running_loop().time
        caller = Caller(client, Limits(timeout_s=2.0), clock=clock)
        made = await asyncio.gather(*(caller.send(ASKED, CALL) for _ in range(4)))
        assert {(one.text, one.latency_s, one.attempts) for one in made} == {("OK", 1.0, 1)}
        assert [one.prepared for one in clients] == [1, int(way == "pool")]

    timeless(main())


async def test_what_a_plugin_raises_there_names_the_plugin() -> None:
    """As in any of its methods."""

    class Broken(Slow):
        async def prepare(self) -> None:
            raise RuntimeError("no such file")

    provider = Provider("mine", "Mine", lambda config: Broken(), host="")
    client = make_client(provider, ClientConfig(ModelSpec("mine", "m")))
    with pytest.raises(PluginError, match=r"prepare of mine/m .*no such file"):
        await Caller(client, Limits()).send(ASKED, CALL)


@pytest.mark.parametrize("model", ["openai/m", "hosted_vllm/m", "anthropic/m"])
async def test_litellm_gets_ready_without_a_request(model: str) -> None:
    """Nothing leaves the process, and afterwards a call imports nothing."""
    async with LoopbackServer() as server:
        url = server.root_url if model.startswith("anthropic") else server.base_url
        client = LiteLLMClient(ClientConfig(ModelSpec("litellm", model), url, "sk-fake-0123456789"))
        await client.prepare()
        assert not server.counts
        before = set(sys.modules)
        assert (await client.complete(ASKED, CALL)).text == "OK"
        await client.close()
    assert set(sys.modules) == before
