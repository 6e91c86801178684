"""The journal's file: opened, written to in groups, read, and closed.

What is done with each table is in a module of its own; `store.Journal` has it all.
Reads use a connection of their own and see every committed group. A text that
Unicode cannot hold (half of a surrogate pair) is stored with U+FFFD in its place.

`ReadAhead` reads about many runs with few statements.
"""

import json
import sqlite3
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Self, TypeVar

from ..errors import JournalError
from ..types import JsonDict
from .opening import (
    FILE,
    FileId,
    close_dropped,
    closed,
    connect,
    ensure,
    is_there,
    open_checked,
    reading,
)
from .presence import Presence
from .records import RunRecord
from .tables import DamagedRow, Row, storable_row
from .writer import TRY_EVERY_S, GroupWriter

Fetch = Callable[[str, tuple[object, ...]], Iterable[Row]]
AT_ONCE = 100
"""Runs that one statement reads: what it brings is held until the next one."""


class ReadAhead:
    """Rows about runs, read for those that follow too: `runs` in the order they are asked about."""

    def __init__(self, runs: Sequence[int]) -> None:
        self._runs = list(dict.fromkeys(runs))
        self._positions = {run: position for position, run in enumerate(self._runs)}
        self._read: dict[tuple[str, tuple[object, ...]], Mapping[int, list[Row]]] = {}

    def rows(self, run: int, sql: str, values: tuple[object, ...], fetch: Fetch) -> list[Row]:
        """Rows about a run; `sql` gives its number first, with ``{of}`` where runs are chosen."""
        known = self._read.get((sql, values), {})
        if run not in known:
            known = self._fetch(run, sql, values, fetch)
            self._read[sql, values] = known
        return known[run]

    def _fetch(
        self, run: int, sql: str, values: tuple[object, ...], fetch: Fetch
    ) -> Mapping[int, list[Row]]:
        position = self._positions.get(run)
        batch = [run] if position is None else self._runs[position : position + AT_ONCE]
        rows: dict[int, list[Row]] = {n: [] for n in batch}
        for row in fetch(sql.format(of=f"IN ({', '.join(map(str, batch))})"), values):
            rows[row[0]].append(row)
        return rows


T = TypeVar("T")
_WRONG = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
"""What reading a row raises that holds what it cannot hold."""


def now() -> str:
    """The time as it is stored: ISO 8601, UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def has_journal(folder: Path) -> bool:
    """Whether a runs folder has a journal yet.

    Raises:
        JournalError: That cannot be told.
    """
    return is_there(folder / FILE)


DEMO = "demo"
"""The folder of demo runs in a runs folder."""


def demo_folder(folder: Path) -> Path:
    """Where the demo runs of a runs folder are; a folder of that name is one of demo runs."""
    return folder if folder.resolve().name == DEMO else folder / DEMO


def _read_each(rows: Iterable[Row], read: Callable[[Row], T], run: RunRecord | None) -> Iterator[T]:
    for row in rows:
        try:
            value = read(row)
        except _WRONG as error:
            raise DamagedRow(f"{f'run {run.run_id}, ' if run else ''}{error}") from error
        yield value


def object_of(text: str) -> JsonDict:
    """The JSON object in a column.

    Raises:
        DamagedRow: It holds something else.
    """
    value = json.loads(text)
    if not isinstance(value, dict):
        raise DamagedRow(f"{text!r:.40} is no JSON object")
    return value


class JournalFile:
    """The file of one runs folder's journal; its arguments are those of `Journal`."""

    def __init__(self, folder: Path, *, create: bool = True) -> None:
        self.folder = folder
        self.path = folder / FILE
        if create:
            ensure(self.path)
        elif not has_journal(folder):
            raise JournalError(
                f"no runs in {folder}: {FILE} is not there; start one with bench run, "
                "or name another folder with --runs-dir"
            )
        self._begin(*open_checked(self.path))
        weakref.finalize(self, close_dropped, self._read)

    def _begin(self, read: sqlite3.Connection, which: FileId | None) -> None:
        self._read, self._which = read, which
        self._writer: GroupWriter | None = None
        self._failed: dict[int, bool] = {}
        self._noted: set[tuple[object, ...]] = set()
        self._ways: dict[tuple[object, ...], dict[str, str]] = {}
        self._ahead: ReadAhead | None = None

    @classmethod
    def over(cls, path: Path, database: sqlite3.Connection) -> Self:
        """A journal to read out of an open database, which came of the file at a path."""
        journal = cls.__new__(cls)
        journal.folder, journal.path = path.parent, path
        journal._begin(database, None)
        return journal

    @property
    def writer(self) -> GroupWriter:
        """The group writer, started when first used; what was read ahead may be old from now on."""
        self._ahead = None
        if self._writer is None:
            with reading(self.path):
                connection = connect(
                    self.path, timeout=TRY_EVERY_S, isolation_level=None, check_same_thread=False
                )
            assert self._which is not None
            with reading(self.path):
                self._presence = Presence(self.path, self._which)
            self._writer = GroupWriter(connection, self.path)
            self._writer.check = self._presence.check
            self._writing = connection
        return self._writer

    def _add(self, sql: str, values: Sequence[object]) -> None:
        self.writer.add(sql, storable_row(values))

    def close(self, *, at_once: bool = False) -> None:
        """Write what is left, waiting for no lock if `at_once`, and close the file.

        A `JournalError` says that rows were not written, or that the file is no longer there.
        """
        try:
            if self._writer is not None:
                self._end_writing(self._writer, at_once=at_once)
        finally:
            self._read.close()
            if self._which is not None:
                closed(self._which)
                self._which = None
            if self._writer is not None:
                self._writer = None
                self._presence.close()

    def _end_writing(self, writer: GroupWriter, *, at_once: bool) -> None:
        try:
            writer.close(at_once=at_once)
            self._presence.check()
        finally:
            if writer.reserve is not None:
                writer.reserve.release()
            if self._presence.is_whole:
                self._presence.close()  # so that the log is brought into the file by the last
            self._writing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *exc: object) -> None:
        self.close(at_once=kind is not None and not issubclass(kind, Exception))

    def _rows(
        self,
        sql: str,
        values: tuple[object, ...],
        read: Callable[[Row], T],
        run: RunRecord | None = None,
    ) -> Iterator[T]:
        """What SQL finds, read; `run` is named where a row is damaged."""
        with reading(self.path):
            yield from _read_each(self._read.execute(sql, values), read, run)

    @contextmanager
    def ahead(self, runs: Iterable[RunRecord]) -> Iterator[None]:
        """While the block lasts, read about many of these runs at once, in this order.

        What is written meanwhile ends it: from then on each run is read by itself again.
        """
        before, here = self._ahead, ReadAhead([run.n for run in runs])
        self._ahead = here
        try:
            yield
        finally:
            self._ahead = before if self._ahead is here else None

    def _rows_of(
        self, run: RunRecord, sql: str, values: tuple[object, ...], read: Callable[[Row], T]
    ) -> Iterator[T]:
        """Rows about a run, whose number comes first; ``{of}`` stands where runs are chosen."""

        def read_rest(row: Row) -> T:
            return read(row[1:])

        if self._ahead is None:
            return self._rows(sql.format(of=f"= {run.n}"), values, read_rest, run)
        with reading(self.path):
            rows = self._ahead.rows(run.n, sql, values, self._read.execute)
        return self._read_ahead(rows, read_rest, run)

    def _read_ahead(
        self, rows: Iterable[Row], read: Callable[[Row], T], run: RunRecord
    ) -> Iterator[T]:
        with reading(self.path):
            yield from _read_each(rows, read, run)

    @property
    def trouble(self) -> JournalError | None:
        """Why nothing more should be sent, if so; what was sent can still be stored."""
        return self._writer.trouble if self._writer else None
