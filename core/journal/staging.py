"""Lines of a foreign file, checked one by one and put into a private database.

It lies in a temporary file that nobody else sees and that goes with its connection, so a
journal is not touched before every line is known to be right, other processes are not held
up meanwhile, and a large file needs no more memory than a small one.
"""

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..errors import DataError, JournalError
from ..types import JsonDict
from .lines import check_end, check_header, read_line, stored_row
from .schema import CHECKED, TABLES
from .tables import TableSchema, quoted


@contextlib.contextmanager
def staged(path: Path, lines: Iterable[tuple[int, bytes]]) -> Iterator[sqlite3.Connection]:
    """A database with a table per kind of line, each row with the number of its line.

    A row that belongs to a run names it in ``run``, by its id in the file.

    Raises:
        DataError: A line is not as it must be, or is there twice; or the file ends too soon.
        JournalError: There is no room for it.
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
        article = "an" if name.startswith("a") else "a"
        raise ValueError(f"is {article} {name} that stands in an earlier line already") from None
    return run
