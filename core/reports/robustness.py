"""The values that several judges gave the same samples, and how far the judges of one run agree.

Its agreement is a part of the run's result.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple, TypeVar, cast

from .. import statistics
from ..parties.party import Party
from ..statistics.estimate import Estimate
from ..types import SampleScore
from ..types.result_document import ConclusionRow, EstimateCells, RobustnessRow
from .judge_words import of_one_run

Key = tuple[str, int]
J = TypeVar("J", bound=Hashable)
"""What judges are known by."""


class VerdictTable(NamedTuple):
    """A value of the samples of which each judge gave one, a row of them for each sample."""

    keys: Sequence[Key]
    clusters: Sequence[str]
    rows: Sequence[Sequence[float]]


def verdicts_of(
    by_judge: Mapping[J, Mapping[Key, SampleScore]], judges: Sequence[J], value: str
) -> VerdictTable:
    """What these judges gave; nothing where one of them gave nothing that could be read."""
    scores = [by_judge.get(judge, {}) for judge in judges]
    keys, clusters, rows = [], [], []
    for key in sorted(set.intersection(*map(set, scores))):
        values = [of_judge[key].score.values.get(value) for of_judge in scores]
        if None not in values:
            keys.append(key)
            clusters.append(scores[0][key].cluster)
            rows.append([v for v in values if v is not None])
    return VerdictTable(keys, clusters, rows)


REPLICATES = 1000
LEAST_JUDGES = 2


def robustness_of(
    by_judge: Mapping[Party, Sequence[SampleScore]], unjudged: Sequence[str]
) -> RobustnessRow | None:
    """How far judges agree on the first value they give; ``None`` where nothing can be said."""
    read = {
        judge.label: {(s.item_id, s.iteration): s for s in scores if s.score.reason is None}
        for judge, scores in by_judge.items()
    }
    names = (n for of_judge in read.values() for s in of_judge.values() for n in s.score.values)
    value = next((name for name in names if name not in unjudged), None)
    if value is None or len(read) < LEAST_JUDGES:
        return None
    table = verdicts_of(read, list(read), value)
    return _row(value, list(read), table) if table.rows else None


def _row(value: str, judges: Sequence[str], verdicts: VerdictTable) -> RobustnessRow:
    import numpy as np

    table = np.asarray(verdicts.rows)
    each = {
        judge: statistics.agreement.rank_agreement(
            table[:, n],
            np.delete(table, n, axis=1).mean(axis=1),
            verdicts.clusters,
            replicates=REPLICATES,
        )
        for n, judge in enumerate(judges)
    }
    votes = statistics.votes.effective_votes(table, verdicts.clusters)
    conclusions: list[ConclusionRow] = of_one_run(each, votes, len(table))
    return {
        "value": value,
        "n": len(table),
        "judges": {judge: _cells(row) for judge, row in each.items()},
        "votes": _cells(votes),
        "conclusions": conclusions,
    }


def _cells(row: Estimate) -> EstimateCells:
    ci95 = None if row.ci95 is None else list(row.ci95)
    return cast("EstimateCells", {**row._asdict(), "ci95": ci95})


def estimate_row(cells: EstimateCells) -> Estimate:
    """A number of a document."""
    ends = cells["ci95"]
    ci95 = None if ends is None else (ends[0], ends[1])
    return Estimate(cells["value"], ci95, cells["reason"])
