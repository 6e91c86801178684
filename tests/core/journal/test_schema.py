"""The journal's schema: made at once, changed by migrations, and no other form is touched."""

import asyncio
import inspect
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from eibench.core.errors import JournalError
from eibench.core.journal import Journal, records, schema
from eibench.core.journal.health import read_health
from eibench.core.journal.schema import APPLICATION_ID, UNRELEASED_ID
from eibench.core.types import ChatResponse

from .test_journal import add, new_run

MORE = "ALTER TABLE runs ADD COLUMN more TEXT; -- NULL: unknown\nCREATE TABLE extras (x TEXT);"
FIRST = schema.MIGRATIONS
NEWEST = schema.newest()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A journal with a run of one reply, as version 1.0 makes it."""
    with Journal(tmp_path) as journal:
        asyncio.run(add(journal, new_run(journal), 0, ChatResponse("x")))
    return tmp_path / "bench.sqlite"


def version(path: Path) -> int:
    """Of the schema."""
    with closing(sqlite3.connect(path)) as connection:
        found: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return found


def columns(path: Path) -> list[str]:
    """Those of the table of runs."""
    with closing(sqlite3.connect(path)) as connection:
        return [row[1] for row in connection.execute("PRAGMA table_info(runs)")]


def test_a_new_file_is_ours_and_at_the_newest_schema(path: Path) -> None:
    """The file says whose it is and how new."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert version(path) == NEWEST == 6


def test_every_column_that_may_be_null_says_why() -> None:
    """A field of a row that may be None has a comment that speaks of None."""
    may_be = [
        line
        for line in inspect.getsource(records).splitlines()
        if re.match(r"    \w+: .*(OrNone|\| None, )", line)
    ]
    assert len(may_be) > 15
    assert [line for line in may_be if "None" not in line.partition("  # ")[2]] == []


def test_the_first_migration_adds_the_labels_of_people(path: Path) -> None:
    """A file as 1.0 made it gets the same table as a new one."""
    sql = "SELECT sql FROM sqlite_master WHERE tbl_name = 'labels' AND sql NOT NULL ORDER BY name"
    with closing(sqlite3.connect(path)) as connection, connection:
        made = connection.execute(sql).fetchall()
        connection.executescript("DROP TABLE labels; DROP TABLE batches; DROP TABLE askings")
        for index in re.findall(r"CREATE INDEX (\w+)", "".join(schema.MIGRATIONS[2:])):
            connection.execute(f"DROP INDEX {index}")
        connection.execute("ALTER TABLE calls DROP COLUMN provider")
        connection.execute("PRAGMA user_version = 1")
    with Journal(path.parent) as journal:
        assert [list(journal.labels(run)) for run in journal.runs()] == [[]]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute(sql).fetchall() == made


def test_a_call_of_before_has_no_provider(path: Path) -> None:
    """Its checksum still fits, and what a broker says of the next one is kept."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP INDEX calls_with_odd_openings")
        connection.execute("ALTER TABLE calls DROP COLUMN provider")
        connection.execute("PRAGMA user_version = 5")
    with Journal(path.parent) as journal:
        [run] = journal.runs()
        asyncio.run(add(journal, run, 1, ChatResponse("<p>", provider="Together")))
        providers = [call.response.provider for call in journal.calls(run)]
        assert providers == [None, "Together"]
        assert [source.provider for source in journal.reply_sources(run)] == providers
        assert [odd.text for odd in journal.odd_openings(run)] == ["<p>"]
    with closing(sqlite3.connect(path)) as connection:
        sql = f"SELECT n FROM calls WHERE run = 1 AND {schema.ODD_OPENING}"
        [plan] = connection.execute(f"EXPLAIN QUERY PLAN {sql}")
    assert "calls_with_odd_openings" in plan[3]


def test_a_migration_brings_a_file_of_1_0_to_the_newest(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new column is there, and all that was."""
    monkeypatch.setattr(schema, "MIGRATIONS", (*FIRST, MORE))
    with Journal(path.parent) as journal:
        assert [journal.count_calls(run) for run in journal.runs()] == [1]
    assert (version(path), columns(path)[-1]) == (NEWEST + 1, "more")


def test_a_migration_that_fails_leaves_the_file_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step is taken whole or not at all, and the next program can take it."""
    monkeypatch.setattr(schema, "MIGRATIONS", (*FIRST, f"{MORE}\nBROKEN;"))
    with pytest.raises(JournalError):
        Journal(path.parent)
    assert (version(path), "more" in columns(path)) == (NEWEST, False)
    monkeypatch.setattr(schema, "MIGRATIONS", (*FIRST, MORE))
    Journal(path.parent).close()
    assert version(path) == NEWEST + 1


def test_a_migration_that_is_killed_in_the_middle_is_taken_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if it had not begun."""
    program = f"""
import os, signal, sys
from pathlib import Path
from eibench.core.journal import Journal, schema

def killed(script, statements=schema._statements):
    first, *_ = statements(script)
    yield first
    os.kill(os.getpid(), signal.SIGKILL)

schema.MIGRATIONS, schema._statements = (*schema.MIGRATIONS, {MORE!r}), killed
Journal(Path(sys.argv[1]))
"""
    command = [sys.executable, "-c", program, str(path.parent)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert (version(path), "more" in columns(path)) == (NEWEST, False)
    monkeypatch.setattr(schema, "MIGRATIONS", (*FIRST, MORE))
    with Journal(path.parent) as journal:
        assert [journal.count_calls(run) for run in journal.runs()] == [1]
    assert (version(path), columns(path)[-1]) == (NEWEST + 1, "more")


@pytest.mark.parametrize("open_it", [Journal, read_health])
def test_a_file_of_a_newer_program_is_refused(path: Path, open_it: Callable[[Path], Any]) -> None:
    """It may hold what this one would lose."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    with pytest.raises(JournalError, match="newer eibench"):
        open_it(path.parent)
    assert path.read_bytes() == before


# Files from before version 1.0

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
    "bench.sqlite was written before version 1.0 of the journal, and only the earlier eibench that "
    "wrote it reads it; nothing was changed. Name a new folder with --runs-dir"
)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_journal_from_before_1_0_is_refused_and_left_as_it_is(
    invoke: Callable[..., Any], command: str
) -> None:
    """One sentence says what to do; no byte and no time changes, and no file appears beside it."""
    if command == "import":
        made = ("run", "eqbench-v1", "--dataset", "bundled", "--limit", "2", "--runs-dir", "new")
        run_id = invoke(*made, "--json").json["run_id"]
        assert invoke("export", run_id, "-o", "new.jsonl", "--runs-dir", "new").code == 0
    folder = Path("runs")
    folder.mkdir()
    with closing(sqlite3.connect(folder / "bench.sqlite")) as connection:
        connection.execute(f"PRAGMA application_id = {UNRELEASED_ID}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE runs (n INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE)")
        connection.execute("PRAGMA user_version = 6")
    before = state(folder)
    done = invoke(*COMMANDS[command])
    assert done.code == 4
    assert (done.out + done.err).replace("\n", " ").count(SENTENCE) == 1
    assert state(folder) == before


def state(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Each file's bytes and when it was last written to."""
    return {f.name: (f.read_bytes(), f.stat().st_mtime_ns) for f in folder.iterdir()}


def test_an_export_from_before_1_0_is_refused(invoke: Callable[..., Any]) -> None:
    """One sentence says what to do, and no journal is made."""
    header = '{"format":"eibench-runs","version":2,"eibench":"0.1.0"}\n'
    Path("old.jsonl").write_text(header + '{"kind":"end","lines":2}\n', encoding="utf-8")
    done = invoke("import", "old.jsonl")
    assert done.code == 3
    assert "line 1: was written before version 1.0 of the journal" in done.err
    assert "make its runs again, in a new --runs-dir" in done.err
    assert not Path("runs").exists()
