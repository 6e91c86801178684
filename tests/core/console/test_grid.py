"""Tables that lose nothing: which form is printed at which width, and that all of it is there."""

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from eibench.core.console.fitted import Column, Grid

WORDS = st.text(alphabet="abc-/ 0.5…<%", min_size=1, max_size=30).map(str.strip)


def printed(grid: Grid, width: int, *, terminal: bool = True) -> list[str]:
    """The lines of a grid in a terminal of that width, or in a file."""
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=terminal, color_system=None)
    console.print(grid, crop=False)
    return re.sub(r"\x1b\[\d*m", "", out.getvalue()).splitlines()


def board() -> Grid:
    """Names and numbers, a group, and an empty cell."""
    grid = Grid(
        [Column("model"), Column("mean of all", True), Column("95 % interval"), Column("by")]
    )
    grid.add_row("openai/some-model", "0.48", "0.42 … 0.54", "a judge of some kind", style="bold")
    grid.add_group("others")
    grid.add_row("demo/weak", "12.21", "–", "")
    return grid


def numbers() -> Grid:
    """What is read down its columns."""
    grid = Grid([Column("criterion"), *(Column(h, True) for h in ("r", "95 %", "p", "n", "pairs"))])
    grid.add_row("humanlike", "0.93", "0.77 … 0.98", "< 0.001", "11", "55")
    grid.add_row("depth_of_insight", "-0.12", "-0.40 … 0.22", "0.250", "9", "36")
    return grid


@pytest.mark.parametrize("width", [100, 60, 50, 30])
def test_words_and_numbers(snapshot: SnapshotAssertion, width: int) -> None:
    """In a box; wrapped; without the box; a block for each row."""
    assert "\n".join(printed(board(), width)) == snapshot


@pytest.mark.parametrize("width", [80, 50, 24])
def test_numbers_alone(snapshot: SnapshotAssertion, width: int) -> None:
    """In a box; in parts in which an interval stands with its number; a block for each row."""
    assert "\n".join(printed(numbers(), width)) == snapshot


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize(
    "cell", ["plain", "", "我 é", "🙂", "e\u0301", " blank", "a\tb", "a\nb", "1 … 2"]
)
def test_a_table_that_fits_is_the_one_of_rich(
    monkeypatch: pytest.MonkeyPatch, cell: str, terminal: bool
) -> None:
    """Whatever its cells hold."""
    grid = Grid([Column("name"), Column(cell or "number", True)])
    for _ in range(2):
        grid.add_row(cell, "0.5", style="bold")
        grid.add_row("other", cell)
    shown = printed(grid, 60, terminal=terminal)
    monkeypatch.setattr(Grid, "_is_plain", lambda grid: False)
    assert printed(grid, 60, terminal=terminal) == shown


@pytest.mark.parametrize("width", [20, 200])
def test_a_file_has_the_whole_table_whatever_the_width(width: int) -> None:
    """A row is a line there, also one that is longer than the lines around it."""
    assert printed(board(), width, terminal=False) == printed(board(), 200)


def test_a_long_word_is_folded_before_the_table_is_given_up() -> None:
    """All of its characters are there."""
    grid = Grid([Column("name"), Column("n", True)])
    grid.add_row("x" * 60 + "y", "1234567")
    lines = printed(grid, 40)
    assert max(map(len, lines)) == 40
    assert sum(line.count("x") for line in lines) == 60
    assert "1234567" in lines[3]


@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=4), st.integers(12, 90))
def test_nothing_is_lost_and_nothing_runs_over(rows: list[tuple[str, ...]], width: int) -> None:
    """Each character of each cell is printed, on lines that the terminal can hold."""
    grid = Grid([Column("q"), Column("u", True), Column("95 %")])
    for row in rows:
        grid.add_row(*row)
    lines = printed(grid, width)
    assert max(map(len, lines)) <= width
    shown = "".join(lines)
    for c in "abc/5<%0":
        assert shown.count(c) >= sum(cell.count(c) for row in rows for cell in row)
