"""Charts over a plane: strip plot, lines and scatter.

Widths are in per cent and heights in pixels, so that texts and dots keep their size on a phone.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from ...hooks.sections import Series
from .rows import SHAPES, legend_mark, point
from .svg import Axis, Ends, axis_over, drawing, percent, tag, ticks

BIN = 1.4
"""Per cent of the width that a dot of a strip plot takes."""
LEVEL = 8
"""Pixels from one dot of a stack to the next."""


class Figure(NamedTuple):
    """A drawing with its caption, what its marks mean, and the same numbers as a table."""

    caption: str
    svg: Markup
    keys: Sequence[tuple[Markup, str]] = ()
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()


def strip(caption: str, values: Mapping[str, float], *, mean: float) -> Figure:
    """A dot for each value, stacked where they are close; a line for the mean."""
    axis = axis_over([*values.values(), mean])
    levels = dict[int, int]()
    placed = list[tuple[float, int, str]]()
    for name, value in sorted(values.items(), key=lambda pair: (pair[1], pair[0])):
        x = axis.at(value)
        level = levels[round(x / BIN)] = levels.get(round(x / BIN), -1) + 1
        placed.append((x, level, f"{name}: {axis_number(value)}"))
    floor = 16 + LEVEL * max([3, *levels.values()])
    at = percent(axis.at(mean))
    line = tag("line", x1=at, x2=at, y1=0, y2=floor + 6, class_="reference")
    parts = [*_ticks(axis, floor + 8), line]
    for x, level, title in placed:
        dot = tag("circle", tag("title", title), cx=percent(x), cy=floor - LEVEL * level, r=3.6,
                  class_="point s0 strip")  # fmt: skip
        parts.append(dot)
    label = f"{caption} {len(values)} values from {axis_number(min(values.values()))} to "
    label += axis_number(max(values.values()))
    return Figure(caption, drawing(*parts, height=floor + 30, label=label, class_="plot"))


def axis_number(value: float) -> str:
    """A number in a label."""
    return f"{value:z.2f}"


def _ticks(axis: Axis, y: int) -> list[Markup]:
    lines = [
        tag("line", x1=percent(axis.at(t)), x2=percent(axis.at(t)), y1=0, y2=y, class_="grid")
        for t in axis.ticks
    ]
    base = tag("line", x1="0", x2="100%", y1=y, y2=y, class_="base")
    return [*lines, base, *ticks(axis, y + 16)]


PLANE = 220
"""Pixels from the lowest to the highest of a plane."""
GUTTER = 0.1
"""Of the width, for the numbers at the left."""


def lines(
    caption: str, series: Sequence[Series], columns: Sequence[str], *, whole: bool = True
) -> Figure:
    """A line with its points for each series, over steps that are counted unless said."""
    across, up = _axes(series, whole=whole)
    parts = _plane(across, up)
    for n, one in enumerate(series):
        parts += [_line(across, up, one, n), *_points(across, up, one, n)]
    return _finished(caption, parts, series, columns)


class Step(NamedTuple):
    """A point of a history: its number with its interval, and the page that it leads to."""

    step: int
    value: float
    ci95: Ends | None
    label: str
    href: str


def over_steps(label: str, steps: Sequence[Step], levels: Sequence[tuple[str, float]]) -> Markup:
    """A line over steps with a whisker and a link at each, and a dashed line at each level."""
    ends = [(s.step, end) for s in steps for end in s.ci95 or () if end is not None]
    held = Series("", [*ends, *((steps[0].step, value) for _, value in levels)])
    line = Series("", [(s.step, s.value) for s in steps])
    across, up = _axes([line, held], whole=True)
    parts = [*_plane(across, up), *_levels(up, levels), _line(across, up, line, 0)]
    for one in steps:
        x, y = percent(across.at(one.step)), round(_height(up, one.value), 2)
        low, high = one.ci95 or (one.value, one.value)
        bottom, top = up.low if low is None else low, up.high if high is None else high
        parts.append(tag("line", x1=x, x2=x, y1=round(_height(up, bottom), 1),
                         y2=round(_height(up, top), 1), class_="whisker s0"))  # fmt: skip
        target = tag("circle", cx=x, cy=y, r=12, class_="target")
        mark = point(across.at(one.step), y, "dot", "s0")
        parts.append(tag("a", tag("title", one.label), target, mark, href=one.href,
                         aria_label=one.label))  # fmt: skip
    return tag("svg", *parts, class_="plot", width="100%", height=PLANE + 44, role="group",
               aria_label=label)  # fmt: skip


def _levels(up: Axis, levels: Sequence[tuple[str, float]]) -> list[Markup]:
    """Dashed lines with their names at the right, those of close ones one below the other."""
    parts, lowest = list[Markup](), 0.0
    for y, name in sorted((round(_height(up, value), 1), name) for name, value in levels):
        lowest = max(y - 4, lowest + _LINE)
        parts += [tag("line", x1="0", x2="100%", y1=y, y2=y, class_="reference"),
                  tag("text", name, x="100%", y=lowest, text_anchor="end")]  # fmt: skip
    return parts


def _line(across: Axis, up: Axis, one: Series, n: int) -> Markup:
    path = "M" + "L".join(f"{across.at(x):.3f} {_height(up, y):.1f}" for x, y in one.points)
    line = tag("path", d=path, class_=f"line s{n % 6}", vector_effect="non-scaling-stroke")
    return tag("svg", line, viewBox=f"0 0 100 {PLANE + 40}", preserveAspectRatio="none",
               width="100%", height=PLANE + 40)  # fmt: skip


def scatter(
    caption: str, series: Sequence[Series], columns: Sequence[str], *, from_nothing: bool = True
) -> Figure:
    """A mark for each point of each series, over amounts that begin with nothing unless said."""
    start = [Series("", [(0.0, y) for one in series for _, y in one.points])]
    across, up = _axes([*series, *start] if from_nothing else series)
    parts = _plane(across, up)
    for n, one in enumerate(series):
        parts += _points(across, up, one, n)
    return _finished(caption, [*parts, *_names(across, up, series)], series, columns)


def _axes(series: Sequence[Series], *, whole: bool = False) -> tuple[Axis, Axis]:
    points = [point for one in series for point in one.points]
    across = axis_over((x for x, _ in points), whole=whole)
    gutter = GUTTER * (across.high - across.low)
    return across._replace(low=across.low - gutter), axis_over(y for _, y in points)


def _height(up: Axis, value: float) -> float:
    """Pixels from the top; a phone's width has no share in it."""
    return 10 + PLANE * (1 - (value - up.low) / (up.high - up.low))


def _plane(across: Axis, up: Axis) -> list[Markup]:
    parts = _ticks(across, PLANE + 18)
    for tick in up.ticks:
        y = _height(up, tick)
        parts.append(tag("line", x1="0", x2="100%", y1=y, y2=y, class_="grid"))
        parts.append(tag("text", up.words(tick), x="0", y=f"{y - 3:.1f}", class_="up"))
    return parts


def _points(across: Axis, up: Axis, one: Series, n: int) -> list[Markup]:
    shape, colour = SHAPES[n % len(SHAPES)], f"s{n % 6}"
    return [
        tag("g", tag("title", f"{one.name}: {x:g}, {axis_number(y)}"),
            point(across.at(x), round(_height(up, y), 2), shape, colour))
        for x, y in one.points
    ]  # fmt: skip


NAMED = 12
"""Points of a plane that have their names beside them: more would hide each other."""
_LINE, _WIDE = 13, 30
"""Pixels from one name to the next below it, and per cent of the width that a name may take."""


def _names(across: Axis, up: Axis, series: Sequence[Series]) -> list[Markup]:
    """Names beside their points: of points that are close, one below the other."""
    named = [(across.at(x), _height(up, y), name) for one in series
             for (x, y), name in zip(one.points, one.names, strict=False)]  # fmt: skip
    taken, texts = list[tuple[float, float]](), list[Markup]()
    for x, y, name in sorted(named[:NAMED], key=lambda point: point[1]):
        while any(abs(x - a) < _WIDE and abs(y - b) < _LINE for a, b in taken):
            y += 1
        taken.append((x, y))
        left = x > 65
        text = tag("text", name, x=-8 if left else 8, y=4, text_anchor="end" if left else "start")
        texts.append(tag("svg", text, x=percent(x), y=f"{y:.1f}", overflow="visible"))
    return texts


def _finished(
    caption: str, parts: list[Markup], series: Sequence[Series], columns: Sequence[str]
) -> Figure:
    keys = [(legend_mark(SHAPES[n % len(SHAPES)], n), one.name) for n, one in enumerate(series)]
    rows = [(one.name, f"{x:g}", axis_number(y)) for one in series for x, y in one.points]
    svg = drawing(*parts, height=PLANE + 44, label=caption, class_="plot")
    return Figure(caption, svg, keys, columns, rows)
