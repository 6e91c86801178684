"""What may meet in one rating, and what the journal holds of it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..benchmark import Pack
from ..journal import Journal, RunRecord, StoredComparison
from ..types import digest
from .config import RunConfig

if TYPE_CHECKING:
    from ..ratings.comparisons import Comparison


def pool_of(config: RunConfig, pack: Pack) -> str:
    """The digest of all that must be alike: benchmark and version, pack, prompts, judge."""
    benchmark = config.benchmark
    return digest(
        {
            "benchmark": benchmark.name,
            "version": benchmark.version,
            "pack": pack.source.sha256,
            "prompts": dict(benchmark.prompts(config.options)),
            "options": benchmark.request_options(config.options),
            "judge": config.judge.label if config.judge else None,
        }
    )


def newest_runs(journal: Journal, rows: Iterable[StoredComparison]) -> dict[str, str]:
    """For each model among comparisons, the run that counts: the newest of those compared."""
    order = {run.run_id: run.n for run in journal.runs()}
    newest: dict[str, str] = {}
    for row in rows:
        for name, run_id in ((row.a, row.run_a), (row.b, row.run_b)):
            best = newest.get(name)
            if best is None or order.get(run_id, 0) > order.get(best, 0):
                newest[name] = run_id
    return newest


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


def read_pool(journal: Journal, pool: str, own: RunRecord | None = None) -> list[StoredComparison]:
    """The comparisons of a pool between the newest runs of its models.

    Args:
        journal: Holds them.
        pool: Its digest.
        own: The run that counts for its model, whether it is the newest or not.
    """
    rows = list(journal.comparisons(pool))
    runs = newest_runs(journal, rows)
    return current(rows, {**runs, own.name: own.run_id} if own else runs)


def as_comparisons(rows: Iterable[StoredComparison]) -> "list[Comparison]":
    """The comparisons that were read, in the form that rating engines take."""
    from ..ratings.comparisons import Comparison

    return [
        Comparison(
            item=row.item_id,
            iteration=row.iteration,
            a=row.a,
            b=row.b,
            first="a" if row.first == "a" else "b",
            margins=row.margins,
            judge=row.judge,
            len_a=row.len_a,
            len_b=row.len_b,
            family=row.family,
        )
        for row in rows
        if row.status == "read"
    ]


def counted(rows: Sequence[StoredComparison], own: RunRecord | None = None) -> dict[str, Any]:
    """How many comparisons there are, by status; those planned, of one run only if it is given."""
    by = {status: sum(r.status == status for r in rows) for status in ("read", "unread")}
    planned = [row for row in rows if row.status == "planned"]
    by["planned"] = sum(own is None or row.run_a == own.run_id for row in planned)
    return {"total": sum(by.values()), **by}
