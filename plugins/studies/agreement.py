"""How well two judges agree on the transcripts of runs that both have graded.

A transcript counts where both judges' verdicts could be read; what only one could read is
counted and left out. With several runs the transcripts of all are taken together, and the
order in which the judges put the models is looked at too.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from math import factorial
from typing import NamedTuple

from eibench import CommonTally, Estimate, GradedSamples, JsonObject, Pack
from eibench.statistics import (
    cohen_kappa,
    few_families,
    icc_agreement,
    mean_disagreement,
    order_agreement,
    rank_agreement,
)

METHOD = {
    "interval": "expanded percentiles of a bootstrap over families of items",
    "icc": "ICC(A,1), McGraw and Wong (1996): two-way random, absolute agreement, single rater",
}
"""How numbers are made."""
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


class ValueAgreement(NamedTuple):
    """How two judges agree on one value of samples."""

    n: int
    families: int
    only_first: int
    only_second: int
    means: Sequence[float | None]
    icc: Estimate
    kappa: Estimate | None
    spearman: Estimate
    mean_difference: Estimate


class RunMeans(NamedTuple):
    """Both judges' means of one run."""

    run_id: str
    name: str
    means: tuple[float, float]


class ModelOrder(NamedTuple):
    """How two judges agree on the order of models."""

    value: str
    models: int
    means: Sequence[RunMeans]
    spearman: Estimate
    kendall: Estimate


class TwiceJudgedRun(NamedTuple):
    """A run, and how many of its transcripts which judge has read."""

    run_id: str
    model: str
    name: str
    demo: bool
    status: str
    transcripts: CommonTally


class Agreement(NamedTuple):
    """The document of `bench judges` of runs (docs/results.md describes each field)."""

    benchmark: str
    benchmark_version: str
    dataset: JsonObject
    judges: Sequence[str | None]
    grade_options: JsonObject
    demo: bool
    runs: Sequence[TwiceJudgedRun]
    transcripts: CommonTally
    families: int
    agreement: Mapping[str, ValueAgreement]
    order: ModelOrder | None
    method: Mapping[str, str]
    warnings: Sequence[str]


def agree(pack: Pack, runs: Sequence[Judged], leave_out: Collection[str] = ()) -> Agreement:
    """How well two judges agree.

    Args:
        pack: That of all runs.
        runs: At least one; the same two judges, in the same order, in each.
        leave_out: Values that no judge gives.
    """
    run, graders = runs[0].first.run, [graded.grader for graded in runs[0]]
    clusters = {item.id: item.cluster for item in pack.items}
    values_of = (name for judged in runs for graded in judged for name in graded.value_names())
    names = [name for name in dict.fromkeys(values_of) if name not in leave_out]
    rows = {name: _rows(runs, name, clusters) for name in names}
    values = {name: _agreement(runs, name, rows[name]) for name in names}
    families = max((value.families for value in values.values()), default=0)
    order = _order(runs, names[0], rows[names[0]]) if names else None
    judged = [TwiceJudgedRun(*one.first.facts(), one.first.tally_with(one.second)) for one in runs]
    source = pack.source
    return Agreement(
        benchmark=run.benchmark,
        benchmark_version=run.benchmark_version,
        dataset={"name": source.name, "sha256": source.sha256, "n_items": len(pack.items)},
        judges=[grader.judge.label if grader.judge else None for grader in graders],
        grade_options=graders[0].options,
        demo=any(one.demo for one in judged),
        runs=judged,
        transcripts=reduce(CommonTally.plus, (one.transcripts for one in judged)),
        families=families,
        agreement=values,
        order=order,
        method=METHOD,
        warnings=_warnings(runs, families, order),
    )


def _rows(runs: Sequence[Judged], name: str, clusters: Mapping[str, str]) -> list[_RatedValue]:
    rows = []
    for judged in runs:
        for key in judged.first.scores:
            one, two = (graded.value(key, name) for graded in judged)
            if one is not None and two is not None:
                rows.append(_RatedValue(judged.first.run.run_id, clusters[key[0]], one, two))
    return rows


def _agreement(runs: Sequence[Judged], name: str, rows: Sequence[_RatedValue]) -> ValueAgreement:
    first, second = [row.first for row in rows], [row.second for row in rows]
    clusters = [row.cluster for row in rows]
    alone = [sum(_has(judged[i], name) for judged in runs) - len(rows) for i in (0, 1)]
    pairs = [[row.first, row.second] for row in rows] or [[float("nan")] * 2]
    return ValueAgreement(
        n=len(rows),
        families=len(set(clusters)),
        only_first=alone[0],
        only_second=alone[1],
        means=[sum(series) / len(rows) if rows else None for series in (first, second)],
        icc=icc_agreement(pairs, clusters or [""]),
        kappa=cohen_kappa(first, second, clusters) if {*first, *second} <= {0.0, 1.0} else None,
        spearman=rank_agreement(first, second, clusters),
        mean_difference=mean_disagreement(first, second, clusters),
    )


def _has(graded: GradedSamples, name: str) -> int:
    return sum(graded.value(key, name) is not None for key in graded.scores)


def _order(runs: Sequence[Judged], name: str, rows: Sequence[_RatedValue]) -> ModelOrder | None:
    """The agreement on the order of the models, the first judge's first; nothing for one run."""
    if len(runs) < 2:
        return None
    run_ids, clusters, first, second = zip(*rows, strict=True) if rows else ((), (), (), ())
    order = order_agreement(first, second, run_ids, clusters)
    means = zip(order.models, order.first_means, order.second_means, strict=True)
    names = {judged.first.run.run_id: judged.first.run.name for judged in runs}
    ranked = sorted(means, key=lambda row: (-row[1], row[0]))
    return ModelOrder(
        name,
        len(order.models),
        [RunMeans(run_id, names[run_id], (one, two)) for run_id, one, two in ranked],
        order.spearman,
        order.kendall,
    )


def _partial(judged: Judged) -> list[str]:
    """Warnings that transcripts are missing: one if they are the same for both judges."""
    alike = {graded.partial_warning() for graded in judged}
    named = (graded.partial_warning(by_judge=len(alike) > 1) for graded in judged)
    return [message for message in dict.fromkeys(named) if message]


def _warnings(runs: Sequence[Judged], families: int, order: ModelOrder | None) -> list[str]:
    messages = [w for judged in runs for w in _partial(judged)]
    messages += [w for judged in runs for graded in judged if (w := graded.told_kinship())]
    if order and order.models >= 3 and 2 / factorial(order.models) > _ALPHA:
        by_chance = f"one in {factorial(order.models)}"
        messages.append(
            f"{order.models} models are too few to show that judges order them alike: "
            f"by chance {by_chance} orders agrees in full"
        )
    return messages + (few_families(families) if families else [])
