"""Charts: what is drawn stands where its number is."""

import re
from collections.abc import Sequence
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from eibench.core.hooks.sections import Series
from eibench.core.html.charts.plots import Figure, Step, lines, over_steps, scatter, strip
from eibench.core.html.charts.rows import ChartRow, HeatMap, Mark, RowChart, ladder, shades
from eibench.core.html.charts.svg import MARGIN, Axis, axis_over, signed


def drawn(chart: RowChart, n: int) -> ElementTree.Element:
    """The drawing of a row."""
    return ElementTree.fromstring(chart.drawn(chart.rows[n]))


def number_at(axis: Axis, place: str) -> float:
    """The number that stands at a place, read back from the drawing."""
    share = (float(place.removesuffix("%")) - MARGIN) / (100 - 2 * MARGIN)
    return axis.low + share * (axis.high - axis.low)


def whiskers(element: ElementTree.Element) -> list[tuple[str, str]]:
    """Both places of each long line of a whisker."""
    found = [line for line in element.iter("line") if "whisker" in line.get("class", "")]
    return [
        (line.get("x1", ""), line.get("x2", ""))
        for line in found
        if line.get("x1") != line.get("x2")
    ]


@pytest.mark.parametrize(
    ("value", "ci95"),
    [
        (5.0, (4.0, 6.0)),
        (2.1, (2.0, 9.5)),
        (0.907, (0.867, 0.968)),
        (-3.0, (-30.0, -2.5)),
        (1.0, (2.0, 3.0)),
    ],
)
def test_an_interval_stands_where_it_is(value: float, ci95: tuple[float, float]) -> None:
    """Also one that is not symmetric, and one that the number is outside of."""
    chart = ladder("", [ChartRow("a", [Mark(value, ci95)]), ChartRow("b", [Mark(7.0)])], ())
    element = drawn(chart, 0)
    ((left, right),) = whiskers(element)
    assert number_at(chart.axis, left) == pytest.approx(ci95[0], abs=1e-3)
    assert number_at(chart.axis, right) == pytest.approx(ci95[1], abs=1e-3)
    mark = next(part for part in element.iter("svg") if part.get("class") == "mark")
    assert number_at(chart.axis, mark.get("x", "")) == pytest.approx(value, abs=1e-3)


def test_rows_share_one_axis() -> None:
    """The same number stands at the same place in every row."""
    rows = [ChartRow(name, [Mark(3.0, (0.0, high))]) for name, high in (("a", 4.0), ("b", 90.0))]
    chart = ladder("", rows, ())
    places = [
        next(p.get("x") for p in drawn(chart, n).iter("svg") if p.get("class")) for n in (0, 1)
    ]
    assert places[0] == places[1]


def test_an_open_end_has_an_arrow_and_no_cap() -> None:
    """It goes on to the edge."""
    chart = ladder("", [ChartRow("a", [Mark(5.0, (4.0, None))]), ChartRow("b", [Mark(9.0)])], ())
    element = drawn(chart, 0)
    assert whiskers(element)[0][1] == "100.000%"
    assert [text.text for text in element.iter("text")] == ["›"]


def test_a_bar_goes_from_zero_to_its_number() -> None:
    """To the left where that is negative."""
    chart = ladder("", [ChartRow("a", [Mark(-4.0)]), ChartRow("b", [Mark(8.0)])], (), bars=True)
    for n, value in enumerate((-4.0, 8.0)):
        bar = next(part for part in drawn(chart, n).iter("rect") if "bar" in part.get("class", ""))
        start = float(bar.get("x", "").removesuffix("%"))
        end = start + float(bar.get("width", "").removesuffix("%"))
        ends = sorted((chart.axis.at(0.0), chart.axis.at(value)))
        assert [start, end] == pytest.approx(ends, abs=1e-2)


def test_differences_have_a_line_at_none() -> None:
    """Also where every difference is far from it."""
    chart = ladder("", [ChartRow("a", [Mark(40.0, (30.0, 55.0))])], (), reference=0.0)
    line = next(part for part in drawn(chart, 0).iter("line") if part.get("class") == "reference")
    assert number_at(chart.axis, line.get("x1", "")) == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize(
    ("values", "low", "high"),
    [
        ((0.0, 10.0), 0.0, 10.0),
        ((3.31, 4.26), 3.2, 4.4),
        ((), 0.0, 1.0),
        ((7.0,), 6.4, 7.6),
        ((-3.0, 1204.0), -500.0, 1500.0),
    ],
)
def test_an_axis_ends_in_round_numbers(values: Sequence[float], low: float, high: float) -> None:
    """And holds all values."""
    axis = axis_over(values)
    assert (axis.low, axis.high) == pytest.approx((low, high))
    assert all(axis.low <= value <= axis.high for value in values)
    assert len(set(map(axis.words, axis.ticks))) == len(axis.ticks)


def test_each_value_of_a_strip_plot_has_its_dot() -> None:
    """At its number; what is close is stacked, never covered."""
    values = {"a": 1.0, "b": 1.0, "c": 1.001, "d": 9.0}
    element = ElementTree.fromstring(strip("Dots.", values, mean=3.0).svg)
    dots = list(element.iter("circle"))
    axis = axis_over([*values.values(), 3.0])
    found = sorted(number_at(axis, dot.get("cx", "")) for dot in dots)
    assert found == pytest.approx(sorted(values.values()), abs=1e-3)
    assert len({(dot.get("cx"), dot.get("cy")) for dot in dots}) == 4
    assert len({dot.get("cy") for dot in dots}) == 3


@pytest.mark.parametrize("chart", [lines, scatter])
def test_points_of_a_plane_stand_where_they_are(chart: object) -> None:
    """Across in per cent, up in pixels: higher is nearer to the top."""
    assert callable(chart)
    found: Figure = chart("Points.", [Series("a", [(0, 1.0), (5, 3.0), (10, 2.0)])], ("", "x", "y"))
    element = ElementTree.fromstring(found.svg)
    marks = [part for part in element.iter("svg") if part.get("class") == "mark"]
    heights = [float(mark.get("y", "")) for mark in marks]
    assert heights[1] < heights[2] < heights[0]
    assert (heights[0] - heights[1]) == pytest.approx(2 * (heights[0] - heights[2]), abs=0.1)
    assert found.rows[1] == ("a", "5", "3.00")


def test_shades_of_a_heat_map_are_of_a_fixed_scale() -> None:
    """So the largest of the models shown has not always the darkest."""
    heat = HeatMap("", ["a"], ["", "x"], [[5.0]], 0.0, 10.0, [False])
    wanted = ["hot a0 b0", "hot a1 b5", "hot a5 b0", "hot a9 b9", "hot a9 b9", "hot a0 b0"]
    assert [heat.shade(v, 0) for v in (0.0, 1.5, 5.0, 10.0, 12.0, -1.0)] == wanted
    assert heat.shade(None, 0) == ""
    assert heat._replace(high=None).shade(5.0, 0) == ""


def test_shades_follow_the_numbers() -> None:
    """Of two that differ by a hundredth of the range, the higher is darker; all have a rule."""
    heat = HeatMap("", [], [], [], 0.0, 10.0, [False])
    values = {c: int(n) for c, n in re.findall(r"\.([ab]\d)\{--[ab]:(\d+)\}", shades())}
    shown = [[values[c] for c in heat.shade(n / 10, 0).split()[1:]] for n in range(100)]
    assert [sum(of) for of in shown] == list(range(100))


def test_a_column_without_a_better_end_is_grey() -> None:
    """Dark would else be taken for good."""
    heat = HeatMap("", ["a"], ["", "x", "y"], [[5.0, 5.0]], 0.0, 10.0, [False, True])
    assert [heat.shade(5.0, n).endswith("grey") for n in (0, 1)] == [False, True]


def test_steps_are_whole_and_amounts_begin_with_nothing() -> None:
    """There is no step 1.5, and two that cost about the same stand beside each other."""
    assert axis_over([1, 2], whole=True).ticks == (1.0, 2.0)
    assert axis_over([1, 7], whole=True).ticks == (0.0, 2.0, 4.0, 6.0, 8.0)
    found = scatter("", [Series("a", [(5.0, 1.0), (5.01, 2.0)])], ("", "x", "y"))
    marks = [part for part in ElementTree.fromstring(found.svg).iter("svg")
             if part.get("class") == "mark"]  # fmt: skip
    left, right = (float(mark.get("x", "").removesuffix("%")) for mark in marks)
    assert right - left < 1


def test_names_beside_points_do_not_cover_each_other() -> None:
    """Of points at one place they stand one below the other."""
    points = [(1.0, 2.0)] * 4 + [(3.0, 2.0)]
    found = scatter("", [Series("a", points, list("vwxyz"))], ("", "x", "y"))
    places = {}
    for part in ElementTree.fromstring(found.svg).iter("svg"):
        for text in part.findall("text"):
            if text.text in list("vwxyz"):
                places[text.text] = float(part.get("y", "nan"))
    heights = sorted(places[name] for name in "vwxy")
    assert all(b - a >= 12 for a, b in pairwise(heights))
    assert places["z"] == heights[0]


def test_names_are_text() -> None:
    """Whatever they hold."""
    names = ["<script>alert(1)</script>", "\u202e", "\x1b[31m"]
    found = scatter("<b>", [Series("a", [(1, 1)] * 3, names)], ("", "x", "y"))
    assert "<script" not in found.svg
    assert "\\x202e" in found.svg
    assert "\\x1b" in found.svg


def test_a_history_has_whole_steps_a_whisker_and_a_link_at_each() -> None:
    """Of an open end the whisker goes to the edge; each link says its number."""
    steps = [Step(1, 2.0, (1.0, 3.0), "a@1: 2.00", "a.html"),
             Step(2, 4.0, (None, 5.0), "a@2: 4.00", "b.html")]  # fmt: skip
    drawn = ElementTree.fromstring(over_steps("a", steps, []))
    links = [(a.get("href"), a.get("aria-label")) for a in drawn.iter("a")]
    assert links == [("a.html", "a@1: 2.00"), ("b.html", "a@2: 4.00")]
    assert [t.text for t in drawn.findall("text") if t.get("class") != "up"] == ["1", "2"]
    first, other = (line for line in drawn.iter("line") if line.get("class") == "whisker s0")
    up = {float(t.get("y", "")) + 3: float(t.text or "") for t in drawn.findall("text")
          if t.get("class") == "up"}  # fmt: skip
    assert [up[float(first.get(end, ""))] for end in ("y1", "y2")] == [1.0, 3.0]
    assert up[float(other.get("y1", ""))] == min(up.values())


def test_names_of_close_levels_do_not_cover_each_other() -> None:
    """They stand one below the other, each line where its number is."""
    steps = [Step(n, n, None, "", "") for n in (1, 9)]
    drawn = ElementTree.fromstring(over_steps("a", steps, [("<b>x", 5.0), ("y", 5.1), ("z", 5.2)]))
    heights = sorted(float(t.get("y", "")) for t in drawn.findall("text") if t.get("x") == "100%")
    assert len(heights) == 3
    assert all(below - above >= 12 for above, below in pairwise(heights))
    assert len([line for line in drawn.iter("line") if line.get("class") == "reference"]) == 3


def test_a_difference_that_rounds_to_zero_has_no_sign() -> None:
    """As in the terminal: nobody reads a gain where there is none."""
    assert [signed(value) for value in (0.001, -0.001, 0.0)] == ["0.00"] * 3
    assert [signed(value) for value in (0.125, -0.5, None)] == ["+0.12", "−0.50", "–"]
