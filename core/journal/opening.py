"""Opening a journal's file so that nothing is ever mistaken for an empty one.

Created under another name and then put into place whole. A file that is there
is looked at without a way to write, first its header and then its structure,
and refused as it is when it is foreign or damaged.
"""

import contextlib
import os
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import JournalError
from .migrations import APPLICATION_ID, migrate, refuse_newer

_HEADER = 100
_MAGIC = b"SQLite format 3\0"
_APPLICATION = slice(68, 72)
_CHECKED_UP_TO = 64 * 2**20  # a full check of a larger file would be felt at every start


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turns what SQLite or a row's contents raise into a `JournalError` about the file."""
    try:
        yield
    except sqlite3.OperationalError as error:  # its surroundings: busy, not readable, no room
        if not os.access(path.parent, os.W_OK):
            raise JournalError(
                f"cannot use {path}: its folder is read-only, and SQLite needs to write beside "
                "the file even to read it; copy the folder, and name the copy with --runs-dir"
            ) from error
        raise JournalError(
            f"cannot use {path}: {error}; nothing was changed. "
            "Repair that, or use another --runs-dir"
        ) from error
    except (sqlite3.DatabaseError, ValueError, TypeError) as error:
        raise _damaged(path, error) from error


def connect(path: Path, **options: Any) -> sqlite3.Connection:
    """A connection whose commits are on the disk when they return."""
    connection: sqlite3.Connection = sqlite3.connect(path, timeout=30, **options)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def ensure(path: Path) -> None:
    """Make the folder and a whole, empty journal, unless there is a file already.

    Raises:
        JournalError: The folder cannot be written to.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            _create(path)
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise JournalError(
            f"cannot keep runs in {path.parent}: {reason}; name another folder with --runs-dir"
        ) from error


def _create(path: Path) -> None:
    fresh = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        fresh.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(fresh)) as connection:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            migrate(connection, path)
            connection.execute("PRAGMA journal_mode = WAL")
        _put_into_place(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)


def _put_into_place(fresh: Path, path: Path) -> None:
    try:
        os.link(fresh, path)
    except FileExistsError:
        return  # another process was faster
    except OSError:  # a file system without hard links
        if not path.exists():
            fresh.rename(path)


def check_file(path: Path) -> None:
    """Refuse what is no journal, or a damaged one, without changing a byte of it.

    Raises:
        JournalError: It cannot be read, is foreign, damaged, or of a newer program.
    """
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER)
        size = path.stat().st_size
    except OSError as error:
        raise JournalError(f"cannot read {path}: {error.strerror or error}") from error
    if wrong := _wrong_header(header):
        raise _damaged(path, wrong)
    # Read-only: closing the last writable connection would write the log into the file.
    address = f"{path.resolve().as_uri()}?mode=ro"
    with reading(path), contextlib.closing(sqlite3.connect(address, uri=True)) as connection:
        refuse_newer(connection, path)
        if size <= _CHECKED_UP_TO:
            _check_structure(connection)


def _wrong_header(header: bytes) -> str | None:
    if not header:
        return "the file is empty"
    if len(header) < _HEADER or not header.startswith(_MAGIC):
        return "it is not a SQLite file"
    if header[_APPLICATION] != APPLICATION_ID.to_bytes(4, "big"):
        return "it is a SQLite file of another program"
    return None


def _check_structure(connection: sqlite3.Connection) -> None:
    (told,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if told != "ok":
        raise sqlite3.DatabaseError(told)


def _damaged(path: Path, why: object) -> JournalError:
    told = " ".join(str(why).split())
    return JournalError(
        f"{path} is damaged or no journal ({told}); nothing was changed. "
        "Restore it from a copy, or use another --runs-dir"
    )
