"""A benchmark with as many numbers and as much text as EQ-Bench 3, to load the pages of a site.

The pack's file says how many items there are, and how long a question and a reply: 45, with about
8,000 characters of words drawn anew, unless told otherwise. A score has eight criteria and is a
fixed function of model, item and iteration.
"""

from collections.abc import Callable, Sequence
from math import sqrt
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

from .eqbench3_shape import words

ITEMS, PROMPT, REPLY = 45, 1_500, 6_500
CRITERIA = ("warmth", "insight", "candour", "patience", "tact", "humour", "resolve", "clarity")


class SiteShape(Benchmark):
    """Asks once for each item and scores by chance."""

    name = "site-shape"
    version = "1"
    title = "random words with random numbers, for measuring"

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """So many items as the file says, each with the lengths of its texts."""
        count, *lengths = map(int, next(iter(source.files.values())).read_text().split())
        items = [Item(f"s{n}", tuple(lengths)) for n in range(count)]
        return Pack(source, items, "comparable with nothing")

    async def generate(self, item: Item, model: Model, options: Options) -> Sequence[Message]:
        """One question and its reply."""
        asked = Message("user", words(item.content[0], Random(item.id)))
        reply = await model.chat([asked])
        return [asked, Message("assistant", reply.text)]

    async def grade(
        self, item: Item, transcript: Sequence[Message], judge: Model | None, options: Options
    ) -> Score:
        """Numbers that hang on the words alone."""
        return score_of(transcript)

    def summarise(self, pack: Pack, scores: Sequence[SampleScore], options: Options) -> Summary:
        """Means with normal intervals."""
        named = {"score": "", **dict.fromkeys(CRITERIA, "Criteria (0-10)")}
        return Summary({name: _mean(scores, name, group) for name, group in named.items()})

    def demo_reply(self, item: Item, request: ChatRequest, ability: float, rng: Random) -> str:
        """Words."""
        return words(item.content[1], rng)

    def planned_calls(self, item: Item, options: Options) -> dict[str, int]:
        """One."""
        return {"model": 1}


def score_of(transcript: Sequence[Message], ability: float = 1.0) -> Score:
    """Criteria about 5 and the ability, and their mean of 100; they hang on the words alone."""
    rng = Random(transcript[-1].content)
    criteria = {name: 5.0 + ability + rng.gauss(0.0, 1.0) for name in CRITERIA}
    return Score({"score": fmean(criteria.values()) * 10, **criteria})


def _mean(scores: Sequence[SampleScore], name: str, group: str) -> Metric:
    values = [value for s in scores if (value := s.score.values.get(name)) is not None]
    arm = 1.96 * stdev(values) / sqrt(len(values)) if len(values) > 1 else 0.0
    mean = fmean(values)
    return Metric(mean, (mean - arm, mean + arm), n=len(values), group=group)


@hookimpl
def register_benchmarks(register: Callable[[Benchmark], None]) -> None:
    """The one benchmark."""
    register(SiteShape())
