"""What came of each sample and each item of a run, by one grader."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..journal import RunRecord
from ..text import number
from ..types.result_document import ResultDocument
from .columns import Cell, FitColumn, FitTable

SORTS = ("worst", "id", "spread")


class RunSample(NamedTuple):
    """What came of one sample of a run.

    Attributes:
        status: ``scored``, ``unscored`` (it has no number), ``failed`` (it has no usable answer),
            or ``pending``, which this grader has not graded yet.
        value: What it adds to the metric that ranks, on its scale; ``None`` where it has no number,
            the metric is no mean over samples, or the run's data is not here.
        reason: Why it is unscored or has failed; ``None`` elsewhere.
        values: All of its numbers; the names are the same for all samples of a run.
    """

    item_id: str
    iteration: int
    status: str
    value: float | None
    reason: str | None
    flags: Sequence[str] = ()
    values: Mapping[str, float | None] = {}


class ItemSample(NamedTuple):
    """One sample of an item; its reason says why it has no number."""

    iteration: int
    status: str
    value: float | None
    values: Mapping[str, float | None]
    reason: str | None
    flags: Sequence[str]


class ItemRow(NamedTuple):
    """An item with its samples; the value is the mean of what was scored."""

    item_id: str
    value: float | None
    spread: float | None
    samples: Sequence[ItemSample]


class MainValues(NamedTuple):
    """What samples add to the metric that ranks: its name, and the values by sample."""

    name: str | None
    values: Mapping[tuple[str, int], float]


class Items(NamedTuple):
    """The items of a run; `value` is the name of their value."""

    run_id: str
    benchmark: str
    model: str
    demo: bool
    value: str | None
    items: Sequence[ItemRow]


def items_of(
    run: RunRecord,
    samples: Sequence[RunSample],
    name: str | None,
    document: ResultDocument | None,
    sort: str,
) -> Items:
    """The items of a run: the ``worst`` first, by ``id``, or the largest ``spread`` first.

    `name` is that of the samples' value.
    """
    by_item: dict[str, list[ItemSample]] = {}
    for s in samples:
        status = "to do" if s.status == "pending" else s.status
        sample = ItemSample(s.iteration, status, s.value, s.values, s.reason, s.flags)
        by_item.setdefault(s.item_id, []).append(sample)
    rows = [_row(item_id, samples_of_item) for item_id, samples_of_item in by_item.items()]
    main = next(iter(document["metrics"].values()), None) if document else None
    higher = main is None or main["higher_is_better"] is not False
    rows.sort(key=lambda row: _sort_key(row, sort, higher=higher))
    return Items(run.run_id, run.benchmark, run.name, run.demo, name, rows)


def valued(samples: Sequence[RunSample], main: MainValues) -> list[RunSample]:
    """Samples, each with its value."""
    return [s._replace(value=main.values.get((s.item_id, s.iteration))) for s in samples]


def first_values(document: ResultDocument | None, samples: Iterable[RunSample]) -> MainValues:
    """In place of main values the first one of each sample; of two passes that of the better."""
    names = [name for s in samples for name in s.values]
    chosen = document["notes"].get("pass") if document else None
    name = chosen if chosen in names else next(iter(names), None)
    values = {(s.item_id, s.iteration): s.values.get(name or "") for s in samples}
    return MainValues(name, {key: value for key, value in values.items() if value is not None})


def _row(item_id: str, samples: Sequence[ItemSample]) -> ItemRow:
    values = [s.value for s in samples if s.value is not None]
    spread = max(values) - min(values) if len(values) > 1 else None
    return ItemRow(item_id, sum(values) / len(values) if values else None, spread, samples)


def _sort_key(row: ItemRow, sort: str, *, higher: bool) -> tuple[object, ...]:
    """Where an item stands in an order; of the worst those without a number are first."""
    if sort == "worst":
        value = row.value or 0.0
        return row.value is not None, value if higher else -value, *_natural(row.item_id)
    spread = row.spread or 0.0
    return -spread if sort == "spread" else 0.0, *_natural(row.item_id)


def _natural(item_id: str) -> tuple[int, str]:
    """Numbers in their order, before names."""
    return (int(item_id), "") if item_id.isdecimal() else (1 << 62, item_id)


def items_table(items: Items) -> FitTable:
    """The items for people; what may be left out goes first on a narrow terminal."""
    rows = items.items
    columns = [
        FitColumn("item", [row.item_id for row in rows]),
        FitColumn((items.value or "score").replace("_", " "), [row.value for row in rows]),
    ]
    if any(row.spread is not None for row in rows):
        columns.append(FitColumn("spread", [row.spread for row in rows], 3))
        each = ["  ".join(number(s.value) for s in row.samples) for row in rows]
        columns.append(FitColumn("each iteration", each, 1))
    if any(map(status_of, rows)):
        columns.append(FitColumn("", list(map(status_of, rows)), 4))
    if any(map(flags_of, rows)):
        columns.append(FitColumn("flags", list(map(flags_of, rows)), 2))
    title = f"{items.benchmark}  {items.model}{' DEMO' * items.demo}: items of run {items.run_id}"
    return FitTable(title, columns)


def status_of(row: ItemRow) -> str:
    """What became of samples that are not scored."""
    return "; ".join(
        s.status + (f": {s.reason}" if s.reason else "")
        for s in row.samples
        if s.status != "scored"
    )


def flags_of(row: ItemRow) -> str:
    """The flags of an item's samples, each once."""
    return ", ".join(dict.fromkeys(flag for s in row.samples for flag in s.flags))


def items_csv(items: Items) -> list[list[Cell]]:
    """A heading, then a row a sample with all of its values."""
    names = list(dict.fromkeys(n for row in items.items for s in row.samples for n in s.values))
    lines: list[list[Cell]] = [["item_id", "iteration", "status", "reason", "flags", *names]]
    for row in items.items:
        for s in row.samples:
            head: list[Cell] = [row.item_id, s.iteration, s.status, s.reason, "; ".join(s.flags)]
            lines.append(head + [s.values.get(name) for name in names])
    return lines
