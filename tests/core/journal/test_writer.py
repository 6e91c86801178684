"""The journal's writing thread: what it waits for, and what it tells to those who wait for it."""

import asyncio
import signal
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eibench.core.errors import JournalError
from eibench.core.journal import writer as writing
from eibench.core.journal.writer import GroupWriter
from eibench.testing import Gate, LoopbackServer, uniform_ratings
from tests.core.sample.test_engine_stopping import CONCURRENCY, arguments, finish, stop, until_told

if TYPE_CHECKING:
    from tests.core.conftest import Bench

SOON = 0.02


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A database with a table."""
    path = tmp_path / "db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE t (x)")
    return path


@pytest.fixture
def writer(file: Path) -> Iterator[GroupWriter]:
    """A writer that looks at a lock again and again."""
    options = {"timeout": SOON, "isolation_level": None, "check_same_thread": False}
    with closing(sqlite3.connect(file, **options)) as connection:  # type: ignore[call-overload]
        made = GroupWriter(connection, file)
        yield made
        made.close(at_once=True)


def rows(file: Path) -> int:
    """How many rows the table has."""
    with closing(sqlite3.connect(file)) as connection:
        (n,) = connection.execute("SELECT count(*) FROM t").fetchone()
        return int(n)


@contextmanager
def locked(file: Path) -> Iterator[sqlite3.Connection]:
    """The lock of another program, until the block ends."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield connection


async def test_a_lock_of_another_program_is_waited_for(
    file: Path, writer: GroupWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The group is kept and written once the lock is gone; both is told."""
    monkeypatch.setattr(writing, "TELL_AFTER_S", 2 * SOON)
    messages: list[str] = []
    waiting = threading.Event()

    def say(line: str) -> None:
        messages.append(line)
        waiting.set()

    writer.say = say
    with locked(file):
        writes = [asyncio.create_task(writer.write("INSERT INTO t VALUES (1)", ())) for _ in "abc"]
        assert await asyncio.to_thread(waiting.wait, 30)
        assert not any(write.done() for write in writes)
    await asyncio.gather(*writes)
    assert rows(file) == 3
    assert ["locked" in messages[0], "free again" in messages[1], len(messages)] == [True, True, 2]


async def test_a_lock_is_waited_for_no_longer_than_the_user_wants(
    file: Path, writer: GroupWriter
) -> None:
    """Who gives up hears that the rows are lost; nobody waits for ever."""
    with locked(file):
        waiting = asyncio.create_task(writer.write("INSERT INTO t VALUES (1)", ()))
        await asyncio.sleep(0)
        writer.gave_up = lambda: True
        with pytest.raises(JournalError, match=r"locked.*not saved yet is lost"):
            await waiting
    assert rows(file) == 0


def test_an_error_that_nobody_has_heard_of_is_raised_at_the_end(
    file: Path, writer: GroupWriter
) -> None:
    """A row that was only added, and could not be written, is not lost in silence."""
    writer.add("INSERT INTO t VALUES (1, 2)", ())
    with pytest.raises(JournalError, match="not saved yet is lost"):
        writer.close()


async def test_an_error_that_was_heard_of_is_raised_once(file: Path, writer: GroupWriter) -> None:
    """Who waited for the row was told."""
    with pytest.raises(JournalError):
        await writer.write("INSERT INTO t VALUES (1, 2)", ())
    writer.close()


async def test_telling_the_user_cannot_break_the_writer(
    file: Path, writer: GroupWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What raises there is none of the journal's business."""
    monkeypatch.setattr(writing, "TELL_AFTER_S", 0.0)
    tried = threading.Event()

    def say(line: str) -> None:
        tried.set()
        raise RuntimeError("no terminal")

    writer.say = say
    with locked(file):
        waiting = asyncio.create_task(writer.write("INSERT INTO t VALUES (1)", ()))
        assert await asyncio.to_thread(tried.wait, 30)
    await waiting
    assert rows(file) == 1


async def test_whatever_goes_wrong_on_the_thread_is_told(
    writer: GroupWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also outside a transaction: those who wait and those who come later hear of it."""
    monkeypatch.setattr(writing, "WINDOW_S", -1.0)  # time.sleep raises
    async with asyncio.timeout(30):
        with pytest.raises(JournalError, match="sleep length"):
            await writer.write("INSERT INTO t VALUES (1)", ())
    with pytest.raises(JournalError):
        writer.flush()
    writer.close()


# In a run


@pytest.fixture
def gate() -> Gate:
    """Lets six answers through."""
    return Gate(free=6)


@pytest.fixture
def server(gate: Gate) -> Iterator[LoopbackServer]:
    """Answers like a uniform rater, through the gate."""
    with LoopbackServer(uniform_ratings(1), latency=gate) as made:
        yield made


def calls(folder: Path) -> int:
    """How many replies the journal holds."""
    with closing(sqlite3.connect(folder / "runs" / "bench.sqlite")) as connection:
        (n,) = connection.execute("SELECT count(*) FROM calls").fetchone()
        return int(n)


def test_replies_that_wait_for_a_lock_are_saved_after_it(
    bench: "Bench", server: LoopbackServer, gate: Gate
) -> None:
    """Stopped meanwhile, the run ends once the other program has let go, and nothing is lost."""
    process = bench.start(*arguments(server))
    gate.wait_for(CONCURRENCY)
    with locked(bench.folder / "runs" / "bench.sqlite"):
        stop(process)
        gate.open()
        until_told(process, "another program has locked")
    _, err = finish(process)
    assert process.returncode == 130, err
    assert calls(bench.folder) == len(server.answered) == 6 + CONCURRENCY


def test_stopping_twice_ends_the_wait_for_a_lock(
    bench: "Bench", server: LoopbackServer, gate: Gate
) -> None:
    """The run ends with exit 4 and says what was lost, though the lock stays."""
    process = bench.start(*arguments(server))
    gate.wait_for(CONCURRENCY)
    with locked(bench.folder / "runs" / "bench.sqlite"):
        stop(process)
        gate.open()
        until_told(process, "another program has locked")
        process.send_signal(signal.SIGINT)
        _, err = finish(process)
    assert process.returncode == 4, err
    assert "not saved yet is lost" in err
