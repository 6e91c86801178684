"""The journal's schema: made at once, and no other form of it is touched."""

import asyncio
import inspect
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from eibench.core.errors import JournalError
from eibench.core.journal import Journal, records, schema
from eibench.core.journal.health import read_health
from eibench.core.journal.schema import APPLICATION_ID, FORM
from eibench.core.types import ChatResponse

from .test_journal import add, new_run


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A journal with a run of one reply."""
    with Journal(tmp_path) as journal:
        asyncio.run(add(journal, new_run(journal), 0, ChatResponse("x")))
    return tmp_path / "bench.sqlite"


def test_a_new_file_says_whose_it_is_and_of_which_form(path: Path) -> None:
    """In the header of its database."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (FORM,)
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_every_column_that_may_be_null_says_why() -> None:
    """A field of a row that may be None has a comment that speaks of None."""
    may_be = [
        line
        for line in inspect.getsource(records).splitlines()
        if re.match(r"    \w+: .*(OrNone|\| None, )", line)
    ]
    assert len(may_be) > 15
    assert [line for line in may_be if "None" not in line.partition("  # ")[2]] == []


def test_replies_with_odd_openings_have_an_index(path: Path) -> None:
    """Few of very many; all texts are long."""
    with Journal(path.parent) as journal:
        [run] = journal.runs()
        asyncio.run(add(journal, run, 1, ChatResponse("<p>", provider="Together")))
        assert [odd.text for odd in journal.odd_openings(run)] == ["<p>"]
    with closing(sqlite3.connect(path)) as connection:
        sql = f"SELECT n FROM calls WHERE run = 1 AND {schema.ODD_OPENING}"
        [plan] = connection.execute(f"EXPLAIN QUERY PLAN {sql}")
    assert "calls_with_odd_openings" in plan[3]


@pytest.mark.parametrize("open_it", [Journal, read_health])
def test_a_file_of_a_newer_program_is_refused(path: Path, open_it: Callable[[Path], Any]) -> None:
    """It may hold what this one would lose."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    with pytest.raises(JournalError, match="newer eibench"):
        open_it(path.parent)
    assert path.read_bytes() == before


# Files of before the first release

COMMANDS: dict[str, tuple[str, ...]] = {
    "run": ("run", "eqbench-v1", "--dataset", "bundled", "--limit", "2"),
    "dry run": ("run", "eqbench-v1", "--dataset", "bundled", "--limit", "2", "--dry-run"),
    "runs": ("runs",),
    "show": ("show", "7a3c"),
    "rescore": ("rescore", "--all"),
    "rejudge": ("rejudge", "7a3c", "--judge", "demo/judge"),
    "export": ("export", "7a3c", "-o", "-"),
    "import": ("import", "new.jsonl"),
    "leaderboard": ("leaderboard", "eqbench-v1"),
    "compare": ("compare", "7a3c", "7a3d"),
    "site": ("site", "-o", "site"),
    "report": ("report", "7a3c", "-o", "report.html"),
    "rate": ("rate", "eqbench3"),
    "doctor": ("doctor",),
}
SENTENCE = (
    "bench.sqlite was written by an eibench before its first release (form 6; this one reads 7), "
    "and only that one reads it; nothing was changed. Name another folder with --runs-dir"
)


@pytest.mark.parametrize("command", COMMANDS)
def test_an_older_journal_is_refused_and_left_as_it_is(
    invoke: Callable[..., Any], command: str
) -> None:
    """One sentence says what to do; no byte and no time changes, and no file appears beside it."""
    if command == "import":
        made = ("run", "eqbench-v1", "--dataset", "bundled", "--limit", "2", "--runs-dir", "new")
        run_id = invoke(*made, "--json").json["run_id"]
        assert invoke("export", run_id, "-o", "new.jsonl", "--runs-dir", "new").code == 0
    folder = Path("runs")
    (folder / "demo").mkdir(parents=True)
    for path in (folder / "bench.sqlite", folder / "demo" / "bench.sqlite"):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("CREATE TABLE runs (n INTEGER PRIMARY KEY, run_id TEXT UNIQUE)")
            connection.execute("PRAGMA user_version = 6")
    before = state(folder)
    done = invoke(*COMMANDS[command])
    assert done.code == 4
    assert (done.out + done.err).replace("\n", " ").count(SENTENCE) == 1 + (command == "doctor")
    assert state(folder) == before


def state(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Each file's bytes and when it was last written to."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(f): (f.read_bytes(), f.stat().st_mtime_ns) for f in files}


def test_an_older_export_is_refused(invoke: Callable[..., Any]) -> None:
    """One sentence says why, and no journal is made."""
    header = '{"format":"eibench-journal","version":1,"eibench":"0.1.0"}\n'
    Path("old.jsonl").write_text(header + '{"kind":"end","lines":2}\n', encoding="utf-8")
    done = invoke("import", "old.jsonl")
    assert done.code == 3
    assert "line 1: was written by an eibench before its first release (form 1" in done.err
    assert not Path("runs").exists()
