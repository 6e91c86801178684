"""People's answers from CSV: both forms, and each mistake with its line or its person."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from eibench import DataError
from eibench.plugins.seceu.people import People, read_people
from eibench.plugins.seceu.stories import Story

OPTIONS = ("Angry", "Bored", "Glad", "Sad")
STORIES = [Story(i, "It rains.", OPTIONS, None) for i in ("a", "b")]
POINTS = {("p", "a"): (1, 2, 3, 4), ("p", "b"): (10, 0, 0, 0), ("q", "a"): (0, 5, 5, 0),
          ("q", "b"): (2.5, 2.5, 2.5, 2.5)}  # fmt: skip
LONG = ["person", "item", "option", "points"]
WIDE = ["person", "item", "option_1", "option_2", "option_3", "option_4"]
LONG_ROWS: list[list[Any]] = [
    [*key, n, v] for key, row in POINTS.items() for n, v in enumerate(row, start=1)
]
WIDE_ROWS: list[list[Any]] = [[*key, *row] for key, row in POINTS.items()]


def read(
    place: Path, header: Sequence[str], rows: Sequence[Sequence[object]], *, leave_out: bool = False
) -> People:
    """What a file of these rows gives."""
    path = place / "humans.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return read_people(path, STORIES, leave_out=leave_out)


def test_both_forms_say_the_same(empty_place: Path) -> None:
    """Shape (people, items, 4), in the order of the file and of the stories."""
    expected = [[POINTS["p", "a"], POINTS["p", "b"]], [POINTS["q", "a"], POINTS["q", "b"]]]
    for header, rows in ((LONG, LONG_ROWS), (WIDE, WIDE_ROWS)):
        found = read(empty_place, header, rows)
        assert found.points.tolist() == [[list(map(float, r)) for r in p] for p in expected]
        assert found.left_out == ()


def test_rows_and_columns_may_come_in_any_order(empty_place: Path) -> None:
    """People keep the order in which they come up."""
    rows = [[points, option, item, person, "x"] for person, item, option, points in LONG_ROWS]
    found = read(empty_place, ["Points", " option", "item", "PERSON", "remark"], rows[::-1])
    same = read(empty_place, WIDE, WIDE_ROWS)
    assert found.points.tolist() == same.points[::-1].tolist()


def test_options_may_be_called_by_name(empty_place: Path) -> None:
    """In any case of letters."""
    rows = [[p, i, OPTIONS[int(n) - 1].upper(), v] for p, i, n, v in LONG_ROWS]
    same = read(empty_place, LONG, LONG_ROWS)
    assert read(empty_place, LONG, rows).points.tolist() == same.points.tolist()


def test_blank_lines_and_a_byte_order_mark_are_no_matter(empty_place: Path) -> None:
    """As spreadsheets write them."""
    path = empty_place / "humans.csv"
    lines = [",".join(map(str, row)) for row in [WIDE, *WIDE_ROWS]]
    path.write_text("\ufeff" + "\r\n".join([*lines, ",,,,,", ""]) + "\r\n", encoding="utf-8")
    assert read_people(path, STORIES, leave_out=False).points.shape == (2, 2, 4)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (["p", "c", 1, 2], "line 2: the stories have no item 'c'"),
        (["", "a", 1, 2], "line 2: has no person"),
        (["p", "a", 5, 2], "line 2: item 'a' has no option '5'; it has 1-4: Angry, Bored"),
        (["p", "a", "Mad", 2], "has no option 'Mad'"),
        (["p", "a", 1, -1], "line 2: points must be a number from 0 to 10, not '-1'"),
        (["p", "a", 1, 11], "must be a number from 0 to 10, not '11'"),
        (["p", "a", 1, "x"], "not 'x'"),
        (["p", "a", 1, "nan"], "not 'nan'"),
        (["p", "a", 1, ""], "not ''"),
        (["p", "a", 1], "line 2: has 3 cells, the header 4"),
    ],
    ids=str,
)
def test_a_wrong_row_is_named_by_its_line(
    empty_place: Path, row: list[object], message: str
) -> None:
    """And by what is wrong with it."""
    with pytest.raises(DataError) as caught:
        read(empty_place, LONG, [row, *LONG_ROWS])
    assert message in str(caught.value)


def test_a_number_given_twice_is_refused(empty_place: Path) -> None:
    """Neither of the two is the right one."""
    with pytest.raises(DataError, match=r'line 18: "p" has points for option 1 of item "a"'):
        read(empty_place, LONG, [*LONG_ROWS, LONG_ROWS[0]])


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (["persn", *LONG[1:]], "the header has no 'person'; is it 'persn'?"),
        (LONG[:3], "the header has no 'points'; it needs person, item, option, points"),
        (WIDE[:4], "the header has no 'option_3'; is it 'option_2'?"),
        (["x", "y"], "the header has no 'person'; it needs person, item, option_1"),
        ([*LONG, "item"], "the header has a name twice"),
    ],
    ids=str,
)
def test_a_wrong_header_is_told(empty_place: Path, header: list[str], message: str) -> None:
    """With the nearest name, or with what it needs."""
    with pytest.raises(DataError) as caught:
        read(empty_place, header, [])
    assert message in str(caught.value)
    assert "line 1" in str(caught.value)


MISSING = [row for row in WIDE_ROWS if row[:2] != ["q", "b"]]
SHORT = [row if row[:2] != ["q", "b"] else ["q", "b", 1, 2, 3, ""] for row in WIDE_ROWS]
OFF = [row if row[:2] != ["q", "b"] else ["q", "b", 1, 2, 3, 5] for row in WIDE_ROWS]
THIRD = [["r", "a", 4, 3, 2, 1], ["r", "b", 1, 2, 3, 4]]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (MISSING, 'person "q": no answer to item "b"; --leave-out goes on without them'),
        (SHORT, 'person "q": no points for option 4 of item "b"'),
        (OFF, 'person "q": the points of item "b" sum to 11, not 10'),
    ],
    ids=["missing", "short", "sum"],
)
def test_answers_that_are_not_whole_are_refused_or_left_out_as_asked(
    empty_place: Path, rows: list[list[object]], message: str
) -> None:
    """Nobody is dropped in silence: with --leave-out the person and the reason are kept."""
    with pytest.raises(DataError) as caught:
        read(empty_place, WIDE, [*rows, *THIRD])
    assert message in str(caught.value)
    found = read(empty_place, WIDE, [*rows, *THIRD], leave_out=True)
    assert found.points.shape == (2, 2, 4)
    (text,) = found.left_out
    assert text.startswith("q: ")


def test_the_number_of_people_with_such_answers_is_told(empty_place: Path) -> None:
    """Two of three."""
    rows = [*THIRD, ["p", "a", 1, 1, 1, 1], ["q", "a", 1, 1, 1, 1]]
    with pytest.raises(DataError, match="and 1 more people have such answers"):
        read(empty_place, WIDE, rows)


def test_two_decimals_may_miss_the_sum_by_their_rounding(empty_place: Path) -> None:
    """3.33 three times."""
    rows = [["p", i, 3.33, 3.33, 3.33, 0] for i in ("a", "b")]
    assert read(empty_place, WIDE, [*rows, *THIRD]).points.shape == (2, 2, 4)


@pytest.mark.parametrize("rows", [THIRD, [*MISSING[2:], *THIRD]], ids=["one", "one whole"])
def test_a_norm_needs_two_people(empty_place: Path, rows: list[list[object]]) -> None:
    """One person is always at the mean."""
    with pytest.raises(DataError, match="holds 1 people with whole answers"):
        read(empty_place, WIDE, rows, leave_out=True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the header has no 'person'"),
        (b"person,item,option,points\n", "holds no answers"),
        (b"\xff\xfe\x00", "not UTF-8 text"),
        (b'person,item,option,points\n"a', "not CSV"),
    ],
    ids=["empty", "header", "bytes", "quote"],
)
def test_what_is_no_table_is_told(empty_place: Path, content: bytes, message: str) -> None:
    """One line, no traceback."""
    path = empty_place / "humans.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message):
        read_people(path, STORIES, leave_out=False)


def test_a_missing_file_is_told(empty_place: Path) -> None:
    """Another error than a broken one."""
    with pytest.raises(DataError, match="no such file"):
        read_people(empty_place / "none.csv", STORIES, leave_out=False)
