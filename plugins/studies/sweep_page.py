"""The page "Models by benchmarks": main numbers with intervals, and a curve over steps of each."""

from collections.abc import Iterator, Mapping, Sequence
from xml.sax.saxutils import escape

from eibench import Drawing, Plot, ResultDocument, Series, Table
from eibench.text import checkpoint, interval, number

FEWEST = 2
"""Benchmarks, or steps of a model, below which there is nothing to see."""
MOST_SERIES = 6


def sweep_page(documents: Sequence[ResultDocument]) -> list[Table | Drawing | Plot] | None:
    """A table of whole results, then a plot for each benchmark that has checkpoints of a model."""
    by_cell = {
        (document["name"], document["benchmark"]): document
        for document in documents
        if document["status"] == "complete" and document["view"] is None and document["metrics"]
    }
    benchmarks = sorted({benchmark for _, benchmark in by_cell})
    plots = [plot for benchmark in benchmarks for plot in _plots(benchmark, by_cell)]
    several = any(
        sum((name, benchmark) in by_cell for benchmark in benchmarks) >= FEWEST
        for name, _ in by_cell
    )
    if not (plots or several):
        return None
    heat = [_heat(benchmarks, by_cell)] if len(by_cell) > len(benchmarks) else []
    return [*heat, *plots, _table(benchmarks, by_cell)]


Cells = Mapping[tuple[str, str], ResultDocument]


def _table(benchmarks: Sequence[str], by_cell: Cells) -> Table:
    """A row for each model, those of a history by step."""
    names = sorted({name for name, _ in by_cell}, key=_by_step)
    rows = [
        (_name(name, by_cell), *(_cell(by_cell.get((name, b))) for b in benchmarks))
        for name in names
    ]
    labels = [_label(benchmark, by_cell) for benchmark in benchmarks]
    note = "Main number of each whole result, with its 95 % interval; a dash where there is none."
    right = range(1, len(benchmarks) + 1)
    return Table("Models by benchmarks", ("model", *labels), rows, note=note, right=tuple(right))


_WIDE, _HIGH, _NAMES = 150, 30, 220
"""Points that a cell, a row and a name take."""


def _heat(benchmarks: Sequence[str], by_cell: Cells) -> Drawing:
    """The same as a drawing: the deeper a cell, the better beside the others of its column."""
    names = sorted({name for name, _ in by_cell}, key=_by_step)
    width, height = _NAMES + _WIDE * len(benchmarks), _HIGH * (len(names) + 1)
    parts = [f'<svg viewBox="0 0 {width} {height}" font-size="12">']
    parts += [_text(_NAMES + _WIDE * n + 6, 20, _short(b, 20)) for n, b in enumerate(benchmarks)]
    for row, name in enumerate(names, 1):
        parts.append(_text(0, _HIGH * row + 20, _short(_name(name, by_cell), 32)))
        for column, benchmark in enumerate(benchmarks):
            x, y = _NAMES + _WIDE * column, _HIGH * row
            if document := by_cell.get((name, benchmark)):
                depth = 0.05 + 0.5 * _goodness(benchmark, document, by_cell)
                parts.append(
                    f'<rect x="{x}" y="{y}" width="{_WIDE - 2}" height="{_HIGH - 2}" '
                    f'fill="#3a7bd5" fill-opacity="{depth:.2f}"/>'
                )
            cell = _cell(by_cell.get((name, benchmark)))
            parts.append(_text(x + 6, y + 19, cell))
    note = (
        "The deeper a cell, the better beside the others of its column; brackets: 95 % intervals."
    )
    return Drawing("Models by benchmarks, drawn", "".join([*parts, "</svg>"]), note)


def _text(x: int, y: int, text: str) -> str:
    return f'<text x="{x}" y="{y}" fill="currentColor">{escape(text)}</text>'


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _goodness(benchmark: str, document: ResultDocument, by_cell: Cells) -> float:
    """From 0, the worst of a column, to 1, the best; 0 where there is no number."""
    metrics = {
        name: next(iter(d["metrics"].values())) for (name, one), d in by_cell.items()
        if one == benchmark
    }  # fmt: skip
    values = [m["value"] for m in metrics.values() if m["value"] is not None]
    mine = metrics[document["name"]]
    if mine["value"] is None or max(values) == min(values):
        return 0.0
    share = (mine["value"] - min(values)) / (max(values) - min(values))
    return 1 - share if mine["higher_is_better"] is False else share


def _by_step(name: str) -> tuple[str, int, str]:
    step = checkpoint(name)
    return (step.of, step.step, name) if step else (name, 0, name)


def _name(name: str, by_cell: Cells) -> str:
    demo = any(d["demo"] for (one, _), d in by_cell.items() if one == name)
    return name + " DEMO" * demo


def _label(benchmark: str, by_cell: Cells) -> str:
    """The benchmark, with what is better where that is less."""
    document = next(d for (_, one), d in by_cell.items() if one == benchmark)
    less = next(iter(document["metrics"].values()))["higher_is_better"] is False
    return f"{benchmark} (less is better)" if less else benchmark


def _cell(document: ResultDocument | None) -> str:
    if document is None:
        return "–"
    metric = next(iter(document["metrics"].values()))
    ends = f" ({interval(metric['ci95'])})" if metric["ci95"] else ""
    return number(metric["value"]) + ends


def _plots(benchmark: str, by_cell: Cells) -> Iterator[Plot]:
    """Curves of the models of which there are several checkpoints, six at a time."""
    points: dict[str, list[tuple[float, float]]] = {}
    unit = "step"
    for (name, one), document in by_cell.items():
        value = next(iter(document["metrics"].values()))["value"]
        if one == benchmark and (step := checkpoint(name)) and value is not None:
            unit = step.unit
            points.setdefault(step.of or "the model", []).append((step.step, value))
    series = [
        Series(name, sorted(curve)) for name, curve in sorted(points.items())
        if len(curve) >= FEWEST
    ]  # fmt: skip
    document = next(d for (_, one), d in by_cell.items() if one == benchmark)
    y = next(iter(document["metrics"])).replace("_", " ")
    for n in range(0, len(series), MOST_SERIES):
        title = f"{benchmark} by {unit}"
        yield Plot(title, series[n : n + MOST_SERIES], unit, y, "lines", note=(
            "Neighbouring steps are often not told apart: a model's page has the intervals."
        ))  # fmt: skip
