"""How steady a stored run is from one iteration to the next, value by value."""

from contextlib import suppress
from typing import TYPE_CHECKING

from .. import statistics
from ..errors import BenchError
from ..hooks.sections import Table
from ..reports.steadiness import steadiness_table

if TYPE_CHECKING:
    from ..parties.graders import Judge
    from ..statistics.steadiness import SteadinessRow
    from .stored_run import StoredRun


def steadiness(
    run: "StoredRun", dataset: str | None = None, judge: "Judge | None" = None
) -> "list[SteadinessRow]":
    """Of each value of which one end is better, in the order of the scores.

    Nothing where no item was scored twice. By the grades of the judge that is named, else by those
    of the run's own result. `DataError` where the run's data is not where it was.
    """
    by_value: dict[str, dict[str, list[float]]] = {}
    for sample in run.samples(run.by_judge(judge) if judge else None):
        for name, value in sample.values.items():
            if value is not None:
                by_value.setdefault(name, {}).setdefault(sample.item_id, []).append(value)
    if not any(len(values) > 1 for items in by_value.values() for values in items.values()):
        return []
    better = {value.name: value.higher_is_better for value in run.plugin.values}
    families = run.pack_of(run.config(dataset=dataset)).clusters
    note = run.repeats_note
    return [
        row._replace(note=note)
        for name, by_item in by_value.items()
        if (end := better.get(name, True)) is not None
        for row in statistics.steadiness.steadiness_of(
            run.name, name, by_item, families, less_is_better=not end
        )
    ]


def steadiness_tables(run: "StoredRun") -> list[Table]:
    """One table, or none: also where the benchmark or the data is not here."""
    with suppress(BenchError):
        if rows := steadiness(run):
            return [steadiness_table(rows)]
    return []
