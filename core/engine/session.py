"""A run from the user's wish to its result: own it, work on what is left, sum up."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ..benchmark import Pack
from ..clients.keys import Environment
from ..clients.notices import Notices
from ..datasets import find_pack
from ..errors import (
    BenchError,
    BudgetReached,
    DataError,
    ErrorKind,
    Interrupted,
    ProviderError,
    UsageError,
)
from ..journal import Journal, RunRecord, network_file_system
from ..plugins import Catalogue
from ..reports.document import build_document
from ..reports.evidence import Selection, read_evidence
from ..types import Item, digest
from .config import RunConfig, grader
from .ownership import own_run
from .parties import Money, Switchboard, check_parties
from .placement import Wish
from .planning import comparisons_left
from .pools import pool_of
from .progress import Progress
from .samples import work_on, work_through
from .standing import read_standing
from .stopping import Stop
from .workshop import COMPARE, Sample, Workshop


class _Job(NamedTuple):
    """What one command does for one run."""

    journal: Journal
    run: RunRecord
    grader: str
    pack: Pack
    selection: Selection


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
    money: Money = field(default_factory=Money)
    _stopped: dict[str, Any] | None = None
    _uncompared: list[str] = field(default_factory=list)
    _placed: bool = False
    """No comparison of this run is left to make."""

    def read_pack(self) -> Pack:
        """The pack of this run."""
        config = self.config
        source = find_pack(config.benchmark, config.dataset, config.options, cache=self.cache)
        return config.benchmark.read_pack(source, config.options)

    def check(self) -> None:
        """Refuse what cannot be, before anything is made or sent.

        Raises:
            UsageError: The settings contradict each other.
            ConfigError: A key is missing.
        """
        check_parties(self.config, self.catalogue, self.environment, self.money)
        Wish.of(self.config.options)

    async def run(self, pack: Pack) -> dict[str, Any]:
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
            self._warn_of_network()
            with own_run(journal, config, pack, demo=demo) as run:
                known_as = digest(grader(config))
                return await self._do(_Job(journal, run, known_as, pack, selection))

    def _warn_of_network(self) -> None:
        if kind := network_file_system(self.config.runs_dir):
            self.say(
                f"{self.config.runs_dir} is on a network file system ({kind}), where SQLite and "
                "locks may fail; a local --runs-dir is safer"
            )

    async def _do(self, job: _Job) -> dict[str, Any]:
        began = time.monotonic()
        ended = await self._work(job)
        seconds = time.monotonic() - began if self.progress.worked else 0.0
        if ended is not None and not isinstance(ended, Interrupted | BudgetReached):
            job.journal.end_run(job.run, "stopped", seconds=seconds, finished=False)
            raise ended
        return self._sum_up(job, seconds, ended)

    async def _work(self, job: _Job) -> BenchError | None:
        """Work on every sample that has no grade yet; what ended the run early, if anything."""
        todo = self._todo(job)
        switchboard = Switchboard(
            self.config,
            self.catalogue,
            self.environment,
            self.progress,
            self.stop,
            self.money,
            Notices(self.say),
        )
        shop: Workshop | None = None
        try:
            if todo:
                workers = min(len(todo), self.config.limits.concurrency)
                shop = self._workshop(job, switchboard)
                await work_through(shop, iter(todo), workers, work_on)
            if error := self._never_reached(job):
                return error
            await self._compare(job, lambda: shop or self._workshop(job, switchboard))
        except BenchError as error:
            return error
        finally:
            await switchboard.close()
        return None

    @property
    def _compares(self) -> bool:
        """Whether the run's transcripts are compared with those of other models."""
        return self.config.benchmark.compares(self.config.options) and not self.config.run_id

    async def _compare(self, job: _Job, open_shop: Callable[[], Workshop]) -> None:
        """Compare the run's transcripts with those of other models, where that is wanted.

        Args:
            job: What this command does.
            open_shop: Gives the workshop of the samples, whose rate limits go on, or a new one.

        Raises:
            BenchError: What ended the run early, after calls in flight were saved.
        """
        if not self._compares:
            return
        job.journal.writer.flush()
        from .tournament import Tournament  # and with it numpy

        tournament = Tournament(self.config, job.pack, job.journal, job.run, job.selection)
        shop: Workshop | None = None
        while batch := await tournament.next_batch():
            shop = shop or open_shop()
            self._plan_comparisons(job, len(batch))
            await tournament.play(shop, batch)
            if tournament.failed:
                break  # the next batch is planned from complete ones only
        self._stopped, self._uncompared = tournament.stopped, tournament.failed
        self._placed = not tournament.failed
        if self._placed and shop:
            self.progress.phases[COMPARE].end()

    def _plan_comparisons(self, job: _Job, batch: int) -> None:
        """Tell the progress of a batch; when it is the first, of all that may follow."""
        if COMPARE not in self.progress.phases:
            most = comparisons_left(self.config, job.pack, job.selection)
            self.progress.plan(COMPARE, max(most, batch)).begin()
        phase = self.progress.phases[COMPARE]
        phase.total = max(phase.total, phase.done + batch)

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
        graded = {
            (s.item_id, s.iteration): s.score.reason is None
            for s in job.journal.grades(job.run, job.grader, job.selection.clusters)
            if s.iteration <= iterations
        }
        self.progress.samples = job.selection.total
        self.progress.scored = sum(graded.values())
        self.progress.unscored = len(graded) - self.progress.scored
        todo = []
        for sample in (Sample(item, n) for n in range(1, iterations + 1) for item in items):
            is_done = (sample.item.id, sample.iteration) in graded
            self.progress.plan_sample(self.config.planned_calls(sample.item), done=is_done)
            todo += [] if is_done else [sample]
        return todo

    def _workshop(self, job: _Job, switchboard: Switchboard) -> Workshop:
        return Workshop(
            benchmark=self.config.benchmark,
            options=self.config.options,
            run=job.run,
            graded_by=grader(self.config),
            journal=job.journal,
            model=switchboard.model(),
            judge=switchboard.judge(),
            progress=self.progress,
            stop=self.stop,
            replays=job.journal.count_calls(job.run) > 0,
            planned=self.config.planned_calls,
        )

    def _add_standing(self, job: _Job, document: dict[str, Any], ended: BenchError | None) -> None:
        """Where the model stands among others, where that was wanted."""
        benchmark, options = self.config.benchmark, self.config.options
        if not self._compares:
            return
        pool = pool_of(self.config, job.pack)
        orders = str(options.get("orders", "both"))
        about = (job.journal, benchmark, job.pack, pool)
        standing = read_standing(*about, own=job.run, orders=orders)
        others = {name for row in standing.ratings if (name := row["model"]) != job.run.name}
        document["comparisons"] = {**standing.comparisons, "opponents": sorted(others)}
        document["ratings"] = standing.ratings
        document["notes"]["rating"] = {**standing.details, "stopped": self._stopped}
        if self._uncompared:
            n, first = len(self._uncompared), self._uncompared[0]
            document["warnings"].append(f"{n} comparisons could not be made; the first: {first}")
        document["warnings"] += standing.warnings
        if n := standing.unread:
            told = f"{n} comparison{'s' * (n > 1)} could not be read"
            document["warnings"].append(f"{told}; where both orders count, the other one waits")
        if not self._placed and document["status"] in ("complete", "incomplete", "fail"):
            document["status"] = _stopped(ended) or "incomplete"
        elif standing.unread and document["status"] == "complete":
            document["status"] = "incomplete"

    def _sum_up(
        self, job: _Job, seconds: float, ended: Interrupted | BudgetReached | None
    ) -> dict[str, Any]:
        journal, run, known_as, pack, selection = job
        journal.writer.flush()
        sent = self.progress.calls
        evidence = read_evidence(
            journal,
            run,
            known_as,
            selection,
            judge=self.config.judge.label if self.config.judge else None,
            sent=sent,
            stopped=_stopped(ended),
        )
        document = build_document(run, self.config, pack, selection, evidence)
        document["elapsed_s"] = round(run.elapsed_s + seconds, 3)
        self._add_standing(job, document, ended)
        document["warnings"] += [str(ended)] if isinstance(ended, BudgetReached) else []
        finished = self._is_finished(run, ended)
        journal.end_run(
            run, document["status"], seconds=seconds, finished=finished, document=document
        )
        return document

    def _is_finished(self, run: RunRecord, ended: BenchError | None) -> bool:
        """Whether the run is; one that is only judged again stays what it was."""
        return run.finished_at is not None if self.config.run_id else ended is None


def _stopped(ended: BenchError | None) -> str | None:
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
        there = {item.id for item in items}
        if missing := [i for i in config.items if i not in there]:
            raise UsageError(
                f"--items names {', '.join(missing)}, which the pack does not have; "
                f"its ids go from {items[0].id} to {items[-1].id}"
            )
        items = [item for item in items if item.id in config.items]
    return items[: config.limit] if config.limit else items
