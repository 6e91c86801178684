"""Files that are of use only while their maker works on them.

Each is held by an operating-system lock from its first moment on. One that nobody holds was
left over by a process that was killed: whoever makes the next one of its kind removes it.

`Reserve` is one of them: room on the disk that is kept for replies in flight. When the journal
finds the disk full, the file goes, and what is in flight is written into the room that it leaves.
"""

import contextlib
import errno
import itertools
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ..errors import JournalError

PARTIAL = ".partial"
"""How the name of a file ends that is being written."""
_numbers = itertools.count(1)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)

if sys.platform == "win32":

    def _hold(file: int, *, wait: bool) -> bool:
        return wait  # Windows does not remove an open file, so nobody takes it for left over
else:
    import fcntl

    def _hold(file: int, *, wait: bool) -> bool:
        """Lock an open file; whether that was possible."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except OSError:
            return False
        return True


@contextlib.contextmanager
def replacing(path: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """A file to write that takes the place of another one: whole or not at all.

    Raises:
        OSError: It cannot be made, written or put into place; what was there is there still.
    """
    start = f".{path.name}."
    remove_left_over(path.parent, start, PARTIAL)
    fresh, descriptor = make_held(path.parent, start, PARTIAL, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            if sys.platform != "win32":
                fresh.replace(path)
        if sys.platform == "win32":
            fresh.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise


def make_held(folder: Path, start: str, end: str, mode: int = 0o666) -> tuple[Path, int]:
    """A new, empty file that is ours alone, and its descriptor, which holds it while it is open.

    Raises:
        OSError: It cannot be made.
    """
    while True:
        path = folder / f"{start}{os.getpid()}-{next(_numbers)}{end}"
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _NO_LINK, mode)
            _hold(descriptor, wait=True)
        except FileExistsError:
            continue  # of an earlier process with our number
        except BaseException:  # Ctrl-C, as soon as the file is there
            with contextlib.suppress(OSError):
                path.unlink()
            raise
        if is_at(descriptor, path):
            return path, descriptor
        os.close(descriptor)  # somebody took it for left over before we held it


def remove_left_over(folder: Path, start: str, end: str) -> None:
    """Remove the files of such a name that no process holds any more."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            is_one = entry.name.startswith(start) and entry.name.endswith(end)
            if is_one and entry.is_file(follow_symlinks=False):
                _remove_if_free(Path(entry.path))


def _remove_if_free(path: Path) -> None:
    with contextlib.suppress(OSError):  # it has just gone, or is not ours to remove
        if sys.platform == "win32":
            path.unlink()
            return
        descriptor = os.open(path, os.O_RDWR | _NO_LINK | os.O_NONBLOCK)
        try:
            if _hold(descriptor, wait=False):
                path.unlink()
        finally:
            os.close(descriptor)


def is_at(descriptor: int, path: Path) -> bool:
    """Whether an open file is still the one at its path."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat(follow_symlinks=False))
    except FileNotFoundError:
        return False


LEAST = 2**20
PER_CALL = 64 * 2**10
"""Bytes for a call in flight: a request, its reply and the pages that SQLite writes with them."""
_END = ".reserve"
_CHUNK = 2**18
_NOT_HERE = {errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS}


class Reserve:
    """So many bytes of a folder's disk, until `release`, or until the process ends."""

    def __init__(self, folder: Path, run_id: str, concurrency: int) -> None:
        size = max(LEAST, concurrency * PER_CALL)
        locks = folder / "locks"
        remove_left_over(locks, "", _END)
        try:
            self.path, self._file = make_held(locks, f"{run_id}.", _END)
            try:
                _allocate(self._file, size)
            except OSError:
                self.release()
                raise
        except OSError as error:
            raise JournalError(
                f"cannot keep {size / 2**20:.1f} MiB of {folder} free for replies in flight: "
                f"{error.strerror or error}; nothing was sent. "
                "Make room, or name another folder with --runs-dir"
            ) from error

    def release(self) -> bool:
        """Give the room back; whether there was any."""
        file, self._file = self._file, -1
        if file < 0:
            return False
        with contextlib.suppress(OSError):  # it is gone already, or is kept open (Windows)
            self.path.unlink()
        with contextlib.suppress(OSError):
            os.ftruncate(file, 0)
        os.close(file)
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)
        return True


def _allocate(file: int, size: int) -> None:
    """Give an open file so many bytes of the disk."""
    if hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(file, 0, size)
        except OSError as error:
            if error.errno not in _NOT_HERE:
                raise
        else:
            return
    for _ in range(0, size, _CHUNK):
        os.write(file, os.urandom(_CHUNK))  # what is all alike might take no room
    os.fsync(file)
