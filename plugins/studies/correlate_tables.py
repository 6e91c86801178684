"""Correlations as tables, and one of them as a plot with the models' names."""

from collections.abc import Sequence
from shutil import get_terminal_size

import eibench
from eibench import Paragraph, Table
from eibench.text import interval, line, number

from .correlations import Coefficient, ColumnCorrelation, Correlations, LeftOut, ScorePair
from .scatter import Point, marks, with_axes

DIGITS = 4
PLAIN_WIDTH = 110
"""Of a plot where there is no terminal."""
_SHAPE = {
    "mean": "mean",
    "median": "median",
    "cv_sample": "CV (n - 1)",
    "iqr_linear": "IQR (linear)",
    "skewness_population": "skewness (population)",
}


def show_correlations(document: Correlations) -> None:
    """Everything `bench correlate` prints: a plot too if there is one pair of columns."""
    rows = document.correlations
    notes = ["Intervals are over models, by Fisher's transformation (docs/correlations.md)."]
    judges = [f"{name}: {judge}" for name, judge in document.judges.items() if judge]
    notes += [f"judges: {'; '.join(judges)}"] if judges else []
    last = [f"{row.y}: {row.reason}" for row in rows if row.reason]
    last += [f"left out: {message}" for message in document.left_out]
    coefficients = _coefficients(document)
    if len(rows) > 1:
        eibench.show(_noted(coefficients, notes + last), warnings=document.warnings)
        return
    (row,) = rows
    if row.leave_one_out:
        low, high = map(_end, row.leave_one_out)
        notes.append(f"r without one model lies from {low} to {high}")
    width = get_terminal_size((PLAIN_WIDTH, 0)).columns
    pairs = sorted(row.pairs, key=lambda pair: (pair.x, pair.y))
    points = [Point(m, p.x, p.y) for m, p in zip(marks(len(pairs)), pairs, strict=True)]
    plot = with_axes(points, row.x, row.y, width)
    shapes = [_shapes(row)] if all(row.distribution) else []
    eibench.show(_noted(coefficients, notes), *shapes, Paragraph("\n".join(plot.lines)))
    eibench.show(_noted(_legend(row, points, pairs, plot.shared), last), warnings=document.warnings)


def _noted(table: Table, notes: Sequence[str]) -> Table:
    return table._replace(note="\n".join(map(line, notes)))


def _coefficients(document: Correlations) -> Table:
    rows = document.correlations
    others = rows[0].y if len(rows) == 1 else f"{len(rows)} others"
    title = f"{rows[0].x} and {others}, from {document.source}" + "  DEMO" * document.demo
    columns = ("with", "n", "Pearson r", "95 % interval", "Spearman rho", "95 % interval")
    cells = [
        (row.y, row.n, *_cells(row.pearson), *_cells(row.spearman)) for row in document.correlations
    ]
    return Table(title, columns, cells, right=range(1, len(columns)))


def _cells(coefficient: Coefficient) -> tuple[str, str]:
    return number(coefficient.value, DIGITS), interval(coefficient.ci95, DIGITS)


def _end(end: LeftOut) -> str:
    return f"{number(end.value, DIGITS)} (without {end.without})"


def _shapes(row: ColumnCorrelation) -> Table:
    title = f"Distribution of min-max scores, 0 to 100 over these {row.n} models"
    cells = [
        (column, *(number((shape or {})[f"min_max_{name}"], DIGITS) for name in _SHAPE))
        for column, shape in zip((row.x, row.y), row.distribution, strict=True)
    ]
    return Table(title, ("column", *_SHAPE.values()), cells, right=range(1, len(_SHAPE) + 1))


def _legend(
    row: ColumnCorrelation,
    points: Sequence[Point],
    pairs: Sequence[ScorePair],
    shared: dict[str, str],
) -> Table:
    cells = []
    for point, pair in zip(points, pairs, strict=True):
        drawn = f" (drawn as {shared[point.mark]})" if point.mark in shared else ""
        name = "  ".join([pair.model + drawn, *pair.flags])
        cells.append((point.mark, f"{pair.x:g}", f"{pair.y:g}", name))
    return Table("", ("mark", row.x, row.y, "model"), cells, right=(1, 2))
