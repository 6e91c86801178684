"""The work on a run that is owned: samples without a grade, then comparisons, then the result."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from ..benchmark.model import JUDGE, MODEL, is_generating
from ..compare.contest import Contest
from ..compare.expectation import look_ahead
from ..compare.opponents import check_opponents
from ..compare.reuse import reuse_comparisons
from ..errors import BenchError, BudgetReached, ErrorKind, Interrupted, JournalError, ProviderError
from ..guard.calls import watched
from ..journal import Journal, network_file_system
from ..parties.party import is_local
from ..reports.result import Result, as_result
from ..runs.results import write_document
from ..sample.absences import Absences
from ..sample.context import RunContext, Sample
from ..sample.first_replies import FirstReplies
from ..sample.judging import HealthCheck, trial_digest
from ..sample.life import run_sample
from ..sample.model import ConnectedParty
from ..sample.progress import COMPARE
from ..sample.prompts import PromptWatch
from ..sample.room import Room
from ..sample.workers import run_workers
from ..types import Item
from ..types.result_document import ResultDocument
from .checks import check_task
from .connect import PartyConnector, untried
from .outcome import Placement, RunOutcome
from .ownership import Servers, own_run
from .panel_again import renew_panel
from .session import Session
from .task import Regrade, Task
from .unread import UnreadVerdicts, read_graded, unread_verdicts

KEEP_EVERY_S = 5.0
"""How often it is stored how long a command has worked."""


async def run_task(task: Task, session: Session) -> Result:
    """Do what is left of a task, and sum it up; its document is put beside the journal.

    Raises:
        BenchError: The run ended early for another reason than the user's wish.
    """
    check_task(task, session)
    config = task.config
    session.progress.samples = task.selection.total  # items that are not there make no journal
    with Journal(config.runs_dir) as journal:
        journal.refuse_kind(demo=config.demo)
        journal.writer.say = session.say
        journal.writer.gave_up = lambda: session.stop.hurried
        journal.keep_comparisons()
        if kind := network_file_system(config.runs_dir):
            session.say(
                f"{config.runs_dir} is on a network file system ({kind}), where SQLite and "
                "locks may fail; a local --runs-dir is safer"
            )
        if task.compares:
            check_opponents(Contest(journal, config, task.pack))
        servers = await Servers.ask(task, session)
        task = task.find(journal)
        servers.check(journal, task, session)
        with own_run(journal, task, session) as run, watched(session.say):
            context = RunContext(
                task.config,
                run,
                journal,
                session.progress,
                session.stop,
                [party.connected() for party in task.parties],
                say=session.say,
                prompts=PromptWatch(session.say),
            )
            document = await RunWork(task, context, session, servers).do()
    return as_result(document, write_document(config.runs_dir, document))


class RunWork:
    """What one command does for one run, which is its alone; nobody is connected yet."""

    def __init__(self, task: Task, context: RunContext, session: Session, servers: Servers) -> None:
        self.task, self.context, self.session, self.servers = task, context, session, servers
        self.journal, self.run, self.config = context.journal, context.run, context.config
        self.selection, self.progress = task.selection, context.progress
        self.connector = PartyConnector(task, session, context)
        self._planned_calls: dict[tuple[str, int], Mapping[str, int]] = {}
        self._placement, self._graded, self._unread = Placement(), False, UnreadVerdicts()
        self._kept_s = 0.0

    async def do(self) -> ResultDocument:
        """Work on all that is left, and sum it up.

        Raises:
            BenchError: The run ended early for another reason than the user's wish.
        """
        began = time.monotonic()
        async with self._keeping_time(began):
            ended = await self._work()
        if self.progress.sent and (changed := await self.servers.changed(self.task, self.session)):
            ended, self._graded = changed, False
        seconds = time.monotonic() - began if self.progress.worked else 0.0
        if ended is not None and not isinstance(ended, Interrupted | BudgetReached):
            with contextlib.suppress(JournalError):  # `ended` says more
                self._end(seconds, ended)
            raise ended
        document = self._outcome.sum_up(seconds, ended)
        if isinstance(self.task, Regrade) and (self._unread.samples or self._unread.comparisons):
            await renew_panel(self.context, self.task, self._unread)
        return document

    @property
    def _outcome(self) -> RunOutcome:
        budget = self.session.pricing.budget
        return RunOutcome(self.task, self.context, self._placement, budget, self._kept_s)

    @contextlib.asynccontextmanager
    async def _keeping_time(self, began: float) -> AsyncIterator[None]:
        """Store now and then how long the command has worked, as it may be killed."""

        async def keep() -> None:
            while True:
                await asyncio.sleep(KEEP_EVERY_S)
                if self.progress.worked:
                    spent = time.monotonic() - began - self._kept_s
                    self.journal.spend_time(self.run, spent)
                    self._kept_s += spent

        task = asyncio.create_task(keep())
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, JournalError):
                await task

    def _end(self, seconds: float, ended: BenchError) -> None:
        """Store that an error ended the command; a result that is there stands."""
        left = seconds - self._kept_s
        if self._graded and not isinstance(ended, JournalError):
            self._outcome.sum_up(seconds, None)
        elif self.run.status in ("complete", "fail") or not self.task.is_main(
            self.journal, self.run
        ):
            self.journal.end_run(self.run, self.run.status, seconds=left, finished=None)
        else:
            self.journal.end_run(self.run, "stopped", seconds=left, finished=False)

    async def _work(self) -> BenchError | None:
        """Work on every sample that has no grade yet; what ended the run early, if anything."""
        self._unread = await unread_verdicts(self.journal, self.run, self.task)
        todo = self._todo()
        await self._expect_comparisons()
        try:
            if todo:
                most = len(todo) if self.config.batching else self.config.limits.concurrency
                workers = min(len(todo), most)
                await run_workers(self._connected, iter(todo), workers, run_sample)
            if error := self._never_reached():
                return error
            self._graded = True
            await self._compare()
        except BenchError as error:
            return error
        finally:
            await self.connector.close()
        return None

    def _todo(self) -> list[Sample]:
        """The samples without a grade; those with one are counted as done."""
        items, iterations = self.selection.items, self.selection.iterations
        graded = read_graded(self.journal, self.run, self.config, self.selection).scored
        self.progress.samples = self.selection.total
        done = {sample: ok for sample, ok in graded.items() if sample not in self._unread.samples}
        self.progress.scored = sum(done.values())
        self.progress.unscored = len(done) - self.progress.scored
        todo = []
        for sample in (Sample(item, n) for n in range(1, iterations + 1) for item in items):
            if not self.task.may_do(sample.item.id, sample.iteration):
                continue
            is_done = (sample.item.id, sample.iteration) in done
            self.progress.plan_sample(self._planned(*sample), done=is_done)
            todo += [] if is_done else [sample]
        return todo

    def _planned(self, item: Item, iteration: int) -> Mapping[str, int]:
        """Calls of a sample by phase, which are those of any other with as many judges."""
        alike = (item.id, len(self.config.assigned_judges(item.id, iteration)))
        if alike not in self._planned_calls:
            self._planned_calls[alike] = self.task.planned_calls(item, iteration)
        return self._planned_calls[alike]

    async def _expect_comparisons(self) -> None:
        """Tell the progress of all that may follow when the samples are done."""
        if self.task.compares:
            contest = Contest(self.journal, self.config, self.task.pack, run=self.run)
            with contextlib.suppress(BenchError):  # which stands in the way of comparisons alone
                ahead = await look_ahead(contest, self.run, self.selection)
                self.progress.expect_comparisons(ahead.unmade.most)

    @cached_property
    def _connected(self) -> RunContext:
        """The context with those who are asked, whose rate limits go on with comparisons."""
        self.journal.prepare_to_send(self.run, self.config.limits.concurrency)
        self.servers.keep(self.journal, self.run, self.task, self.session)
        self.context = replace(self.context, parties=self.connector.connect())
        judges = [party for party in self.context.parties if party.phase == JUDGE]
        self.context = replace(
            self.context,
            replays=self.journal.count_calls(self.run) > 0,
            planned=self._planned,
            trials=self._trials(judges),
            first_replies=None if self._is_batched else self._first_replies(),
            room=self._room(),
            asks_anew=self.task.asks_anew,
            absences=Absences(
                [judge.asked for judge in judges] if self.config.panel else [], self.context.say
            ),
        )
        return self.context

    @property
    def _is_batched(self) -> bool:
        """Whether the model's calls go to a batch API, all at once."""
        batching = self.config.batching
        return batching is not None and MODEL in batching.phases

    def _room(self) -> Room:
        """That the model's replies get at first: less than is meant on a server of one's own."""
        config = self.config
        is_plain = config.sampling.max_tokens is None and not config.sampling.reasoning_effort
        if is_plain and is_local(config.model.base_url) and not self.journal.has_thought(self.run):
            return Room(config.benchmark.answer_tokens)
        return Room()

    def _first_replies(self) -> FirstReplies:
        """What holds requests back, unless a reply of the model to this benchmark was ever read."""
        read = self.progress.scored or self.journal.was_scored(self.run)
        return FirstReplies(
            self.context.stop,
            self.progress,
            self.context.say,
            holds=not (read or self.config.keep_going),
            at_once=self.config.benchmark.single_turn or self.config.benchmark.judged,
            unread=self._unread_replies(),
        )

    def _unread_replies(self) -> int:
        """The model's replies to samples that earlier commands graded, where none has a score."""
        if self.progress.scored or not self.progress.unscored:
            return 0
        graded = read_graded(self.journal, self.run, self.config, self.selection).scored
        totals = self.journal.call_totals(self.run)
        mine = (total for total in totals if total.phase == MODEL)
        return sum(t.calls for t in mine if (t.item_id, t.iteration) in graded)

    def _trials(self, judges: Sequence[ConnectedParty]) -> list[HealthCheck]:
        """Of the judges that will be asked and have not answered yet."""
        phases = self.progress.phases.items()
        is_judged = any(p.left for phase, p in phases if not is_generating(phase))
        proofs = untried(self.task, self.session) if is_judged else {}
        return [
            HealthCheck(judge, judge.caller, self.session.answered, proof)
            for judge in judges
            if judge.caller and (proof := proofs.get(judge.asked)) is not None
            if not self.journal.has_passed(trial_digest(judge.asked, judge.sampling, proof))
        ]

    def _never_reached(self) -> ProviderError | None:
        """The error to end with when no sample got as far as an answer from the endpoint."""
        if self.progress.failed < self.selection.total:
            return None
        self.journal.writer.flush()
        failures = list(self.journal.failures(self.run))
        if any(failure.kind != ErrorKind.CONNECTION for failure in failures):
            return None
        return ProviderError(ErrorKind.CONNECTION, failures[0].reason, fatal=True)

    async def _compare(self) -> None:
        """Compare the run's transcripts with those of other models, where that is wanted."""
        if not self.task.compares:
            await self._compare_anew()
            return
        self.journal.writer.flush()
        from ..compare.batches import BatchPlanner
        from ..compare.tournament import RunComparisons

        contest = Contest(self.journal, self.config, self.task.pack, run=self.run)
        await reuse_comparisons(contest)
        tournament = RunComparisons(BatchPlanner(contest, self.run, self.selection))
        try:
            await tournament.play(lambda: self._connected, self.progress)
        except BudgetReached:
            self._placement = Placement(tournament.stopped)
            raise
        wrong = [*tournament.failed, *tournament.lacking]
        done = not wrong
        self._placement = Placement(tournament.stopped, wrong, done)
        if done and COMPARE in self.progress.phases:
            self.progress.phases[COMPARE].end()

    async def _compare_anew(self) -> None:
        """Ask anew the comparisons of the run that could not be read, where that is wanted."""
        if not self._unread.comparisons:
            return
        from ..compare.batches import BatchPlanner
        from ..compare.tournament import RunComparisons

        contest = Contest(self.journal, self.config, self.task.pack)
        tournament = RunComparisons(BatchPlanner(contest, self.run, self.selection))
        await tournament.ask_anew(self._unread.comparisons, lambda: self._connected, self.progress)
        self._placement = Placement(failed=tournament.failed, anew=True)
