"""One owner per run, by an operating-system lock that dies with its process.

A lock's file is never reached through a link: run ids can be guessed, and a folder that came
with somebody's project must not lead the lock to another file. Locks, and SQLite, are only as
good as the file system below them.
"""

import asyncio
import contextlib
import errno
import json
import os
import socket
import stat
import time
import weakref
from pathlib import Path
from typing import IO

from ..errors import JournalError
from ..reading.files import IS_LOCKED, take_lock
from .temporary import is_at

NETWORK = {"9p", "afs", "ceph", "cifs", "gfs2", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4"}
NETWORK |= {"ocfs2", "smb3", "smbfs", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs"}
_MOUNTS = Path("/proc/self/mounts")


def network_file_system(folder: Path, mounts: Path = _MOUNTS) -> str | None:
    """The type of the network file system that a folder is on; ``None`` if it is on none.

    Only Linux tells in a file; elsewhere nothing is known, so ``None`` too.
    """
    try:
        rows = [line.split(" ") for line in mounts.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError):
        return None
    where = folder.resolve()
    around = [row for row in rows if len(row) > 2 and where.is_relative_to(_path(row[1]))]
    if not around:
        return None
    kind = max(around, key=lambda row: len(_path(row[1]).parts))[2]
    return kind if kind in NETWORK else None


def _path(mount: str) -> Path:
    return Path(mount.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\"))


_PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_GLANCE_S = 0.05
"""How long to wait for whoever only looks if there is an owner, and holds the lock meanwhile."""
_here: "weakref.WeakValueDictionary[Path, RunLock]" = weakref.WeakValueDictionary()
"""The locks that this process holds."""


class RunLock:
    """Holds a run for this process until `release`, or until the process ends."""

    def __init__(self, folder: Path, run_id: str) -> None:
        self.path = folder / "locks" / f"{run_id}.lock"
        self._run_id = run_id
        self._file: IO[str] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def acquire(self) -> "RunLock":
        """Become the owner.

        Raises:
            JournalError: Another process is, and the message names it; or there can be no lock.
        """
        self._take_from_the_dead()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._taken()
            self._file.seek(0)
            self._file.truncate()
            json.dump({"pid": os.getpid(), "host": socket.gethostname()}, self._file)
            self._file.flush()
        except OSError as error:
            self.release()
            raise JournalError(
                f"cannot lock run {self._run_id} with {self.path}: {error.strerror or error}; "
                "make room or repair it, or name another folder with --runs-dir"
            ) from error
        with contextlib.suppress(RuntimeError):  # no loop: the lock is for plain code
            self._loop = asyncio.get_running_loop()
        _here[self.path.resolve()] = self
        return self

    def _take_from_the_dead(self) -> None:
        """Release a lock of this process whose event loop was closed: no code can let go of it."""
        held = _here.get(self.path.resolve())
        if held and held._loop and held._loop.is_closed():
            held.release()

    def _taken(self) -> IO[str]:
        has_waited = False
        while True:
            file = _opened(self.path, os.O_RDWR | os.O_CREAT)
            try:
                take_lock(file)
            except OSError as error:
                owner = _owner(file)
                file.close()
                if error.errno not in IS_LOCKED:
                    raise
                if not has_waited:
                    has_waited = True
                    time.sleep(_GLANCE_S)
                    continue
                raise JournalError(
                    f"run {self._run_id} is owned by {owner}; wait until it ends "
                    "(bench run --fresh starts another)"
                ) from None
            if is_at(file.fileno(), self.path):
                return file
            file.close()  # its run was deleted in between; what is at the path now counts

    def release(self) -> None:
        """Let go."""
        if self._file is not None:
            with contextlib.suppress(OSError):  # a full disk; the lock goes all the same
                self._file.close()
            self._file = None
            if _here.get(path := self.path.resolve()) is self:
                del _here[path]

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
        with _opened(RunLock(folder, run_id).path, os.O_RDONLY) as file:
            try:
                take_lock(file)  # for this moment only
            except OSError:
                return _owner(file)
    except OSError:
        return None  # there is no such file, so nobody has ever held it
    return None


def _opened(path: Path, flags: int) -> IO[str]:
    """A lock's file; it is a plain file in a plain folder, and has no other name."""
    if path.parent.is_symlink():
        raise OSError(errno.ELOOP, f"{path.parent.name} is a link; remove it")
    try:
        descriptor = os.open(path, flags | _PLAIN, 0o666)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(errno.ELOOP, "it is a link, which no lock is; remove it") from None
        raise
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no plain file of its own, as a lock is; remove it")
    return os.fdopen(descriptor, "r" if flags == os.O_RDONLY else "r+", encoding="utf-8")


def _owner(file: IO[str]) -> str:
    file.seek(0)
    try:
        owner = json.loads(file.read())
        message = f"process {owner['pid']} on {owner['host']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
    is_this = (owner["pid"], owner["host"]) == (os.getpid(), socket.gethostname())
    return f"{message}, in another task or thread of this very process" if is_this else message
