"""What the guard around calls into plugins costs: microseconds a sample, on this machine.

Run: python -m benchmarks.guard

Per sample a benchmark's `generate` and `grade` and two calls of a client are guarded; this
measures them with the guard and without, for items and transcripts of different sizes.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from eibench import Benchmark, ChatRequest, ChatResponse, Item, Message, Score
from eibench.core.guard import Guarded, GuardedClient, PluginCall

SAMPLES = 50_000
ITEMS = {
    "a row of 6 fields": Item("1", {f"field {n}": "text" * 20 for n in range(6)}),
    "20 turns of 1,000 characters": Item(
        "2", {"turns": [{"role": "user", "text": "x" * 1000} for _ in range(20)]}
    ),
}


class Trivial(Benchmark):
    """Does nothing, so that what is measured is the guard."""

    name, version, title = "trivial", "1", "nothing"

    def read_pack(self, source: Any, options: Any) -> Any:
        """None."""

    async def generate(self, item: Item, model: Any, options: Any) -> Any:
        """One call."""
        return (await model.complete(REQUEST, None)).text

    async def grade(self, item: Item, transcript: Any, judge: Any, options: Any) -> Score:
        """One call, one value."""
        await judge.complete(REQUEST, None)
        return SCORE

    def summarise(self, pack: Any, scores: Any, options: Any) -> Any:
        """None."""


class Echo:
    """A client that answers at once; likewise a judge of whom nothing is noted."""

    noted: Mapping[str, object] = {}

    async def complete(self, request: Any, call: Any) -> ChatResponse:
        """The same reply every time."""
        return RESPONSE

    async def close(self) -> None:
        """Nothing."""


REQUEST = ChatRequest((Message("user", "Hello"),))
RESPONSE = ChatResponse("a reply")
SCORE = Score({"v": 1.0}, flags=("odd",))


async def _seconds(sample: Callable[[], Awaitable[object]]) -> float:
    best = float("inf")
    for _ in range(10):
        began = time.thread_time()
        for _ in range(SAMPLES // 10):
            await sample()
        best = min(best, time.thread_time() - began)
    return best / (SAMPLES // 10)


async def main() -> None:
    """Print the table."""
    plain, guarded = Trivial(), Guarded(Trivial())
    client, guarded_client = Echo(), GuardedClient(Echo(), PluginCall(None, "", "x"))
    for name, item in ITEMS.items():

        async def bare(item: Item = item) -> None:
            transcript = await plain.generate(item, client, {})
            await plain.grade(item, transcript, client, {})

        async def careful(item: Item = item) -> None:
            transcript = await guarded.generate(item, guarded_client, {})
            await guarded.grade(item, transcript, guarded_client, {})

        without, with_it = await _seconds(bare), await _seconds(careful)
        cost = 1e6 * (with_it - without)
        print(f"{name:<32} {1e6 * without:6.1f} us without, {cost:6.1f} us more with the guard")


if __name__ == "__main__":
    asyncio.run(main())
