"""One owner per run, by an operating-system lock that dies with its process."""

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


class RunLock:
    """Holds a run for this process until `release`, or until the process ends."""

    def __init__(self, folder: Path, run_id: str) -> None:
        self._path = folder / "locks" / f"{run_id}.lock"
        self._run_id = run_id
        self._file: IO[str] | None = None

    def acquire(self) -> "RunLock":
        """Become the owner.

        Raises:
            JournalError: Another process is; the message names it.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True)
        file = self._path.open("a+", encoding="utf-8")
        try:
            _take(file)
        except OSError:
            owner = self._owner(file)
            file.close()
            raise JournalError(
                f"run {self._run_id} is owned by {owner}; wait until it ends, "
                "or start another with --fresh"
            ) from None
        file.truncate(0)
        json.dump({"pid": os.getpid(), "host": socket.gethostname()}, file)
        file.flush()
        self._file = file
        return self

    def _owner(self, file: IO[str]) -> str:
        file.seek(0)
        try:
            owner = json.loads(file.read())
            return f"process {owner['pid']} on {owner['host']}"
        except (ValueError, KeyError, TypeError):
            return "another process"

    def release(self) -> None:
        """Let go."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def remove(self) -> None:
        """Take the lock's file away, while it is held: its run is no more."""
        self._path.unlink(missing_ok=True)

    def __enter__(self) -> "RunLock":
        return self

    def __exit__(self, *exc: object) -> None:
        self.release()
