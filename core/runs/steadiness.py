"""How steady a stored run is from one iteration to the next, value by value."""

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from .. import statistics
from ..errors import BenchError
from ..hooks.sections import Table
from ..reports.graded import Key
from ..reports.pairing import main_values
from ..reports.steadiness import steadiness_table

if TYPE_CHECKING:
    from ..parties.graders import Grader
    from ..statistics.steadiness import SteadinessRow
    from .stored_run import StoredRun


def steadiness(
    run: "StoredRun", grader: "Grader | None", dataset: str | None = None
) -> "list[SteadinessRow]":
    """Of the metric that ranks, then of each value that has other numbers, by a grader.

    On the scale of their metrics; those of which neither end is better are left out. Nothing where
    no item was scored twice. `DataError` where the run's data is not where it was.
    """
    counts = Counter(sample.item_id for sample in run.samples(grader) if sample.status == "scored")
    if grader is None or max(counts.values(), default=0) < 2:
        return []
    pack, plugin = run.pack_of(run.config(dataset=dataset)), run.plugin
    graded = run.graded(grader, pack.clusters)
    metrics = run.document["metrics"] if run.document else {}
    name = plugin.ranked_by or next(iter(metrics), "")
    main = main_values(plugin, pack, graded) if name in metrics else {}
    better = {value.name: value.higher_is_better for value in plugin.values}
    better |= {name: metrics[name]["higher_is_better"]} if main else {}
    by_value = {name: _by_item(main)} if main else {}
    for value in graded.value_names():
        scale = plugin.value_scales.get(value, 1.0)
        known = {k: scale * v for k in graded.scores if (v := graded.value(k, value)) is not None}
        if known != main:
            by_value.setdefault(value, _by_item(known))
    note = run.repeats_note
    return [
        row._replace(note=note)
        for value, by_item in by_value.items()
        if (end := better.get(value, True)) is not None
        for row in statistics.steadiness.steadiness_of(
            run.name, value, by_item, pack.clusters, less_is_better=not end
        )
    ]


def _by_item(values: Mapping[Key, float]) -> dict[str, list[float]]:
    by_item: dict[str, list[float]] = {}
    for (item_id, _), value in values.items():
        by_item.setdefault(item_id, []).append(value)
    return by_item


def steadiness_tables(run: "StoredRun") -> list[Table]:
    """One table, or none: also where the benchmark or the data is not here."""
    with suppress(BenchError):
        if rows := run.steadiness():
            return [steadiness_table(rows)]
    return []
