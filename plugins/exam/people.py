"""Versions that people rated: the part of an exam whose key people gave."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from eibench import (
    Benchmark,
    Item,
    Model,
    Options,
    SampleScore,
    UsageError,
    human_ratings,
)
from eibench.statistics import rank_agreement

OF = "humanebench"
"""The benchmark whose replies people rated."""
MOST = 48
JUDGE, PEOPLE = "judge", "people"
"""Values of such a reply: the judge's grade, and the mean of what people gave it."""


@dataclass(frozen=True, slots=True)
class PeopleRatedReply:
    """What an item of this part holds: a reply, and the mean of what people gave it."""

    item: Item
    text: str
    mean: float


def rated_replies(benchmark: Benchmark, path: Path) -> list[Item[PeopleRatedReply]]:
    """The replies that people rated, the first `MOST`, in the order of their files.

    Raises:
        DataError: The file is not of its form.
        UsageError: People rated nothing there.
    """
    pack, rated = human_ratings(benchmark, str(path))
    if len(rated) > MOST:
        raise UsageError(f"{path}: people rated {len(rated)} replies; an exam takes {MOST}")
    items = {item.id: item for item in pack.items}
    rows = []
    for n, reply in enumerate(rated, start=1):
        (ratings,) = reply.ratings.values()
        mean = sum(ratings.values()) / len(ratings)
        item = items[reply.item_id]
        rows.append(Item(f"people-{n:02}", PeopleRatedReply(item, reply.text, mean), item.cluster))
    return rows


async def grade(
    benchmark: Benchmark, rated: PeopleRatedReply, judge: Model
) -> tuple[float | None, str]:
    """The main value of the judge's verdict, and why there is none."""
    from eibench.testing import ScriptedModel

    options: Options = {one.name: one.default for one in benchmark.options}
    transcript = await benchmark.generate(rated.item, ScriptedModel(rated.text), options)
    score = await benchmark.grade(rated.item, transcript, judge, options)
    value = next(iter(score.values.values()), None)
    return value, "" if value is not None else score.reason or "unread"


def agreement(scores: Sequence[SampleScore]) -> Mapping[str, object] | None:
    """Rank correlation of a judge and the mean of people; ``None`` where none was asked for."""
    rows = [
        (s.cluster, judge, of_people)
        for s in scores
        if (judge := s.score.values.get(JUDGE)) is not None
        and (of_people := s.score.values.get(PEOPLE)) is not None
    ]
    if not rows:
        return None
    clusters, judged, rated = zip(*rows, strict=True)
    rho = rank_agreement(judged, rated, clusters)
    return {"n": len(rows), "spearman": rho._asdict()}
