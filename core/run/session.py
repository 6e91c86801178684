"""A run from the user's wish to its result: own it, work on what is left, sum up."""

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from ..benchmark import Pack
from ..clients.keys import Environment
from ..clients.limits import Notices
from ..compare.comparison_pool import pool_of, read_met
from ..compare.expectation import look_ahead
from ..compare.opponents import TranscriptCache, check_opponents
from ..compare.placement import advised, wanted_placement
from ..compare.rating_summary import find_standing
from ..compare.refiled_comparisons import Recomparing
from ..datasets import find_pack
from ..endpoints.sites import host_in
from ..errors import (
    BenchError,
    BudgetReached,
    DataError,
    ErrorKind,
    Interrupted,
    JournalError,
    PluginError,
    ProviderError,
)
from ..guard import guard
from ..guard.calls import watched
from ..journal import Journal, RunRecord, network_file_system
from ..lookup.refile import refile
from ..lookup.runs import Company, find_run
from ..lookup.views import keep_result, leave_as_it_is, view_of
from ..names import check_name
from ..plugins import Catalogue
from ..reports.document import build_document
from ..reports.evidence import (
    Evidence,
    ModelComparisons,
    Selection,
    kept_comparisons,
    read_evidence,
)
from ..result_document import PlacementEnd, ResultDocument, Status
from ..roles import is_generating
from ..sample.context import ConnectedParty, RunContext, Sample
from ..sample.judging import Trial
from ..sample.life import run_sample
from ..sample.progress import COMPARE, TRIAL, Progress
from ..sample.workers import Stop, run_workers
from ..settings.run_config import (
    Endpoint,
    RunConfig,
    by_each_judge,
    grader,
    graders_of,
    identity,
    judges_of,
)
from ..text import plural
from ..types import Item, digest
from .ownership import own_run
from .parties import PartyConnector, Pricing, check_parties
from .server_check import Servers, keep_names


class _Job(NamedTuple):
    """What one command does for one run."""

    journal: Journal
    run: RunRecord
    grader: str
    pack: Pack
    selection: Selection
    servers: Servers


@dataclass
class Session:
    """One `bench run` on one model: what it needs from outside, and its counters."""

    config: RunConfig
    catalogue: Catalogue
    environment: Environment
    progress: Progress = field(default_factory=Progress)
    stop: Stop = field(default_factory=Stop)
    cache: Path | None = None
    say: Callable[[str], None] = lambda line: None
    """Tells the user something while the run goes on."""
    money: Pricing = field(default_factory=Pricing)
    answered: set[str] = field(default_factory=set)
    """Labels of the judges that have answered in this command; its runs may share it."""
    _planned_calls: dict[tuple[str, int], Mapping[str, int]] = field(default_factory=dict)
    _stopped: PlacementEnd | None = None
    _uncompared: list[str] = field(default_factory=list)
    _graded: bool = False
    """Nothing is left but comparisons."""
    _placed: bool = False
    """No comparison of this run is left to make."""

    @property
    def untried(self) -> list[Endpoint]:
        """The judges that are first asked if they answer; no demo model is worth that."""
        config = self.config
        if config.run_id or self._is_demo(config.model):
            return []
        judges = [j for j in judges_of(config) if j.stored_label not in self.answered]
        return [judge for judge in judges if not self._is_demo(judge)]

    def _is_demo(self, endpoint: Endpoint) -> bool:
        return self.catalogue.provider(endpoint.spec.provider).demo

    def read_pack(self) -> Pack:
        """The pack of this run."""
        config = self.config
        source = find_pack(config.benchmark, config.dataset, config.options, cache=self.cache)
        return guard(config.benchmark).read_pack(source, config.options)

    def check(self) -> None:
        """Refuse what cannot be, before anything is made or sent.

        Raises:
            UsageError: The settings contradict each other.
            ConfigError: A key is missing.
        """
        check_parties(self.config, self.catalogue, self.environment, self.money)
        wanted_placement(self.config)

    async def run(self, pack: Pack) -> ResultDocument:
        """Do what is left of the run, and sum it up.

        Returns:
            The result document (docs/results.md); its status tells how the run ended.

        Raises:
            BenchError: The run ended early for another reason than the user's wish.
        """
        self.check()
        config = self.config
        selection = Selection(choose_items(pack, config), config.iterations)
        demo = self.catalogue.provider(config.model.spec.provider).demo
        with Journal(config.runs_dir) as journal:
            journal.writer.say, journal.writer.gave_up = self.say, lambda: self.stop.hurried
            self._warn_of_network()
            if self._compares:
                check_opponents(journal, config, pack, identity(config, pack), config.display_name)
            servers = await Servers.ask(config, self.catalogue, self.environment)
            found = find_run(journal, config, pack)
            servers.check(journal, found)
            self.config = found.config
            with own_run(journal, found, pack, demo=demo) as run:
                keep_names(journal, run, self.config)
                grader_digest = digest(grader(self.config))
                with watched(self.say):
                    return await self._do(
                        _Job(journal, run, grader_digest, pack, selection, servers)
                    )

    def _warn_of_network(self) -> None:
        if kind := network_file_system(self.config.runs_dir):
            self.say(
                f"{self.config.runs_dir} is on a network file system ({kind}), where SQLite and "
                "locks may fail; a local --runs-dir is safer"
            )

    async def _do(self, job: _Job) -> ResultDocument:
        began = time.monotonic()
        ended = await self._work(job)
        seconds = time.monotonic() - began if self.progress.worked else 0.0
        if ended is not None and not isinstance(ended, Interrupted | BudgetReached):
            with contextlib.suppress(JournalError):  # `ended` says more
                self._end(job, seconds, ended)
            raise ended
        return self._sum_up(job, seconds, ended)

    def _end(self, job: _Job, seconds: float, ended: BenchError) -> None:
        """Store that an error ended the command; a result that is there stands."""
        if self._graded and not isinstance(ended, JournalError):
            self._sum_up(job, seconds, None)
        elif job.run.status in ("complete", "fail") or self._view(job):
            leave_as_it_is(job.journal, job.run, seconds)
        else:
            job.journal.end_run(job.run, "stopped", seconds=seconds, finished=False)

    async def _work(self, job: _Job) -> BenchError | None:
        """Work on every sample that has no grade yet; what ended the run early, if anything."""
        await refile(job.journal, self.config.benchmark, job.pack, job.run)
        todo = self._todo(job)
        await self._expect_comparisons(job)
        connector = PartyConnector(
            self.config,
            self.catalogue,
            self.environment,
            self.progress,
            self.stop,
            self.money,
            Notices(self.say),
        )
        context: RunContext | None = None
        try:
            if todo:
                workers = min(len(todo), self.config.limits.concurrency)
                context = self._make_context(job, connector)
                await run_workers(context, iter(todo), workers, run_sample)
            if error := self._never_reached(job):
                return error
            self._graded = True
            await self._compare(job, lambda: context or self._make_context(job, connector))
        except BenchError as error:
            return error
        finally:
            await connector.close()
        return None

    @property
    def _compares(self) -> bool:
        """Whether the run's transcripts are compared with those of other models."""
        return guard(self.config.benchmark).compares(self.config.options) and not self.config.run_id

    async def _compare(self, job: _Job, make_context: Callable[[], RunContext]) -> None:
        """Compare the run's transcripts with those of other models, where that is wanted.

        Args:
            job: What this command does.
            make_context: Gives the context of the samples, whose rate limits go on, or a new one.

        Raises:
            BenchError: What ended the run early, after calls in flight were saved.
        """
        if not self._compares:
            return
        job.journal.writer.flush()
        from ..compare.tournament import RunComparisons

        pool = pool_of(job.journal, self.config, job.pack)
        for one in pool.members or (pool,):
            await Recomparing(TranscriptCache.of(job.journal, self.config, job.pack), one).bring()
        tournament = RunComparisons(self.config, job.pack, job.journal, job.run, job.selection)
        context: RunContext | None = None
        while batch := await tournament.next_batch():
            if context is None:
                context = make_context()
                self.progress.expect_comparisons(await tournament.left())
            self.progress.compare(len(batch))
            try:
                await tournament.play(context, batch)
            except BudgetReached:
                tournament.run_out()
                self._stopped = tournament.stopped
                raise
            if tournament.failed:
                break  # the next batch is planned from complete ones only
        self._stopped, self._uncompared = tournament.stopped, tournament.failed
        self._placed = not tournament.failed
        if self._placed and COMPARE in self.progress.phases:
            self.progress.phases[COMPARE].end()

    async def _expect_comparisons(self, job: _Job) -> None:
        """Tell the progress of all that may follow when the samples are done."""
        if self._compares:
            about = (job.journal, job.run, self.config, job.pack, job.selection)
            with contextlib.suppress(BenchError):  # which stands in the way of comparisons alone
                self.progress.expect_comparisons((await look_ahead(*about)).most)

    def _never_reached(self, job: _Job) -> ProviderError | None:
        """The error to end with when no sample got as far as an answer from the endpoint."""
        if self.progress.failed < job.selection.total:
            return None
        job.journal.writer.flush()
        failures = list(job.journal.failures(job.run))
        if any(failure.kind != ErrorKind.CONNECTION for failure in failures):
            return None
        return ProviderError(ErrorKind.CONNECTION, failures[0].reason, fatal=True)

    def _todo(self, job: _Job) -> list[Sample]:
        """The samples without a grade; those with one are counted as done."""
        items, iterations = job.selection.items, job.selection.iterations
        lacking = self._lacking(job)
        graded = {
            (s.item_id, s.iteration): s.score.reason is None
            for s in job.journal.grades(job.run, job.grader, job.selection.clusters)
            if s.iteration <= iterations and (s.item_id, s.iteration) not in lacking
        }
        self.progress.samples = job.selection.total
        self.progress.scored = sum(graded.values())
        self.progress.unscored = len(graded) - self.progress.scored
        todo = []
        for sample in (Sample(item, n) for n in range(1, iterations + 1) for item in items):
            is_done = (sample.item.id, sample.iteration) in graded
            self.progress.plan_sample(self._planned(*sample), done=is_done)
            todo += [] if is_done else [sample]
        return todo

    def _lacking(self, job: _Job) -> set[tuple[str, int]]:
        """The samples that a judge of the panel, whose turn it is, has not graded."""
        if self.config.panel is None:
            return set()
        clusters, due = job.selection.clusters, self.config.due_judges
        wanted = {(*s, label) for s in job.selection.samples for label in due(*s)}
        for one in by_each_judge(self.config):
            grades = job.journal.grades(job.run, digest(grader(one)), clusters)
            label = one.judge.stored_label if one.judge else ""
            wanted -= {(s.item_id, s.iteration, label) for s in grades}
        return {(item_id, iteration) for item_id, iteration, _ in wanted}

    def _planned(self, item: Item, iteration: int) -> Mapping[str, int]:
        """Calls of a sample by phase, which are those of any other with as many judges."""
        alike = (item.id, len(self.config.due_judges(item.id, iteration)))
        if alike not in self._planned_calls:
            self._planned_calls[alike] = self.config.planned_calls(item, iteration)
        return self._planned_calls[alike]

    def _make_context(self, job: _Job, connector: PartyConnector) -> RunContext:
        job.journal.prepare_to_send(job.run, self.config.limits.concurrency)
        job.servers.keep(job.journal, job.run, self.config)
        judges = connector.judges()
        context = RunContext(
            benchmark=self.config.benchmark,
            options=self.config.options,
            run=job.run,
            graded_by=grader(self.config),
            journal=job.journal,
            model=connector.model(),
            judge=None if self.config.panel else next(iter(judges), None),
            progress=self.progress,
            stop=self.stop,
            replays=job.journal.count_calls(job.run) > 0,
            planned=self._planned,
            say=self.say,
            trials=self._trials(job, judges),
            roles=connector.roles(),
            panel=self.config.panel,
        )
        if self.config.panel:
            context.members = {
                judge.asked: replace(context, judge=judge, graded_by=grader(one), panel=None)
                for judge, one in zip(judges, by_each_judge(self.config), strict=True)
            }
        return context

    def _trials(self, job: _Job, judges: Sequence[ConnectedParty]) -> list[Trial]:
        """Of the judges that will be asked and have not answered yet."""
        phases = self.progress.phases.items()
        due = any(p.left for phase, p in phases if not is_generating(phase))
        untried = {judge.stored_label for judge in self.untried} if due else set()
        return [
            Trial(judge, judge.caller, self.answered)
            for judge in judges
            if judge.caller and judge.asked in untried and not self._has_replied(job, judge)
        ]

    def _has_replied(self, job: _Job, judge: ConnectedParty) -> bool:
        totals = job.journal.call_totals(job.run, judge.asked)
        return any(not is_generating(total.phase) for total in totals)

    def _compared(self, job: _Job) -> ModelComparisons | None:
        """Where the model stands among others, where that was wanted."""
        if not self._compares:
            return kept_comparisons(self.config, job.journal.document(job.run))
        pool = pool_of(job.journal, self.config, job.pack)
        met = read_met(job.journal, pool, job.pack, Company.of(self.config))
        standing = find_standing(
            self.config.benchmark, job.pack, met, own=job.run, options=self.config.options
        )
        others = {name for row in standing.ratings if (name := row["model"]) != job.run.name}
        own = next((row for row in standing.ratings if row["model"] == job.run.name), None)
        stopped = self._stopped and advised(self._stopped, own)
        return ModelComparisons(
            {**standing.comparisons, "opponents": sorted(others)},
            standing.ratings,
            standing.conclusions,
            {**standing.details, "stopped": stopped},
            [*_not_made(self._uncompared), *standing.warnings, *_not_read(standing.unread)],
            unread=standing.unread,
            to_do=not self._placed,
        )

    def _sum_up(
        self, job: _Job, seconds: float, ended: Interrupted | BudgetReached | None
    ) -> ResultDocument:
        journal, run, grader_digest, _, selection, _ = job
        journal.writer.flush()
        self._tell_where_from(run, ended)
        evidence = read_evidence(
            journal,
            run,
            grader_digest,
            selection,
            judge=self.config.judge.stored_label if self.config.judge else None,
            sent=self.progress.calls - self.progress.sent.get(TRIAL, 0),
            stopped=_stopped(ended),
            members=graders_of(self.config),
        )
        excess = self.money.budget.excess if self.money.budget else ""
        reached = str(ended) if isinstance(ended, BudgetReached) else excess
        document = self._document(job, seconds, evidence, [reached] if reached else [])
        finished = self._is_finished(run, ended)
        keep_result(journal, run, document, seconds=seconds, finished=finished)
        return document

    def _view(self, job: _Job) -> str | None:
        """What the result of this command is called beside the run's own."""
        return view_of(job.journal, job.run, self.config, job.selection)

    def _tell_where_from(self, run: RunRecord, ended: BenchError | None) -> None:
        """Say that the server that is named was not asked, where another one gave the result."""
        model = self.config.model
        asked = self.config.run_id or self.progress.sent.get("generate")
        if ended is None and not asked and host_in(model.stored_label) != model.address:
            self.say(f"result from {host_in(model.stored_label)}; --fresh asks {model.address}")

    def _document(
        self, job: _Job, seconds: float, evidence: Evidence, warnings: Sequence[str]
    ) -> ResultDocument:
        """The result document.

        Raises:
            PluginError: The benchmark cannot sum up; the run goes on once it can.
        """
        try:
            return build_document(
                job.run,
                self.config,
                job.pack,
                job.selection,
                evidence,
                compared=self._compared(job),
                view=self._view(job),
                elapsed_s=round(job.run.elapsed_s + seconds, 3),
                warnings=warnings,
            )
        except PluginError as error:
            if job.run.status not in ("complete", "fail"):
                job.journal.end_run(job.run, "stopped", seconds=seconds, finished=False)
            raise PluginError(f"{error}; all replies are saved") from error

    def _is_finished(self, run: RunRecord, ended: BenchError | None) -> bool:
        """Whether the run is; one that is only judged again stays what it was."""
        return run.finished_at is not None if self.config.run_id else ended is None


def _not_made(failed: Sequence[str]) -> list[str]:
    """The warning about comparisons that failed."""
    n = len(failed)
    return [f"{plural(n, 'comparison')} could not be made; the first: {failed[0]}"] if n else []


def _not_read(n: int) -> list[str]:
    """The warning about comparisons whose verdict could not be read."""
    unread = f"{plural(n, 'comparison')} could not be read"
    return [f"{unread}; where both orders count, the other one waits"] if n else []


def _stopped(ended: BenchError | None) -> Status | None:
    if ended is None:
        return None
    return "budget" if isinstance(ended, BudgetReached) else "interrupted"


def choose_items(pack: Pack, config: RunConfig) -> list[Item]:
    """The pack's items that the configuration asks for, in pack order.

    Raises:
        UsageError: An item is named that the pack does not have.
        DataError: The pack is empty.
    """
    items = list(pack.items)
    if not items:
        raise DataError(next(iter(pack.source.files.values())), "holds no items")
    if config.items:
        there = [item.id for item in items]
        for name in config.items:
            check_name(name, there, f"--items {name}: the pack has no such item", "it has")
        items = [item for item in items if item.id in config.items]
    return items[: config.limit] if config.limit else items
