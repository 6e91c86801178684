"""The work on a run that is owned: samples without a grade, then comparisons, then the result."""

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..benchmark.roles import JUDGE, MODEL, is_generating, role_in
from ..compare.expectation import look_ahead
from ..compare.reuse import bring_back
from ..errors import (
    BenchError,
    BudgetReached,
    ErrorKind,
    Interrupted,
    JournalError,
    ProviderError,
)
from ..parties.sites import is_local
from ..runs.views import leave_as_it_is
from ..sample.absences import Absences
from ..sample.context import ConnectedParty, RunContext, Sample
from ..sample.first_replies import FirstReplies
from ..sample.judging import Trial, trial_digest
from ..sample.life import run_sample
from ..sample.progress import COMPARE
from ..sample.room import Room
from ..sample.workers import run_workers
from ..settings.run_config import by_each_judge, grader
from ..types import Item
from ..types.result_document import ResultDocument
from .connect import PartyConnector
from .outcome import Outcome, OwnedRun, Placement
from .ownership import Servers
from .plan import read_graded


@dataclass
class RunWork:
    """What one command does for one run.

    Attributes:
        owned: The run.
        connector: Connects those who are asked.
        servers: What they say of their models.
        say: Tells the user something.
        answered: Labels of the judges that have answered in this command; they are added.
        untried: Labels of those that are first asked if they answer, each with its proof.
    """

    owned: OwnedRun
    connector: PartyConnector
    servers: Servers
    say: Callable[[str], None]
    answered: set[str]
    untried: Mapping[str, str]
    _planned_calls: dict[tuple[str, int], Mapping[str, int]] = field(default_factory=dict)
    _placement: Placement = field(default_factory=Placement)
    _absences: Absences = field(default_factory=Absences)
    _graded: bool = False
    """Nothing is left but comparisons."""

    def __post_init__(self) -> None:
        self.journal, self.run, self.task = self.owned
        self.config, self.selection = self.task.config, self.task.selection
        self.progress, self.stop = self.connector.progress, self.connector.stop

    async def do(self) -> ResultDocument:
        """Work on all that is left, and sum it up.

        Raises:
            BenchError: The run ended early for another reason than the user's wish.
        """
        began = time.monotonic()
        ended = await self._work()
        seconds = time.monotonic() - began if self.progress.worked else 0.0
        if ended is not None and not isinstance(ended, Interrupted | BudgetReached):
            with contextlib.suppress(JournalError):  # `ended` says more
                self._end(seconds, ended)
            raise ended
        return self._outcome.sum_up(seconds, ended)

    @property
    def _outcome(self) -> Outcome:
        budget = self.connector.money.budget
        about = (self.owned, self.progress, self._placement, budget, self.say)
        return Outcome(*about, self._absences.first)

    def _end(self, seconds: float, ended: BenchError) -> None:
        """Store that an error ended the command; a result that is there stands."""
        if self._graded and not isinstance(ended, JournalError):
            self._outcome.sum_up(seconds, None)
        elif self.run.status in ("complete", "fail") or self.task.view(self.journal, self.run):
            leave_as_it_is(self.journal, self.run, seconds)
        else:
            self.journal.end_run(self.run, "stopped", seconds=seconds, finished=False)

    async def _work(self) -> BenchError | None:
        """Work on every sample that has no grade yet; what ended the run early, if anything."""
        todo = self._todo()
        await self._expect_comparisons()
        context: RunContext | None = None
        try:
            if todo:
                workers = min(len(todo), self.config.limits.concurrency)
                context = self._make_context()
                await run_workers(context, iter(todo), workers, run_sample)
            if error := self._never_reached():
                return error
            self._graded = True
            await self._compare(lambda: context or self._make_context())
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
        self.progress.scored = sum(graded.values())
        self.progress.unscored = len(graded) - self.progress.scored
        todo = []
        for sample in (Sample(item, n) for n in range(1, iterations + 1) for item in items):
            is_done = (sample.item.id, sample.iteration) in graded
            self.progress.plan_sample(self._planned(*sample), done=is_done)
            todo += [] if is_done else [sample]
        return todo

    def _planned(self, item: Item, iteration: int) -> Mapping[str, int]:
        """Calls of a sample by phase, which are those of any other with as many judges."""
        alike = (item.id, len(self.config.due_judges(item.id, iteration)))
        if alike not in self._planned_calls:
            self._planned_calls[alike] = self.task.planned_calls(item, iteration)
        return self._planned_calls[alike]

    async def _expect_comparisons(self) -> None:
        """Tell the progress of all that may follow when the samples are done."""
        if self.task.compares:
            about = (self.journal, self.run, self.config, self.task.pack, self.selection)
            with contextlib.suppress(BenchError):  # which stands in the way of comparisons alone
                self.progress.expect_comparisons((await look_ahead(*about)).most)

    def _make_context(self) -> RunContext:
        self.journal.prepare_to_send(self.run, self.config.limits.concurrency)
        self.servers.keep(self.journal, self.run, self.task)
        parties = self.connector.connect()
        judges = [party for party in parties if party.phase == JUDGE]
        context = RunContext(
            benchmark=self.config.benchmark,
            options=self.config.options,
            run=self.run,
            graded_by=grader(self.config),
            journal=self.journal,
            model=next(party for party in parties if party.phase == MODEL),
            judge=None if self.config.panel else next(iter(judges), None),
            progress=self.progress,
            stop=self.stop,
            replays=self.journal.count_calls(self.run) > 0,
            planned=self._planned,
            say=self.say,
            trials=self._trials(judges),
            roles={role: party for party in parties if (role := role_in(party.phase))},
            panel=self.config.panel,
            keep_going=self.config.keep_going,
            first_replies=self._first_replies(),
            room=self._room(),
        )
        if self.config.panel:
            self._absences = Absences([judge.asked for judge in judges], self.say)
            context.absences = self._absences
            context.members = {
                judge.asked: replace(context, judge=judge, graded_by=grader(one), panel=None)
                for judge, one in zip(judges, by_each_judge(self.config), strict=True)
            }
        return context

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
            self.stop,
            self.progress,
            self.say,
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

    def _trials(self, judges: Sequence[ConnectedParty]) -> list[Trial]:
        """Of the judges that will be asked and have not answered yet."""
        phases = self.progress.phases.items()
        due = any(p.left for phase, p in phases if not is_generating(phase))
        return [
            Trial(judge, judge.caller, self.answered, proof)
            for judge in judges
            if due and judge.caller and (proof := self.untried.get(judge.asked)) is not None
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

    async def _compare(self, make_context: Callable[[], RunContext]) -> None:
        """Compare the run's transcripts with those of other models, where that is wanted.

        Args:
            make_context: Gives the context of the samples, whose rate limits go on, or a new one.

        Raises:
            BenchError: What ended the run early, after calls in flight were saved.
        """
        if not self.task.compares:
            return
        self.journal.writer.flush()
        from ..compare.batches import BatchPlanner
        from ..compare.tournament import RunComparisons

        about = (self.config, self.task.pack, self.journal, self.run, self.selection)
        await bring_back(self.journal, self.config, self.task.pack)
        tournament = RunComparisons(BatchPlanner(*about))
        try:
            await tournament.play(make_context, self.progress)
        except BudgetReached:
            self._placement = Placement(tournament.stopped)
            raise
        wrong = [*tournament.failed, *tournament.lacking]
        done = not wrong
        self._placement = Placement(tournament.stopped, wrong, done)
        if done and COMPARE in self.progress.phases:
            self.progress.phases[COMPARE].end()
