"""The scatter plot in plain characters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench.plugins.studies.scatter import Point, draw, marks, with_axes

points = st.lists(
    st.tuples(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300)), min_size=1, max_size=120
)


def test_points_stand_where_they_belong() -> None:
    """The least x left, the greatest y on top, the middle in the middle."""
    plot = draw([Point("a", 0, 0), Point("b", 5, 1), Point("c", 10, 2)], 11, 3)
    assert plot.lines == [
        "          c",
        "     b     ",
        "a          ",
    ]
    assert plot.shared == {}


def test_marks_on_one_place_share_it() -> None:
    """The first one is drawn, and the others are told."""
    plot = draw([Point("a", 1, 1), Point("b", 1, 1), Point("c", 9, 9)], 5, 2)
    assert plot.lines == ["    c", "a    "]
    assert plot.shared == {"b": "a"}


def test_numbers_do_not_run_together() -> None:
    """Neighbours of two digits have a blank between them."""
    points = [Point(f"{n:02}", n, 0) for n in (1, 2, 3)]
    assert draw(points, 9, 1).lines == ["01 02 03 "]


def test_a_constant_stands_in_the_middle() -> None:
    """There is no least and no greatest."""
    assert draw([Point("a", 3, 0), Point("b", 3, 1)], 5, 2).lines == ["  b  ", "  a  "]


def test_marks_are_letters_or_numbers_of_one_width() -> None:
    """Never two alike."""
    assert marks(3) == ["a", "b", "c"]
    assert marks(26)[-1] == "z"
    assert marks(27)[:2] == ["01", "02"]
    assert marks(120)[-1] == "120"


@given(points, st.integers(4, 90), st.integers(1, 30))
def test_every_point_is_drawn_or_shares_a_place(
    drawn: list[tuple[float, float]], width: int, height: int
) -> None:
    """Lines of one width, each mark once, and the others at a mark that is drawn."""
    names = marks(len(drawn))
    plot = draw([Point(m, x, y) for m, (x, y) in zip(names, drawn, strict=True)], width, height)
    assert len(plot.lines) == height
    assert {len(text) for text in plot.lines} == {width}
    size = len(names[0]) + (len(names[0]) > 1)
    cells = [text[i : i + size] for text in plot.lines for i in range(0, width, size)]
    seen = sorted(cell.strip() for cell in cells if cell.strip())
    assert seen == sorted(set(names) - plot.shared.keys())
    assert set(plot.shared.values()) <= set(seen)


@pytest.mark.parametrize("width", [24, 60, 200])
def test_a_plot_fits_the_terminal(width: int) -> None:
    """No line is wrapped or cut, and the names of the axes are harmless."""
    lines = with_axes([Point("a", 1, -2.5), Point("b", 12, 3)], "x\x1b", "y" * 9, width).lines
    assert max(map(len, lines)) <= min(width, 78)
    assert not any("\x1b" in text for text in lines)
    assert lines[1].startswith("   3 |")
    assert lines[20].startswith("-2.5 |a")
    assert lines[1].endswith("b")
    assert lines[22].split()[0] == "1"
    assert lines[22].split()[-1] == "12"


def test_the_name_of_an_axis_is_never_cut() -> None:
    """It has a line of its own where it is longer than the plot."""
    x, y = "x" * 50, "y" * 50
    text = "".join(with_axes([Point("a", 1, 2), Point("b", 3, 4)], x, y, 30).lines)
    assert [text.count(c) for c in "xy"] == [50, 50]
