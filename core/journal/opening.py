"""Opening a journal's file so that nothing is ever mistaken for an empty one.

Created under another name and then put into place whole. A file that is there
is looked at without a way to write, first its header and then its structure,
and refused as it is when it is foreign or damaged.

A POSIX lock goes when its process closes any descriptor of the file, also one that SQLite
knows nothing of. So a file that this process has open already is not opened for its header.
"""

import contextlib
import os
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import JournalError, UsageError
from ..reading.files import exists
from .schema import APPLICATION_ID, create, other_form

FILE = "bench.sqlite"
_HEADER = 100
_MAGIC = b"SQLite format 3\0"
_FORM, _APPLICATION = slice(60, 64), slice(68, 72)
FileId = tuple[int, int]
"""What tells a file from any other, whatever its name: device and inode."""
_opening = threading.Lock()
_in_use: Counter[FileId] = Counter()
_CHECKED_UP_TO = 32 * 2**20  # takes .06 s; of a larger file it would be felt at each start


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
    except UnicodeEncodeError:  # of what is asked for; what is read is decoded
        raise UsageError("what is looked for is no text: it has bytes that are not UTF-8") from None
    except (sqlite3.DatabaseError, ValueError, TypeError) as error:
        if isinstance(error, sqlite3.ProgrammingError) and "closed" in str(error):
            raise JournalError(f"{path} was closed; what was not read before needs it") from error
        raise _damaged(path, error) from error


def connect(path: Path, *, timeout: float = 30.0, **options: Any) -> sqlite3.Connection:
    """A connection whose commits are on the disk when they return."""
    connection: sqlite3.Connection = sqlite3.connect(path, timeout=timeout, **options)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def read_only(path: Path, **options: Any) -> sqlite3.Connection:
    """A connection that writes nothing, not even the log into the file when it is the last."""
    address = f"{path.resolve().as_uri()}?mode=ro"
    connection: sqlite3.Connection = sqlite3.connect(address, uri=True, **options)
    return connection


def ensure(path: Path) -> None:
    """Make the folder and a whole, empty journal, unless there is a file already.

    Raises:
        JournalError: The folder cannot be written to.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not exists(path):
            _create(path)
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise JournalError(
            f"cannot keep runs in {path.parent}: {reason}; name another folder with --runs-dir"
        ) from error


def is_there(path: Path) -> bool:
    """Whether there is a journal's file.

    Raises:
        JournalError: That cannot be told, as of a name that is too long.
    """
    try:
        return exists(path)
    except OSError as error:
        raise JournalError(
            f"cannot look into {path.parent}: {error.strerror}; name another folder with --runs-dir"
        ) from error


def _create(path: Path) -> None:
    fresh = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        fresh.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(fresh)) as connection:
            # Nobody sees the file before it is whole and on the disk.
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("PRAGMA journal_mode = MEMORY")
            create(connection)
            connection.execute("PRAGMA journal_mode = WAL")
        with fresh.open("r+b") as file:
            os.fsync(file.fileno())
        put_into_place(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)


def put_into_place(fresh: Path, path: Path) -> bool:
    """Give a file its name, unless another process was faster; whether that was done."""
    try:
        os.link(fresh, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without hard links
        if path.exists():
            return False
        fresh.rename(path)
    return True


def open_checked(path: Path) -> tuple[sqlite3.Connection, FileId]:
    """A connection to a file that is a journal, and what `closed` is to be told in the end.

    Raises:
        JournalError: As of `check_file`.
    """
    with _opening:
        _check_file(path)
        with reading(path):
            connection = connect(path)
        _in_use[which := file_id(path)] += 1
        return connection, which


def close_dropped(connection: sqlite3.Connection) -> None:
    """Close what nobody refers to any more; on another thread than its own Python does it."""
    with contextlib.suppress(sqlite3.ProgrammingError):
        connection.close()


def closed(which: FileId) -> None:
    """All connections of one `open_checked` are closed."""
    with _opening:
        _in_use[which] -= 1


def file_id(path: Path) -> FileId:
    """Which file is at a path.

    Raises:
        OSError: None is.
    """
    status = path.stat()
    return status.st_dev, status.st_ino


def check_file(path: Path) -> None:
    """Refuse what is no journal, or a damaged one, without changing a byte of it.

    Raises:
        JournalError: It cannot be read, is foreign, damaged, or of another form.
    """
    with _opening:
        _check_file(path)


def _check_file(path: Path) -> None:
    _check_kind(path)
    try:
        size = path.stat().st_size
        if not _in_use[file_id(path)]:
            _check_header(path)
    except OSError as error:
        raise JournalError(f"cannot read {path}: {error.strerror or error}") from error
    with reading(path), contextlib.closing(read_only(path)) as connection:
        if size <= _CHECKED_UP_TO and (wrong := damage_in(connection)):
            raise sqlite3.DatabaseError(wrong)


def _check_kind(path: Path) -> None:
    """Refuse what would never end when it is opened, such as a named pipe."""
    for file in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))):
        if file.exists() and not file.is_file():
            raise JournalError(
                f"{file} is no plain file, so it is no journal; nothing was changed. "
                "Remove it, or use another --runs-dir"
            )


def _check_header(path: Path) -> None:
    with path.open("rb") as file:
        header = file.read(_HEADER)
    if wrong := _wrong_header(header):
        raise _damaged(path, wrong)
    if wrong := other_form(int.from_bytes(header[_FORM], "big")):
        raise JournalError(
            f"{path} {wrong}; nothing was changed. Name another folder with --runs-dir"
        )


def _wrong_header(header: bytes) -> str | None:
    if not header:
        return "the file is empty"
    if len(header) < _HEADER or not header.startswith(_MAGIC):
        return "it is not a SQLite file"
    if header[_APPLICATION] != APPLICATION_ID.to_bytes(4, "big"):
        return "it is a SQLite file of another program"
    return None


def damage_in(connection: sqlite3.Connection, most: int = 1) -> str | None:
    """What is wrong with a file's structure, so many things at most; ``None`` for nothing."""
    messages = [row[0] for row in connection.execute(f"PRAGMA quick_check({most})")]
    return None if messages == ["ok"] else "; ".join(messages)


def _damaged(path: Path, why: object) -> JournalError:
    message = " ".join(str(why).split())
    return JournalError(
        f"{path} is damaged or no journal ({message}); nothing was changed. "
        "Restore it from a copy, or use another --runs-dir"
    )
