"""Group commit: many writers' rows in one transaction every few milliseconds.

A thread owns the writing connection. It takes the first row that comes, waits
`WINDOW_S` for others, writes all in one transaction with a full sync, and then
wakes those who wait. So a reply counts as arrived when its group is on the
disk, and a thousand replies a second cost some hundred syncs.

A group that another program's lock keeps out is tried until the lock goes. One that finds
the disk full is written into the room that was reserved for it. Any other failure is
final: it is told to all who wait and to all who come later.
"""

import asyncio
import contextlib
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..errors import JournalError
from .temporary import Reserve

WINDOW_S = 0.004
TRY_EVERY_S = 0.5
"""How long SQLite waits for a lock before it is looked whether the user still wants to wait."""
TELL_AFTER_S = 3.0
_LOCKED = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_NO_ROOM = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}


class _Write(NamedTuple):
    sql: str
    values: Sequence[object]
    waiter: "asyncio.Future[None] | None"


class _Group(NamedTuple):
    writes: list[_Write]
    flushes: list[threading.Event]


class GroupWriter:
    """Writes rows on a thread of its own, in the order they are given.

    Args:
        connection: Is the thread's alone from here on; its time-out should be short.
        path: Of the file, for messages.

    Attributes:
        trouble: Why nothing more should be sent, though what comes can still be written.
        reserve: Room to fall back on when the disk is full.
        say: Tells the user something; called on the writer's thread.
        gave_up: Whether the user does not want to wait any longer for a lock.
        check: Called before each group; nothing is written any more where it raises.
    """

    def __init__(self, connection: sqlite3.Connection, path: object) -> None:
        self.commits = 0
        self.trouble: JournalError | None = None
        self.reserve: Reserve | None = None
        self.say: Callable[[str], object] = lambda line: None
        self.gave_up: Callable[[], bool] = lambda: False
        self.check: Callable[[], object] = lambda: None
        self._connection = connection
        self._path = path
        self._queue: queue.SimpleQueue[_Write | threading.Event | None] = queue.SimpleQueue()
        self._error: JournalError | None = None
        self._heard = False
        self._closed = False
        self._locked_since: float | None = None
        self._told_of_lock = False
        self._thread = threading.Thread(target=self._work, name="journal", daemon=True)
        self._thread.start()

    async def write(self, sql: str, values: Sequence[object]) -> None:
        """Write one row; returns when it is on the disk.

        Raises:
            JournalError: It could not be written.
        """
        waiter = asyncio.get_running_loop().create_future()
        self._put(_Write(sql, values, waiter))
        await waiter

    def add(self, sql: str, values: Sequence[object]) -> None:
        """Write one row with the next group; `flush` tells whether it arrived.

        Raises:
            JournalError: An earlier row could not be written.
        """
        self._put(_Write(sql, values, None))

    def flush(self) -> None:
        """Wait until all that was given is on the disk.

        Raises:
            JournalError: Something could not be written.
        """
        done = threading.Event()
        self._put(done)
        done.wait()
        self._raise_error()

    def close(self, *, at_once: bool = False) -> None:
        """Write what is left, waiting for no lock if `at_once`, and end the thread.

        A `JournalError` says that something could not be written, where nobody was told before.
        """
        if at_once:
            self.gave_up = lambda: True
        if not self._closed:
            self._closed = True
            self._queue.put(None)
            self._thread.join()
            if self._error and not self._heard:
                raise self._error

    def _put(self, entry: _Write | threading.Event) -> None:
        self._raise_error()
        if self._closed:
            raise JournalError(f"{self._path} is closed")
        self._queue.put(entry)

    def _raise_error(self) -> None:
        if self._error:
            self._heard = True
            raise self._error

    def _work(self) -> None:
        goes_on = True
        while goes_on:
            group = _Group([], [])
            try:
                goes_on = self._gather(group)
                self._commit(group.writes)
            except Exception as error:  # noqa: BLE001 - whatever it is, those who wait must hear it
                self._fail(error)
            waiters = [write.waiter for write in group.writes if write.waiter]
            self._heard = self._heard or bool(self._error and waiters)
            _wake(waiters, self._error)
            for flush in group.flushes:
                flush.set()

    def _gather(self, group: _Group) -> bool:
        """Take what there is, once there is something; whether more may come."""
        entry = self._queue.get()
        waited = False
        while entry is not None:
            if isinstance(entry, _Write):
                group.writes.append(entry)
                if not waited and not group.flushes:
                    waited = True
                    time.sleep(WINDOW_S)
            else:
                group.flushes.append(entry)
            try:
                entry = self._queue.get_nowait()
            except queue.Empty:
                return True
        return False

    def _commit(self, writes: list[_Write]) -> None:
        if not writes or self._error:
            return
        self.check()
        while True:
            try:
                self._write_all(writes)
                break
            except sqlite3.OperationalError as error:
                if not self._can_try_again(error):
                    raise
        if self._told_of_lock:
            self._tell(f"{self._path} is free again; what waited is saved")
        self._locked_since, self._told_of_lock = None, False

    def _write_all(self, writes: list[_Write]) -> None:
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            for write in writes:
                self._connection.execute(write.sql, write.values)
        self.commits += 1

    def _can_try_again(self, error: sqlite3.Error) -> bool:
        kind = error.sqlite_errorcode & 0xFF  # without SQLite's finer distinctions
        if kind in _LOCKED:
            self._tell_of_lock()
            return not self.gave_up()
        return kind in _NO_ROOM and self._make_room(error)

    def _tell_of_lock(self) -> None:
        """Say once that another program is waited for, when that takes long."""
        now = time.monotonic()
        self._locked_since = self._locked_since or now
        if not self._told_of_lock and now - self._locked_since >= TELL_AFTER_S:
            self._told_of_lock = True
            self._tell(
                f"another program has locked {self._path}: replies wait in memory until it lets "
                "go; stopping twice (Ctrl-C) gives them up"
            )

    def _tell(self, text: str) -> None:
        with contextlib.suppress(Exception):  # it is not ours; what waits must be written
            self.say(text)

    def _make_room(self, error: sqlite3.Error) -> bool:
        """Release the reserve; whether there was one."""
        if self.reserve is None or not self.reserve.release():
            return False
        self.trouble = JournalError(
            f"no room to write to {self._path}: {error}; nothing more is sent, and what was "
            "answered is saved in the room kept for it. Make room, then run the same command again"
        )
        return True

    def _fail(self, error: Exception) -> None:
        if self._error is None and isinstance(error, JournalError):
            self._error = error
        elif self._error is None:
            self._error = JournalError(
                f"cannot write to {self._path}: {error}; nothing more is sent, and what is not "
                "saved yet is lost. Make room or repair it, then run the same command again"
            )
            self._error.__cause__ = error
        self.trouble = self._error


def _wake(waiters: "list[asyncio.Future[None]]", error: JournalError | None) -> None:
    """Resolve all futures of a group with one message to each of their loops."""
    for loop in {waiter.get_loop() for waiter in waiters}:
        local = [waiter for waiter in waiters if waiter.get_loop() is loop]
        with contextlib.suppress(RuntimeError):  # the loop was closed: nobody waits any more
            loop.call_soon_threadsafe(_resolve, local, error)


def _resolve(waiters: "list[asyncio.Future[None]]", error: JournalError | None) -> None:
    for waiter in waiters:
        if waiter.done():
            continue
        if error:
            waiter.set_exception(error)
        else:
            waiter.set_result(None)
