"""Who meets in the comparisons of one configuration, and what the journal holds of them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import NamedTuple

from ..benchmark import Pack
from ..guard import guard
from ..journal import Journal, RunRecord, StoredComparison
from ..parties.graders import Judge, Panel
from ..reports.otherwise import JudgeDepartures, RoleDepartures
from ..runs.asked_runs import AskedRuns
from ..runs.finding import asked_unlike
from ..settings.run_config import RunConfig, by_each_judge, identity, reader
from ..types import JsonDict, JsonObject, digest
from .comparison_pool import ComparisonPool, Met
from .panel_rows import AskedPanel, PanelJudges


class AskedSo(NamedTuple):
    """How judges and roles were asked, where that is not as they were meant to be."""

    judge: JudgeDepartures = ()
    roles: RoleDepartures = ()


class _AskedAlike:
    """Which runs asked as `so` says."""

    def __init__(self, runs: AskedRuns, so: AskedSo) -> None:
        self._so = so
        self._judge, self._roles = cache(runs.judge), cache(runs.roles)

    def alike(self, judge: Judge, run_id: str) -> bool:
        """Whether a run asked a judge, or those of a panel, so, and its own roles."""
        so = tuple(pair for pair in self._so.judge if pair[0] in judge.judges)
        return self._judge(run_id, judge) == so and self.played_alike(run_id)

    def played_alike(self, run_id: str) -> bool:
        """Whether a run asked who plays its roles so."""
        return self._roles(run_id) == self._so.roles


class Contest:
    """Everything that is compared under one configuration.

    Which pool it is and who may meet is looked up once; comparisons and runs whenever they are
    asked for.

    Args:
        eligible: Which models may meet; by default those that the configuration says.
        run: Whose contest it is: those meet whose judges and roles were asked as its own are.
        asked: How they were asked, where it is no run's; by default as they were meant to be.
    """

    def __init__(
        self,
        journal: Journal,
        config: RunConfig,
        pack: Pack,
        *,
        without: Collection[str] | None = None,
        run: RunRecord | None = None,
        asked: AskedSo | None = None,
    ) -> None:
        self.journal, self.config, self.pack = journal, config, pack
        self.items = {item.id: item for item in pack.items}
        self.without = config.without if without is None else without
        self._run, self._asked = run, asked or AskedSo()

    @property
    def name(self) -> str:
        """What the configuration calls its model."""
        return self.config.display_name

    @cached_property
    def meant(self) -> JsonObject:
        """What makes a run of the configuration this run."""
        return identity(self.config, self.pack)

    # Comparisons

    @cached_property
    def pool(self) -> ComparisonPool:
        """Which comparisons may meet."""
        return self._pool_of(self.config)

    def _pool_of(self, config: RunConfig) -> ComparisonPool:
        benchmark, judge, by = config.benchmark, config.judge, reader(config).digest
        alike: JsonDict = {
            "benchmark": benchmark.name,
            "version": benchmark.version,
            "pack": self.pack.source.sha256,
            "prompts": dict(guard(benchmark).prompts(config.options)),
            "options": benchmark.request_options(config.options),
        }
        alike |= {"roles": self.meant["roles"]} if benchmark.roles else {}
        if config.panel:
            key = digest({**alike, "panel": config.panel.as_json()})
            members = tuple(map(self._pool_of, by_each_judge(config)))
            return ComparisonPool(key, judge, by, config.panel, members)
        key = digest({**alike, "judge": judge.as_json() if judge else None})
        return ComparisonPool(key, judge, by)

    def _is_alike(self, run: RunRecord) -> bool:
        """Whether a run was asked what the configuration would ask."""
        return not asked_unlike(run.settings, self.meant)

    def rows(
        self, run: RunRecord | None = None, *, by_quorum: bool = False
    ) -> list[StoredComparison]:
        """The comparisons of the pool, or those of them that a run has asked for.

        Of a panel, a run has asked for what was planned for the panel. By quorum, what a quorum of
        the panel has read counts, as where comparisons are planned; else what each judge has
        replied to.
        """
        planned = self._rows_of(self.pool, run)
        if self.pool.panel is None:
            return planned
        judges = self._judges(self.pool.panel)
        rows = judges.merged(planned, self._rows_of_members(), by_quorum=by_quorum)
        return rows[: len(planned)] if run else rows

    def _rows_of(
        self, pool: ComparisonPool, run: RunRecord | None = None
    ) -> list[StoredComparison]:
        taken = (row for row in self.journal.comparisons(pool.digest, run) if pool.takes(row))
        runs = self._asked_runs()
        return [r for r in taken if runs.alike(r.judge, r.run_a) and runs.played_alike(r.run_b)]

    def _asked_runs(self) -> "_AskedAlike":
        """Which runs asked their judges and roles as those of this contest were."""
        runs, so = AskedRuns(self.journal), self._asked
        if self._run:
            run_id = self._run.run_id
            so = AskedSo(runs.judge(run_id, self.config.judge), runs.roles(run_id))
        return _AskedAlike(runs, so)

    def _rows_of_members(self) -> Iterable[StoredComparison]:
        return (row for member in self.pool.members for row in self._rows_of(member))

    def _judges(self, panel: Panel) -> PanelJudges:
        """The judges of a panel, with the runs whose kin they may be."""
        runs = {run.run_id: run for run in self.journal.runs()} if panel.exclude_kin else {}
        return PanelJudges(panel, runs)

    def asked_panel(self) -> AskedPanel | None:
        """The panel with what its judges have compared; ``None`` where it is one judge."""
        panel = self.pool.panel
        return AskedPanel.of(self._judges(panel), self._rows_of_members()) if panel else None

    def met(self, *, by_quorum: bool = False) -> Met:
        """The comparisons of the pool between models that may meet, and the runs of these."""
        rows = self.rows(by_quorum=by_quorum)
        rows = [row for row in rows if not {row.a, row.b}.intersection(self.without)]
        return Met(rows, self._newest_runs(rows))

    def _newest_runs(self, rows: Iterable[StoredComparison]) -> dict[str, str]:
        """For each model among comparisons, the run that counts.

        It is the newest whole one of those compared; where none of them is whole, the newest.
        """
        here = {run.run_id: run for run in self.journal.runs()}
        compared: dict[str, set[str]] = {}
        for row in rows:
            compared.setdefault(row.a, set()).add(row.run_a)
            compared.setdefault(row.b, set()).add(row.run_b)
        several = {name: [here[i] for i in ids if i in here] for name, ids in compared.items()}
        newest = self._newest({name: runs for name, runs in several.items() if runs})
        return {n: newest[n].run_id if n in newest else min(ids) for n, ids in compared.items()}

    # Runs

    def others(self) -> dict[str, RunRecord]:
        """The run that counts of each other model that was asked the same, by the model's name."""
        by_name, asked = dict[str, list[RunRecord]](), self._asked_runs()
        for run in self.journal.runs():
            may_meet = run.name != self.name and run.name not in self.without
            if may_meet and self._is_alike(run) and asked.played_alike(run.run_id):
                by_name.setdefault(run.name, []).append(run)
        return self._newest(by_name)

    def _newest(self, runs: Mapping[str, Sequence[RunRecord]]) -> dict[str, RunRecord]:
        """Of each model's runs the newest whole one, or the newest where none is whole."""
        with self.journal.ahead(run for several in runs.values() for run in several):
            return {name: self._newest_whole(several) for name, several in runs.items()}

    def _newest_whole(self, runs: Sequence[RunRecord]) -> RunRecord:
        latest_first = sorted(runs, key=lambda run: run.n, reverse=True)
        if len(latest_first) == 1:
            return latest_first[0]
        return next(filter(self._is_whole, latest_first), latest_first[0])

    def _is_whole(self, run: RunRecord) -> bool:
        """Whether each item of the pack was asked in each iteration that a run has begun."""
        done = self.journal.samples_done(run)
        last = max((iteration for _, iteration in done), default=1)
        return all((item, n) in done for item in self.items for n in range(1, last + 1))
