"""What came of each item of a run: a row an item, made of the grades of one grader."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..journal import Journal, RunRecord
from ..text import number
from ..types import Score
from ..types.result_document import ResultDocument
from .columns import Cell, FitColumn, FitTable

SORTS = ("worst", "id", "spread")


class ItemSample(NamedTuple):
    """One sample of an item; its reason says why it has no number."""

    iteration: int
    status: str
    values: Mapping[str, float | None]
    reason: str | None
    flags: Sequence[str]


class ItemRow(NamedTuple):
    """An item with its samples; the value is the mean of what was scored."""

    item_id: str
    value: float | None
    spread: float | None
    samples: Sequence[ItemSample]


class Items(NamedTuple):
    """The items of a run."""

    run_id: str
    benchmark: str
    model: str
    demo: bool
    value: str | None
    items: Sequence[ItemRow]


def items_of(journal: Journal, run: RunRecord, document: ResultDocument | None, sort: str) -> Items:
    """The items of a run in an order, by the grader of its own result.

    Args:
        journal: That holds the run.
        run: Whose items.
        document: Its own result; without one, the latest grader counts.
        sort: ``worst`` first, by ``id``, or the largest ``spread`` first.
    """
    samples: dict[str, list[ItemSample]] = {}
    for item_id, sample in sorted(_samples(journal, run, document), key=lambda p: p[1].iteration):
        samples.setdefault(item_id, []).append(sample)
    name = _main_value(document, samples)
    rows = [_row(item_id, found, name) for item_id, found in samples.items()]
    rows.sort(key=_KEYS[sort](_higher_is_better(document)))
    return Items(run.run_id, run.benchmark, run.name, run.demo, name, rows)


def _samples(
    journal: Journal, run: RunRecord, document: ResultDocument | None
) -> Iterator[tuple[str, ItemSample]]:
    begun, failures = journal.samples_begun(run), list(journal.failures(run))
    own = document["grader"] if document else None
    graders = [grader.digest for grader in journal.graders(run)]
    chosen = own if own in graders else next(iter(graders), "")
    graded = set()
    clusters = {item_id: "" for item_id, _ in begun}
    for s in journal.grades(run, chosen, clusters):
        graded.add((s.item_id, s.iteration))
        yield s.item_id, _graded(s.iteration, s.score)
    for failure in failures:
        graded.add((failure.item_id, failure.iteration))
        yield failure.item_id, ItemSample(failure.iteration, "failed", {}, failure.reason, ())
    for item_id, iteration in begun - graded:
        yield item_id, ItemSample(iteration, "to do", {}, None, ())


def _graded(iteration: int, score: Score) -> ItemSample:
    status = "scored" if score.reason is None else "unscored"
    return ItemSample(iteration, status, score.values, score.reason, score.flags)


def _main_value(
    document: ResultDocument | None, samples: Mapping[str, Sequence[ItemSample]]
) -> str | None:
    """The value that the main metric is made of: of two passes the better, else the first."""
    names = [name for found in samples.values() for s in found for name in s.values]
    chosen = document["notes"].get("pass") if document else None
    return chosen if chosen in names else next(iter(names), None)


def _higher_is_better(document: ResultDocument | None) -> bool:
    metrics = document["metrics"].values() if document else ()
    return all(metric["higher_is_better"] is not False for metric in list(metrics)[:1])


def _row(item_id: str, samples: Sequence[ItemSample], name: str | None) -> ItemRow:
    found = [value for s in samples if (value := s.values.get(name or "")) is not None]
    spread = max(found) - min(found) if len(found) > 1 else None
    return ItemRow(item_id, sum(found) / len(found) if found else None, spread, samples)


_Key = Callable[[ItemRow], tuple[object, ...]]


def _worst(higher: bool) -> _Key:
    """Items without a number first, then the worst."""
    sign = 1 if higher else -1
    return lambda row: (row.value is not None, sign * (row.value or 0.0), _natural(row.item_id))


def _by_id(higher: bool) -> _Key:
    return lambda row: _natural(row.item_id)


def _by_spread(higher: bool) -> _Key:
    return lambda row: (-(row.spread or 0.0), _natural(row.item_id))


_KEYS = {"worst": _worst, "id": _by_id, "spread": _by_spread}


def _natural(item_id: str) -> tuple[int, str]:
    """Numbers in their order, before names."""
    return (int(item_id), "") if item_id.isdecimal() else (1 << 62, item_id)


def items_table(found: Items) -> FitTable:
    """The items for people; what may be left out goes first on a narrow terminal."""
    rows = found.items
    columns = [
        FitColumn("item", [row.item_id for row in rows]),
        FitColumn((found.value or "score").replace("_", " "), [row.value for row in rows]),
    ]
    if any(row.spread is not None for row in rows):
        columns.append(FitColumn("spread", [row.spread for row in rows], 3))
        columns.append(FitColumn("each iteration", [_each(row, found.value) for row in rows], 1))
    if any(map(status_of, rows)):
        columns.append(FitColumn("", list(map(status_of, rows)), 4))
    if any(map(flags_of, rows)):
        columns.append(FitColumn("flags", list(map(flags_of, rows)), 2))
    title = f"{found.benchmark}  {found.model}{' DEMO' * found.demo}: items of run {found.run_id}"
    return FitTable(title, columns)


def _each(row: ItemRow, name: str | None) -> str:
    return "  ".join(number(sample.values.get(name or "")) for sample in row.samples)


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


def items_csv(found: Items) -> list[list[Cell]]:
    """A heading, then a row a sample with all of its values."""
    names = list(dict.fromkeys(n for row in found.items for s in row.samples for n in s.values))
    made: list[list[Cell]] = [["item_id", "iteration", "status", "reason", "flags", *names]]
    for row in found.items:
        for s in row.samples:
            head: list[Cell] = [row.item_id, s.iteration, s.status, s.reason, "; ".join(s.flags)]
            made.append(head + [s.values.get(name) for name in names])
    return made
