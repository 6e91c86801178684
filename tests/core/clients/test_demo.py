"""Demo models, and that nothing else is loaded for them."""

import subprocess
import sys
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from eibench.core.benchmark import Benchmark
from eibench.core.clients.demo import DemoClient
from eibench.core.errors import UsageError
from eibench.core.parties.providers import CallContext, Client, ClientConfig, ModelSpec
from eibench.core.types import ChatRequest, Item, Message, Sampling


def _words(item: Item, request: ChatRequest, ability: float, rng: Random) -> str:
    return f"{item.id} {ability} {rng.random()}"


BENCHMARK = cast(Benchmark, SimpleNamespace(name="b", demo_reply=_words))


def client(name: str) -> Client:
    """A demo model."""
    return DemoClient(ClientConfig(ModelSpec("demo", name)))


async def reply(name: str, *, prompt: str = "Hi", item: str = "1", **where: Any) -> str:
    """A demo model's words."""
    where = {"iteration": 1, "phase": "generate", **where}
    request = ChatRequest((Message("user", prompt),), Sampling(temperature=0.5))
    call = CallContext(BENCHMARK, Item(item), **where)
    return (await client(name).complete(request, call)).text


async def test_deterministic() -> None:
    """The same call gets the same words, from another client too."""
    assert await reply("medium") == await reply("medium")


@pytest.mark.parametrize(
    "other", [{"prompt": "Ho"}, {"item": "2"}, {"iteration": 2}, {"phase": "judge"}]
)
async def test_another_call_gets_other_words(other: dict[str, Any]) -> None:
    """What the words depend on is the whole call."""
    assert (await reply("medium")).split()[2] != (await reply("medium", **other)).split()[2]


async def test_abilities_are_ordered() -> None:
    """Strong is better than medium is better than weak."""
    strong, medium, weak = [
        float((await reply(n)).split()[1]) for n in ("strong", "medium", "weak")
    ]
    assert strong > medium > weak


async def test_a_reply_holds_what_a_real_one_would() -> None:
    """Usage, finish and the parameters are there; it costs nothing and says why."""
    call = CallContext(BENCHMARK, Item("1"), 1, "generate")
    request = ChatRequest((Message("user", "one two"),), Sampling(temperature=0.5))
    made = await client("weak").complete(request, call)
    assert (made.model, made.finish, made.sent) == ("demo/weak", "stop", {"temperature": 0.5})
    assert (made.usage.input, made.usage.output) == (2, 3)
    assert made.cost_usd == 0.0 and made.price_source


def test_unknown_name() -> None:
    """An unknown name is refused, with the names that there are."""
    with pytest.raises(UsageError, match=r"demo/genius.*demo/strong, demo/medium, demo/weak"):
        client("genius")


@pytest.mark.parametrize(
    ("provider", "loaded"),
    [("demo", []), ("openai", ["aiohttp"]), ("anthropic", ["aiohttp"])],
)
def test_no_sdk_is_loaded(provider: str, loaded: list[str]) -> None:
    """A demo model loads no HTTP library, and other models load no SDK."""
    program = (
        "import sys\n"
        "from eibench.core.parties.providers import ClientConfig, ModelSpec\n"
        "from eibench.core.plugins import installed\n"
        f"spec = ModelSpec({provider!r}, 'medium')\n"
        f"installed().provider({provider!r}).create(ClientConfig(spec))\n"
        "print(sorted({'openai', 'anthropic', 'litellm', 'aiohttp'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == str(loaded)
