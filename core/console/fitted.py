"""Tables that leave columns out before they fall apart, and draw intervals where there is room."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import NamedTuple

from rich.box import ROUNDED
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table as RichTable
from rich.text import Text

from ..reports.columns import SPARED, FitColumn, FitTable, Span, narrowings
from ..text import harmless, line, number

LONG = 24
"""Characters of a word that may be broken, and of what is left of it on a line."""
_UNBROKEN = re.compile(r" … |^< ")  # an interval; a bound
_WITH_ITS_NUMBER = "95 %"  # how the heading of an interval begins


@dataclass
class Column:
    """A heading, and to which side its cells are set; what is set to the right is not broken."""

    heading: str
    right: bool = False


class Row(NamedTuple):
    """Cells, one per column, or the name of a group of rows in the first one."""

    cells: tuple[str, ...]
    style: str
    group: bool


class Grid:
    """A table; if `whole`, headings are wrapped, and the box left out, before cells are wrapped."""

    def __init__(
        self, columns: Iterable[Column], *, whole: bool = False, boxed: bool = True
    ) -> None:
        self.columns, self.whole, self.boxed = list(columns), whole, boxed
        self._rows: list[Row] = []

    def add_row(self, *cells: str, style: str = "") -> None:
        """Add a row, whose first cell says what it is about."""
        self._rows.append(Row(cells, style, group=False))

    def add_group(self, name: str) -> None:
        """Name the rows that follow."""
        empty = [""] * (len(self.columns) - 1)
        self._rows.append(Row((name, *empty), "italic", group=True))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The form that fits."""
        natural, least = self._naturals(), self._leasts()
        boxed, bare = (_Form(box, self) for box in (True, False))
        if not self.boxed:
            boxed = bare
        if not options.is_terminal or boxed.width(natural) <= options.max_width:
            if self.boxed and self._is_plain():
                yield from self._lines(console, options, natural)
                return
            # Of its own width: within that of the options it would be cut.
            wide = options.update(width=boxed.width(natural))
            yield from console.render(boxed.table(natural), wide)
            return
        unbroken = [(form, self._unbroken()) for form in (boxed, bare) if self.whole]
        for form, widths in (*unbroken, (boxed, least), (bare, least)):
            if form.width(widths) <= options.max_width:
                room = options.max_width - form.width([0] * len(widths))
                yield form.table(_shrunk(natural, widths, room))
                return
        yield from self._broken_up(options.max_width, least)

    @property
    def width(self) -> int:
        """In its box, with its headings wrapped alone."""
        return _Form(True, self).width(self._unbroken())

    def is_whole_in(self, width: int, *, boxed: bool = True) -> bool:
        """Whether it stands there in its box, or without, with no cell wrapped."""
        return _Form(boxed, self).width(self._unbroken()) <= width

    def _unbroken(self) -> list[int]:
        """The least width of each column whose heading alone is wrapped."""
        return [
            max(_longest(column.heading, whole=False), *map(cell_len, self._texts(n)[1:]), 0)
            for n, column in enumerate(self.columns)
        ]

    def _is_plain(self) -> bool:
        """Whether each row is one line of cells that end with what is seen."""
        cells = (text for n in range(len(self.columns)) for text in self._texts(n))
        grouped = any(row.group for row in self._rows)
        return not grouped and all(c.isprintable() and c == c.strip() for c in cells)

    def _lines(
        self, console: Console, options: ConsoleOptions, widths: Sequence[int]
    ) -> Iterator[Segment]:
        """What rich makes of such a table, which takes it twenty times as long."""
        box, spans = ROUNDED.substitute(options, safe=console.safe_box), [w + 2 for w in widths]
        heading = Row(tuple(column.heading for column in self.columns), "table.header", group=False)
        yield Segment(f"{box.get_top(spans)}\n")
        for row in (heading, *self._rows):
            style = console.get_style(row.style) if row.style else None
            for column, text, width in zip(self.columns, row.cells, widths, strict=True):
                blanks = " " * (width - cell_len(text))
                yield Segment(box.mid_vertical)
                yield Segment(f" {blanks}{text} " if column.right else f" {text}{blanks} ", style)
            yield Segment(f"{box.mid_vertical}\n")
            if row is heading:
                yield Segment(f"{box.get_row(spans, 'head')}\n")
        yield Segment(f"{box.get_bottom(spans)}\n")

    def _broken_up(self, width: int, least: Sequence[int]) -> Iterator[RenderableType]:
        parts = self._parts(least, width)
        if self._is_of_numbers() and all(self._fits(part, least, width) for part in parts):
            yield from map(self._part, parts)
        else:
            yield from self._blocks()

    def _naturals(self) -> list[int]:
        """The width of each column when nothing is wrapped."""
        return [max(map(cell_len, self._texts(n))) for n in range(len(self.columns))]

    def _leasts(self) -> list[int]:
        """The least width of each column: that of its longest piece."""
        return [
            max(_longest(text, whole=n > 0 and c.right) for n, text in enumerate(self._texts(i)))
            for i, c in enumerate(self.columns)
        ]

    def _texts(self, column: int) -> list[str]:
        """The heading of a column, and its cells."""
        return [self.columns[column].heading, *(row.cells[column] for row in self._rows)]

    def _is_of_numbers(self) -> bool:
        """Whether no cell holds a letter, but for the names of the rows."""
        cells = (cell for row in self._rows for cell in row.cells[1:])
        return not any(c.isalpha() for cell in cells for c in cell)

    def _parts(self, least: Sequence[int], width: int) -> list[list[int]]:
        """The numbers of the columns of each part; an interval stands with its number."""
        parts = [[0]]
        for together in self._together():
            if len(parts[-1]) > 1 and not self._fits(parts[-1] + together, least, width):
                parts.append([0])
            parts[-1] += together
        return parts

    def _together(self) -> list[list[int]]:
        """The columns but the first, those that must not be parted in one list."""
        groups: list[list[int]] = []
        for n, column in enumerate(self.columns[1:], start=1):
            if groups and column.heading.startswith(_WITH_ITS_NUMBER):
                groups[-1].append(n)
            else:
                groups.append([n])
        return groups

    def _fits(self, numbers: Sequence[int], least: Sequence[int], width: int) -> bool:
        """Whether these columns stand abreast in a box."""
        return _Form(True, self).width([least[n] for n in numbers]) <= width

    def _part(self, numbers: Sequence[int]) -> "Grid":
        part = Grid(self.columns[n] for n in numbers)
        part._rows = [r._replace(cells=tuple(r.cells[n] for n in numbers)) for r in self._rows]
        return part

    def _blocks(self) -> Iterator[RenderableType]:
        """Each row as lines, the first of them in bold and the others below it."""
        for row in self._rows:
            if row.group:
                yield Text(row.cells[0], style=row.style)
                continue
            for n, (column, cell) in enumerate(zip(self.columns, row.cells, strict=True)):
                if cell:
                    name = f"{column.heading}: " if column.heading else ""
                    message = Text(name, style=row.style if n else "bold").append(cell)
                    yield Padding(message, (0, 0, 0, 2 if n else 0), expand=False)

    @property
    def rows(self) -> Sequence[Row]:
        """In the order in which they were added."""
        return self._rows


class _Form(NamedTuple):
    """A grid as a table with a box around its cells, or with blanks between them."""

    box: bool
    grid: Grid

    def width(self, widths: Sequence[int]) -> int:
        """Of the whole table, when its columns are so wide."""
        between = 3 * len(widths) + 1 if self.box else 2 * (len(widths) - 1)
        return sum(widths) + between

    def table(self, widths: Sequence[int]) -> RichTable:
        table = RichTable(box=ROUNDED if self.box else None, pad_edge=self.box)
        for column, width in zip(self.grid.columns, widths, strict=True):
            table.add_column(Text(column.heading), width=width, overflow="fold")
            table.columns[-1].justify = "right" if column.right else "left"
        for row in self.grid.rows:
            if row.group:
                table.add_section()
            table.add_row(*map(Text, row.cells), style=row.style)
        return table


def _longest(text: str, *, whole: bool) -> int:
    """The width of what must stay on one line."""
    if whole or _UNBROKEN.search(text):
        return cell_len(text)
    return max((min(cell_len(word), LONG) for word in text.split()), default=0)


def _shrunk(natural: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Widths that fit into the room: the widest column that can be narrower becomes so."""
    widths = list(natural)
    while sum(widths) > room:
        loose = [n for n, width in enumerate(widths) if width > least[n]]
        widths[max(loose, key=widths.__getitem__)] -= 1
    return widths


LEAST, MOST = 12, 40
"""Characters that the drawing of an interval may have."""


class Fitted:
    """A table as wide as the terminal allows; where there is none, whole."""

    def __init__(self, table: FitTable, *, boxed: bool = True) -> None:
        self.table, self.boxed = table, boxed

    def bare(self) -> "Fitted":
        """The same without its box."""
        return Fitted(self.table, boxed=False)

    def of(self, most: int) -> "Fitted":
        """The same of so many rows: the first ones, and the marked one."""
        return Fitted(self.table.of(most), boxed=self.boxed)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The first form that fits, with its title and note."""
        if self.table.title:
            yield Text(line(self.table.title), style="bold")
        yield self._fitting(options) if options.is_terminal else self._grid(self.table.columns)
        if self.table.note:
            yield Text(harmless(self.table.note), style="dim")

    def _fitting(self, options: ConsoleOptions) -> Grid:
        forms = [(step, c, self._grid(c)) for step, c in narrowings(self.table.columns)]
        fit = [one for one in forms if one[2].is_whole_in(options.max_width, boxed=self.boxed)]
        for step, columns, grid in fit if self.table.spans else ():
            room = min(MOST, options.max_width - grid.width - 3)
            if step <= SPARED and room >= LEAST:
                return self._grid(self._drawn(columns, room))
        step, _, grid = fit[0] if fit else forms[-1]
        if self.table.unboxed and step > SPARED:
            bare = (g for _, _, g in forms if g.is_whole_in(options.max_width, boxed=False))
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
        grid = Grid(heads, whole=True, boxed=self.boxed)
        for position, cells in enumerate(zip(*(c.cells for c in columns), strict=True)):
            style = "bold" if position == self.table.marked else ""
            grid.add_row(*map(cell, cells), style=style)
        return grid


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

    def position(x: float) -> int:
        return round((x - low) * scale)

    return [_whisker(span, position, width) for span in spans]


def _whisker(span: Span, position: Callable[[float], int], width: int) -> str:
    if span.value is None:
        return ""
    drawn = [" "] * width
    if span.ends:
        start, end = span.ends
        left = 0 if start is None else position(start)
        right = width - 1 if end is None else position(end)
        drawn[left : right + 1] = "─" * (right - left + 1)
        drawn[left], drawn[right] = "◂" if start is None else "├", "▸" if end is None else "┤"
    drawn[position(span.value)] = "●"
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
