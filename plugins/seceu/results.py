"""The samples of a run and their mean distances, with intervals over stories.

Importing this imports numpy, so the benchmark does it when it is needed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from eibench import Item, JsonDict, Metric, SampleScore
from eibench.statistics import mean_interval, share_interval

from .norms import Norm
from .stories import N_OPTIONS, POINT_NAMES, distance

SEED = 0
"""Of the bootstrap: the same data gives the same interval."""


@dataclass(frozen=True, slots=True)
class Run:
    """The samples of a run, in one order whatever order they came in."""

    items: Mapping[str, Item]
    scores: Sequence[SampleScore]
    norm: Norm | None

    @property
    def read(self) -> list[SampleScore]:
        """The samples that have a distance."""
        return [s for s in self.scores if s.score.values.get("distance") is not None]

    @property
    def meaningful(self) -> int:
        """How many answers were read and are not four zeros."""
        return sum("null" not in s.score.flags for s in self.read)

    def flagged(self, flag: str) -> int:
        """How many answers that were read have a flag."""
        return sum(flag in s.score.flags for s in self.read)

    def distances(self) -> dict[str, float]:
        """The mean distance of each item that has one, in pack order."""
        by_item: dict[str, list[float]] = {}
        for sample in self.read:
            by_item.setdefault(sample.item_id, []).append(_distance(sample))
        return {i: sum(by_item[i]) / len(by_item[i]) for i in self.items if i in by_item}

    def score(self) -> Metric:
        """The SECEU score: the mean distance of the answers that were read."""
        return estimate(self.read, [_distance(s) for s in self.read])

    def score_as_paper(self) -> Metric:
        """The same with an unread answer as the null vector, as the paper counts it."""
        null = (0.0,) * N_OPTIONS
        filled = [
            distance(null, self.items[s.item_id].content.reference)
            if s.score.values.get("distance") is None
            else _distance(s)
            for s in self.scores
        ]
        return estimate(self.scores, filled)

    def violations(self) -> Metric:
        """The share of the answers read that do not sum to 10."""
        hits = [float("sum" in s.score.flags) for s in self.read]
        ci95 = share_interval(hits, [s.cluster for s in self.read]) if hits else None
        return _distance_metric(sum(hits) / len(hits) if hits else None, ci95, len(hits))

    def per_iteration(self) -> list[float | None]:
        """The SECEU score of each iteration by itself, in order."""
        by_iteration: dict[int, list[float]] = {s.iteration: [] for s in self.scores}
        for sample in self.read:
            by_iteration[sample.iteration].append(_distance(sample))
        return [
            sum(by_iteration[i]) / len(by_iteration[i]) if by_iteration[i] else None
            for i in sorted(by_iteration)
        ]

    def by_item(self) -> dict[str, JsonDict]:
        """Each story with its mean distance and mean answer, and with those of people."""
        answers: dict[str, list[Sequence[float]]] = {}
        for sample in self.read:
            points = [sample.score.values[name] or 0.0 for name in POINT_NAMES]
            answers.setdefault(sample.item_id, []).append(points)
        return {
            item_id: {
                "distance": mean,
                "answer": [sum(c) / len(c) for c in zip(*answers[item_id], strict=True)],
                "reference": list(self.items[item_id].content.reference),
                "human_distance": self.items[item_id].content.human,
            }
            for item_id, mean in self.distances().items()
        }


def _distance(sample: SampleScore) -> float:
    value = sample.score.values["distance"]
    assert value is not None
    return value


def estimate(samples: Sequence[SampleScore], values: Sequence[float]) -> Metric:
    """The mean of a value per sample; its interval draws stories with all their iterations."""
    if not samples:
        return _distance_metric(None, None, 0)
    clusters = [sample.cluster for sample in samples]
    interval = mean_interval(values, clusters, rng=np.random.default_rng(SEED))
    families = len(set(clusters))
    return _distance_metric(float(np.mean(values)), interval, len(samples), families)


def _distance_metric(
    value: float | None, ci95: tuple[float, float] | None, n: int, families: int | None = None
) -> Metric:
    return Metric(value, ci95, n, higher_is_better=False, over="stories", families=families)
