"""How a journal is, told without changing it."""

import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from eibench.core.errors import JournalError
from eibench.core.journal import Journal
from eibench.core.journal.health import read_health

HOLD = """
import sys
from pathlib import Path
from eibench.core.journal import RunLock
with RunLock(Path(sys.argv[1]), sys.argv[2]).acquire():
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def folder(lab: Any) -> Path:
    """A runs folder with one run of 28 replies, made by a session."""
    import asyncio

    asyncio.run(lab.run())
    found: Path = lab.runs_dir
    return found


def test_a_whole_journal(folder: Path) -> None:
    """Size, counts, and that nobody works on it."""
    health = read_health(folder)
    assert health is not None
    assert (health.runs, health.calls, health.owners) == (1, 32, {})
    assert health.size == (folder / "bench.sqlite").stat().st_size > 0


def test_no_journal_is_none(tmp_path: Path) -> None:
    """Looking makes none."""
    assert read_health(tmp_path / "runs") is None
    assert not list(tmp_path.iterdir())


def test_looking_changes_nothing(folder: Path) -> None:
    """Not one byte of the file, nor its schema."""
    path = folder / "bench.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    before = path.read_bytes()
    read_health(folder)
    assert path.read_bytes() == before


def test_who_works_on_a_run(folder: Path) -> None:
    """The process that holds a run's lock is named; once it is gone, nobody is."""
    with Journal(folder) as journal:
        (run,) = journal.runs()
    arguments = [sys.executable, "-c", HOLD, str(folder), run.run_id]
    with subprocess.Popen(
        arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout is not None
        owner.stdout.readline()
        health = read_health(folder)
        owner.kill()
    assert health is not None
    assert f"process {owner.pid} on" in health.owners[run.run_id]
    again = read_health(folder)
    assert again is not None
    assert again.owners == {}


def test_a_damaged_journal(folder: Path) -> None:
    """A page that was overwritten is an error that names the file."""
    path = folder / "bench.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    for name in ("bench.sqlite-wal", "bench.sqlite-shm"):
        (folder / name).unlink(missing_ok=True)
    data = bytearray(path.read_bytes())
    data[4096:12288] = b"\xff" * 8192
    path.write_bytes(data)
    with pytest.raises(JournalError, match=r"bench\.sqlite"):
        read_health(folder)
    assert path.read_bytes() == bytes(data)
