"""What a run scored item by item in the metric that its board ranks by.

A metric that is the mean of its samples' scores, or rises or falls with such a mean, lets models be
compared item by item. One that is neither does not: then nothing is told apart by it.
"""

from collections.abc import Mapping, Sequence
from math import isclose
from typing import TypedDict

from ..types import SampleScore, Summary


class ItemScores(TypedDict):
    """Scores as a journal's cache holds them.

    Attributes:
        values: The values of scores whose mean in each sample this is; of a benchmark that counts
            the better of two passes those of the pass that counts for this run.
        items: By item the sum over its samples, and how many they are.
    """

    values: Sequence[str]
    items: Mapping[str, Sequence[float]]


def item_scores(metric: str, summary: Summary, scores: Sequence[SampleScore]) -> ItemScores | None:
    """The scores that a metric is made of; ``None`` where it is no mean of any.

    The metric says so by `Metric.mean_of`; one that does not is looked at under its own name.

    Args:
        metric: Its name.
        summary: The run's.
        scores: Of its samples.
    """
    found = summary.metrics.get(metric)
    if found is None or found.value is None:
        return None
    values = found.mean_of or (metric,)
    items: dict[str, tuple[float, int]] = {}
    for sample in scores:
        if sample.score.reason is None and (number := _mean(sample, values)) is not None:
            total, n = items.get(sample.item_id, (0.0, 0))
            items[sample.item_id] = (total + number, n + 1)
    if not found.mean_of and not isclose(found.value, mean_of(items) or 0.0, abs_tol=1e-9):
        return None
    return {"values": list(values), "items": items} if items else None


def mean_of(items: Mapping[str, Sequence[float]]) -> float | None:
    """The mean over all samples; ``None`` of none."""
    n = sum(n for _, n in items.values())
    return sum(total for total, _ in items.values()) / n if n else None


def _mean(sample: SampleScore, values: Sequence[str]) -> float | None:
    known = [v for name in values if (v := sample.score.values.get(name)) is not None]
    return sum(known) / len(known) if known else None
