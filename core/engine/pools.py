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


def newest_runs(journal: Journal, rows: Iterable[StoredComparison], pack: Pack) -> dict[str, str]:
    """For each model among comparisons, the run that counts.

    It is the newest whole one of those compared; where none of them is whole, the newest.
    """
    compared: dict[str, set[str]] = {}
    for row in rows:
        compared.setdefault(row.a, set()).add(row.run_a)
        compared.setdefault(row.b, set()).add(row.run_b)
    here = {run.run_id: run for run in journal.runs()}
    newest = {}
    for name, ids in compared.items():
        known = [here[run_id] for run_id in ids if run_id in here]
        newest[name] = newest_whole(journal, known, pack).run_id if known else min(ids)
    return newest


def newest_whole(journal: Journal, runs: Sequence[RunRecord], pack: Pack) -> RunRecord:
    """Of several runs of one model the newest whole one, or the newest where none is whole."""
    latest_first = sorted(runs, key=lambda run: run.n, reverse=True)
    if len(latest_first) == 1:
        return latest_first[0]
    whole = (run for run in latest_first if is_whole(journal, run, pack))
    return next(whole, latest_first[0])


def is_whole(journal: Journal, run: RunRecord, pack: Pack) -> bool:
    """Whether each item of a pack was asked in each iteration that the run has begun."""
    done = journal.samples_done(run)
    last = max((iteration for _, iteration in done), default=1)
    return all((item.id, n) in done for item in pack.items for n in range(1, last + 1))


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


def read_pool(
    journal: Journal, pool: str, pack: Pack, own: RunRecord | None = None
) -> list[StoredComparison]:
    """The comparisons of a pool between the runs of its models that count.

    Args:
        journal: Holds them.
        pool: Its digest.
        pack: Its data.
        own: The run that counts for its model, whether it is the newest or not.
    """
    rows = list(journal.comparisons(pool))
    runs = newest_runs(journal, rows, pack)
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
