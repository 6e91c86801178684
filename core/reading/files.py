"""Reading a file that a person names, no further than a limit; locking one of our own; git's id."""

import errno
import hashlib
import io
import stat
import sys
from pathlib import Path
from typing import IO

from ..errors import DataError
from ..types.rules import size_text

if sys.platform == "win32":
    import msvcrt

    def take_lock(file: IO[str]) -> None:
        """Lock a file for this process until it is closed; of two, the second gets an OSError."""
        # Beyond the text, so that others can still read it.
        file.seek(1 << 20)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def take_lock(file: IO[str]) -> None:
        """Lock a file for this process until it is closed; of two, the second gets an OSError."""
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


IS_LOCKED = frozenset({errno.EAGAIN, errno.EACCES, errno.EDEADLK})
"""The errors that say that another one holds the lock; with any other there can be none."""
_AT_A_TIME = 2**20


def read_text(path: Path, most: int, *, encoding: str = "utf-8", pipes: bool = False) -> str:
    """A file's text, whose line breaks are all made alike.

    Args:
        path: The file.
        most: Bytes that it may have.
        encoding: Of the text.
        pipes: Read a pipe too, until its end.

    Raises:
        OSError: It cannot be read, is a device or a pipe, or is too large; `strerror` says so,
            and what to do.
        UnicodeDecodeError: It is no such text.
    """
    return io.TextIOWrapper(io.BytesIO(_read(path, most, pipes)), encoding=encoding).read()


def _read(path: Path, most: int, pipes: bool) -> bytes:
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or (pipes and stat.S_ISFIFO(mode))):
        raise OSError(
            errno.EINVAL, "it is a device or a pipe; put what it gives into a file and name that"
        )
    held = bytearray()
    with path.open("rb") as file:  # of a folder, this tells that it is one
        while piece := file.read(_AT_A_TIME):
            held += piece
            if len(held) > most:
                raise OSError(errno.EFBIG, f"it has more than {size_text(most)}; name another")
    return bytes(held)


def blob_id(content: bytes) -> str:
    """The id under which git knows a file's content."""
    header = b"blob %d\0" % len(content)
    return hashlib.sha1(header + content, usedforsecurity=False).hexdigest()


def is_there(path: Path) -> bool:
    """`exists` for data, with a DataError."""
    try:
        return exists(path)
    except OSError as error:
        raise DataError(path, f"cannot be read: {error.strerror}") from None


def exists(path: Path) -> bool:
    """Whether anything is at a path; an OSError where that cannot be told."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except ValueError as error:
        raise OSError(errno.EINVAL, "no file can have such a name") from error
    return True
