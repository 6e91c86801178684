"""Tables that leave columns out before they fall apart, and draw intervals where there is room."""

from collections.abc import Callable, Iterator, Sequence
from math import isfinite

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from ..reports.columns import SPARED, FitColumn, FitTable, Span, narrowings
from ..text import harmless, line, number
from .grid import Column, Grid

LEAST, MOST = 12, 40
"""Characters that the drawing of an interval may have."""


class Fitted:
    """A table as wide as the terminal allows; where there is none, whole."""

    def __init__(self, table: FitTable) -> None:
        self.table = table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The first form that fits, with its title and note."""
        yield Text(line(self.table.title), style="bold")
        yield self._fitting(options) if options.is_terminal else self._grid(self.table.columns)
        if self.table.note:
            yield Text(harmless(self.table.note), style="dim")

    def _fitting(self, options: ConsoleOptions) -> Grid:
        made = [(step, c, self._grid(c)) for step, c in narrowings(self.table.columns)]
        fit = [one for one in made if one[2].is_whole_in(options.max_width)]
        for step, columns, grid in fit if self.table.spans else ():
            room = min(MOST, options.max_width - grid.width - 3)
            if step <= SPARED and room >= LEAST:
                return self._grid(self._drawn(columns, room))
        step, _, grid = fit[0] if fit else made[-1]
        if self.table.unboxed and step > SPARED:
            bare = (g for _, _, g in made if g.is_whole_in(options.max_width, boxed=False))
            return next(bare, grid)
        return grid

    def _drawn(self, columns: Sequence[FitColumn], width: int) -> list[FitColumn]:
        """The columns with the drawing of their intervals, if there is anything to draw."""
        after = [n for n, column in enumerate(columns) if column.heading == self.table.drawn_after]
        cells = whiskers(self.table.spans, width)
        if not after or not cells:
            return list(columns)
        return [*columns[: after[0] + 1], FitColumn("", cells), *columns[after[0] + 1 :]]

    def _grid(self, columns: Sequence[FitColumn]) -> Grid:
        right = [all(not isinstance(cell, str) for cell in c.cells) for c in columns]
        heads = [Column(line(c.heading), r) for c, r in zip(columns, right, strict=True)]
        made = Grid(heads, whole=True)
        for position, cells in enumerate(zip(*(c.cells for c in columns), strict=True)):
            style = "bold" if position == self.table.marked else ""
            made.add_row(*map(cell, cells), style=style)
        return made


def cell(value: str | int | float | None) -> str:
    """A cell as text: whole numbers as they are, others with two decimals."""
    if isinstance(value, str):
        return value if isinstance(value, _Drawing) else line(value)
    return str(value) if isinstance(value, int) else number(value)


def whiskers(spans: Sequence[Span], width: int) -> list[str]:
    """Values as dots with their intervals, ``├──●──┤``, on one scale; an open end is an arrow."""
    ends = [x for span in spans for x in (span.value, *(span.ends or ())) if x is not None]
    ends = [x for x in ends if isfinite(x)]
    if len(ends) < 2 or min(ends) == max(ends):
        return []
    low, scale = min(ends), (width - 1) / (max(ends) - min(ends))

    def place(x: float) -> int:
        return round((x - low) * scale)

    return [_whisker(span, place, width) for span in spans]


def _whisker(span: Span, place: Callable[[float], int], width: int) -> str:
    if span.value is None:
        return ""
    drawn = [" "] * width
    if span.ends:
        start, end = span.ends
        left = 0 if start is None else place(start)
        right = width - 1 if end is None else place(end)
        drawn[left : right + 1] = "─" * (right - left + 1)
        drawn[left], drawn[right] = "◂" if start is None else "├", "▸" if end is None else "┤"
    drawn[place(span.value)] = "●"
    return _Drawing("".join(drawn))


class _Drawing(str):
    """A cell whose blanks say something."""

    __slots__ = ()


def bars(values: Sequence[tuple[str, float]], most: float, width: int) -> Iterator[RenderableType]:
    """Names with bars and numbers from 0 to `most`, in two columns where they fit."""
    longest = max(len(name) for name, _ in values)
    abreast = 2 if width >= 2 * (longest + 20) and len(values) > 4 else 1
    room = min(30, width // abreast - longest - 10)
    texts = [f"{line(name):<{longest}} {_bar(value / most, room)} {value:5.2f}"
             for name, value in values]  # fmt: skip
    rows = -(-len(texts) // abreast)
    for n in range(rows):
        yield Text("   ".join(texts[n::rows]), no_wrap=True)


def _bar(share: float, width: int) -> str:
    full = round(max(0.0, min(1.0, share)) * width)
    return "█" * full + "░" * (width - full)
