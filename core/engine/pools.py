"""What may meet in one rating, and what the journal holds of it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..benchmark import Pack
from ..journal import Journal, StoredComparison
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
    """For each model among comparisons, the run that counts: its newest here, else its last."""
    order = {run.run_id: run.n for run in journal.runs()}
    newest: dict[str, str] = {}
    for row in rows:
        for name, run_id in ((row.a, row.run_a), (row.b, row.run_b)):
            best = newest.get(name)
            if best is None or order.get(run_id, 0) > order.get(best, 0):
                newest[name] = run_id
    return newest


def current(rows: Sequence[StoredComparison], runs: Mapping[str, str]) -> list[StoredComparison]:
    """The comparisons between the runs that count."""
    return [r for r in rows if runs.get(r.a) == r.run_a and runs.get(r.b) == r.run_b]


def read_pool(journal: Journal, pool: str) -> list[StoredComparison]:
    """The comparisons of a pool between the newest runs of its models."""
    rows = list(journal.comparisons(pool))
    return rows and current(rows, newest_runs(journal, rows))


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


def counted(rows: Sequence[StoredComparison]) -> dict[str, Any]:
    """How many comparisons there are, by status."""
    by = {status: sum(r.status == status for r in rows) for status in ("read", "unread", "planned")}
    return {"total": sum(by.values()), **by}
