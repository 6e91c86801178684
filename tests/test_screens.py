"""docs/screens/: what is printed fits the screen, as far as it matters, and is what docs show."""

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

import eibench

DOCS = Path(eibench.__file__).resolve().parents[2] / "docs"
FILES = sorted((DOCS / "screens").glob("*.txt"))
MATTERS = {
    "leaderboard": r"^(│ )?1[ –].* \d{4} ",
    "runs": r"^╭",
    "judge-report": r"^place: \w+",
}
RESULT = r"^demo/\S+ DEMO: .* \d+\.\d\d \(\d"


@pytest.fixture(scope="module")
def screens() -> Any:
    """The program that makes the files."""
    found = importlib.util.spec_from_file_location("screens", DOCS / "screens.py")
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def rows_of(text: str, columns: int) -> list[str]:
    """The rows of a terminal, or the lines of a file."""
    lines = text.splitlines()
    if not columns:
        return lines
    return [line[i : i + columns] for line in lines for i in range(0, max(len(line), 1), columns)]


def test_every_screen_is_there(screens: Any) -> None:
    """Each command in each terminal and in a pipe."""
    wanted = {
        f"{name}-{terminal}.txt" for name in screens.SCREENS for terminal in screens.TERMINALS
    }
    assert {file.name for file in FILES} == wanted


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.stem))
def test_what_matters_is_seen_without_scrolling(screens: Any, file: Path) -> None:
    """With a line left for the next command; the result of a run is the last of all."""
    name, _, terminal = file.stem.rpartition("-")
    columns, height = screens.TERMINALS[terminal], 30 if terminal == "100x30" else 24
    rows = rows_of(file.read_text(encoding="utf-8"), columns)[1 - height :]
    seen = "\n".join(rows)
    assert re.search(MATTERS.get(name, RESULT), seen, re.MULTILINE)
    if name not in MATTERS:
        assert any(re.match(RESULT, row) for row in rows[-3:])  # 80 columns break it twice at most


def test_no_row_of_a_terminal_is_cut(screens: Any) -> None:
    """Tables keep their boxes: each of their rows begins and ends with one."""
    for file in FILES:
        for row in file.read_text(encoding="utf-8").splitlines():
            assert row[:1] != "│" or row.endswith("│"), (file.name, row)


def test_the_files_are_what_is_printed_today(screens: Any) -> None:
    """Of the first command; `python docs/screens.py` makes all of them anew."""
    name = "eqbench-v1"
    with screens.fresh_place():
        for file, text in screens.screens({name: screens.SCREENS[name]}):
            assert (DOCS / "screens" / file).read_text(encoding="utf-8") == text
