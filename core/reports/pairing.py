"""The paired differences of two runs: one place that makes them, whatever shows them.

Both answered the same items, so each sample is set against the same sample of the other run.
Intervals and tests keep families of items together (docs/statistics.md).
"""

from collections.abc import Mapping, Sequence
from math import inf, isclose
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from .. import statistics
from ..benchmark import Benchmark, Pack
from ..benchmark.values import Value, Weighing, weighing
from ..guard import guard
from ..statistics.few_families import NO_SPREAD, why_no_interval
from ..types import Metric
from .graded import GradedSamples, Key
from .statements import Settle, settle

if TYPE_CHECKING:
    from ..statistics.differences import PairedDifference


class Compared(NamedTuple):
    """What two runs are compared by."""

    benchmark: Benchmark
    pack: Pack
    a: GradedSamples
    b: GradedSamples

    def main_values(self) -> list[dict[Key, float]]:
        """Of A and of B, by sample what it adds to the metric that models are ranked by."""
        return [main_values(self.benchmark, self.pack, graded) for graded in (self.a, self.b)]


class ValueDifference(NamedTuple):
    """How a value of samples differs, on those that both runs have scored."""

    difference: float | None
    ci95: Sequence[float] | None
    standard_error: float | None
    p: float | None
    p_holm: float | None
    n: int
    families: int
    share_a_higher: float | None
    share_equal: float | None
    mean_a: float | None
    mean_b: float | None
    only_a: int
    only_b: int
    reason: str | None


class MainDifference(NamedTuple):
    """How the two differ in the metric that models are ranked by, on its scale.

    `chosen` says which of several numbers the metric is, of A and of B; empty where it is no
    choice. The `p` of the row is of this pair alone.
    """

    metric: str
    label: str
    higher_is_better: bool | None
    chosen: tuple[str, str]
    row: ValueDifference


class ItemDifference(NamedTuple):
    """What both runs got for an item, over the `n` of its samples that both have scored.

    Values are means of what samples add to the metric that ranks.
    """

    item_id: str
    a: float
    b: float
    difference: float
    n: int


def item_differences(compared: Compared) -> list[ItemDifference]:
    """Those of the items that both runs have, the largest first."""
    a, b = compared.main_values()
    by_item: dict[str, list[Key]] = {}
    for key in sorted(a.keys() & b.keys()):
        by_item.setdefault(key[0], []).append(key)
    rows = []
    for item_id, keys in by_item.items():
        first, second = (fmean(values[key] for key in keys) for values in (a, b))
        rows.append(ItemDifference(item_id, first, second, first - second, len(keys)))
    return sorted(rows, key=lambda row: (-abs(row.difference), row.item_id))


def value_differences(compared: Compared) -> dict[str, ValueDifference]:
    """A row for each value that samples have, with p-values adjusted over all of them."""
    a, b, scales = compared.a, compared.b, compared.benchmark.value_scales
    keys = sorted({*a.scores, *b.scores})
    rows = {}
    for name in dict.fromkeys([*a.value_names(), *b.value_names()]):
        scale = scales.get(name, 1.0)
        of_a, of_b = (
            {k: scale * v for k in keys if (v := g.value(k, name)) is not None} for g in (a, b)
        )
        rows[name] = _difference(compared, name, of_a, of_b)
    adjusted = zip(
        rows.items(), statistics.differences.holm([row.p for row in rows.values()]), strict=True
    )
    return {name: row._replace(p_holm=p) for (name, row), p in adjusted}


def main_difference(compared: Compared) -> MainDifference | None:
    """The row of the metric that ranks; ``None`` where it is no mean over samples."""
    if other_version(compared):
        return None
    metrics = [metrics_of(compared, graded) for graded in (compared.a, compared.b)]
    name = compared.benchmark.ranked_by or next(iter(metrics[0]))
    a, b = (of.get(name) for of in metrics)
    of_a, of_b = compared.main_values()
    if a is None or b is None:
        return None
    if not (_is_mean(compared, name, a, of_a) and _is_mean(compared, name, b, of_b)):
        return None
    row = _difference(compared, name, of_a, of_b)
    chosen = a.chosen, b.chosen
    return MainDifference(name, a.label or name, a.higher_is_better, chosen, row)


def settle_main(compared: Compared, main: MainDifference | None) -> Settle | None:
    """What would tell the two apart in the metric that ranks, of which `main` is the difference.

    ``None`` where they are, where a run failed, or where that metric is no mean over samples.
    """
    pair = compared.a, compared.b
    if main is None or any(graded.run.status == "fail" for graded in pair):
        return None
    if main.row.ci95 and not main.row.ci95[0] <= 0 <= main.row.ci95[1]:
        return None
    asked = {item for graded in pair for item, _ in (*graded.scores, *graded.failed)}
    items = compared.pack.items
    first, second = common_terms(
        compared.benchmark, compared.pack, main.metric, *compared.main_values()
    )
    plan = statistics.settling.settling(first, second, {i.id: i.cluster for i in items})
    unasked = sum(item.id not in asked for item in items)
    return settle(plan, [graded.sample_cost for graded in pair], unasked)


def main_values(benchmark: Benchmark, pack: Pack, graded: GradedSamples) -> dict[Key, float]:
    """By sample what it adds to the metric that models are ranked by."""
    options = {**graded.run.settings["all_options"], **graded.grader.options}
    scores = list(graded.scores.values())
    values = guard(benchmark).main_values(pack, scores, options)
    return {k: v for k, v in zip(graded.scores, values, strict=True) if v is not None}


def common_terms(
    benchmark: Benchmark,
    pack: Pack,
    name: str,
    of_a: Mapping[Key, float],
    of_b: Mapping[Key, float],
) -> tuple[Mapping[Key, float], Mapping[Key, float]]:
    """The `metric_terms` of each of two runs, of the samples that both have, in order."""
    keys = [key for key in sorted(of_a) if key in of_b]
    a, b = (metric_terms(benchmark, pack, name, {k: of[k] for k in keys}) for of in (of_a, of_b))
    return a, b


def metric_terms(
    benchmark: Benchmark, pack: Pack, name: str, values: Mapping[Key, float]
) -> Mapping[Key, float]:
    """By sample what it adds to a metric, which is their mean, of the values that samples have.

    These are the same but where the metric is a mean of group means, or items have weights.
    """
    weighed = weighing(pack.items, benchmark.values, name)
    if weighed is None:
        return values
    items = [item for item, _ in values]
    groups, weights = weighed.of(items)
    terms = statistics.group_means.group_mean_terms(
        list(values.values()), groups, [pack.clusters[item] for item in items], weights
    )
    return dict(zip(values, terms.tolist(), strict=True))


def equal_families(benchmark: Benchmark, pack: Pack, name: str, items: Sequence[str]) -> int | None:
    """How many families that all count alike say as much as those of samples of these items.

    ``None`` where a metric is a mean in which all samples count alike.
    """
    weighed = weighing(pack.items, benchmark.values, name)
    if weighed is None:
        return None
    groups, weights = weighed.of(items)
    clusters = [pack.clusters[item] for item in items]
    return statistics.group_means.equal_clusters(groups, clusters, weights)


def reach_of(benchmark: Benchmark, name: str) -> float:
    """The largest difference that a metric has room for; infinite where its ends are not known."""
    value = next((value for value in benchmark.values if value.name == name), Value(name))
    return (value.ends[1] - value.ends[0]) * benchmark.value_scales.get(name, 1.0)


def _is_mean(compared: Compared, name: str, metric: Metric, values: Mapping[Key, float]) -> bool:
    """Whether a run's metric is made of the values of its samples."""
    terms = metric_terms(compared.benchmark, compared.pack, name, values)
    mean = _mean(list(terms.values()))
    return None not in (metric.value, mean) and isclose(metric.value or 0.0, mean or 0.0)


def _difference(
    compared: Compared, name: str, of_a: Mapping[Key, float], of_b: Mapping[Key, float]
) -> ValueDifference:
    """The paired difference of a value that each run has of some samples."""
    terms = common_terms(compared.benchmark, compared.pack, name, of_a, of_b)
    paired, (first, second) = list(terms[0]), (list(of.values()) for of in terms)
    ids = [compared.pack.clusters[item_id] for item_id, _ in paired]
    pairs = [(of_a[k], of_b[k]) for k in paired]
    equal = equal_families(compared.benchmark, compared.pack, name, [item for item, _ in paired])
    weighed = weighing(compared.pack.items, compared.benchmark.values, name)
    difference = statistics.differences.paired_difference(
        first, second, ids, reach=reach_of(compared.benchmark, name), equal=equal or inf
    )
    families = difference.n_clusters if equal is None else min(equal, difference.n_clusters)
    enough = not why_no_interval(families)
    return ValueDifference(
        difference=difference.mean,
        ci95=list(difference.interval) if difference.interval and enough else None,
        standard_error=difference.standard_error,
        p=difference.p if enough else None,
        p_holm=None,
        n=difference.n,
        families=families,
        share_a_higher=_mean([a > b for a, b in pairs]),
        share_equal=_mean([a == b for a, b in pairs]),
        mean_a=_mean(first),
        mean_b=_mean(second),
        only_a=len(of_a) - len(paired),
        only_b=len(of_b) - len(paired),
        reason=_reason(difference, families, weighed),
    )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _reason(difference: "PairedDifference", families: int, weighed: Weighing | None) -> str | None:
    """Why numbers are missing from a row."""
    if not difference.n:
        return "no sample has this value in both runs"
    counted = (difference.n_clusters, weighed.words) if weighed else (0, "")
    return why_no_interval(families, *counted) or (None if difference.interval else NO_SPREAD)


def other_version(compared: Compared) -> bool:
    """Whether grades are of another version of the benchmark, whose metrics are not today's."""
    return compared.a.grader.version != compared.benchmark.version


def metrics_of(compared: Compared, graded: GradedSamples) -> Mapping[str, Metric]:
    """A run's metrics over all of its own samples."""
    options = {**graded.run.settings["all_options"], **graded.grader.options}
    scores = list(graded.scores.values())
    return guard(compared.benchmark).summarise(compared.pack, scores, options).metrics
