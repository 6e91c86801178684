"""Charts of rows on one shared axis: dot ladder, bars with whiskers, forest, heat-map.

Each row is a row of a table, whose words and numbers stand beside its drawing, so nothing is
said by the drawing alone. A drawing is as wide as its cell: places are in per cent.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from markupsafe import Markup

from .svg import Axis, Ends, axis_over, drawing, ends, figure, percent, tag, ticks

HEIGHT, STEP = 26, 12
"""Pixels of a row with one mark, and of each further one."""


class Mark(NamedTuple):
    """A number with its interval, which need not be symmetric.

    `shape` (``dot``, ``square``, ``diamond`` or ``ring``) and `series`, the colour from 0, say
    whose.
    """

    value: float | None
    ci95: Ends | None = None
    shape: str = "dot"
    series: int = 0


SHAPES = ("dot", "square", "diamond", "ring")


class ChartRow(NamedTuple):
    """A row: its name, what is drawn, and the same in words, right of the drawing.

    `kind` is ``own``, ``sure``, ``other`` or ``beside``: how much it is stressed; `rank` stands
    left of the name, which leads to `href`.
    """

    name: str
    marks: Sequence[Mark]
    cells: Sequence[str] = ()
    kind: str = "other"
    rank: str = ""
    href: str = ""


class RowChart(NamedTuple):
    """A chart of rows on one axis.

    The caption says what it shows, and what the whiskers are; `columns` are headings of the names,
    of the drawing and of each cell. Bars go from the axis' left end to the number; the reference is
    a number with a line of its own, such as no difference.
    """

    caption: str
    rows: Sequence[ChartRow]
    columns: Sequence[str]
    axis: Axis
    bars: bool = False
    reference: float | None = None

    @property
    def ranked(self) -> bool:
        """Whether rows have a rank."""
        return any(row.rank for row in self.rows)

    def drawn(self, row: ChartRow) -> Markup:
        """The drawing of a row."""
        height = HEIGHT + STEP * (max(1, len(row.marks)) - 1)
        marks = [
            part
            for n, mark in enumerate(row.marks)
            for part in _mark(self.axis, mark, HEIGHT // 2 + STEP * n, self.bars)
        ]
        return drawing(_grid(self.axis, self.reference), *marks, height=height)

    def drawn_axis(self) -> Markup:
        """The ticks below the rows."""
        return drawing(*ticks(self.axis, 16), height=22, class_="axis")


MEASURED = ("value", "95 % interval")
"""Headings of the cells of measured rows."""


def measured(
    name: str,
    value: float | None,
    ci95: Ends | None = None,
    *more: str,
    words: str = "",
    digits: int = 2,
    shape: str = "dot",
    series: int = 0,
    kind: str = "other",
    rank: str = "",
    href: str = "",
) -> ChartRow:
    """A row of one number with its interval, or words in place of that; then more cells."""
    cells = (figure(value, digits), words or ends(ci95, digits), *more)
    return ChartRow(name, [Mark(value, ci95, shape, series)], cells, kind, rank, href)


def ladder(
    caption: str,
    rows: Sequence[ChartRow],
    cells: Sequence[str] = MEASURED,
    *,
    names: str = "",
    bars: bool = False,
    reference: float | None = None,
) -> RowChart:
    """Rows on one axis that holds every number and every end of an interval.

    `names` and `cells` are headings; differences have their reference, no difference, at zero.
    """
    drawn = [mark for row in rows for mark in row.marks]
    values = [mark.value for mark in drawn]
    values += [end for mark in drawn for end in mark.ci95 or ()]
    values += [0.0] * bars + [reference]
    return RowChart(caption, rows, (names, "", *cells), axis_over(values), bars, reference)


@lru_cache(maxsize=64)
def _grid(axis: Axis, reference: float | None) -> Markup:
    """The lines behind a row, the same in all rows."""
    positions = [(axis.at(tick), "grid") for tick in axis.ticks]
    positions += [(axis.at(reference), "reference")] if reference is not None else []
    lines = (
        tag("line", x1=percent(x), x2=percent(x), y1="0", y2="100%", class_=of)
        for x, of in positions
    )
    return Markup("").join(lines)


def _mark(axis: Axis, mark: Mark, y: int, bars: bool) -> Iterator[Markup]:
    """A bar, a whisker and a dot, at the height `y`."""
    colour = f"s{mark.series % 6}"
    if bars and mark.value is not None:
        x, start = axis.at(mark.value), axis.at(max(axis.low, min(0.0, axis.high)))
        left, width = min(x, start), abs(x - start)
        yield tag("rect", x=percent(left), y=y - 6, width=percent(width), height=12,
                  class_=f"bar {colour}")  # fmt: skip
    if mark.ci95 is not None:
        yield from _whisker(axis, mark.ci95, y, colour)
    if mark.value is not None:
        yield point(axis.at(mark.value), y, mark.shape, colour)


def _whisker(axis: Axis, ends: Ends, y: int, colour: str) -> Iterator[Markup]:
    """The line from one end to the other; an open end has an arrow instead of a cap."""
    low, high = ends
    left = 0.0 if low is None else axis.at(low)
    right = 100.0 if high is None else axis.at(high)
    yield tag("line", x1=percent(left), x2=percent(right), y1=y, y2=y, class_=f"whisker {colour}")
    for x, end, sign in ((left, low, "‹"), (right, high, "›")):
        if end is None:
            anchor = "start" if sign == "‹" else "end"
            yield tag("text", sign, x=percent(x), y=y + 5, text_anchor=anchor, class_="open")
        else:
            position = percent(x)
            yield tag(
                "line", x1=position, x2=position, y1=y - 4, y2=y + 4, class_=f"whisker {colour}"
            )


def point(x: float, y: float, shape: str, colour: str) -> Markup:
    """A mark around its place; a nested drawing keeps its pixels wherever that is."""
    inner = {
        "dot": tag("circle", r=4.5, class_=f"point {colour}"),
        "ring": tag("circle", r=4, class_=f"point ring {colour}"),
        "square": tag("rect", x=-4, y=-4, width=8, height=8, class_=f"point {colour}"),
        "diamond": tag("path", d="M0 -5.5L5.5 0L0 5.5L-5.5 0Z", class_=f"point {colour}"),
    }[shape]
    return tag("svg", inner, x=percent(x), y=y, overflow="visible", class_="mark")


def in_small(axis: Axis, value: float, ci95: Ends | None, digits: int) -> Markup:
    """A number with its whisker for a cell of its own, whose title has the ends in numbers."""
    title = tag("title", f"95 % interval {ends(ci95, digits)}" if ci95 else "no interval")
    parts = [title]
    if ci95 is not None:
        left, right = (f"{edge if end is None else axis.at(end):.1f}%"
                       for end, edge in zip(ci95, (0, 100), strict=True))  # fmt: skip
        kind = "open" if None in ci95 else None
        parts.append(tag("line", x1=left, x2=right, class_=kind))
    parts.append(tag("circle", cx=f"{axis.at(value):.1f}%", r=3))
    return tag("svg", *parts, role="img")


def legend_mark(shape: str, series: int) -> Markup:
    """The mark of a series, to stand before its name."""
    inner = tag("g", point(0, 0, shape, f"s{series % 6}"), transform="translate(7 7)")
    return tag("svg", inner, width=14, height=14, class_="key", aria_hidden="true")


class HeatMap(NamedTuple):
    """A table whose cells hold their numbers, shaded in steps of a hundredth of a fixed range.

    Of a rubric that is 0 to 10, never the smallest to the largest of the models shown: that would
    make differences by chance look like signal. `low` has the lightest shade and `high` the
    darkest; where either is not known there are none. A column of which neither end is better
    (`neutral`) is grey.
    """

    caption: str
    names: Sequence[str]
    columns: Sequence[str]
    values: Sequence[Sequence[float | None]]
    low: float | None
    high: float | None
    neutral: Sequence[bool]
    note: str = ""

    def shade(self, value: float | None, column: int) -> str:
        """The classes of a cell: of the tens and the ones of its per cent of the range."""
        if value is None or self.low is None or self.high is None:
            return ""
        share = min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))
        tens, ones = divmod(min(99, round(100 * share)), 10)
        return f"hot a{tens} b{ones}{' grey' if self.neutral[column] else ''}"


def shades() -> str:
    """The style sheet's rules for the tens and the ones."""
    return "".join(f".{c}{n}{{--{c}:{n * k}}}" for c, k in (("a", 10), ("b", 1)) for n in range(10))
