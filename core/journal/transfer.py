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
from ..types.result_document import ResultDocument
from .archives import LINE_LIMIT
from .file import demo_folder, now
from .lines import file_lines, row_line
from .locks import RunLock
from .merging import Conflict, Imported, merge, staged_runs
from .opening import connect, reading
from .records import RunRecord, as_json
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
    return file_lines(_rows_of(journal, runs))


def _rows_of(journal: Journal, runs: Sequence[RunRecord]) -> Iterator[bytes]:
    with (
        reading(journal.path),
        contextlib.closing(connect(journal.path, isolation_level=None)) as database,
    ):
        database.execute("BEGIN")  # whatever is written from here on is not seen
        for run in runs:
            yield from _run_lines(database, run)


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


class StagedResult(NamedTuple):
    """The result of a staged run, and how that run ended; no result where none can be."""

    run: RunRecord
    document: ResultDocument | None
    status: str
    finished: bool


def import_lines(
    folder: Path,
    path: Path,
    lines: Iterable[tuple[int, bytes]],
    results: Callable[[Journal], Iterable[StagedResult]],
) -> list[Imported]:
    """Add the runs in lines to a folder's journal: all of them, or nothing; what became of each.

    The folder is made if it does not exist, once all lines were checked; demo runs have their own.

    Args:
        folder: The runs folder.
        path: The file that the lines are from, for messages.
        lines: With their numbers.
        results: Gives the results of the runs, from a journal that holds these runs alone.

    Raises:
        DataError: A line is not as it must be, or a run does not continue what the journal has.
        JournalError: The journal cannot be used, or another process owns one of the runs.
    """
    with staged(path, lines) as database:
        for run, document, status, finished in list(results(Journal.over(path, database))):
            database.execute(
                "UPDATE main.runs SET document = ?, status = ?,"
                " finished_at = iif(?, coalesce(finished_at, ?), NULL) WHERE n = ?",
                (document and as_json(document), status, finished, now(), run.n),
            )
        with _journal(folder, path, database) as journal:
            with reading(journal.path):
                database.execute("ATTACH DATABASE ? AS here", (str(journal.path),))
                database.execute("PRAGMA foreign_keys = ON")
                database.execute("PRAGMA here.synchronous = FULL")
            runs = staged_runs(database)
            with (
                _owned(journal, [run["run_id"] for run in runs]),
                reading(journal.path),
                _transaction(database),
            ):
                try:
                    return [merge(database, run) for run in runs]
                except Conflict as conflict:
                    advice = "import it into a --runs-dir of its own"
                    message = f"{conflict} ({journal.path}); nothing was imported: {advice}"
                    raise DataError(path, message) from None


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
