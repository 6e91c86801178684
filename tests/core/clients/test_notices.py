"""What is said while requests wait."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from eibench.core.benchmark import Benchmark
from eibench.core.clients.base import CallContext, ClientConfig, ModelSpec
from eibench.core.clients.caller import Caller, Limits
from eibench.core.clients.notices import Notices
from eibench.core.clients.openai import OpenAIClient
from eibench.core.types import ChatRequest, Item, Message, Sampling
from eibench.testing import LoopbackServer, uniform_ratings


def call(phase: str = "generate") -> CallContext:
    """A call of a run."""
    return CallContext(cast(Benchmark, None), Item("1"), 1, phase)


def asking(characters: int, max_tokens: int | None) -> ChatRequest:
    """A request of so many characters."""
    return ChatRequest((Message("user", "x" * characters),), Sampling(max_tokens=max_tokens))


@asynccontextmanager
async def calling(url: str, said: list[str], **limits: Any) -> AsyncIterator[Caller]:
    """A caller that says what it has to say into a list."""
    client = OpenAIClient(ClientConfig(ModelSpec("openai", "m"), url, "no-key"))
    caller = Caller(client, Limits(**limits), notices=Notices(said.append))
    try:
        yield caller
    finally:
        await caller.close()


# A request that alone takes more than --tpm


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
    (told,) = said
    assert f"127.0.0.1:{server.port} reserves 120,000 tokens" in told
    assert "1,000 for its text, 119,000 for the reply" in told
    assert "the 60,000 of --tpm" in told and "up to 120 s" in told
    assert told.endswith("a larger --tpm or a smaller --max-tokens")


async def test_a_request_within_tpm_is_no_news() -> None:
    """Not even one that takes the whole minute."""
    said: list[str] = []
    async with LoopbackServer() as server, calling(server.base_url, said, tpm=5_000) as caller:
        await caller.send(asking(4_000, 4_000), call())
    assert not said


@pytest.mark.parametrize(
    ("phase", "characters", "max_tokens"),
    [("judge", 400, 8_000), ("compare", 400, 8_000), ("generate", 40_000, None)],
)
def test_only_what_helps_is_suggested(phase: str, characters: int, max_tokens: int | None) -> None:
    """A judge's --max-tokens is not the user's; and a text that is too long is so without it."""
    said: list[str] = []
    Notices(said.append).beyond_tpm(asking(characters, max_tokens), 6_000, "host.test", phase)
    assert said[0].endswith("give a larger --tpm")
    assert ("the judge at host.test" in said[0]) == (phase != "generate")


def test_verdicts_and_comparisons_are_one_judge() -> None:
    """The model is told of, and then the judge, each once."""
    said: list[str] = []
    notices = Notices(said.append)
    for phase in ("generate", "judge", "compare", "generate"):
        notices.beyond_tpm(asking(40, 8_000), 6_000, "host.test", phase)
    assert len(said) == 2


def test_a_run_beyond_tpm_says_so(bench: Any, tmp_path: Path) -> None:
    """On standard error, and the run goes on."""
    with LoopbackServer(uniform_ratings(1)) as server:
        done = bench(tmp_path, server.base_url, "--limit", "1", "--tpm", "600")
    assert done.returncode == 0, done.stderr
    assert done.stderr.decode().count("of --tpm") == 1
