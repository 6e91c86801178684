"""A scatter plot in plain characters: readable without colour, and on paper.

Each model has a mark of its own, a letter or a number; the table below the plot says which is
which. Marks that would stand on one place share it, and the table says so.
"""

import string
from collections.abc import Sequence
from typing import NamedTuple
from unicodedata import east_asian_width

from eibench.text import line

WIDTH, HEIGHT = 72, 20
_LEAST_WIDTH = 10


class Point(NamedTuple):
    """One model in a plot."""

    mark: str
    x: float
    y: float


class ScatterPlot(NamedTuple):
    """A drawn plot.

    Attributes:
        lines: From top to bottom.
        shared: For each mark that is not drawn, the mark that stands in its place.
    """

    lines: list[str]
    shared: dict[str, str]


def marks(count: int) -> list[str]:
    """So many different marks: letters if they suffice, else numbers of one width."""
    if count <= len(string.ascii_lowercase):
        return list(string.ascii_lowercase[:count])
    width = len(str(count))
    return [f"{n:0{width}}" for n in range(1, count + 1)]


def draw(points: Sequence[Point], width: int, height: int) -> ScatterPlot:
    """Points on a grid of characters; the least x is left, the least y at the bottom."""
    mark = len(points[0].mark)
    size = mark + (mark > 1)  # a blank after numbers, so that neighbours do not run together
    columns = _positions([p.x for p in points], width // size)
    rows = _positions([p.y for p in points], height)
    taken: dict[tuple[int, int], str] = {}
    shared = {}
    for point, column, row in zip(points, columns, rows, strict=True):
        drawn = taken.setdefault((height - 1 - row, column), point.mark)
        if drawn != point.mark:
            shared[point.mark] = drawn
    lines = [
        "".join(taken.get((row, column), "").ljust(size) for column in range(width // size))
        for row in range(height)
    ]
    return ScatterPlot([text.ljust(width) for text in lines], shared)


def _positions(values: Sequence[float], count: int) -> list[int]:
    """The nearest of `count` positions for each value, from the least to the greatest."""
    # Halves, so that the range of very large numbers does not overflow.
    low, high = min(values) / 2, max(values) / 2
    if low == high:
        return [count // 2] * len(values)
    return [round((value / 2 - low) / (high - low) * (count - 1)) for value in values]


def with_axes(points: Sequence[Point], x: str, y: str, width: int) -> ScatterPlot:
    """Points, one at least, with named axes, in a terminal of a width."""
    top, bottom = f"{max(p.y for p in points):.5g}", f"{min(p.y for p in points):.5g}"
    margin = max(len(top), len(bottom))
    width = max(_LEAST_WIDTH, min(WIDTH, width - margin - 3))
    plot = draw(points, width, HEIGHT)
    labels, gap = {0: top, HEIGHT - 1: bottom}, " " * margin
    lines = [f"{labels.get(n, ''):>{margin}} |{text}" for n, text in enumerate(plot.lines)]
    below = [f"{gap}  {text}" for text in _below(points, line(x), width)]
    axis = f"{gap} +{'-' * width}"
    return plot._replace(lines=[f"{gap} {line(y)}", *lines, axis, *below])


def _below(points: Sequence[Point], x: str, width: int) -> list[str]:
    """The line below the axis, and the name of x if it has no room there.

    The line has the least x, the name, and the greatest x.
    """
    low, high = f"{min(p.x for p in points):.5g}", f"{max(p.x for p in points):.5g}"
    room = max(width - len(low) - len(high), 2)
    length = sum(1 + (east_asian_width(char) in "WF") for char in x)
    if length <= room - 2:
        return [f"{low}{x:^{room}}{high}"]
    return [f"{low}{'':{room}}{high}", x]
