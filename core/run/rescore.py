"""Grading a stored run again: from the journal alone, or by a judge that reads its transcripts.

A change that moves a number raises a benchmark's `grading` or a rating engine's `version`.
`check_all` sets each run's own result, made anew in memory, beside the stored one.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isclose
from typing import NamedTuple, TypeVar

from ..benchmark import Pack
from ..compare.contest import Contest
from ..compare.opponents import finished
from ..compare.rating_summary import RatingSummary, engine_version, find_standing
from ..errors import BenchError, JournalError, UsageError
from ..guard import guard
from ..journal import Failure, Journal, RunLock, RunRecord
from ..parties.party import Party
from ..parties.providers import Transfer
from ..plugins import Catalogue
from ..reports.document import build_document
from ..reports.evidence import ModelComparisons, Selection, kept_comparisons
from ..reports.judge_replies import replies_of
from ..reports.suggestions import bench
from ..runs.finding import is_demo
from ..runs.stored_run import StoredRun
from ..runs.views import keep_result, view_of
from ..sample.context import RunContext, Sample
from ..sample.life import run_sample
from ..sample.model import NOT_HELD
from ..sample.progress import Progress
from ..sample.workers import Stop, run_workers
from ..settings.run_config import Endpoint, RunConfig
from ..types import JsonObject, SampleScore, Score
from ..types.result_document import RatingNotes, ResultDocument
from .outcome import evidence_of
from .task import Regrade, Task


def rejudge_task(
    stored: StoredRun,
    judge: Endpoint,
    *,
    changes: JsonObject,
    dataset: str | None,
    transfer: Transfer,
) -> Regrade:
    """What judges the finished transcripts of a stored run, with other grading options if given."""
    benchmark = stored.plugin
    if not benchmark.judged:
        again = bench("rescore", stored.id)
        raise UsageError(f"{benchmark.name} asks no judge; {again} scores again")
    config = stored.config(changes, judge=judge, dataset=dataset)
    if not _asks_judge(config, stored.pack_of(config)):
        usual = {o.name: o.default for o in benchmark.options if o.in_grades}
        options = {**usual, **changes}
        config = stored.config(options, judge=judge, dataset=dataset)
    pack = stored.pack_of(config)
    items, iterations = _finished(stored, config, pack)
    config = replace(
        config,
        items=items,
        iterations=iterations,
        limits=judge.limits or config.limits,
        transfer=transfer,
        runs_dir=stored.journal.folder,
    )
    return Regrade(config, pack, stored.record)


def _asks_judge(config: RunConfig, pack: Pack) -> bool:
    """Whether any transcript is judged by itself: a run may only have been compared."""
    plugin = guard(config.benchmark)
    return any(plugin.planned_calls(item, config.options)["judge"] for item in pack.items)


def _finished(stored: StoredRun, config: RunConfig, pack: Pack) -> tuple[tuple[str, ...], int]:
    """The items with a finished transcript, in pack order, and the last iteration of one."""
    whole = finished(Contest(stored.journal, config, pack), stored.record)
    if not whole:
        raise JournalError(
            f"run {stored.id} has no finished transcript to judge; its own command makes them"
        )
    ids = {item_id for item_id, _ in whole}
    return tuple(i.id for i in pack.items if i.id in ids), max(n for _, n in whole)


def rated_as_before(context: RunContext, pack: Pack) -> ModelComparisons | None:
    """The ratings of a run's stored result, for another document of it.

    Where the engine that made them has another version today, they are made anew of all
    comparisons that there are.
    """
    kept = kept_comparisons(context.config, context.journal.document(context.run))
    if kept is None or not kept.ratings or _is_of_today(kept.notes):
        return kept
    today = _rated_today(context, pack, kept)
    if not today.ratings:
        return kept
    return kept._replace(
        ratings=today.ratings,
        conclusions=today.conclusions,
        notes={**kept.notes, **today.details},
        warnings=today.warnings,
    )


def _is_of_today(notes: RatingNotes) -> bool:
    """Whether an engine is as it was; one that is not installed is left alone."""
    version = engine_version(str(notes.get("engine")))
    return version in (None, notes.get("engine_version", "1"))


def _rated_today(context: RunContext, pack: Pack, kept: ModelComparisons) -> RatingSummary:
    journal, config = context.journal, context.config
    here = {other.name: other for other in journal.runs()}
    names = [row["model"] for row in kept.ratings]
    mixed = len({is_demo(name, here.get(name)) for name in names}) > 1
    config = replace(config, mixed=mixed)
    met = Contest(journal, config, pack).met()
    engine = str(kept.notes.get("engine"))
    return find_standing(
        config.benchmark, pack, met, run=context.run, engine=engine, options=config.options
    )


C = TypeVar("C", bound=RunContext)


async def rescore(stored: StoredRun, config: RunConfig, pack: Pack) -> ResultDocument:
    """The result document of a run's replies, graded anew.

    Only samples that were graded before are graded again: one that still waits for replies
    is left to the run's own command. The new grades are kept apart from those of `bench run`,
    which may ask further where this could not.
    """
    journal, run = stored.journal, stored.record
    with RunLock(journal.folder, run.run_id).acquire():
        stored = StoredRun(journal, run)  # another command may have ended since it was read
        samples, selection = _selected(stored, pack)
        context = _context(stored, Regrade(config, pack, run), RunContext, offline=True)
        await run_workers(context, iter(samples), 1, run_sample)
        journal.writer.flush()
        evidence = evidence_of(context, selection)
        view = view_of(stored, config, selection)
        compared = rated_as_before(context, pack)
        document = build_document(
            run, config, pack, selection, evidence, compared=compared, view=view
        )
        ended = run.finished_at is not None
        status = None if ended else run.status
        keep_result(stored, document, finished=ended, status=status)
        return document


class Regraded(NamedTuple):
    """A result that is not stored, and how many of its samples miss a reply that was never made."""

    document: ResultDocument
    missing: int


async def regrade(stored: StoredRun, config: RunConfig, pack: Pack) -> Regraded:
    """What `rescore` would store; nothing is."""
    run = stored.record
    samples, selection = _selected(stored, pack)
    context = _context(stored, Regrade(config, pack, run), Unkept)
    await run_workers(context, iter(samples), 1, run_sample)
    known = stored.evidence(context.grader, selection, sent=0)
    tried = {(sample.item.id, sample.iteration) for sample in samples}
    failures = [f for f in stored.failures if (f.item_id, f.iteration) not in tried]
    failures += context.failed
    scores, by_judge = context.scores, context.by_judge
    evidence = replace(known, scores=scores, failures=failures, by_judge=by_judge)
    if config.panel:
        replies = replies_of(config.panel, scores, failures, by_judge)
        evidence = replace(evidence, replies=replies)
    compared = rated_as_before(context, pack)
    document = build_document(run, config, pack, selection, evidence, compared=compared)
    missing = sum((score.score.reason or "").startswith(NOT_HELD) for score in scores)
    return Regraded(document, missing)


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


def _context(stored: StoredRun, task: Task, kind: type[C], *, offline: bool = False) -> C:
    """A context in which nobody can be asked."""
    return kind(
        task.config,
        stored.record,
        stored.journal,
        Progress(),
        Stop(),
        [p.connected() for p in task.parties],
        regrades=True,
        offline=offline,
    )


# All stored results as they would be today


class Number(NamedTuple):
    """A metric's value and its 95 % interval; each ``None`` where there is none."""

    value: float | None = None
    ci95: Sequence[float | None] | None = None

    def is_like(self, other: "Number") -> bool:
        """Whether two are the same to a billionth."""
        one, two = ([number.value, *(number.ci95 or ())] for number in (self, other))
        return len(one) == len(two) and all(map(_are_close, one, two))


def _are_close(one: float | None, two: float | None) -> bool:
    if one is None or two is None:
        return one is two
    return isclose(one, two, rel_tol=1e-9, abs_tol=1e-9)


class Change(NamedTuple):
    """A number of a stored result that would be another one today."""

    metric: str
    old: Number
    new: Number


_OTHER_SAMPLES = (
    "the journal holds samples that its result does not have, or not any more: its own command "
    "sums them up"
)


class CheckedRun(NamedTuple):
    """What became of one run: its numbers that are others today, and the result stored instead.

    Or the reason why nothing could be said, or may be changed.
    """

    run: RunRecord
    changes: tuple[Change, ...] = ()
    reason: str | None = None
    rescored: ResultDocument | None = None

    def as_json(self) -> object:
        """The fields of the document."""
        return {
            "run_id": self.run.run_id,
            "benchmark": self.run.benchmark,
            "model": self.run.name,
            "changes": self.changes,
            "reason": self.reason,
            "rescored": self.rescored is not None,
        }


def check_all(journal: Journal, catalogue: Catalogue, *, dry: bool) -> Iterator[CheckedRun]:
    """Each run that has a result of its own, the oldest first; nothing is stored if `dry`."""
    for run in journal.runs():
        stored = StoredRun(journal, run, catalogue)
        if stored.document is not None:
            yield _check(stored, stored.document, dry=dry)


def _check(stored: StoredRun, document: ResultDocument, *, dry: bool) -> CheckedRun:
    run = stored.record
    try:
        config = stored.config_of(document)
        pack = stored.pack_of(config)
        regraded = asyncio.run(regrade(stored, config, pack))
        if document["items"]["total"] != regraded.document["items"]["total"]:
            return CheckedRun(run, reason=_OTHER_SAMPLES)
        changes = tuple(_changes(document, regraded.document))
        if changes and regraded.missing:
            are = "a sample needs" if regraded.missing == 1 else f"{regraded.missing} samples need"
            message = f"{are} replies that were never made: its own command asks for them"
            return CheckedRun(run, reason=message)
        if dry or not changes:
            return CheckedRun(run, changes)
        return CheckedRun(run, changes, rescored=asyncio.run(rescore(stored, config, pack)))
    except BenchError as error:
        return CheckedRun(run, reason=str(error))


def _changes(stored: ResultDocument, today: ResultDocument) -> Iterator[Change]:
    """The metrics, and last the run's own rating, that are not alike."""
    names = dict.fromkeys((*stored["metrics"], *today["metrics"]))
    changes = [Change(name, _metric(stored, name), _metric(today, name)) for name in names]
    changes.append(Change("rating", _rating(stored), _rating(today)))
    yield from (change for change in changes if not change.old.is_like(change.new))


def _metric(document: ResultDocument, name: str) -> Number:
    row = document["metrics"].get(name)
    return Number(row["value"], row["ci95"]) if row else Number()


def _rating(document: ResultDocument) -> Number:
    rows = (row for row in document["ratings"] if row["model"] == document["name"])
    return next((Number(row["rating"], row["ci95"]) for row in rows), Number())
