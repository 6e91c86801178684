"""Boards of many runs: a few statements, whatever the number of runs, and the same numbers."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from eibench import Score
from eibench.core.compare.board_reader import read_leaderboard
from eibench.core.compare.boards import Boards
from eibench.core.journal import Journal
from eibench.core.journal.file import AT_ONCE, ReadAhead
from eibench.core.plugins import installed
from eibench.plugins.eqbench_v1.benchmark import EQBenchV1

Bench = Callable[..., Any]


@pytest.fixture
def run(bench: Bench, questions: Callable[..., Path]) -> Callable[..., None]:
    """Runs demo models under names, several times if need be."""
    command = ("run", "eqbench-v1", "--dataset", questions("1,2,3"))

    def runs(count: int, name: str = "m", *more: object) -> None:
        for n in range(count):
            model = ("weak", "medium", "strong")[n % 3]
            done = bench(*command, "--model", f"demo/{model}", "--name", f"{name}{n}", *more)
            assert done.code == 0, done.err

    return runs


@contextmanager
def counted(journal: Journal) -> Iterator[list[str]]:
    """The statements that a journal's reading connection executes meanwhile."""
    statements = list[str]()
    journal._read.set_trace_callback(statements.append)
    yield statements
    journal._read.set_trace_callback(None)


def board_of() -> tuple[Any, int]:
    """The rows of the board, and how many statements they took."""
    catalogue = installed()
    with Journal(Path("runs/demo"), create=False) as journal, counted(journal) as statements:
        board = read_leaderboard(Boards(journal, catalogue, catalogue.benchmark("eqbench-v1")))
    return board.as_json()["rows"], len(statements)


def test_more_runs_take_no_more_statements(run: Callable[..., None]) -> None:
    """Of models with one run each, and of models with several."""
    run(2)
    _, few = board_of()
    run(4, "n")
    rows, many = board_of()
    assert (len(rows), many) == (6, few)
    run(5, "n", "--temperature", "0.5")
    rows, twice = board_of()
    assert len(rows) == 7
    run(5, "n", "--temperature", "0.9")
    assert board_of()[1] == twice


def test_a_board_read_ahead_says_what_each_run_says(
    run: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With batches of two as with one of all, and as without any."""
    run(5)
    run(3, "m", "--temperature", "0.5", "--items", "1,2")
    rows, _ = board_of()
    monkeypatch.setattr("eibench.core.journal.file.AT_ONCE", 2)
    assert board_of()[0] == rows

    @contextmanager
    def not_ahead(journal: Journal, runs: object) -> Iterator[None]:
        yield

    monkeypatch.setattr(Journal, "ahead", not_ahead)
    assert board_of()[0] == rows


def test_baselines_are_found_once_for_a_board(
    run: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are of the pack, and took two thirds of the time."""
    run(4)
    found, asked = EQBenchV1.baselines, list[object]()

    def baselines(*given: Any) -> Any:
        asked.append(given)
        return found(*given)

    monkeypatch.setattr(EQBenchV1, "baselines", baselines)
    rows, _ = board_of()
    assert (len(rows), len(asked)) == (4, 1)


def test_what_is_written_meanwhile_is_read(run: Callable[..., None]) -> None:
    """A write ends the reading ahead, here and around it."""
    run(2)
    with Journal(Path("runs/demo"), create=False) as journal:
        runs = journal.runs()
        with journal.ahead(runs), journal.ahead(runs):
            ((by, _),) = journal.graders(runs[1])
            journal.add_grade(runs[1], by, "4", 1, Score({"first_pass": 1.0}))
            journal.writer.flush()
            assert [g.grades for g in journal.graders(runs[1])] == [4]


def test_runs_are_read_in_batches() -> None:
    """In the order they were given in; one that is not among them by itself."""
    asked = list[str]()

    def fetch(sql: str, values: tuple[Any, ...]) -> list[tuple[int, str]]:
        asked.append(sql)
        return [(int(n), f"row {n}") for n in re.findall(r"\d+", sql)]

    ahead = ReadAhead(range(1, 250))
    for n in (1, 2, AT_ONCE, AT_ONCE + 1, 2 * AT_ONCE, 249, 300):
        assert ahead.rows(n, "run {of}", (), fetch) == [(n, f"row {n}")]
    assert len(asked) == 3 + 1
