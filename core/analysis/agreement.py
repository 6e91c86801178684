"""How well two judges agree on the transcripts of runs that both have graded.

A transcript counts where both judges' verdicts could be read; what only one could read is
counted and left out. With several runs the transcripts of all are taken together, and the
order in which the judges put the models is looked at too.
"""

from collections.abc import Collection, Mapping, Sequence
from math import factorial
from typing import TYPE_CHECKING, Any, NamedTuple

from ..benchmark import Pack
from ..few_families import few_families
from ..reports.graded import GradedSamples, scored_by, value_names
from ..statistics import (
    cohen_kappa,
    icc_agreement,
    mean_disagreement,
    order_agreement,
    rank_agreement,
)

if TYPE_CHECKING:
    from ..statistics import Estimate, OrderAgreement

INTERVAL = "expanded percentiles of a bootstrap over families of items"
ICC = "ICC(A,1), McGraw and Wong (1996): two-way random, absolute agreement, single rater"
_ALPHA = 0.05


class Judged(NamedTuple):
    """A run as two judges graded it."""

    first: GradedSamples
    second: GradedSamples


class _RatedValue(NamedTuple):
    """A value of one transcript that both judges gave."""

    run_id: str
    cluster: str
    first: float
    second: float


def agree(pack: Pack, runs: Sequence[Judged], leave_out: Collection[str] = ()) -> dict[str, Any]:
    """The document of `bench agreement` (docs/commands.md describes each field).

    Args:
        pack: That of all runs.
        runs: At least one; the same two judges, in the same order, in each.
        leave_out: Values that no judge gives.
    """
    run, graded_by = runs[0].first.run, [graded.grading for graded in runs[0]]
    clusters = {item.id: item.cluster for item in pack.items}
    there = value_names(graded for judged in runs for graded in judged)
    names = [name for name in there if name not in leave_out]
    rows = {name: _rows(runs, name, clusters) for name in names}
    found = {name: _agreement(runs, name, rows[name]) for name in names}
    families = max((row["families"] for row in found.values()), default=0)
    order = _order(runs, names[0], rows[names[0]]) if names else None
    return {
        "benchmark": run.benchmark,
        "benchmark_version": run.benchmark_version,
        "dataset": {
            "name": pack.source.name,
            "sha256": pack.source.sha256,
            "n_items": len(pack.items),
        },
        "judges": [grading.judge for grading in graded_by],
        "grade_options": dict(graded_by[0].options),
        "demo": any(judged.first.run.demo for judged in runs),
        "runs": [{**j.first.facts(), "transcripts": scored_by(*j)} for j in runs],
        "transcripts": _added([scored_by(*judged) for judged in runs]),
        "families": families,
        "agreement": found,
        "order": order,
        "method": {"interval": INTERVAL, "icc": ICC},
        "warnings": _warnings(runs, families, order),
    }


def _added(counts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Counts of transcripts, those of all runs together."""
    total: dict[str, Any] = {}
    for name, first in counts[0].items():
        parts = [count[name] for count in counts]
        total[name] = _added(parts) if isinstance(first, dict) else sum(parts)
    return total


def _rows(runs: Sequence[Judged], name: str, clusters: Mapping[str, str]) -> list[_RatedValue]:
    rows = []
    for judged in runs:
        for key in judged.first.scores:
            one, two = (graded.value(key, name) for graded in judged)
            if one is not None and two is not None:
                rows.append(_RatedValue(judged.first.run.run_id, clusters[key[0]], one, two))
    return rows


def _agreement(runs: Sequence[Judged], name: str, rows: Sequence[_RatedValue]) -> dict[str, Any]:
    first, second = [row.first for row in rows], [row.second for row in rows]
    clusters = [row.cluster for row in rows]
    alone = [sum(_has(judged[i], name) for judged in runs) - len(rows) for i in (0, 1)]
    pairs = [[row.first, row.second] for row in rows] or [[float("nan")] * 2]
    return {
        "n": len(rows),
        "families": len(set(clusters)),
        "only_first": alone[0],
        "only_second": alone[1],
        "means": [sum(series) / len(rows) if rows else None for series in (first, second)],
        "icc": _estimate(icc_agreement(pairs, clusters or [""])),
        "kappa": _estimate(cohen_kappa(first, second, clusters))
        if {*first, *second} <= {0.0, 1.0}
        else None,
        "spearman": _estimate(rank_agreement(first, second, clusters)),
        "mean_difference": _estimate(mean_disagreement(first, second, clusters)),
    }


def _has(graded: GradedSamples, name: str) -> int:
    return sum(graded.value(key, name) is not None for key in graded.scores)


def _estimate(estimate: "Estimate") -> dict[str, Any]:
    interval = list(estimate.interval) if estimate.interval else None
    return {"value": estimate.value, "ci95": interval, "reason": estimate.reason}


def _order(runs: Sequence[Judged], name: str, rows: Sequence[_RatedValue]) -> dict[str, Any] | None:
    """The agreement on the order of the models; nothing for one run."""
    if len(runs) < 2:
        return None

    found = order_agreement(
        [row.first for row in rows],
        [row.second for row in rows],
        [row.run_id for row in rows],
        [row.cluster for row in rows],
    )
    return {
        "value": name,
        "models": len(found.models),
        "means": _means(runs, found),
        "spearman": _estimate(found.spearman),
        "kendall": _estimate(found.kendall),
    }


def _means(runs: Sequence[Judged], found: "OrderAgreement") -> list[dict[str, Any]]:
    """Both judges' means of each run, in the order of the first judge's."""
    names = {judged.first.run.run_id: judged.first.run.name for judged in runs}
    means = zip(found.models, found.first_means, found.second_means, strict=True)
    return [
        {"run_id": run_id, "name": names[run_id], "means": [one, two]}
        for run_id, one, two in sorted(means, key=lambda row: (-row[1], row[0]))
    ]


def _partial(judged: Judged) -> list[str]:
    """Warnings that transcripts are missing: one if they are the same for both judges."""
    alike = {graded.told_partial() for graded in judged}
    named = (graded.told_partial(by_judge=len(alike) > 1) for graded in judged)
    return [message for message in dict.fromkeys(named) if message]


def _warnings(runs: Sequence[Judged], families: int, order: Mapping[str, Any] | None) -> list[str]:
    messages = [w for judged in runs for w in _partial(judged)]
    messages += [w for judged in runs for graded in judged if (w := graded.told_kinship())]
    if order and order["models"] >= 3 and 2 / factorial(order["models"]) > _ALPHA:
        by_chance = f"one in {factorial(order['models'])}"
        messages.append(
            f"{order['models']} models are too few to show that judges order them alike: "
            f"by chance {by_chance} orders agrees in full"
        )
    return messages + (few_families(families) if families else [])
