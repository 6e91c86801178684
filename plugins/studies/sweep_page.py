"""The page "Models by benchmarks": main numbers with intervals, and a curve over steps of each."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

from eibench import Drawing, Plot, ResultDocument, Series, Table
from eibench.text import checkpoint, interval, number

FEWEST = 2
"""Benchmarks, or steps of a model, below which there is nothing to see."""
MOST_SERIES = 6
MOST_DRAWN = 1_000
"""Cells of the drawing; a larger table stands alone."""


class PageColumn(NamedTuple):
    """What numbers must share to stand in one column: as a board, and asked of as many items."""

    benchmark: str
    pack: str
    judge: str
    options: str
    items: int

    @classmethod
    def of(cls, document: ResultDocument) -> "PageColumn":
        """That of a result."""
        pack, options = document["dataset"], json.dumps(document["options"], sort_keys=True)
        items = document["items"]["total"] // max(1, document["iterations"])
        judge = json.dumps(document["judged_by"], sort_keys=True)
        return cls(document["benchmark"], f"{pack['name']} {pack['sha256']}", judge, options, items)


Cells = Mapping[tuple[str, PageColumn], ResultDocument]


def sweep_page(documents: Sequence[ResultDocument]) -> list[Table | Drawing | Plot] | None:
    """A table of complete results, then a plot for each column with checkpoints of a model."""
    by_cell = {
        (document["name"], PageColumn.of(document)): document
        for document in documents
        if document["status"] == "complete" and document["view"] is None and document["metrics"]
    }
    columns = sorted({column for _, column in by_cell})
    labels = _labels(columns, by_cell)
    plots = [plot for column in columns for plot in _plots(column, labels[column], by_cell)]
    several = any(
        len({column.benchmark for name, column in by_cell if name == one}) >= FEWEST
        for one, _ in by_cell
    )
    if not (plots or several):
        return None
    names = sorted({name for name, _ in by_cell}, key=_by_step)
    drawn = len(by_cell) > len(columns) and len(names) * len(columns) <= MOST_DRAWN
    heat = [_heat(names, labels, by_cell)] if drawn else []
    return [*heat, *plots, _table(names, labels, by_cell)]


def _labels(columns: Sequence[PageColumn], by_cell: Cells) -> dict[PageColumn, str]:
    """The benchmark, with what keeps it apart from its other columns, and if less is better."""
    labels = {}
    for column in columns:
        alike = [other for other in columns if other.benchmark == column.benchmark]
        document = next(d for (_, one), d in by_cell.items() if one == column)
        parts = [
            document["dataset"]["name"] * (len({one.pack for one in alike}) > 1),
            (document["judge"] or "") * (len({one.judge for one in alike}) > 1),
            f"{column.items} items" * (len({one.items for one in alike}) > 1),
            column.options * (len({one.options for one in alike}) > 1),
            "less is better" * (_main(document)["higher_is_better"] is False),
        ]
        labels[column] = ", ".join([column.benchmark, *filter(None, parts)])
    return labels


def _table(names: Sequence[str], labels: Mapping[PageColumn, str], by_cell: Cells) -> Table:
    """A row for each model, those of a history by step."""
    rows = [(name, *(_cell(by_cell.get((name, c))) for c in labels)) for name in names]
    note = (
        "Main number of each complete result, with its 95 % interval; a dash where there is none. "
        "Numbers of one column share pack, judge, options and the number of items."
    )
    right = tuple(range(1, len(labels) + 1))
    return Table("Models by benchmarks", ("model", *labels.values()), rows, note=note, right=right)


_WIDE, _HIGH, _NAMES = 150, 30, 220
"""Points that a cell, a row and a name take."""


def _heat(names: Sequence[str], labels: Mapping[PageColumn, str], by_cell: Cells) -> Drawing:
    """The same as a drawing: the deeper a cell, the better beside the others of its column."""
    width, height = _NAMES + _WIDE * len(labels), _HIGH * (len(names) + 1)
    parts = [f'<svg viewBox="0 0 {width} {height}" font-size="12">']
    parts += [
        _text(_NAMES + _WIDE * n + 6, 20, _short(label, 22))
        for n, label in enumerate(labels.values())
    ]
    for row, name in enumerate(names, 1):
        parts.append(_text(0, _HIGH * row + 20, _short(name, 32)))
        for n, column in enumerate(labels):
            x, y = _NAMES + _WIDE * n, _HIGH * row
            document = by_cell.get((name, column))
            if document:
                depth = 0.05 + 0.5 * _goodness(column, document, by_cell)
                parts.append(
                    f'<rect x="{x}" y="{y}" width="{_WIDE - 2}" height="{_HIGH - 2}" '
                    f'fill="#3a7bd5" fill-opacity="{depth:.2f}"/>'
                )
            parts.append(_text(x + 6, y + 19, _cell(document)))
    note = (
        "The deeper a cell, the better beside the others of its column; brackets: 95 % intervals."
    )
    return Drawing("Models by benchmarks, drawn", "".join([*parts, "</svg>"]), note)


def _text(x: int, y: int, text: str) -> str:
    return f'<text x="{x}" y="{y}" fill="currentColor">{escape(text)}</text>'


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _main(document: ResultDocument) -> Any:
    return next(iter(document["metrics"].values()))


def _goodness(column: PageColumn, document: ResultDocument, by_cell: Cells) -> float:
    """From 0, the worst of a column, to 1, the best; 0 where there is no number."""
    values = [
        value for (_, one), d in by_cell.items()
        if one == column and (value := _main(d)["value"]) is not None
    ]  # fmt: skip
    mine = _main(document)
    if mine["value"] is None or max(values) == min(values):
        return 0.0
    share: float = (mine["value"] - min(values)) / (max(values) - min(values))
    return 1 - share if mine["higher_is_better"] is False else share


def _by_step(name: str) -> tuple[str, int, str]:
    step = checkpoint(name)
    return (step.of, step.step, name) if step else (name, 0, name)


def _cell(document: ResultDocument | None) -> str:
    if document is None:
        return "–"
    metric = _main(document)
    ends = f" ({interval(metric['ci95'])})" if metric["ci95"] else ""
    return number(metric["value"]) + ends


def _plots(column: PageColumn, label: str, by_cell: Cells) -> Iterator[Plot]:
    """Curves of the models of which there are several checkpoints, six at a time."""
    points: dict[str, list[tuple[float, float]]] = {}
    unit, y = "step", ""
    for (name, one), document in by_cell.items():
        value = _main(document)["value"]
        if one == column and (step := checkpoint(name)) and value is not None:
            unit, y = step.unit, next(iter(document["metrics"])).replace("_", " ")
            points.setdefault(step.of or "the model", []).append((step.step, value))
    series = [
        Series(name, sorted(curve)) for name, curve in sorted(points.items())
        if len(curve) >= FEWEST
    ]  # fmt: skip
    note = "Neighbouring steps are often not told apart: a model's page has the intervals."
    for n in range(0, len(series), MOST_SERIES):
        yield Plot(f"{label} by {unit}", series[n : n + MOST_SERIES], unit, y, "lines", note)
