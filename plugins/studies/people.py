"""What people gave replies, how far they agree, and how far a judge agrees with them.

Several people rated a reply: their mean is what a judge is held to. Intervals are over families of
items; people are those that there are.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from eibench import EstimateRow, GradedSamples, HumanRatedReply, JsonObject, Pack
from eibench.statistics import (
    few_families,
    icc_agreement,
    krippendorff_alpha,
    mean_disagreement,
    mean_interval,
    rank_agreement,
)

METHOD = {
    "people": "the mean of a reply's raters; Krippendorff's alpha of raters, by intervals",
    "judge": "Spearman's rho, mean difference and ICC(A,1) of the judge and the mean of people",
    "interval": "expanded percentiles of a bootstrap over families of items",
}
"""How numbers are made."""
_SEED = 0


class JudgeBesidePeople(NamedTuple):
    """A judge's grades of replies beside what people gave the same ones."""

    n: int
    mean: float | None
    mean_people: float | None
    mean_difference: EstimateRow
    spearman: EstimateRow
    icc: EstimateRow


class HumanRatings(NamedTuple):
    """What people gave replies in one value; `judge` is ``None`` where no run is looked at."""

    n: int
    raters: int
    mean: float
    ci95: tuple[float, float] | None
    alpha: EstimateRow
    judge: JudgeBesidePeople | None


class PeopleDocument(NamedTuple):
    """The document of `bench people` (docs/results.md describes each field)."""

    benchmark: str
    dataset: JsonObject
    replies: int
    families: int
    sources: Mapping[str, int]
    run: JsonObject | None
    judge: str | None
    demo: bool
    values: Mapping[str, HumanRatings]
    method: Mapping[str, str]
    warnings: Sequence[str]


class NumberedReply(NamedTuple):
    """A rated reply, and which of those to its item it is."""

    iteration: int
    reply: HumanRatedReply


def numbered(replies: Sequence[HumanRatedReply]) -> list[NumberedReply]:
    """Several replies to an item are its iterations."""
    seen = Counter[str]()
    rows = []
    for reply in replies:
        seen[reply.item_id] += 1
        rows.append(NumberedReply(seen[reply.item_id], reply))
    return rows


def people_document(
    benchmark: str,
    pack: Pack,
    replies: Sequence[HumanRatedReply],
    graded: GradedSamples | None = None,
    other: Collection[tuple[str, int]] = (),
) -> PeopleDocument:
    """What people gave replies, beside the grades of a run that holds these replies.

    Args:
        benchmark: Its name.
        pack: Of the items.
        replies: At least one.
        graded: The samples of a run by one judge.
        other: Samples of the run that hold other replies, which are left out.
    """
    rows = [row for row in numbered(replies) if (row.reply.item_id, row.iteration) not in other]
    names = dict.fromkeys(name for _, reply in rows for name in reply.ratings)
    families = len({pack.clusters[reply.item_id] for _, reply in rows})
    warnings = few_families(families)
    if other:
        left_out = f"{len(other)} of {len(replies)} rated replies are not those of the run"
        warnings = [f"{left_out}, and are left out", *warnings]
    facts, source = graded.facts() if graded else None, pack.source
    judge = graded.grader.judge if graded else None
    return PeopleDocument(
        benchmark=benchmark,
        dataset={"name": source.name, "sha256": source.sha256, "n_items": len(pack.items)},
        replies=len(rows),
        families=families,
        sources=dict(Counter(reply.source for _, reply in rows)),
        run={"run_id": facts.run_id, "name": facts.name} if facts else None,
        judge=judge.label if judge else None,
        demo=bool(facts and facts.demo),
        values={name: _ratings(name, pack, rows, graded) for name in names},
        method=METHOD,
        warnings=warnings,
    )


def _ratings(
    name: str, pack: Pack, rows: Sequence[NumberedReply], graded: GradedSamples | None
) -> HumanRatings:
    rated = [row for row in rows if row.reply.ratings.get(name)]
    raters = sorted({rater for _, reply in rated for rater in reply.ratings[name]})
    table = np.array(
        [[reply.ratings[name].get(r, np.nan) for r in raters] for _, reply in rated], dtype=float
    )
    means, clusters = np.nanmean(table, axis=1), [pack.clusters[r.item_id] for _, r in rated]
    rng, one = np.random.default_rng(_SEED), EstimateRow(None, None, "there is one rater")
    return HumanRatings(
        n=len(rated),
        raters=len(raters),
        mean=float(means.mean()),
        ci95=mean_interval(means, clusters, rng=rng),
        alpha=EstimateRow.of(krippendorff_alpha(table, clusters, metric="interval"))
        if len(raters) > 1
        else one,
        judge=_judge(name, means.tolist(), clusters, rated, graded) if graded else None,
    )


def _judge(
    name: str,
    means: Sequence[float],
    clusters: Sequence[str],
    rated: Sequence[NumberedReply],
    graded: GradedSamples,
) -> JudgeBesidePeople:
    grades = [graded.value((reply.item_id, n), name) for n, reply in rated]
    known = [
        (grade, mean, cluster)
        for grade, mean, cluster in zip(grades, means, clusters, strict=True)
        if grade is not None
    ]
    judge, people, ids = zip(*known, strict=True) if known else ((), (), ())
    pairs = [list(pair) for pair in zip(judge, people, strict=True)] or [[np.nan, np.nan]]
    return JudgeBesidePeople(
        n=len(known),
        mean=sum(judge) / len(known) if known else None,
        mean_people=sum(people) / len(known) if known else None,
        mean_difference=EstimateRow.of(mean_disagreement(judge, people, ids)),
        spearman=EstimateRow.of(rank_agreement(judge, people, ids)),
        icc=EstimateRow.of(icc_agreement(pairs, ids or [""])),
    )
