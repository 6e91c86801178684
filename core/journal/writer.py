"""Group commit: many writers' rows in one transaction every few milliseconds.

A thread owns the writing connection. It takes the first row that comes, waits
`WINDOW_S` for others, writes all in one transaction with a full sync, and then
wakes those who wait. So a reply counts as arrived when its group is on the
disk, and a thousand replies a second cost some hundred syncs.
"""

import asyncio
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


class GroupWriter:
    """Writes rows on a thread of its own, in the order they are given."""

    def __init__(self, connection: sqlite3.Connection, path: object) -> None:
        self._connection = connection
        self._path = path
        self._queue: queue.SimpleQueue[_Write | threading.Event | None] = queue.SimpleQueue()
        self._error: JournalError | None = None
        self._thread = threading.Thread(target=self._work, name="journal", daemon=True)
        self._thread.start()

    async def write(self, sql: str, values: Sequence[Any]) -> None:
        """Write one row; returns when it is on the disk.

        Raises:
            JournalError: It could not be written.
        """
        waiter = asyncio.get_running_loop().create_future()
        self._queue.put(_Write(sql, values, waiter))
        await waiter

    def add(self, sql: str, values: Sequence[Any]) -> None:
        """Write one row with the next group; `flush` tells whether it arrived.

        Raises:
            JournalError: An earlier row could not be written.
        """
        if self._error:
            raise self._error
        self._queue.put(_Write(sql, values, None))

    def flush(self) -> None:
        """Wait until all that was given is on the disk.

        Raises:
            JournalError: Something could not be written.
        """
        done = threading.Event()
        self._queue.put(done)
        done.wait()
        if self._error:
            raise self._error

    def close(self) -> None:
        """Write what is left and end the thread."""
        self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        while True:
            group, events, last = self._next_group()
            self._commit(group)
            for event in events:
                event.set()
            if last:
                return

    def _next_group(self) -> tuple[list[_Write], list[threading.Event], bool]:
        group: list[_Write] = []
        events: list[threading.Event] = []
        entry = self._queue.get()
        if isinstance(entry, _Write):
            time.sleep(WINDOW_S)
        while True:
            if entry is None:
                return group, events, True
            if isinstance(entry, _Write):
                group.append(entry)
            else:
                events.append(entry)
            try:
                entry = self._queue.get_nowait()
            except queue.Empty:
                return group, events, False

    def _commit(self, group: list[_Write]) -> None:
        if group and self._error is None:
            try:
                with self._connection:
                    self._connection.execute("BEGIN IMMEDIATE")
                    for write in group:
                        self._connection.execute(write.sql, write.values)
            except sqlite3.Error as error:
                self._error = JournalError(
                    f"cannot write to {self._path}: {error}; nothing more is sent. "
                    "Make room or repair it, then run the same command again"
                )
        _wake([w.waiter for w in group if w.waiter], self._error)


def _wake(waiters: "list[asyncio.Future[None]]", error: JournalError | None) -> None:
    """Resolve all futures of a group with one message to their loop."""

    def resolve() -> None:
        for waiter in waiters:
            if not waiter.done():
                if error:
                    waiter.set_exception(error)
                else:
                    waiter.set_result(None)

    if waiters and not (loop := waiters[0].get_loop()).is_closed():
        loop.call_soon_threadsafe(resolve)
