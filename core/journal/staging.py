"""Lines of a foreign file, checked one by one and put into a private database.

It has the tables of a journal, and lies in a temporary file that nobody else sees and that goes
with its connection, so a journal is not touched before every line is known to be right, other
processes are not held up meanwhile, and a large file needs no more memory than a small one.
"""

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from ..errors import DataError, JournalError
from ..types import JsonDict
from .lines import check_end, check_header, read_line, stored_row
from .schema import RUNS, TABLES, create
from .tables import quoted


@contextlib.contextmanager
def staged(
    path: Path, lines: Iterable[tuple[int, bytes]], *, outcome: str = "; nothing was imported"
) -> Iterator[sqlite3.Connection]:
    """A database with the rows of a file's lines; `outcome` is what an error means for them.

    Raises:
        DataError: A line is not as it must be, or is there twice; or the file ends too soon, or
            was changed.
        JournalError: There is no room for it.
    """
    with contextlib.closing(sqlite3.connect("", timeout=30, isolation_level=None)) as database:
        try:
            database.execute("PRAGMA synchronous = OFF")
            create(database)
            database.execute("CREATE UNIQUE INDEX once ON runs (identity, ordinal)")
            database.execute("BEGIN")
            _fill(database, path, lines, outcome)
            database.execute("COMMIT")
        except sqlite3.Error as error:
            raise JournalError(
                f"cannot unpack {path} into a temporary file: {error}; "
                "make room, or name another folder for such files with SQLITE_TMPDIR"
            ) from error
        yield database


class _Owner(NamedTuple):
    """The run that lines are about: its id, and its number in the database."""

    run_id: str
    n: int


def _fill(
    database: sqlite3.Connection, path: Path, lines: Iterable[tuple[int, bytes]], outcome: str
) -> None:
    run, ended, n, checksum = None, False, 0, sha256()
    for n, raw in lines:
        try:
            if ended:
                raise ValueError("follows the last line")
            if n == 1:
                check_header(raw)
            elif (line := read_line(raw)).get("kind") == "end":
                check_end(line, n, checksum.hexdigest())
                ended = True
            else:
                run = _add(database, line, run)
            checksum.update(raw)
        except (ValueError, RecursionError) as error:
            message = str(error) if isinstance(error, ValueError) else "is nested too deeply"
            raise DataError(path, f"{message}{outcome}", f"line {n}") from None
    if not ended and not n:
        raise DataError(path, "is empty")
    if not ended:
        message = f"ends after line {n} without its last line: it was cut off{outcome}"
        raise DataError(path, message)
    if not run:
        raise DataError(path, "holds no runs")


def _add(database: sqlite3.Connection, line: JsonDict, run: _Owner | None) -> _Owner:
    """Add a line; returns the run that the next one may belong to."""
    row, table = stored_row(line), TABLES[str(line["kind"])]
    try:
        if table is RUNS:
            marks = ", ".join("?" * len(row))
            sql = f"INSERT INTO runs ({quoted(RUNS.columns)}) VALUES ({marks})"
            return _Owner(str(line["run_id"]), database.execute(sql, row).lastrowid or 0)
        if run is None or line["run"] != run.run_id:
            raise ValueError('"run" is not the run that the lines above are about')
        database.execute(table.adding("INSERT"), (run.n, *table.sealed(row)))
    except sqlite3.IntegrityError:
        article = "an" if table.kind.startswith("a") else "a"
        message = f"is {article} {table.kind} that stands in an earlier line already"
        raise ValueError(message) from None
    return run
