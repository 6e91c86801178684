"""Runs out of a journal as lines, and into another one: all of a file, or nothing.

What a file is: `archives` (bytes), `lines` and `schema` (what a line may hold), `staging` (a
whole file, checked), `merging` (what is done with it). Here they meet the journal, its runs'
owners and its transactions.
"""

import contextlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ..errors import DataError, JournalError
from ..types import JsonDict
from .archives import LINE_LIMIT, read_lines
from .lines import check_end, check_header, end_line, header_line, read_line, row_line, stored_row
from .locks import RunLock
from .merging import Conflict, Imported, merge, run_here, staged_runs
from .opening import connect, reading
from .records import RunRecord
from .schema import CHECKED, TABLES
from .store import Journal
from .tables import DamagedRow, TableSchema, quoted


@contextlib.contextmanager
def staged(path: Path, lines: Iterable[tuple[int, bytes]]) -> Iterator[sqlite3.Connection]:
    """A database with a table per kind of line, each row with the number of its line.

    A row that belongs to a run names it in ``run``, by its id in the file. It lies in a temporary
    file that nobody else sees and that goes with its connection, so a journal is not touched before
    every line is known to be right, other processes are not held up meanwhile, and a large file
    needs no more memory than a small one.
    """
    with contextlib.closing(sqlite3.connect("", timeout=30, isolation_level=None)) as database:
        try:
            database.execute("PRAGMA synchronous = OFF")
            for checked in CHECKED:  # for `merging`
                checked.add_functions(database)
            for table in TABLES.values():
                _create(database, table)
            database.execute("BEGIN")
            _fill(database, path, lines)
            database.execute("COMMIT")
        except sqlite3.Error as error:
            raise JournalError(
                f"cannot unpack {path} into a temporary file: {error}; "
                "make room, or name another folder for such files with SQLITE_TMPDIR"
            ) from error
        yield database


def _create(database: sqlite3.Connection, table: TableSchema) -> None:
    owner, unique = "run, ", [("run", *table.key)]
    if table.kind == "run":
        owner, unique = "", [("run_id",), ("identity", "ordinal")]
    once = ", ".join(f"UNIQUE ({quoted(columns)})" for columns in unique)
    columns = f"line INTEGER PRIMARY KEY, {owner}{quoted(table.columns)}"
    database.execute(f"CREATE TABLE {table.name} ({columns}, {once})")


def _fill(database: sqlite3.Connection, path: Path, lines: Iterable[tuple[int, bytes]]) -> None:
    run, ended, n = "", False, 0
    for n, raw in lines:
        try:
            if ended:
                raise ValueError("follows the last line")
            line = read_line(raw)
            if n == 1:
                check_header(line)
            elif line.get("kind") == "end":
                check_end(line, n)
                ended = True
            else:
                run = _add(database, n, line, run)
        except (ValueError, RecursionError) as error:
            message = str(error) if isinstance(error, ValueError) else "is nested too deeply"
            raise DataError(path, f"{message}; nothing was imported", f"line {n}") from None
    if not ended:
        message = f"ends after line {n} without its last line: it was cut off; nothing was imported"
        raise DataError(path, message)
    if not run:
        raise DataError(path, "holds no runs")


def _add(database: sqlite3.Connection, n: int, line: JsonDict, run: str) -> str:
    """Add a line; returns the run that the next one may belong to."""
    row, name = stored_row(line), str(line["kind"])
    if name == "run":
        run = str(line["run_id"])
        owner: tuple[str, ...] = ()
    elif line["run"] != run:
        raise ValueError('"run" is not the run that the lines above are about')
    else:
        owner = (run,)
    marks = ", ".join("?" * (1 + len(owner) + len(row)))
    try:
        database.execute(f"INSERT INTO {TABLES[name].name} VALUES ({marks})", (n, *owner, *row))
    except sqlite3.IntegrityError:
        raise ValueError(f"is a {name} that stands in an earlier line already") from None
    return run


# Export


def export_lines(journal: Journal, runs: Sequence[RunRecord]) -> Iterator[bytes]:
    """The lines of a file with these runs: all that is committed when the first is asked for."""
    lines = 2
    yield header_line()
    with (
        reading(journal.path),
        contextlib.closing(connect(journal.path, isolation_level=None)) as database,
    ):
        database.execute("BEGIN")  # whatever is written from here on is not seen
        for run in runs:
            for line in _run_lines(database, run):
                lines += 1
                yield line
    yield end_line(lines)


def _run_lines(database: sqlite3.Connection, run: RunRecord) -> Iterator[bytes]:
    count = 0
    for kind, table in TABLES.items():
        column, value = ("run_id", run.run_id) if kind == "run" else ("run", run.n)
        sql = f"SELECT {quoted(table.stored)} FROM {table.name} WHERE {column} = ?"
        for row in database.execute(f"{sql} ORDER BY {table.order}", (value,)):
            count += 1
            yield _line(table, run, row)
        if not count:
            raise JournalError(f"run {run.run_id} was deleted in the meantime")


def _line(table: TableSchema, run: RunRecord, row: Sequence[object]) -> bytes:
    """A row's line; one that could not be imported is told now, while the run is still there."""
    try:
        line = row_line(
            table.kind, run.run_id, dict(zip(table.columns, table.opened(row), strict=True))
        )
        if len(line) > LINE_LIMIT:
            raise ValueError(f"is longer than {LINE_LIMIT // 2**20} MiB")
    except DamagedRow as error:
        raise DamagedRow(f"run {run.run_id}, {error}") from None
    except ValueError as error:
        message = f"the line of a {table.kind} {error}"
        raise JournalError(f"run {run.run_id} cannot be exported: {message}") from error
    return line


# Import


def import_runs(folder: Path, path: Path) -> list[Imported]:
    """Add the runs of a file to a folder's journal, made if there is none; what became of each."""
    return import_lines(folder, path, read_lines(path), Telling())


class Telling(NamedTuple):
    """What is told of a file's lines, and what is done once they are in the journal.

    `line` is what an error calls one, `advice` what to do about a conflict; `then` is called
    while the runs are still owned.
    """

    line: Callable[[int], str] = "line {}".format
    advice: str = "a run that went on in two places stays two, in one --runs-dir each"
    then: Callable[[Journal, Sequence[Imported]], object] = lambda journal, done: None


def import_lines(
    folder: Path, path: Path, lines: Iterable[tuple[int, bytes]], telling: Telling
) -> list[Imported]:
    """Add the runs in lines to a folder's journal: all of them, or nothing.

    The folder is made if it does not exist, once all lines were checked.
    """
    with staged(path, lines) as database, Journal(folder) as journal:
        with reading(journal.path):
            database.execute("ATTACH DATABASE ? AS here", (str(journal.path),))
            database.execute("PRAGMA foreign_keys = ON")
            database.execute("PRAGMA here.synchronous = FULL")
            ids = [(run_here(database, run) or run)["run_id"] for run in staged_runs(database)]
        with _owned(journal, ids):
            with reading(journal.path), _transaction(database):
                try:
                    done = [merge(database, run) for run in staged_runs(database)]
                except Conflict as conflict:
                    message = f"{conflict.message} ({journal.path}); nothing was imported: "
                    position = telling.line(conflict.line)
                    raise DataError(path, message + telling.advice, position) from None
            telling.then(journal, done)
        return done


@contextlib.contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    """All that is written while it lasts, or nothing when it ends with an error."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")


@contextlib.contextmanager
def _owned(journal: Journal, ids: Sequence[str]) -> Iterator[None]:
    """Owns runs while it lasts; of those that are not there in the end no lock stays."""
    with contextlib.ExitStack() as stack:
        for run_id in ids:
            lock = stack.enter_context(RunLock(journal.folder, run_id).acquire())
            stack.callback(_remove_unused, journal, run_id, lock)
        yield


def _remove_unused(journal: Journal, run_id: str, lock: RunLock) -> None:
    if journal.find_run(run_id) is None:
        lock.remove()
