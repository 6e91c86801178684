"""What reruns of the same models do to their scores: the document that `bench repeat` prints.

As table 6 and section 4.2 of Paech (2023): for each model the spread of its reruns, and over
all models the mean of their coefficients of variation. As section 4.3: what changes from one
metric to another, such as from the first pass to the revised one.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from statistics import fmean, median
from typing import NamedTuple

from ..errors import UsageError
from ..statistics.distribution import Spread, spread
from ..types import JsonDict
from .reruns import Rerun, Reruns


class ModelSpread(NamedTuple):
    """A model's reruns, and how far they differ.

    Attributes:
        counted: How many count.
        metrics: The spread of each.
        reruns: Each with where it comes from, its values, and why it is left out.
    """

    model: str
    demo: bool
    counted: int
    metrics: Mapping[str, Spread]
    reruns: Sequence[JsonDict]


class OverallSpread(NamedTuple):
    """Over the models that have a coefficient of variation, each model once."""

    models: int
    mean_cv_sample: float | None
    median_cv_sample: float | None


class MeanChange(NamedTuple):
    """Both means, and their difference absolutely and as a share of the first."""

    n: int
    before: float | None
    after: float | None
    difference: float | None
    relative: float | None


class ModelChange(NamedTuple):
    """What changes in one model's reruns."""

    model: str
    demo: bool
    n: int
    before: float | None
    after: float | None
    difference: float | None
    relative: float | None


class MetricChange(NamedTuple):
    """What changes from one metric to another.

    Three averages of the relative change, as papers seldom say which one is theirs: over
    models, over reruns, and of the means of all reruns.
    """

    before: str
    after: str
    models: Sequence[ModelChange]
    mean_over_models: float | None
    mean_over_reruns: float | None
    of_means: float | None


class Repeatability(NamedTuple):
    """The document of `bench repeat`."""

    source: str
    demo: bool
    judge: str | None
    models: Sequence[ModelSpread]
    overall: Mapping[str, OverallSpread]
    change: MetricChange | None
    left_out: Sequence[str]


def build_repeatability(
    found: Reruns, metrics: Sequence[str], change: Sequence[str]
) -> Repeatability:
    """The document.

    Args:
        found: What there is.
        metrics: Those that are wanted; without any, all.
        change: Two metrics, to be compared; or none.

    Raises:
        UsageError: There are none, a metric is not there, or no model has two reruns that count.
    """
    reruns = found.reruns
    if not reruns:
        raise UsageError(f"{found.source}: there are no reruns")
    there = list(dict.fromkeys(name for rerun in reruns for name in rerun.values))
    for name in (*metrics, *change):
        if name not in there:
            raise UsageError(f"there is no metric {name!r}; there are: {', '.join(there)}")
    wanted = [name for name in there if not metrics or name in metrics]
    models = [_model(name, group, wanted) for name, group in _by_model(reruns).items()]
    _refuse_single(models, found.more)
    return Repeatability(
        source=found.source,
        demo=any(rerun.demo for rerun in reruns),
        judge=found.judge,
        models=models,
        overall={name: _overall(models, name) for name in wanted},
        change=_change(reruns, *change) if change else None,
        left_out=found.left_out,
    )


def _by_model(reruns: Sequence[Rerun]) -> dict[str, list[Rerun]]:
    """The reruns of each model, in the order in which the models first come."""
    groups: dict[str, list[Rerun]] = {}
    for rerun in reruns:
        groups.setdefault(rerun.model, []).append(rerun)
    return groups


def _model(name: str, reruns: Sequence[Rerun], metrics: Sequence[str]) -> ModelSpread:
    counted = [rerun for rerun in reruns if rerun.reason is None]
    spreads = {m: spread([r.values.get(m) for r in counted]) for m in metrics}
    rows: list[JsonDict] = [
        {**r.source, "values": {m: r.values.get(m) for m in metrics}, "left_out": r.reason}
        for r in reruns
    ]
    return ModelSpread(name, any(r.demo for r in reruns), len(counted), spreads, rows)


def _refuse_single(models: Sequence[ModelSpread], more: str) -> None:
    if all(model.counted < 2 for model in models):
        left = [r["left_out"] for model in models for r in model.reruns if r["left_out"]]
        message = f" (left out: {left[0]})" if left else ""
        raise UsageError(f"no model has two reruns{message}; {more}")


def _overall(models: Sequence[ModelSpread], metric: str) -> OverallSpread:
    known = [cv for m in models if (cv := m.metrics[metric].cv_sample) is not None]
    averages = (fmean(known), median(known)) if known else (None, None)
    return OverallSpread(len(known), *averages)


def _change(reruns: Sequence[Rerun], before: str, after: str) -> MetricChange:
    """What changes from one metric to the other, over the reruns that have both."""
    both = [
        (rerun.model, first, second)
        for rerun in reruns
        if rerun.reason is None
        and (first := rerun.values.get(before)) is not None
        and (second := rerun.values.get(after)) is not None
    ]
    groups = {name: [p[1:] for p in group] for name, group in groupby(sorted(both), lambda p: p[0])}
    order = [name for name in _by_model(reruns) if name in groups]
    demo = {rerun.model for rerun in reruns if rerun.demo}
    rows = [ModelChange(m, m in demo, *_compared(groups[m])) for m in order]
    overall = _compared([pair for name in order for pair in groups[name]])
    over_models = _mean([row.relative for row in rows])
    over_reruns = _mean([_relative(first, second) for _, first, second in both])
    return MetricChange(before, after, rows, over_models, over_reruns, overall.relative)


def _compared(pairs: Sequence[tuple[float, float]]) -> MeanChange:
    if not pairs:
        return MeanChange(0, None, None, None, None)
    first, second = (fmean(side) for side in zip(*pairs, strict=True))
    return MeanChange(len(pairs), first, second, second - first, _relative(first, second))


def _relative(first: float, second: float) -> float | None:
    """The change as a share of the first number; None when that is not above zero."""
    return (second - first) / first if first > 0 else None


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean; None when there is none, or one of the values does not exist."""
    known = [value for value in values if value is not None]
    return fmean(known) if known and len(known) == len(values) else None
