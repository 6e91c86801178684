"""Judging a stored run again, with any judge: its transcripts come from the journal."""

from dataclasses import replace

from ..benchmark import Benchmark, Pack
from ..clients.caller import Limits
from ..compare.opponents import finished
from ..errors import JournalError, UsageError
from ..guard import guard
from ..journal import Journal, RunRecord
from ..parties.providers import Transfer
from ..plugins import Catalogue
from ..reports.hints import bench
from ..runs.stored_config import config_of, pack_of
from ..settings.run_config import Endpoint, RunConfig
from ..types import JsonDict, JsonObject
from .task import Regrade


def rejudge_task(
    journal: Journal,
    run: RunRecord,
    catalogue: Catalogue,
    judge: Endpoint,
    *,
    changes: JsonObject,
    dataset: str | None,
    limits: Limits,
    transfer: Transfer,
) -> Regrade:
    """What judges the finished transcripts of a stored run.

    Args:
        journal: Holds the run.
        run: The run.
        catalogue: Knows its benchmark.
        judge: Who judges.
        changes: Other values of grading options.
        dataset: Where its data is now, if it was moved.
        limits: How fast the judge is asked.
        transfer: How requests are carried.

    Raises:
        UsageError: The benchmark asks no judge, or an option cannot be changed so.
        JournalError: No transcript of the run is finished.
    """
    benchmark = catalogue.benchmark(run.benchmark)
    if not benchmark.judged:
        raise UsageError(
            f"{benchmark.name} asks no judge; {bench('rescore', run.run_id)} scores again"
        )
    config = config_of(journal, run, catalogue, changes, dataset, judge=judge)
    if not _asks_judge(run, config):
        given = {**_defaults(benchmark), **changes}
        config = config_of(journal, run, catalogue, given, dataset, judge=judge)
    pack = pack_of(run, config)
    items, iterations = _finished(journal, run, config, pack)
    config = replace(
        config,
        items=items,
        iterations=iterations,
        judge_limits={judge.label: limits},
        limits=limits,
        transfer=transfer,
        runs_dir=journal.folder,
    )
    return Regrade(config, pack, run)


def _asks_judge(run: RunRecord, config: RunConfig) -> bool:
    """Whether any transcript is judged by itself: a run may only have been compared."""
    plugin, items = guard(config.benchmark), pack_of(run, config).items
    return any(plugin.planned_calls(item, config.options)["judge"] for item in items)


def _defaults(benchmark: Benchmark) -> JsonDict:
    """Those of grading options, where the run's own leave nothing to judge."""
    return {o.name: o.default for o in benchmark.options if o.in_grades}


def _finished(
    journal: Journal, run: RunRecord, config: RunConfig, pack: Pack
) -> tuple[tuple[str, ...], int]:
    """The items with a finished transcript, in pack order, and the last iteration of one."""
    whole = finished(journal, pack, config, run)
    if not whole:
        raise JournalError(
            f"run {run.run_id} has no finished transcript to judge; its own command makes them"
        )
    ids = {item_id for item_id, _ in whole}
    return tuple(i.id for i in pack.items if i.id in ids), max(n for _, n in whole)
