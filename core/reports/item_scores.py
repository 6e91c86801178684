"""What a run scored item by item in the metric that its board ranks by."""

from collections.abc import Mapping, Sequence
from math import isclose

from ..benchmark import Benchmark, Options, Pack
from ..guard import guard
from ..types import SampleScore, Summary

ItemScores = Mapping[str, Sequence[float]]
"""By item the sum over its samples, and how many they are: as a journal's cache holds it."""


def item_scores(
    benchmark: Benchmark, pack: Pack, scores: Sequence[SampleScore], options: Options, made: Summary
) -> ItemScores | None:
    """The scores that a run's main metric is the mean of; ``None`` where it is no such mean.

    Args:
        benchmark: Says what each sample adds (`Benchmark.main_values`).
        pack: Its data.
        scores: Of the run.
        options: The benchmark's own.
        made: The run's summary.
    """
    found = made.metrics.get(benchmark.ranked_by or next(iter(made.metrics)))
    if found is None or found.value is None:
        return None
    items: dict[str, tuple[float, int]] = {}
    values = guard(benchmark).main_values(pack, scores, options)
    for sample, value in zip(scores, values, strict=True):
        if value is not None:
            total, n = items.get(sample.item_id, (0.0, 0))
            items[sample.item_id] = (total + value, n + 1)
    n = sum(n for _, n in items.values())
    mean = sum(total for total, _ in items.values()) / n if n else None
    is_mean = mean is not None and isclose(mean, found.value, rel_tol=1e-9, abs_tol=1e-9)
    return items if is_mean else None
