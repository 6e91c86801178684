"""Group commit: many writers' rows in one transaction every few milliseconds.

A thread owns the writing connection. It takes the first row that comes, waits
`WINDOW_S` for others, writes all in one transaction with a full sync, and then
wakes those who wait. So a reply counts as arrived when its group is on the
disk, and a thousand replies a second cost some hundred syncs. The first failure
is final: it is told to all who wait and to all who come later.
"""

import asyncio
import contextlib
import queue
import sqlite3
import threading
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..errors import JournalError

WINDOW_S = 0.004


class _Write(NamedTuple):
    sql: str
    values: Sequence[Any]
    waiter: "asyncio.Future[None] | None"


class _Group(NamedTuple):
    writes: list[_Write]
    flushes: list[threading.Event]
    last: bool


class GroupWriter:
    """Writes rows on a thread of its own, in the order they are given.

    Attributes:
        commits: Transactions so far.
    """

    def __init__(self, connection: sqlite3.Connection, path: object) -> None:
        self.commits = 0
        self._connection = connection
        self._path = path
        self._queue: queue.SimpleQueue[_Write | threading.Event | None] = queue.SimpleQueue()
        self._error: JournalError | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="journal", daemon=True)
        self._thread.start()

    async def write(self, sql: str, values: Sequence[Any]) -> None:
        """Write one row; returns when it is on the disk.

        Raises:
            JournalError: It could not be written.
        """
        waiter = asyncio.get_running_loop().create_future()
        self._put(_Write(sql, values, waiter))
        await waiter

    def add(self, sql: str, values: Sequence[Any]) -> None:
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
        if self._error:
            raise self._error

    def close(self) -> None:
        """Write what is left and end the thread."""
        if not self._closed:
            self._closed = True
            self._queue.put(None)
            self._thread.join()

    def _put(self, entry: _Write | threading.Event) -> None:
        if self._error:
            raise self._error
        if self._closed:
            raise JournalError(f"{self._path} is closed")
        self._queue.put(entry)

    def _work(self) -> None:
        while True:
            group = self._next_group()
            self._commit(group.writes)
            _wake([w.waiter for w in group.writes if w.waiter], self._error)
            for flush in group.flushes:
                flush.set()
            if group.last:
                return

    def _next_group(self) -> _Group:
        group = _Group([], [], last=False)
        entry = self._queue.get()
        if isinstance(entry, _Write):
            time.sleep(WINDOW_S)
        while True:
            if entry is None:
                return group._replace(last=True)
            if isinstance(entry, _Write):
                group.writes.append(entry)
            else:
                group.flushes.append(entry)
            try:
                entry = self._queue.get_nowait()
            except queue.Empty:
                return group

    def _commit(self, writes: list[_Write]) -> None:
        if not writes or self._error:
            return
        try:
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                for write in writes:
                    self._connection.execute(write.sql, write.values)
            self.commits += 1
        except Exception as error:  # noqa: BLE001 - whatever it is, those who wait must hear of it
            self._error = JournalError(
                f"cannot write to {self._path}: {error}; nothing more is sent. "
                "Make room or repair it, then run the same command again"
            )
            self._error.__cause__ = error


def _wake(waiters: "list[asyncio.Future[None]]", error: JournalError | None) -> None:
    """Resolve all futures of a group with one message to each of their loops."""
    for loop in {waiter.get_loop() for waiter in waiters}:
        own = [waiter for waiter in waiters if waiter.get_loop() is loop]
        with contextlib.suppress(RuntimeError):  # the loop was closed: nobody waits any more
            loop.call_soon_threadsafe(_resolve, own, error)


def _resolve(waiters: "list[asyncio.Future[None]]", error: JournalError | None) -> None:
    for waiter in waiters:
        if waiter.done():
            continue
        if error:
            waiter.set_exception(error)
        else:
            waiter.set_result(None)
