"""A small benchmark without a fault, for tests that give it one."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

import eibench
from eibench import (
    Baseline,
    Benchmark,
    ChatRequest,
    Item,
    Metric,
    Model,
    Option,
    Options,
    Pack,
    PackSource,
    PluginError,
    SampleScore,
    Score,
    Summary,
)


class Fine(Benchmark):
    """Asks for each item's word, in two items."""

    name, version, title = "emobench", "1", "two words"
    options: tuple[Option, ...] = (Option("strict", False, "Read strictly."),)

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """Two items."""
        items = [Item("EA-1", {"word": "calm", "seen": []}), Item("EA-2", {"word": "glad"})]
        return Pack(source, items, "beside nothing")

    async def generate(self, item: Item, model: Model, options: Options) -> Any:
        """The reply."""
        return (await model.chat(f"Say {item.content['word']}")).text

    async def grade(
        self, item: Item, transcript: Any, judge: Model | None, options: Options
    ) -> Score:
        """Whether the word was said."""
        return Score({"v": float(item.content["word"] in transcript)})

    def summarise(self, pack: Pack, scores: Sequence[SampleScore], options: Options) -> Summary:
        """The mean."""
        values = [s.score.values["v"] or 0.0 for s in scores]
        return Summary({"mean": Metric(sum(values) / len(values) if values else None)})

    def baselines(self, pack: Pack, options: Options) -> Mapping[str, Baseline]:
        """Nothing said."""
        return {"nothing": Baseline(0.0, "nothing")}

    def demo_reply(self, item: Item, request: ChatRequest, ability: float, rng: Random) -> str:
        """The prompt."""
        return request.messages[-1].content


Told = Callable[[Benchmark], str]


@pytest.fixture
def message_of(empty_place: Path) -> Told:
    """Runs a benchmark on a demo model; what is said of its fault, or nothing."""
    (empty_place / "data.txt").write_text("data")

    def run(benchmark: Benchmark) -> str:
        try:
            result = eibench.run(benchmark, dataset="data.txt")
        except PluginError as error:
            return str(error)
        failed = result.document["failed"]
        assert not failed or {f["kind"] for f in failed} == {"plugin"}
        return str(failed[0]["reason"]) if failed else ""

    return run
