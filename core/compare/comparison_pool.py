"""What may meet in one rating, and what the journal holds of it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .. import ratings
from ..errors import BenchError
from ..guard import guard
from ..journal import RunRecord, StoredComparison
from ..parties.graders import Judge, Panel
from ..runs.stored_run import StoredRun
from ..types import PairScore
from ..types.result_document import ComparisonCounts

if TYPE_CHECKING:
    from ..ratings.comparisons import Comparison


class Weighed(NamedTuple):
    """Comparisons, each with its weight, and of which runs no weights are known, and why."""

    rows: "list[Comparison]"
    warnings: list[str]


def weighed_comparisons(runs: Iterable[StoredRun]) -> Weighed:
    """The comparisons that runs have asked for; a judge is named with how it was asked.

    Where the benchmark or the data of a run is not there, all its comparisons weigh 1.
    """
    weighed = Weighed([], [])
    for run in runs:
        rows = list(run.comparisons())
        names = {row.judge: run.called(row.judge) for row in rows}
        comparisons = as_comparisons(rows, names)
        weights: Mapping[str, float] = {}
        try:
            weights = _item_weights(run, rows[0].judge) if comparisons else {}
        except BenchError as error:
            message = f"run {run.id}: all comparisons weigh 1, as the pack's weights are not known"
            weighed.warnings.append(f"{message}: {error}")
        weighed.rows.extend(row._replace(weight=weights.get(row.item, 1.0)) for row in comparisons)
    return weighed


def _item_weights(run: StoredRun, judge: Judge) -> Mapping[str, float]:
    config = run.config(judge=judge)
    return guard(config.benchmark).item_weights(run.pack_of(config), config.options)


def with_score(row: StoredComparison, score: PairScore) -> StoredComparison:
    """A comparison with what came of it, margins and lengths turned to a and b."""
    sign = 1 if row.first == "a" else -1
    lengths = (score.len_first, score.len_second)[::sign]
    return row._replace(
        status="unread" if score.reason else "read",
        margins={name: sign * int(margin) for name, margin in score.margins.items()},
        reason=score.reason,
        flags=score.flags,
        len_a=lengths[0],
        len_b=lengths[1],
    )


class ComparisonPool(NamedTuple):
    """Which comparisons may meet: of one benchmark, version, pack and judge, asked alike.

    They are kept under `digest`. `grader` is a digest of what the judge is sent and how its words
    are read.
    """

    digest: str
    judge: Judge | None
    grader: str
    panel: Panel | None = None
    members: tuple["ComparisonPool", ...] = ()

    def takes(self, row: StoredComparison) -> bool:
        """Whether a comparison was, or will be, asked as it is today."""
        return row.status == "planned" or row.grader == self.grader


class Met(NamedTuple):
    """The comparisons of a pool between models that may meet, and the run that counts for each."""

    rows: list[StoredComparison]
    runs: dict[str, str]

    def without(self, models: Collection[str]) -> "Met":
        """The same without those of some models."""
        return self._replace(
            rows=[row for row in self.rows if row.a not in models and row.b not in models],
            runs={name: run_id for name, run_id in self.runs.items() if name not in models},
        )


def current(rows: Sequence[StoredComparison], runs: Mapping[str, str]) -> list[StoredComparison]:
    """The comparisons between the runs that count, each once.

    Two processes may have made the same one, each for its own run; one that was read counts, and
    of two the one that the model whose name comes first has asked for.
    """
    between = [r for r in rows if runs.get(r.a) == r.run_a and runs.get(r.b) == r.run_b]
    between.sort(key=lambda r: (_STATUSES.index(r.status), r.a))
    once: dict[object, StoredComparison] = {}
    for row in between:
        once.setdefault(what_is_asked(row), row)
    return list(once.values())


_STATUSES = ("read", "unread", "planned", "known")


def what_is_asked(row: StoredComparison) -> tuple[frozenset[str], str, int, str]:
    """What a comparison is, whichever of the two runs has asked for it: who, what, who first."""
    first = row.a if row.first == "a" else row.b
    return frozenset({row.a, row.b}), row.item_id, row.iteration, first


def counting(met: Met, run: RunRecord | None = None) -> list[StoredComparison]:
    """The comparisons of a pool between the runs of its models that count.

    The run `own` counts for its model, whether it is the newest or not.
    """
    return current(met.rows, {**met.runs, run.name: run.run_id} if run else met.runs)


def as_comparisons(
    rows: Iterable[StoredComparison], names: Mapping[Judge, str] = {}
) -> "list[Comparison]":
    """The comparisons that were read, batch by batch, in the form that rating engines take.

    `names` has what judges are called, where that is not their label.
    """
    return [
        ratings.comparisons.Comparison(
            item=row.item_id,
            iteration=row.iteration,
            a=row.a,
            b=row.b,
            first="a" if row.first == "a" else "b",
            margins=row.margins,
            judge=names.get(row.judge, row.judge.label),
            len_a=row.len_a,
            len_b=row.len_b,
            family=row.family,
        )
        for row in sorted(rows, key=lambda row: row.batch)
        if row.status == "read"
    ]


def counted(rows: Sequence[StoredComparison], run: RunRecord | None = None) -> ComparisonCounts:
    """How many comparisons there are, by status; those planned, of one run only if it is given."""
    read, unread = (sum(row.status == status for row in rows) for status in ("read", "unread"))
    asked = [row for row in rows if run is None or row.run_a == run.run_id]
    planned = sum(row.status == "planned" for row in asked)
    return {"total": read + unread + planned, "read": read, "unread": unread, "planned": planned}
