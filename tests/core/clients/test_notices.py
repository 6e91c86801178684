"""What is said while requests wait."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest

from eibench.core.benchmark import Benchmark
from eibench.core.clients.caller import Caller
from eibench.core.clients.limits import Limits, Notices
from eibench.core.clients.openai import OpenAIClient
from eibench.core.errors import ProviderError
from eibench.core.parties.providers import (
    OF_JUDGE,
    OF_MODEL,
    AskedParty,
    CallContext,
    ClientConfig,
    ModelSpec,
    PartyOptions,
)
from eibench.core.types import ChatRequest, Item, Message, Sampling
from eibench.testing import Gate, LoopbackServer, fail_first, uniform_ratings
from tests.core.clients.conftest import Here

MODEL = AskedParty("openai/m at host.test")
JUDGE = AskedParty("the judge openai/j at host.test", OF_JUDGE)


def call(phase: str = "generate") -> CallContext:
    """A call of a run."""
    return CallContext(cast(Benchmark, None), Item("1"), 1, phase)


def asking(characters: int, max_tokens: int | None) -> ChatRequest:
    """A request of so many characters."""
    return ChatRequest((Message("user", "x" * characters),), Sampling(max_tokens=max_tokens))


@asynccontextmanager
async def calling(
    url: str, said: list[str] | Notices, party: PartyOptions = OF_MODEL, **limits: Any
) -> AsyncIterator[Caller]:
    """A caller whose waits take no time, and that says what it has to say into a list."""
    config = ClientConfig(ModelSpec("openai", "m"), url, "no-key", party=party)
    client = OpenAIClient(config)
    notices = said if isinstance(said, Notices) else Notices(said.append)
    time = Time()
    caller = Caller(
        client,
        Limits(**limits),
        clock=time,
        sleep=time.sleep,
        notices=notices,
        asked=config.asked(),
    )
    try:
        yield caller
    finally:
        await caller.close()


class Time:
    """A clock that only waiting moves on."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        """The time."""
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Let time pass at once."""
        until = self.now + seconds
        await asyncio.sleep(0)
        self.now = max(self.now, until)


# A request that alone takes more than tpm


async def test_a_request_beyond_tpm_is_told_once_and_sent() -> None:
    """With its tokens, how long others may wait, and what to change."""
    said: list[str] = []
    async with (
        LoopbackServer("Yes") as server,
        calling(server.base_url, said, tpm=60_000) as caller,
    ):
        big = asking(4_000, 119_000)
        made = await asyncio.gather(*(caller.send(big, call()) for _ in range(3)))
    assert [response.text for response in made] == ["Yes"] * 3
    (message,) = said
    assert f"127.0.0.1:{server.port} reserves 120,000 tokens" in message
    assert "1,000 for its text, 119,000 for the reply" in message
    assert "the 60,000 of tpm" in message and "up to 120 s" in message
    assert message.endswith("a larger tpm or a smaller --max-tokens")


async def test_a_request_within_tpm_is_no_news() -> None:
    """Not even one that takes the whole minute."""
    said: list[str] = []
    async with LoopbackServer() as server, calling(server.base_url, said, tpm=5_000) as caller:
        await caller.send(asking(4_000, 4_000), call())
    assert not said


@pytest.mark.parametrize(
    ("asked", "characters", "max_tokens"),
    [(JUDGE, 400, 8_000), (MODEL, 40_000, None)],
)
def test_only_what_helps_is_suggested(
    asked: AskedParty, characters: int, max_tokens: int | None
) -> None:
    """A judge's --max-tokens is not the user's; and a text that is too long is so without it."""
    said: list[str] = []
    Notices(said.append).beyond_tpm(asking(characters, max_tokens), 6_000, asked)
    assert said[0].endswith("give a larger tpm")
    assert said[0].startswith(f"a request to {asked.name} reserves")


def test_the_model_and_the_judge_are_told_of_apart() -> None:
    """Each once, whatever the judge is asked for."""
    said: list[str] = []
    notices = Notices(said.append)
    for asked in (MODEL, JUDGE, JUDGE, MODEL):
        notices.beyond_tpm(asking(40, 8_000), 6_000, asked)
    assert len(said) == 2


def test_a_run_beyond_tpm_says_so(here: Here) -> None:
    """On standard error, and the run goes on."""
    with LoopbackServer(uniform_ratings(1)) as server:
        done = here(server.base_url, "--limit", "1", BENCH_TPM="600")
    assert done.code == 0, done.err
    assert done.err.count("of tpm") == 1


# An endpoint that cannot be reached


@pytest.fixture(scope="module")
def closed() -> str:
    """The address of a port where nobody listens."""
    with LoopbackServer() as server:
        pass
    return server.base_url


@pytest.mark.parametrize("concurrency", [1, 32])
async def test_a_closed_port_is_told_once(closed: str, concurrency: int) -> None:
    """Who, why, what to do and how long it is tried; long before the call is given up."""
    said: list[str] = []
    async with calling(closed, said, concurrency=concurrency) as caller:
        calls = (caller.send(asking(9, 9), call()) for _ in range(concurrency))
        ended = await asyncio.gather(*calls, return_exceptions=True)
    assert any(isinstance(error, ProviderError) and error.fatal for error in ended)
    (message,) = said
    at = f"openai/m at {closed[7:-3]}"
    assert message.startswith(f"cannot reach {at}: Connection refused; check --base-url")
    (seconds,) = re.findall(r"for up to (\d+) s before the run ends$", message)
    assert 1 <= int(seconds) <= 4


@pytest.mark.parametrize("drops", [1, 2])
async def test_drops_that_another_attempt_mends_are_no_news(drops: int) -> None:
    """Nobody can do anything about them."""
    said: list[str] = []
    async with (
        LoopbackServer("Yes", faults=fail_first("drop", drops)) as server,
        calling(server.base_url, said) as caller,
    ):
        assert (await caller.send(asking(9, 9), call())).text == "Yes"
    assert not said


async def test_drops_while_others_wait_for_slow_answers_are_no_news() -> None:
    """The host can be reached: it has taken their requests."""
    said: list[str] = []
    slow, gate = asking(99, 9), Gate(holds=lambda r: len(r.prompt) == 99)
    async with (
        LoopbackServer(
            "Yes",
            latency=gate,
            faults=lambda r: "drop" if len(r.prompt) == 9 else None,
        ) as server,
        calling(server.base_url, said) as caller,
    ):
        waiting = [asyncio.create_task(caller.send(slow, call())) for _ in range(20)]
        await asyncio.to_thread(gate.wait_for, 20)
        with pytest.raises(ProviderError):
            await caller.send(asking(9, 9), call())
        gate.open()
        await asyncio.gather(*waiting)
    assert not said


async def test_model_and_judge_on_a_closed_port_are_told_of_apart(closed: str) -> None:
    """Each once, with its own option, as only one of the addresses may be wrong."""
    said: list[str] = []
    notices = Notices(said.append)
    for party in (OF_MODEL, OF_JUDGE, OF_JUDGE):
        async with calling(closed, notices, party) as caller:
            with pytest.raises(ProviderError):
                await caller.send(asking(9, 9), call())
    model, judge = said
    assert "check --base-url" in model and "the judge" not in model
    assert "cannot reach the judge openai/m at" in judge and "check --judge-base-url" in judge
