"""A scatter plot in plain characters: readable without colour, and on paper.

Each model has a mark of its own, a letter or a number; the table below the plot says which is
which. Marks that would stand on one place share it, and the table says so.
"""

import string
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from ..text import line

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
        lines: From top to bottom, without axes, all of one width.
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
    columns = _places([p.x for p in points], width // size)
    rows = _places([p.y for p in points], height)
    taken: dict[tuple[int, int], str] = {}
    shared = {}
    for point, column, row in zip(points, columns, rows, strict=True):
        there = taken.setdefault((height - 1 - row, column), point.mark)
        if there != point.mark:
            shared[point.mark] = there
    lines = [
        "".join(taken.get((row, column), "").ljust(size) for column in range(width // size))
        for row in range(height)
    ]
    return ScatterPlot([text.ljust(width) for text in lines], shared)


def _places(values: Sequence[float], count: int) -> list[int]:
    """The nearest of `count` places for each value, from the least to the greatest."""
    # Halves, so that the range of very large numbers does not overflow.
    low, high = min(values) / 2, max(values) / 2
    if low == high:
        return [count // 2] * len(values)
    return [round((value / 2 - low) / (high - low) * (count - 1)) for value in values]


class Scatter:
    """A plot with its axes, as wide as the terminal allows, and the table of its marks.

    Args:
        points: At least one.
        x: What the horizontal axis shows.
        y: What the vertical axis shows.
        legend: The table, given for each mark that is not drawn the one in its place.
    """

    def __init__(
        self,
        points: Sequence[Point],
        x: str,
        y: str,
        legend: Callable[[Mapping[str, str]], RenderableType],
    ) -> None:
        self._points, self._x, self._y = points, line(x), line(y)
        self._legend = legend

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The plot as lines that are never wrapped, the names of its axes, then the table."""
        ys = [p.y for p in self._points]
        top, bottom = f"{max(ys):.5g}", f"{min(ys):.5g}"
        margin = max(len(top), len(bottom))
        width = max(_LEAST_WIDTH, min(WIDTH, options.max_width - margin - 3))
        plot = draw(self._points, width, HEIGHT)
        labels = {0: top, HEIGHT - 1: bottom}
        lines = [f"{labels.get(n, ''):>{margin}} |{text}" for n, text in enumerate(plot.lines)]
        gap = " " * margin
        below, name = self._axis(width)
        yield Text(f"{gap} {self._y}")
        for text in (*lines, f"{gap} +{'-' * width}", f"{gap}  {below}"):
            yield Text(text, no_wrap=True, overflow="crop")
        if name:
            yield Text(f"{gap}  {name}")
        yield self._legend(plot.shared)

    def _axis(self, width: int) -> tuple[str, str]:
        """The line below the axis, and the name of x if it has no room there.

        The line has the least x, the name, and the greatest x.
        """
        xs = [p.x for p in self._points]
        low, high = f"{min(xs):.5g}", f"{max(xs):.5g}"
        room = max(width - len(low) - len(high), 2)
        fits = cell_len(self._x) <= room - 2
        shown = self._x if fits else ""
        return f"{low}{shown:^{room}}{high}", "" if fits else self._x
