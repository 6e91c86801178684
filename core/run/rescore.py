"""Grading a run again from the journal: no request is sent."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

from ..benchmark import Pack
from ..compare.rating_summary import engine_version
from ..compare.rerating import rated_again
from ..errors import JournalError
from ..journal import Failure, RunLock
from ..parties.party import Party
from ..reports.document import build_document
from ..reports.evidence import ModelComparisons, Selection, kept_comparisons
from ..reports.judge_replies import replies_of
from ..runs.results import is_main, keep_result
from ..runs.stored_run import StoredRun
from ..sample.context import RunContext, Sample
from ..sample.life import run_sample
from ..sample.model import NOT_HELD
from ..sample.progress import Progress
from ..sample.workers import Stop, run_workers
from ..settings.run_config import RunConfig
from ..types import SampleScore, Score
from ..types.result_document import RatingNotes, ResultDocument
from .outcome import evidence_of
from .task import Regrade, Task

C = TypeVar("C", bound=RunContext)


async def rescore(stored: StoredRun, config: RunConfig, pack: Pack) -> ResultDocument:
    """The result document of a run's replies, graded anew.

    Only samples that were graded before are graded again: one that still waits for replies
    is left to the run's own command. The new grades are kept apart from those of `bench run`,
    which may ask further where this could not.

    Raises:
        JournalError: The run has no replies, or is owned by another process.
    """
    journal, run = stored.journal, stored.record
    with RunLock(journal.folder, run.run_id).acquire():
        stored = StoredRun(journal, run)  # another command may have ended since it was read
        samples, selection = _selected(stored, pack)
        context = context_of(
            stored, Regrade(config, pack, run), RunContext, regrades=True, offline=True
        )
        await run_workers(context, iter(samples), 1, run_sample)
        journal.writer.flush()
        evidence = evidence_of(context, selection)
        main = is_main(stored, config, selection)
        compared = rated_as_before(context, pack)
        document = build_document(
            run, config, pack, selection, evidence, compared=compared, main=main
        )
        ended = run.finished_at is not None
        status = None if ended else run.status
        keep_result(stored, document, finished=ended, status=status)
        return document


class Regraded(NamedTuple):
    """A result that is not stored.

    Attributes:
        missing: How many of its samples need a reply that was never made.
    """

    document: ResultDocument
    missing: int


async def regrade(stored: StoredRun, config: RunConfig, pack: Pack) -> Regraded:
    """What `rescore` would store; nothing is.

    Raises:
        JournalError: The run has no replies.
    """
    samples, selection = _selected(stored, pack)
    context = context_of(stored, Regrade(config, pack, stored.record), Unkept, regrades=True)
    await run_workers(context, iter(samples), 1, run_sample)
    tried = {(sample.item.id, sample.iteration) for sample in samples}
    failures = [f for f in stored.failures if (f.item_id, f.iteration) not in tried]
    failures += context.failed
    compared = rated_as_before(context, pack)
    document = unkept_result(stored, context, pack, selection, failures, compared)
    missing = sum((score.score.reason or "").startswith(NOT_HELD) for score in context.scores)
    return Regraded(document, missing)


def unkept_result(
    stored: StoredRun,
    context: "Unkept",
    pack: Pack,
    selection: Selection,
    failures: Sequence[Failure],
    compared: ModelComparisons | None = None,
) -> ResultDocument:
    """The result of scores that are kept in memory, with what a stored run holds beside them."""
    config, scores, by_judge = context.config, context.scores, context.by_judge
    known = stored.evidence(context.grader, selection, sent=0)
    evidence = replace(known, scores=scores, failures=failures, by_judge=by_judge)
    if config.panel:
        replies = replies_of(config.panel, scores, failures, by_judge)
        evidence = replace(evidence, replies=replies)
    return build_document(stored.record, config, pack, selection, evidence, compared=compared)


class Unkept(RunContext):
    """A context that keeps scores in memory."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.kept: list[SampleScore] = []
        self.failed: list[Failure] = []

    @property
    def scores(self) -> list[SampleScore]:
        """Those that were kept, in order."""
        return sorted(self.kept, key=lambda score: score[:3])

    @property
    def by_judge(self) -> dict[Party, list[SampleScore]]:
        """Those of each judge of a panel."""
        members = self.members.items()
        return {judge: member.scores for judge, member in members if isinstance(member, Unkept)}

    def keep_grade(self, sample: Sample, score: Score) -> None:
        """Remember a sample's score."""
        item = sample.item
        self.kept.append(SampleScore(item.id, item.cluster, sample.iteration, score))

    def keep_failure(self, sample: Sample, kind: str, reason: str, attempts: int = 0) -> None:
        """Remember why a sample has none."""
        self.failed.append(Failure(sample.item.id, sample.iteration, kind, reason, attempts))


def _selected(stored: StoredRun, pack: Pack) -> tuple[list[Sample], Selection]:
    """The samples that were graded before, and the selection that they and failed ones make."""
    clusters = {item.id: item.cluster for item in pack.items}
    graded = {
        (score.item_id, score.iteration)
        for grader, _ in stored.all_graders
        for score in stored.journal.grades(stored.record, grader, clusters)
    }
    if not graded:
        raise JournalError(f"run {stored.id} has no scored replies yet; run its command first")
    begun = graded | {(f.item_id, f.iteration) for f in stored.failures}
    begun |= {(c.item_id, c.iteration) for c in stored.calls}
    ids = {item_id for item_id, _ in begun}
    items = [item for item in pack.items if item.id in ids]
    last = max(iteration for _, iteration in begun)
    every = (Sample(item, n) for item in items for n in range(1, last + 1))
    samples = [s for s in every if (s.item.id, s.iteration) in graded]
    return samples, Selection(items, last)


def context_of(
    stored: StoredRun, task: Task, kind: type[C], *, regrades: bool = False, offline: bool = False
) -> C:
    """A context in which nobody can be asked."""
    return kind(
        task.config,
        stored.record,
        stored.journal,
        Progress(),
        Stop(),
        [p.connected() for p in task.parties],
        regrades=regrades,
        offline=offline,
    )


# Ratings of a result that is scored again: as they were, unless the engine has changed


def rated_as_before(context: RunContext, pack: Pack) -> ModelComparisons | None:
    """The ratings of a run's stored result, for another document of it.

    Where the engine that made them has another version today, they are made anew.
    """
    kept = kept_comparisons(context.config, context.journal.document(context.run))
    if kept is None or not kept.ratings or _is_of_today(kept.notes):
        return kept
    today = rated_again(context.journal, context.run, context.config, pack, kept)
    return today if today.ratings else kept


def _is_of_today(notes: RatingNotes) -> bool:
    """Whether an engine is as it was; one that is not installed is left alone."""
    version = engine_version(str(notes.get("engine")))
    return version in (None, notes.get("engine_version", "1"))
