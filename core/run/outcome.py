"""What came of a run: its evidence, its place among other models, its result document."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..benchmark.model import MODEL
from ..clients.keys import redact
from ..compare.comparison_pool import Met, counting
from ..compare.contest import Contest
from ..compare.placement import advised
from ..compare.rating_summary import find_standing
from ..errors import BenchError, BudgetReached, Interrupted, PluginError, Unreadable, Waiting
from ..parties.graders import Replies
from ..parties.party import Party
from ..reports.document import build_document
from ..reports.evidence import (
    ModelComparisons,
    RunData,
    Selection,
    kept_comparisons,
)
from ..runs.results import keep_result
from ..runs.stored_run import StoredRun
from ..sample.context import RunContext
from ..sample.progress import COMPARE, TRIAL
from ..spending.budget import Budget
from ..text import plural
from ..types.result_document import PlacementEnd, ResultDocument, Status
from .ownership import asked_elsewhere
from .task import Task


class Placement(NamedTuple):
    """What a command has done to place the model among others.

    Attributes:
        stopped: Why it is at its end, or was stopped.
        failed: Why comparisons could not be made, one reason each.
        done: No comparison of the run is left to make.
        anew: Comparisons of an earlier placement were asked anew.
    """

    stopped: PlacementEnd | None = None
    failed: Sequence[str] = ()
    done: bool = False
    anew: bool = False


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """Sums up what a command has done.

    Attributes:
        placement: Among other models.
        budget: What the command may spend.
        kept_s: Of the command's seconds, those that are stored already.
    """

    task: Task
    context: RunContext
    placement: Placement
    budget: Budget | None
    kept_s: float = 0.0

    def sum_up(self, seconds: float, ended: Interrupted | BudgetReached | None) -> ResultDocument:
        """The result document, which is stored.

        Args:
            seconds: That the command took.
            ended: What ended it early, by the user's wish.
        """
        journal, run, progress = self.context.journal, self.context.run, self.context.progress
        task = self.task
        journal.writer.flush()
        self._tell_where_from(ended)
        sent = progress.calls - progress.sent.get(TRIAL, 0)
        evidence = evidence_of(self.context, task.selection, sent=sent, stopped=_stopped(ended))
        # A call without an answer is in no journal.
        asked_now = progress.sent.get(MODEL, 0) + progress.unanswered[MODEL]
        evidence = replace(evidence, again=progress.retries, asked_now=asked_now)
        # The journal holds no prompts of comparisons, which are made of transcripts.
        cut = self.context.prompts.warnings_of(COMPARE)
        warnings = [*self._silent(evidence), *cut, *self._why_it_ended(ended)]
        document = self._document(seconds, evidence, warnings)
        finished = task.finishes(run, ended)
        left = seconds - self.kept_s
        keep_result(StoredRun(journal, run), document, seconds=left, finished=finished)
        return document

    def _why_it_ended(self, ended: BenchError | None) -> list[str]:
        """A warning about what ended it early; of money with what is spent by now."""
        reached = self.budget.excess if self.budget else ""
        if isinstance(ended, BudgetReached):
            reached = (self.budget and self.budget.reached) or str(ended)
        elif isinstance(ended, Unreadable):
            reached = str(ended)
        return [reached] if reached else []

    def _tell_where_from(self, ended: BenchError | None) -> None:
        """Say that the server that is named was not asked, where another one gave the result."""
        context, (model, *_) = self.context, self.task.parties
        asked = context.progress.sent.get("generate") or not self.task.asks(MODEL)
        before = asked_elsewhere(context.journal, context.run, model)
        if ended is None and not asked and before:
            now = ", ".join(model.endpoint.base_urls)
            context.say(f"result from {before}; --fresh asks {now}")

    def _document(
        self, seconds: float, evidence: RunData, warnings: Sequence[str]
    ) -> ResultDocument:
        """The result document.

        Raises:
            PluginError: The benchmark cannot sum up; the run goes on once it can.
        """
        journal, run, task = self.context.journal, self.context.run, self.task
        try:
            return build_document(
                run,
                task.config,
                task.pack,
                task.selection,
                evidence,
                compared=self._compared(),
                main=task.is_main(journal, run),
                elapsed_s=round(run.elapsed_s + seconds, 3),
                warnings=warnings,
            )
        except PluginError as error:
            if run.status not in ("complete", "fail"):
                journal.end_run(run, "stopped", seconds=seconds - self.kept_s, finished=False)
            raise PluginError(f"{error}; all replies are saved") from error

    def _silent(self, evidence: RunData) -> list[str]:
        """Why judges did not give all of their verdicts."""
        gave = evidence.replies
        silent = self.context.absences.first.items()
        short = [e for judge, e in silent if judge in gave and not gave[judge].whole]
        return [redact(str(error)) for error in short]

    def _compared(self) -> ModelComparisons | None:
        """Where the model stands among others, where that was wanted."""
        journal, run, task = self.context.journal, self.context.run, self.task
        config, pack = task.config, task.pack
        kept = kept_comparisons(config, journal.document(run))
        if not task.compares and (kept is None or not self.placement.anew):
            return kept
        contest = Contest(journal, config, pack, run=run)
        met = contest.met()
        standing = find_standing(config.benchmark, pack, met, run=run, options=config.options)
        others = {name for row in standing.ratings if (name := row["model"]) != run.name}
        row_of_model = next((row for row in standing.ratings if row["model"] == run.name), None)
        stopped, failed, done, anew = self.placement
        n, unread = plural(len(failed), "comparison"), plural(standing.unread, "comparison")
        not_made = [f"{n} could not be made; the first: {failed[0]}"] if failed else []
        ended = stopped and advised(stopped, row_of_model)
        if anew and kept:
            ended = kept.notes.get("stopped")
        orders = "where both orders count, the other one waits"
        not_read = [f"{unread} could not be read; {orders}"] if standing.unread else []
        return ModelComparisons(
            {**standing.comparisons, "opponents": sorted(others)},
            standing.ratings,
            standing.conclusions,
            {**standing.details, "stopped": ended},
            [*not_made, *standing.warnings, *not_read],
            unread=standing.unread,
            to_do=bool(failed or standing.comparisons.get("planned")) if anew else not done,
            replies=self._compared_by(contest, met),
        )

    def _compared_by(self, contest: Contest, met: Met) -> dict[Party, Replies]:
        """Of a panel, how many of the run's comparisons each judge made."""
        panel, run = contest.asked_panel(), self.context.run
        rows = (row for row in counting(met, run) if row.run_a == run.run_id)
        return panel.replies(rows) if panel else {}


def evidence_of(
    context: RunContext, selection: Selection, *, sent: int = 0, stopped: Status | None = None
) -> RunData:
    """What the journal holds of samples, by the grader of a context."""
    members = {judge: member.grader for judge, member in context.members.items()}
    return StoredRun(context.journal, context.run).evidence(
        context.grader, selection, members=members, sent=sent, stopped=stopped
    )


def _stopped(ended: BenchError | None) -> Status | None:
    if ended is None:
        return None
    if isinstance(ended, Unreadable):
        return "fail"
    if isinstance(ended, Waiting):
        return "waiting"
    return "budget" if isinstance(ended, BudgetReached) else "interrupted"
