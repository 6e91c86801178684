"""Room on the disk that is kept for replies in flight, so that a full disk loses none.

It is a file whose blocks are really there, beside the locks. When the journal finds the
disk full, the file goes, and what is in flight is written into the room that it leaves.
"""

import contextlib
import errno
import os
from pathlib import Path

from ..errors import JournalError
from .temporary import make_held, remove_left_over

LEAST = 2**20
PER_CALL = 64 * 2**10
"""Bytes for a call in flight: a request, its reply and the pages that SQLite writes with them."""
_END = ".reserve"
_CHUNK = 2**18
_NOT_HERE = {errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS}


class Reserve:
    """So many bytes of a folder's disk, until `release`, or until the process ends.

    Args:
        folder: The runs folder.
        run_id: The run that it is kept for.
        concurrency: Most calls in flight.

    Raises:
        JournalError: There is no such room.
    """

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
