"""What may meet in one rating, and what the journal holds of it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..benchmark import Pack
from ..guard import guard
from ..journal import Journal, RunRecord, StoredComparison
from ..parties.panels import Panel
from ..runs.finding import JUDGE, Company, JudgeNames, is_asked_alike, is_demo, players_of
from ..settings.run_config import RunConfig, by_each_judge, identity, reading
from ..types import PairScore, digest
from ..types.result_document import ComparisonCounts
from .panel_rows import AskedPanel, PanelJudges

if TYPE_CHECKING:
    from ..ratings.comparisons import Comparison


def turned(row: StoredComparison, score: PairScore) -> StoredComparison:
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

    Attributes:
        digest: Digest of all that must be alike; new comparisons are kept under it.
        parts: The digests under which there are some: a judge that moved had several labels.
        judge: The label of the judge that new comparisons have.
        grader: Digest of what the judge is sent and how its words are read.
        panel: How several judges make one comparison; ``None`` for one judge.
        members: The pools of the panel's judges.
        by_quorum: What a quorum of the panel has read counts, as it does where comparisons are
            planned; else what each judge has replied to.
    """

    digest: str
    parts: tuple[str, ...]
    judge: str
    grader: str
    panel: Panel | None = None
    members: tuple["ComparisonPool", ...] = ()
    by_quorum: bool = False

    def takes(self, row: StoredComparison) -> bool:
        """Whether a comparison of one of its parts was, or will be, asked as it is today."""
        return row.status == "planned" or row.grader == self.grader


def pool_of(journal: Journal, config: RunConfig, pack: Pack) -> ComparisonPool:
    """The pool of a configuration.

    Args:
        journal: Holds comparisons.
        config: Has a judge.
        pack: Its data.
    """
    benchmark, judge = config.benchmark, config.judge.stored_label if config.judge else ""
    about = {
        "benchmark": benchmark.name,
        "version": benchmark.version,
        "pack": pack.source.sha256,
        "prompts": dict(guard(benchmark).prompts(config.options)),
        "options": benchmark.request_options(config.options),
    }
    about |= {"roles": players_of(identity(config, pack))} if benchmark.roles else {}
    if config.panel:
        own = digest({**about, "panel": config.panel.as_json()})
        members = tuple(pool_of(journal, one, pack) for one in by_each_judge(config))
        reader = digest(reading(config))
        return ComparisonPool(own, (own,), judge, reader, config.panel, members)
    own = digest({**about, "judge": judge or None})
    labels = JudgeNames(journal.asked(party=JUDGE)).all_of(judge)
    found = journal.pools(benchmark.name)
    there = (pool for run, pool, label in found if label in labels and _fits(run, config, pack))
    parts = tuple(dict.fromkeys([own, *there]))
    return ComparisonPool(own, parts, judge, digest(reading(config)))


def _fits(run: RunRecord, config: RunConfig, pack: Pack) -> bool:
    """Whether a run was asked what a configuration would ask."""
    return is_asked_alike(run.settings, identity(config, pack))


def rows_of(
    journal: Journal, pool: ComparisonPool, run: RunRecord | None = None
) -> list[StoredComparison]:
    """The comparisons of a pool, or those of them that a run has asked for.

    Of a panel, a run has asked for what was planned for the panel.
    """
    if pool.panel:
        planned = rows_of(journal, pool._replace(panel=None), run)
        answered = (row for member in pool.members for row in rows_of(journal, member))
        judges = bench_of(journal, pool.panel)
        rows = judges.merged(planned, answered, by_quorum=pool.by_quorum)
        return rows[: len(planned)] if run else rows
    found = (row for part in pool.parts for row in journal.comparisons(part, run))
    return [row._replace(judge=pool.judge) for row in found if pool.takes(row)]


def bench_of(journal: Journal, panel: Panel) -> PanelJudges:
    """The judges of a panel, with the runs whose kin they may be."""
    runs = {run.run_id: run for run in journal.runs()} if panel.exclude_kin else {}
    return PanelJudges(panel, runs)


def asked_panel(journal: Journal, pool: ComparisonPool) -> AskedPanel | None:
    """The panel of a pool, with what its judges have compared; ``None`` where it is one judge."""
    if pool.panel is None:
        return None
    rows = (row for member in pool.members for row in rows_of(journal, member))
    return AskedPanel.of(bench_of(journal, pool.panel), rows)


class Met(NamedTuple):
    """The comparisons of a pool.

    Attributes:
        rows: All of them between models that may meet.
        runs: For each of the models, the run that counts.
        demo: The names of the demo models among them.
        parted: How many were read between a demo model and a real one, and are left out.
    """

    rows: list[StoredComparison]
    runs: dict[str, str]
    demo: frozenset[str] = frozenset()
    parted: int = 0

    def without(self, models: Collection[str]) -> "Met":
        """The same without those of some models."""
        return self._replace(
            rows=[row for row in self.rows if row.a not in models and row.b not in models],
            runs={name: run_id for name, run_id in self.runs.items() if name not in models},
        )


def read_met(journal: Journal, pool: ComparisonPool, pack: Pack, company: Company) -> Met:
    """The comparisons of a pool, and the runs that they are of.

    Args:
        journal: Holds them.
        pool: Which.
        pack: Its data.
        company: Whose comparisons count.
    """
    here = {run.run_id: run for run in journal.runs()}
    rows, parted = company.among(rows_of(journal, pool), here)
    runs = _newest_runs(journal, rows, pack, here)
    demo = frozenset(name for name, run_id in runs.items() if is_demo(name, here.get(run_id)))
    return Met(rows, runs, demo, parted)


def _newest_runs(
    journal: Journal, rows: Iterable[StoredComparison], pack: Pack, here: Mapping[str, RunRecord]
) -> dict[str, str]:
    """For each model among comparisons, the run that counts.

    It is the newest whole one of those compared; where none of them is whole, the newest.
    """
    compared: dict[str, set[str]] = {}
    for row in rows:
        compared.setdefault(row.a, set()).add(row.run_a)
        compared.setdefault(row.b, set()).add(row.run_b)
    several = {name: [here[i] for i in ids if i in here] for name, ids in compared.items()}
    newest = newest_of(journal, {name: runs for name, runs in several.items() if runs}, pack)
    return {n: newest[n].run_id if n in newest else min(ids) for n, ids in compared.items()}


def newest_of(
    journal: Journal, runs: Mapping[str, Sequence[RunRecord]], pack: Pack
) -> dict[str, RunRecord]:
    """Of each model's runs the newest whole one, or the newest where none is whole."""
    with journal.ahead(run for several in runs.values() for run in several):
        return {name: newest_whole(journal, several, pack) for name, several in runs.items()}


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


def counting(met: Met, own: RunRecord | None = None) -> list[StoredComparison]:
    """The comparisons of a pool between the runs of its models that count.

    Args:
        met: All of them.
        own: The run that counts for its model, whether it is the newest or not.
    """
    return current(met.rows, {**met.runs, own.name: own.run_id} if own else met.runs)


def as_comparisons(rows: Iterable[StoredComparison]) -> "list[Comparison]":
    """The comparisons that were read, batch by batch, in the form that rating engines take."""
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
        for row in sorted(rows, key=lambda row: row.batch)
        if row.status == "read"
    ]


def counted(rows: Sequence[StoredComparison], own: RunRecord | None = None) -> ComparisonCounts:
    """How many comparisons there are, by status; those planned, of one run only if it is given."""
    read, unread = (sum(row.status == status for row in rows) for status in ("read", "unread"))
    asked = [row for row in rows if own is None or row.run_a == own.run_id]
    planned = sum(row.status == "planned" for row in asked)
    return {"total": read + unread + planned, "read": read, "unread": unread, "planned": planned}
