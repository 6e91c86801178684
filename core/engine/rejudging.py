"""Judging a stored run again, with any judge: its transcripts come from the journal."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..benchmark import Benchmark
from ..clients.caller import Limits
from ..errors import JournalError, UsageError
from ..journal import Journal, RunRecord
from ..plugins import Catalogue
from .config import Endpoint, RunConfig
from .contestants import finished
from .rescoring import config_of, pack_of


def rejudge_config(
    journal: Journal,
    run: RunRecord,
    catalogue: Catalogue,
    judge: Endpoint,
    *,
    changes: Mapping[str, Any],
    dataset: str | None,
    limits: Limits,
) -> RunConfig:
    """The configuration that judges the finished transcripts of a stored run.

    Args:
        journal: Holds the run.
        run: The run.
        catalogue: Knows its benchmark.
        judge: Who judges.
        changes: Other values of grading options.
        dataset: Where its data is now, if it was moved.
        limits: How fast the judge is asked.

    Raises:
        UsageError: The benchmark asks no judge, or an option cannot be changed so.
        JournalError: No transcript of the run is finished.
    """
    benchmark = catalogue.benchmark(run.benchmark)
    if not benchmark.judged:
        raise UsageError(f"{benchmark.name} asks no judge; bench rescore {run.run_id} scores again")
    given = {**_judging(benchmark, run), **changes}
    config = config_of(journal, run, catalogue, given, dataset, judge=judge)
    items, iterations = _finished(journal, run, config)
    return replace(
        config,
        items=items,
        iterations=iterations,
        judge_limits=limits,
        limits=limits,
        runs_dir=journal.folder,
        run_id=run.run_id,
    )


def _judging(benchmark: Benchmark, run: RunRecord) -> dict[str, Any]:
    """The defaults of grading options, where those of the run leave nothing to judge."""
    if benchmark.needs_judge(run.settings["all_options"]):
        return {}
    return {o.name: o.default for o in benchmark.options if o.in_grades}


def _finished(journal: Journal, run: RunRecord, config: RunConfig) -> tuple[tuple[str, ...], int]:
    """The items with a finished transcript, in pack order, and the last iteration of one."""
    pack = pack_of(run, config)
    whole = finished(journal, pack, config, run)
    if not whole:
        raise JournalError(
            f"run {run.run_id} has no finished transcript to judge; its own command makes them"
        )
    ids = {item_id for item_id, _ in whole}
    return tuple(i.id for i in pack.items if i.id in ids), max(n for _, n in whole)
