"""Judging a stored run again, with any judge: its transcripts come from the journal."""

from collections.abc import Callable
from dataclasses import replace

from ..benchmark import Benchmark, Pack
from ..clients.batch_settings import Batching
from ..compare.contest import Contest
from ..compare.opponents import Slot, finished
from ..errors import JournalError, UsageError
from ..guard import guard
from ..reports.suggestions import bench
from ..runs.stored_run import StoredRun
from ..settings.run_config import Endpoint, RunConfig, grader
from ..types import JsonObject
from .task import Regrade


def rejudge_task(
    stored: StoredRun,
    judge: Endpoint,
    *,
    changes: JsonObject,
    dataset: str | None,
    max_reply: int,
    batching: Callable[[Benchmark], Batching | None] = lambda benchmark: None,
) -> Regrade:
    """What judges the finished transcripts of a stored run.

    Args:
        stored: The run.
        judge: Who judges.
        changes: Other values of grading options.
        dataset: Where its data is now, if it was moved.
        max_reply: The most bytes that are read of a reply.
        batching: How they go to a batch API, if they do.

    Raises:
        UsageError: The benchmark asks no judge, or an option cannot be changed so.
        JournalError: No transcript of the run is finished.
    """
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
    whole = _finished(stored, config, pack)
    items, iterations = _asked_for(stored, config, pack, whole)
    config = replace(
        config,
        items=items,
        iterations=iterations,
        limits=judge.limits or config.limits,
        max_reply=max_reply,
        batching=batching(benchmark),
        runs_dir=stored.journal.folder,
    )
    return Regrade(config, pack, stored.record, whole)


def _asks_judge(config: RunConfig, pack: Pack) -> bool:
    """Whether any transcript is judged by itself: a run may only have been compared."""
    plugin = guard(config.benchmark)
    return any(plugin.planned_calls(item, config.options)["judge"] for item in pack.items)


def _finished(stored: StoredRun, config: RunConfig, pack: Pack) -> frozenset[Slot]:
    """The samples with a finished transcript.

    Raises:
        JournalError: There are none.
    """
    whole = finished(Contest(stored.journal, config, pack), stored.record)
    if not whole:
        raise JournalError(
            f"run {stored.id} has no finished transcript to judge; its own command makes them"
        )
    return whole


def _asked_for(
    stored: StoredRun, config: RunConfig, pack: Pack, whole: frozenset[Slot]
) -> tuple[tuple[str, ...], int]:
    """The items that the result is about, in pack order, and the last iteration of one.

    They are those with a finished transcript; where this judge has graded the run, all that were
    begun, as its result is one of them.
    """
    if any(stored.journal.samples_graded(stored.record, grader(config))):
        begun = stored.journal.samples_begun(stored.record)
        whole |= begun | stored.journal.samples_done(stored.record)
    ids = {item_id for item_id, _ in whole}
    return tuple(i.id for i in pack.items if i.id in ids), max(n for _, n in whole)
