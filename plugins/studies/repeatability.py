"""What reruns of the same models do to their scores: the document that `bench repeat` prints.

As table 6 and section 4.2 of Paech (2023): for each model the spread of its reruns, and over
all models the mean of their coefficients of variation. As section 4.3: what changes from one
metric to another, such as from the first pass to the revised one.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean, median
from typing import NamedTuple

from eibench import JsonDict, UsageError
from eibench.statistics import SteadinessRow

from .distribution import Spread, spread
from .reruns import Rerun, Reruns


class ModelSpread(NamedTuple):
    """A model's reruns, and how far they differ.

    Attributes:
        counted: How many count.
        metrics: The spread of each.
        reruns: Each with where it comes from, its values, and why it is left out.
        note: That repeats are one text, where they are.
    """

    model: str
    counted: int
    metrics: Mapping[str, Spread]
    reruns: Sequence[JsonDict]
    note: str = ""


class OverallSpread(NamedTuple):
    """Over the models that have a coefficient of variation, each model once."""

    models: int
    mean_cv_sample: float | None
    median_cv_sample: float | None


class ModelChange(NamedTuple):
    """The means of one model's reruns, and their difference absolutely and relatively."""

    model: str
    n: int
    before: float
    after: float
    difference: float
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
    steadiness: Sequence[SteadinessRow] = ()


def build_repeatability(source: Reruns, change: Sequence[str]) -> Repeatability:
    """The document.

    Args:
        source: All that there are.
        change: Two metrics, to be compared; or none.

    Raises:
        UsageError: There are none, a metric is not there, or no model has two reruns that count.
    """
    reruns = source.reruns
    if not reruns:
        raise UsageError(f"{source.source}: there are no reruns")
    names = list(dict.fromkeys(name for rerun in reruns for name in rerun.values))
    for name in change:
        if name not in names:
            raise UsageError(f"there is no metric {name!r}; there are: {', '.join(names)}")
    models = [_model(name, group, names) for name, group in _by_model(reruns).items()]
    _refuse_single(models, source.more)
    return Repeatability(
        source=source.source,
        demo=any(rerun.demo for rerun in reruns),
        judge=source.judge,
        models=models,
        overall={name: _overall(models, name) for name in names},
        change=_change(reruns, *change) if change else None,
        left_out=source.left_out,
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
    note = next((r.note for r in counted if r.note), "")
    return ModelSpread(name, len(counted), spreads, rows, note)


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
    rows: list[ModelChange] = []
    pairs: list[tuple[float, float]] = []
    for model, group in _by_model(reruns).items():
        values = [(r.values.get(before), r.values.get(after)) for r in group if r.reason is None]
        both = [(one, two) for one, two in values if one is not None and two is not None]
        if both:
            rows.append(_model_change(model, both))
        pairs += both
    overall = _model_change("", pairs).relative if pairs else None
    relatives = [_relative(*pair) for pair in pairs]
    over_models = _mean([row.relative for row in rows])
    return MetricChange(before, after, rows, over_models, _mean(relatives), overall)


def _model_change(model: str, pairs: Sequence[tuple[float, float]]) -> ModelChange:
    first, second = (fmean(side) for side in zip(*pairs, strict=True))
    change = second - first, _relative(first, second)
    return ModelChange(model, len(pairs), first, second, *change)


def _relative(first: float, second: float) -> float | None:
    """The change as a share of the first number; None when that is not above zero."""
    return (second - first) / first if first > 0 else None


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean; None when there is none, or one of the values does not exist."""
    known = [value for value in values if value is not None]
    return fmean(known) if known and len(known) == len(values) else None
