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
from .archives import LINE_LIMIT, read_lines
from .file import demo_folder
from .lines import end_line, header_line, row_line
from .locks import RunLock
from .merging import Conflict, Imported, merge, run_here, staged_runs
from .opening import connect, reading
from .records import RunRecord
from .schema import TABLES
from .staging import staged
from .store import Journal
from .tables import DamagedRow, TableSchema, quoted

# Export


def export_lines(journal: Journal, runs: Sequence[RunRecord]) -> Iterator[bytes]:
    """The lines of a file with these runs: all that is committed when the first is asked for.

    Raises:
        JournalError: The journal cannot be read, or a run was deleted in the meantime.
    """
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
    """Add the runs of a file to a folder's journal, made if there is none; what became of each.

    Raises:
        DataError: The file is not as it must be, or says something else than the journal.
        JournalError: The journal cannot be used, or another process owns one of the runs.
    """
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

    The folder is made if it does not exist, once all lines were checked; demo runs have their own.

    Raises:
        DataError: A line is not as it must be, or says something else than the journal.
        JournalError: The journal cannot be used, or another process owns one of the runs.
    """
    with staged(path, lines) as database, _journal(folder, path, database) as journal:
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


def _journal(folder: Path, path: Path, database: sqlite3.Connection) -> Journal:
    """The journal that staged runs go into: that of demo runs, or of real ones."""
    kinds = {bool(run["demo"]) for run in staged_runs(database)}
    if len(kinds) > 1:
        message = "holds demo runs and runs of real models, and no journal holds both"
        raise DataError(path, f"{message}; nothing was imported: export them apart")
    (demo,) = kinds
    journal = Journal(demo_folder(folder) if demo else folder)
    journal.refuse_kind(demo=demo)
    return journal


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
