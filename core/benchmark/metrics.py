"""The metrics that are made of the values of scores (`values.Value`, `values.Derived`)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .. import statistics
from ..text import plural
from ..types import Item, Metric, SampleScore, Summary
from .values import Derived, Value, weighing

if TYPE_CHECKING:
    from ..statistics.bootstrap import Floats

SEED = 20_240_131
"""Of the draws behind intervals, the same in every run."""
_NAMED = 4  # values in a note


def summarise_values(
    items: Sequence[Item], scores: Sequence[SampleScore], values: Sequence[Value]
) -> Summary:
    """The mean of each value with its interval over families, the first value's first.

    A sample without a score, or whose score lacks a value, is not in that value's mean. A result of
    which fewer than half of the samples are scored is not valid. A key of `Value.by` that no item
    has is warned of, and so are groups of `Value.macro` without a score.

    Args:
        items: Of the pack, for their tags and weights.
        scores: In any order; the numbers are the same.
        values: What they hold, and what is derived from that.

    Raises:
        ValueError: Two metrics would have one name, such as those of two tags; or one that is
            derived is out of its range.
    """
    ordered = sorted(scores, key=lambda sample: (sample.item_id, sample.iteration))
    scored = [sample for sample in ordered if sample.score.reason is None]
    of = _Values(items, values)
    metrics = {value.name: _metric(of, value, scored) for value in values}
    for name, metric in (one for value in values for one in _by_tag(of, value, scored)):
        if name in metrics:
            raise ValueError(f"two metrics would be called {name!r}: rename a value or a tag")
        metrics[name] = metric
    keys = dict.fromkeys(key for value in values for key in value.by)
    unknown = [key for key in keys if not any(key in item.tags for item in items)]
    half = 2 * len(scored) >= len(scores)
    invalid = None if half else "fewer than half of the samples are scored"
    warnings = [f"no item has the tag {key!r}" for key in unknown]
    lacking = (_without_group(of, value, scored) for value in values if value.macro)
    return Summary(metrics, invalid, (*warnings, *(one for one in lacking if one)))


def first_values(
    items: Sequence[Item],
    scores: Sequence[SampleScore],
    values: Sequence[Value],
    ranked_by: str,
    scales: Mapping[str, float],
) -> list[float | None]:
    """Of each score the value that ranks, else the first one, on the scale of its metric.

    Of one that is derived, what each sample adds to it, to first order. Where no values are
    declared, the names of the first score count.
    """
    named = {value.name: value for value in values}
    names = list(named) or list(next((s.score.values for s in scores if s.score.values), ()))
    name = ranked_by if ranked_by in names else next(iter(names), "")
    value = named.get(name) or Value(name)
    scale = scales.get(name, 1.0)
    if isinstance(value, Derived):
        numbers = _derived_terms(_Values(items, values), value, scores)
    else:
        numbers = [None if s.score.reason is not None else value.in_score(s.score) for s in scores]
    return [None if number is None else scale * number for number in numbers]


class _Column(NamedTuple):
    """A value of the samples that have it: which these are, and how they count."""

    positions: Sequence[int]
    numbers: Sequence[float]
    clusters: Sequence[str]
    weighing: tuple[Sequence[str], Sequence[float] | None] | None

    @property
    def terms(self) -> "Floats":
        """What each adds to the mean, which is the plain mean of these."""
        import numpy as np

        if self.weighing is None:
            return np.array(self.numbers, dtype=np.float64)
        groups, weights = self.weighing
        return statistics.group_means.group_mean_terms(self.numbers, groups, self.clusters, weights)

    @property
    def families(self) -> int:
        """How many the mean stands on."""
        families = len(set(self.clusters))
        if self.weighing is None:
            return families
        groups, weights = self.weighing
        equal = statistics.group_means.equal_clusters(groups, self.clusters, weights)
        return min(families, equal)

    def interval(self, value: Value) -> tuple[float, float] | None:
        """Of the mean, over families; ``None`` where they are too few, or alike without ends."""
        import numpy as np

        if not self.numbers:
            return None
        rng = np.random.default_rng(SEED)
        if self.weighing is None:
            if value.kind == "share":
                return statistics.shares.share_interval(self.numbers, self.clusters)
            return statistics.bootstrap.mean_interval(
                self.numbers, self.clusters, rng=rng, ends=value.ends
            )
        args = (self.numbers, self.weighing[0], self.clusters, self.weighing[1])
        if value.kind == "share":
            return statistics.shares.group_share_interval(*args)
        return statistics.group_means.group_mean_interval(*args, rng=rng, ends=value.ends)


class _Values(NamedTuple):
    """All values of a benchmark, and the items that samples are of."""

    items: Sequence[Item]
    values: Sequence[Value]

    def column(self, value: Value, samples: Sequence[SampleScore]) -> _Column:
        """A value of the samples that are scored and have it."""
        known = [
            (position, number, sample)
            for position, sample in enumerate(samples)
            if sample.score.reason is None and (number := value.in_score(sample.score)) is not None
        ]
        positions, numbers, of = map(list, zip(*known, strict=True)) if known else ([], [], [])
        weighed = weighing(self.items, self.values, value.name)
        parts = weighed.of([sample.item_id for sample in of]) if weighed else None
        return _Column(positions, numbers, [sample.cluster for sample in of], parts)

    def inputs(self, value: Derived, samples: Sequence[SampleScore]) -> list[_Column]:
        """The columns of the values that one is derived from."""
        named = {one.name: one for one in self.values}
        return [self.column(named[name], samples) for name in value.of]


def _without_group(of: _Values, value: Value, scored: Sequence[SampleScore]) -> str | None:
    """That groups have no part in the mean of their means; ``None`` where all have."""
    key, groups_of = value.macro, {item.id: item.tags[value.macro] for item in of.items}
    positions = of.column(value, scored).positions
    known, groups = {groups_of[scored[n].item_id] for n in positions}, set(groups_of.values())
    if not known or not (lacking := sorted(groups - known)):
        return None
    name, whose = value.label or value.name, f"{len(known)} of {len(groups)}"
    return f"{name}: the mean over {whose} of {key}; without a score: {', '.join(lacking)}"


def _by_tag(
    of: _Values, value: Value, scored: Sequence[SampleScore]
) -> Iterator[tuple[str, Metric]]:
    """The metric of each tag with its name, in the order of the tags."""
    tags = {item.id: item.tags for item in of.items}
    for key in value.by:
        for tag in sorted({of_item[key] for of_item in tags.values() if key in of_item}):
            part = [sample for sample in scored if tags[sample.item_id].get(key) == tag]
            heading = f"{value.label or value.name} by {key}"
            name = f"{value.name}_{tag.replace('-', '_').replace(' ', '_')}"
            yield name, _metric(of, value, part, label=tag, group=heading)


def _metric(
    of: _Values,
    value: Value,
    scored: Sequence[SampleScore],
    *,
    label: str = "",
    group: str = "",
) -> Metric:
    label, note = label or value.label or value.name, ""
    if isinstance(value, Derived):
        mean, interval, n, families = _derived(value, of.inputs(value, scored))
        few = ", ".join(value.of) if len(value.of) <= _NAMED else plural(len(value.of), "value")
        note = f"{label}: computed from the means of {few}"
    else:
        column = of.column(value, scored)
        n, families, interval = len(column.numbers), column.families, column.interval(value)
        mean = sum(column.numbers) / n if n else None
        if n and column.weighing:
            mean = float(column.terms.mean())
            groups, weights = column.weighing
            if value.macro and len(set(groups)) > 1:
                note = f"{label}: the mean of the means by {value.macro}"
            elif weights is not None:
                note = f"{label}: by items' weights"
    return Metric(
        mean,
        interval,
        n,
        value.higher_is_better,
        value.over,
        label,
        group or value.group,
        note,
        families=families,
    )


def _derived(
    value: Derived, inputs: Sequence[_Column]
) -> tuple[float | None, tuple[float, float] | None, int, int]:
    """The value, its interval, and how many samples and families it stands on."""
    import numpy as np

    n = len({position for column in inputs for position in column.positions})
    families = min(column.families for column in inputs)
    if not all(column.numbers for column in inputs):
        return None, None, n, families
    number = value.from_means([float(column.terms.mean()) for column in inputs])
    if number is None:
        return None, None, n, families
    low, high = value.ends
    if not low - 1e-9 <= number <= high + 1e-9:
        raise ValueError(f"the formula of {value.name!r} gives {number:g}, not {low:g} to {high:g}")
    ids = sorted({cluster for column in inputs for cluster in column.clusters})
    at, sums = (
        {cluster: row for row, cluster in enumerate(ids)},
        np.zeros((len(ids), len(inputs), 2)),
    )
    for n_input, column in enumerate(inputs):
        rows = [at[cluster] for cluster in column.clusters]
        np.add.at(sums[:, n_input, 0], rows, column.terms)
        np.add.at(sums[:, n_input, 1], rows, 1.0)

    def formula(totals: "Floats") -> "Floats":
        parts = totals.reshape(len(totals), len(inputs), 2)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = parts[:, :, 0] / parts[:, :, 1]
        numbers = (None if np.isnan(row).any() else value.from_means(row.tolist()) for row in means)
        return np.array([np.nan if one is None else one for one in numbers])

    (interval,) = statistics.bootstrap.cluster_bootstrap(
        sums.reshape(len(ids), -1),
        formula,
        rng=np.random.default_rng(SEED),
        stands_on=[families],
        ends=[value.ends],
    )
    return number, interval, n, families


def _derived_terms(
    of: _Values, value: Derived, scores: Sequence[SampleScore]
) -> list[float | None]:
    """What each sample adds to a derived value, which is their mean, to first order.

    The value, plus the formula's slope in each mean times what the sample adds to that mean beyond
    it: for a formula of weighted sums the formula of the sample's own values.
    """
    import numpy as np

    named = {one.name: one for one in of.values}
    inputs = of.inputs(value, scores)
    terms = [column.terms for column in inputs]
    means = [float(one.mean()) if one.size else float("nan") for one in terms]
    known = sorted({position for column in inputs for position in column.positions})
    number = None if np.isnan(means).any() else value.from_means(means)
    added: list[float | None] = [None] * len(scores)
    if number is None:
        return added
    total = np.zeros(len(scores))
    for n, (column, added_by) in enumerate(zip(inputs, terms, strict=True)):
        slope = _slope(value, means, n, named[value.of[n]].ends)
        total[list(column.positions)] += slope * len(known) / added_by.size * (added_by - means[n])
    for position in known:
        added[position] = number + float(total[position])
    return added


def _slope(value: Derived, means: Sequence[float], n: int, ends: tuple[float, float]) -> float:
    """By how much a derived value changes with its n-th mean, within that one's range."""
    step = 1e-5 * max(1.0, abs(means[n]))
    low, high = max(ends[0], means[n] - step), min(ends[1], means[n] + step)
    sides = [value.from_means([*means[:n], at, *means[n + 1 :]]) for at in (low, high)]
    if None in sides or not low < high:
        return 0.0
    return ((sides[1] or 0.0) - (sides[0] or 0.0)) / (high - low)
