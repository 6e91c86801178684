"""Correlations as tables, and one of them as a plot with the models' names."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from ..text import interval, line, number
from .grid import Column, Grid
from .scatter import Point, Scatter, marks
from .tables import titled, warning

if TYPE_CHECKING:
    from ..analysis.correlations import ColumnCorrelation, Correlations, LeftOut

DIGITS = 4
_SHAPE = {
    "mean": "mean",
    "median": "median",
    "cv_sample": "CV (n - 1)",
    "iqr_linear": "IQR (linear)",
    "skewness_population": "skewness (population)",
}


def correlations(document: "Correlations") -> RenderableType:
    """Everything `bench correlate` prints: a plot too if there is one pair of columns."""
    rows = document.correlations
    parts: list[RenderableType] = [_title(document), _coefficients(rows)]
    parts += [
        quiet("Intervals are over models, by Fisher's transformation (docs/correlations.md).")
    ]
    judges = [f"{name}: {judge}" for name, judge in document.judges.items() if judge]
    parts += [quiet(f"judges: {'; '.join(judges)}")] if judges else []
    if len(rows) == 1:
        parts += _one(rows[0])
    parts += [quiet(f"{row.y}: {row.reason}") for row in rows if row.reason]
    parts += [quiet(f"left out: {message}") for message in document.left_out]
    parts += map(warning, document.warnings)
    return Group(*parts)


def quiet(text: str) -> Text:
    """A line that qualifies what stands above it."""
    return Text(line(text), style="dim")


def _title(document: "Correlations") -> Text:
    rows = document.correlations
    others = rows[0].y if len(rows) == 1 else f"{len(rows)} others"
    return titled(f"{rows[0].x} and {others}, from {document.source}", demo=document.demo)


def _coefficients(rows: Sequence["ColumnCorrelation"]) -> Grid:
    made = ruled("with", "n", "Pearson r", "95 % interval", "Spearman rho", "95 % interval")
    for row in rows:
        cells = [line(row.y), str(row.n)]
        for found in (row.pearson, row.spearman):
            cells += [number(found.value, DIGITS), interval(found.ci95, DIGITS)]
        made.add_row(*cells)
    return made


def ruled(first: str, *others: str) -> Grid:
    """A table with these headings, whose columns but the first are set to the right."""
    return Grid([Column(first), *(Column(heading, right=True) for heading in others)])


def _one(row: "ColumnCorrelation") -> list[RenderableType]:
    """What is shown of a single pair of columns."""
    parts: list[RenderableType] = []
    if row.leave_one_out:
        low, high = map(_end, row.leave_one_out)
        parts.append(Text(line(f"r without one model lies from {low} to {high}")))
    if all(row.distribution):
        parts += [Text(""), _shapes(row)]
    return parts + (_plot(row) if row.pairs else [])


def _end(end: "LeftOut") -> str:
    return f"{number(end.value, DIGITS)} (without {end.without})"


def _shapes(row: "ColumnCorrelation") -> RenderableType:
    title = f"Distribution of min-max scores, 0 to 100 over these {row.n} models"
    made = ruled("column", *_SHAPE.values())
    for column, shape in zip((row.x, row.y), row.distribution, strict=True):
        values = [number((shape or {})[f"min_max_{name}"], DIGITS) for name in _SHAPE]
        made.add_row(line(column), *values)
    return Group(Text(title, style="bold"), made)


def _plot(row: "ColumnCorrelation") -> list[RenderableType]:
    ordered = sorted(row.pairs, key=lambda pair: (pair.x, pair.y))
    points = [
        Point(mark, pair.x, pair.y) for mark, pair in zip(marks(len(ordered)), ordered, strict=True)
    ]

    def legend(shared: Mapping[str, str]) -> Grid:
        made = ruled("mark", line(row.x), line(row.y), "model")
        made.columns[-1].right = False
        for point, pair in zip(points, ordered, strict=True):
            place = f" (drawn as {shared[point.mark]})" if point.mark in shared else ""
            name = "  ".join([pair.model + place, *pair.flags])
            made.add_row(point.mark, f"{pair.x:g}", f"{pair.y:g}", line(name))
        return made

    return [Text(""), Scatter(points, row.x, row.y, legend)]
