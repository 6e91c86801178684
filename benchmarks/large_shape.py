"""Twenty benchmarks of replies of about 3 kB, to load a journal: five of them are judged.

The pack's file has a question a line. Nothing of a reply is parsed but the number at its end; a
judge's verdict is a JSON object, read by the rubric that all judged benchmarks use.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from random import Random
from statistics import fmean, stdev

from eibench import (
    Benchmark,
    ChatRequest,
    Item,
    Message,
    Metric,
    Model,
    Options,
    Pack,
    PackSource,
    SampleScore,
    Score,
    Summary,
    hookimpl,
)
from eibench.judges import Rubric, Template

from .eqbench3_shape import words

BENCHMARKS, JUDGED = 20, 5
PROMPT, REPLY, VERDICT = 900, 1_900, 700
_RUBRIC = Rubric(("warmth", "insight", "candour", "tact"), 10)
_TEMPLATE = Template("Grade this.\n[REPLY]\n{reply}\n[/REPLY]\n{criteria}\n{form}")


class LargeShape(Benchmark):
    """Asks once for each item; the score is the number at the end of the reply."""

    version = "1"
    title = "random words, for measuring a large journal"

    def __init__(self, number: int) -> None:
        self.name = f"large-{number:02d}"
        self.judged = number >= BENCHMARKS - JUDGED

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """An item for each line; half as many where each is judged, as that is a call too."""
        lines = next(iter(source.files.values())).read_text().splitlines()
        chosen = lines[: max(1, len(lines) // 2)] if self.judged else lines
        items = [Item(f"i{n}", line) for n, line in enumerate(chosen)]
        return Pack(source, items, "comparable with nothing")

    async def generate(self, item: Item, model: Model, options: Options) -> Sequence[Message]:
        """One question and its reply."""
        asked = Message("user", item.content)
        return [asked, Message("assistant", (await model.chat([asked])).text)]

    async def grade(
        self, item: Item, transcript: Sequence[Message], judge: Model | None, options: Options
    ) -> Score:
        """The number at the end, or the judge's."""
        text = transcript[-1].content
        if self.judged:
            return await _RUBRIC.grade(judge, _TEMPLATE, text)
        return Score({"score": float(text.rpartition(" ")[2])})

    def judge_prompts(self, options: Options) -> Mapping[str, str]:
        """The rubric's, where there is a judge."""
        return _RUBRIC.judge_prompts(_TEMPLATE) if self.judged else {}

    def summarise(self, pack: Pack, scores: Sequence[SampleScore], options: Options) -> Summary:
        """Means with normal intervals."""
        names = dict.fromkeys(name for s in scores for name in s.score.values)
        return Summary({name: _mean(scores, name) for name in names})

    def demo_reply(self, item: Item, request: ChatRequest, ability: float, rng: Random) -> str:
        """Words, and a number."""
        return reply_text(rng)

    def demo_verdict(self, item: Item, request: ChatRequest, rng: Random) -> str:
        """A form that is filled in."""
        return verdict_text(rng)


def reply_text(rng: Random) -> str:
    """A reply: words, and a number from 0 to 100 behind them."""
    return f"{words(REPLY, rng)} {rng.randint(0, 100)}"


def verdict_text(rng: Random) -> str:
    """A judge's verdict, its reasons before the numbers."""
    numbers = {name: rng.randint(0, 10) for name in _RUBRIC.names}
    return json.dumps({"chain_of_thought_reasoning": words(VERDICT, rng), **numbers})


def _mean(scores: Sequence[SampleScore], name: str) -> Metric:
    values = [value for s in scores if (value := s.score.values.get(name)) is not None]
    mean = fmean(values) if values else 0.0
    arm = 1.96 * stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return Metric(mean, (mean - arm, mean + arm), n=len(values))


@hookimpl
def register_benchmarks(register: Callable[[Benchmark], None]) -> None:
    """All of them."""
    for number in range(BENCHMARKS):
        register(LargeShape(number))
