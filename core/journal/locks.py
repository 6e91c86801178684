"""One owner per run, by an operating-system lock that dies with its process."""

import contextlib
import errno
import json
import os
import socket
import sys
from pathlib import Path
from typing import IO

from ..errors import JournalError

if sys.platform == "win32":
    import msvcrt

    def _take(file: IO[str]) -> None:
        # Beyond the text, so that others can still read who the owner is.
        file.seek(1 << 20)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(file: IO[str]) -> None:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


_IN_USE = {errno.EAGAIN, errno.EACCES, errno.EDEADLK}


class RunLock:
    """Holds a run for this process until `release`, or until the process ends."""

    def __init__(self, folder: Path, run_id: str) -> None:
        self.path = folder / "locks" / f"{run_id}.lock"
        self._run_id = run_id
        self._file: IO[str] | None = None

    def acquire(self) -> "RunLock":
        """Become the owner.

        Raises:
            JournalError: Another process is, and the message names it; or there can be no lock.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._taken()
            self._file.truncate(0)
            json.dump({"pid": os.getpid(), "host": socket.gethostname()}, self._file)
            self._file.flush()
        except OSError as error:
            self.release()
            raise JournalError(
                f"cannot lock run {self._run_id} with {self.path}: {error.strerror or error}; "
                "make room or repair it, or name another folder with --runs-dir"
            ) from error
        return self

    def _taken(self) -> IO[str]:
        while True:
            file = self.path.open("a+", encoding="utf-8")
            try:
                _take(file)
            except OSError as error:
                owner = _owner(file)
                file.close()
                if error.errno not in _IN_USE:
                    raise
                raise JournalError(
                    f"run {self._run_id} is owned by {owner}; wait until it ends "
                    "(bench run --fresh starts another)"
                ) from None
            if self._is(file):
                return file
            file.close()  # its run was deleted in between; what is at the path now counts

    def _is(self, file: IO[str]) -> bool:
        try:
            return os.path.samestat(os.fstat(file.fileno()), self.path.stat())
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Let go."""
        if self._file is not None:
            with contextlib.suppress(OSError):  # a full disk; the lock goes all the same
                self._file.close()
            self._file = None

    def remove(self) -> None:
        """Take the lock's file away, while it is held: its run is no more."""
        with contextlib.suppress(OSError):  # Windows keeps a file that is open; it is harmless
            self.path.unlink()

    def __enter__(self) -> "RunLock":
        return self

    def __exit__(self, *exc: object) -> None:
        self.release()


def owner_of(folder: Path, run_id: str) -> str | None:
    """Who owns a run at this moment; ``None`` when nobody does."""
    try:
        with RunLock(folder, run_id).path.open(encoding="utf-8") as file:
            try:
                _take(file)  # for this moment only
            except OSError:
                return _owner(file)
    except OSError:
        return None  # there is no such file, so nobody has ever held it
    return None


def _owner(file: IO[str]) -> str:
    file.seek(0)
    try:
        owner = json.loads(file.read())
        return f"process {owner['pid']} on {owner['host']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
