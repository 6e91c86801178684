"""The values that a benchmark's scores hold, and the metrics that are made of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal

from .. import statistics
from ..types import Item, Metric, SampleScore, Score, Summary

KINDS = ("number", "share")
SEED = 20_240_131
"""Of the draws behind intervals, the same in every run."""


@dataclass(frozen=True, slots=True)
class Value:
    """A number that each score of a benchmark holds, and the metric over all samples.

    Attributes:
        name: As in `Score.values`, and of the metric.
        label: What a table calls it; the name if empty.
        kind: One of `KINDS`; a ``share`` is from 0 to 1, mostly 0 or 1, with Wilson's interval.
        range: The smallest and the largest it can be, which every score is held to.
        higher_is_better: ``None`` where neither end is better.
        judged: Whether the judge gives it; ``False`` for one such as a length.
        by: Keys of `Item.tags`: a metric for each tag beside the one over all.
        group: The heading that a table puts it under; empty for the main ones.
        over: What the interval is over, such as ``messages``.
        mean_of: Names of the values that it is the mean of, in each sample; then no score holds it.
        macro: A key of `Item.tags`: the metric is the mean of the mean in each tag, so that each
            tag counts alike however many items it has. Every item has that tag.
    """

    name: str
    label: str = ""
    kind: Literal["number", "share"] = "number"
    range: tuple[float, float] | None = None
    higher_is_better: bool | None = True
    judged: bool = True
    by: tuple[str, ...] = ()
    group: str = ""
    over: str = "items"
    mean_of: tuple[str, ...] = ()
    macro: str = ""

    def of(self, score: Score) -> float | None:
        """What a score says of it; ``None`` where it says nothing."""
        if not self.mean_of:
            return score.values.get(self.name)
        known = [v for name in self.mean_of if (v := score.values.get(name)) is not None]
        return sum(known) / len(known) if known else None

    @property
    def ends(self) -> tuple[float, float]:
        """The smallest and the largest that it can be."""
        return self.range or ((0.0, 1.0) if self.kind == "share" else (-inf, inf))


def summarise_values(
    items: Sequence[Item], scores: Sequence[SampleScore], values: Sequence[Value]
) -> Summary:
    """The mean of each value with its interval over families, the first value's first.

    A sample without a score, or whose score lacks a value, is not in that value's mean. A result of
    which fewer than half of the samples are scored is not valid. A key of `Value.by` that no item
    has is warned of.

    Args:
        items: Of the pack, for their tags.
        scores: In any order; the numbers are the same.
        values: What they hold.

    Raises:
        ValueError: Two metrics would have one name, such as those of two tags.
    """
    ordered = sorted(scores, key=lambda sample: (sample.item_id, sample.iteration))
    scored = [sample for sample in ordered if sample.score.reason is None]
    tags = {item.id: item.tags for item in items}
    metrics = {value.name: _metric(value, scored, tags) for value in values}
    for name, metric in (one for value in values for one in _by_tag(value, scored, tags)):
        if name in metrics:
            raise ValueError(f"two metrics would be called {name!r}: rename a value or a tag")
        metrics[name] = metric
    keys = dict.fromkeys(key for value in values for key in value.by)
    unknown = [key for key in keys if not any(key in of_item for of_item in tags.values())]
    half = 2 * len(scored) >= len(scores)
    invalid = None if half else "fewer than half of the samples are scored"
    warnings = [f"no item has the tag {key!r}" for key in unknown]
    lacking = (_without_group(value, scored, tags) for value in values if value.macro)
    return Summary(metrics, invalid, (*warnings, *(one for one in lacking if one)))


def macro_groups(
    items: Sequence[Item], values: Sequence[Value], name: str
) -> Mapping[str, str] | None:
    """By item the group that its samples are in; ``None`` where a metric is no mean of means."""
    key = next((value.macro for value in values if value.name == name), "")
    return {item.id: item.tags[key] for item in items} if key else None


def _without_group(
    value: Value, scored: Sequence[SampleScore], tags: Mapping[str, Mapping[str, str]]
) -> str | None:
    """That groups have no part in the mean of their means; ``None`` where all have."""
    groups = {of_item[value.macro] for of_item in tags.values()}
    known = {tags[s.item_id][value.macro] for s in scored if value.of(s.score) is not None}
    if not known or not (lacking := sorted(groups - known)):
        return None
    name, whose = value.label or value.name, f"{len(known)} of {len(groups)}"
    return f"{name}: the mean over {whose} of {value.macro}; without a score: {', '.join(lacking)}"


def first_values(
    scores: Sequence[SampleScore],
    values: Sequence[Value],
    ranked_by: str,
    scales: Mapping[str, float],
) -> list[float | None]:
    """Of each score the value that ranks, else the first one, on the scale of its metric.

    Where no values are declared, the names of the first score count.
    """
    named = {value.name: value for value in values}
    names = list(named) or list(next((s.score.values for s in scores if s.score.values), ()))
    name = ranked_by if ranked_by in names else next(iter(names), "")
    value = named.get(name) or Value(name)
    values_of_name = (None if s.score.reason is not None else value.of(s.score) for s in scores)
    scale = scales.get(name, 1.0)
    return [None if number is None else scale * number for number in values_of_name]


def _by_tag(
    value: Value, scored: Sequence[SampleScore], tags: Mapping[str, Mapping[str, str]]
) -> Iterator[tuple[str, Metric]]:
    """The metric of each tag with its name, in the order of the tags."""
    for key in value.by:
        for tag in sorted({of_item[key] for of_item in tags.values() if key in of_item}):
            part = [sample for sample in scored if tags[sample.item_id].get(key) == tag]
            heading = f"{value.label or value.name} by {key}"
            name = f"{value.name}_{tag.replace('-', '_').replace(' ', '_')}"
            yield name, _metric(value, part, tags, label=tag, group=heading)


def _metric(
    value: Value,
    scored: Iterable[SampleScore],
    tags: Mapping[str, Mapping[str, str]],
    *,
    label: str = "",
    group: str = "",
) -> Metric:
    known = [
        (number, sample) for sample in scored if (number := value.of(sample.score)) is not None
    ]
    numbers, clusters = [number for number, _ in known], [sample.cluster for _, sample in known]
    macro = value.macro
    groups = [tags[sample.item_id][macro] for _, sample in known] if macro else None
    mean, interval, families = _mean_of(value, numbers, clusters, groups)
    label = label or value.label or value.name
    return Metric(
        mean,
        interval,
        len(numbers),
        value.higher_is_better,
        value.over,
        label,
        group or value.group,
        f"{label}: the mean of the means by {macro}" if groups else "",
        families=families,
    )


def _mean_of(
    value: Value,
    numbers: Sequence[float],
    clusters: Sequence[str],
    groups: Sequence[str] | None,
) -> tuple[float | None, tuple[float, float] | None, int]:
    """With its interval, and how many families it stands on."""
    import numpy as np

    families, rng = len(set(clusters)), np.random.default_rng(SEED)
    if not numbers:
        return None, None, families
    is_share, shares, means = value.kind == "share", statistics.shares, statistics.group_means
    if groups is None:
        mean = sum(numbers) / len(numbers)
        if is_share:
            return mean, shares.share_interval(numbers, clusters), families
        return mean, statistics.bootstrap.mean_interval(numbers, clusters, rng=rng), families
    mean = float(means.group_mean_terms(numbers, groups, clusters).mean())
    families = min(families, means.equal_clusters(groups, clusters))
    if is_share:
        return mean, shares.group_share_interval(numbers, groups, clusters), families
    return mean, means.group_mean_interval(numbers, groups, clusters, rng=rng), families
