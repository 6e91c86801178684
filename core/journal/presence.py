"""Whether a journal's files are still those that are open.

Whoever removes or replaces a file takes away its name only: what is written from then on is gone
when the file is closed. So nothing more is written, and a run stops.
"""

import contextlib
import sqlite3
from pathlib import Path

from ..errors import JournalError
from ..text import plural
from .opening import FileId, damage_in, file_id, read_only


class Presence:
    """The files of a journal that is written to; `which` is the file that was opened."""

    def __init__(self, path: Path, which: FileId) -> None:
        self._log = path.with_name(f"{path.name}-wal")
        # Whichever connection is closed last brings the log into the file and removes it by its
        # name, unless it cannot write. This one is the last where that would do harm.
        self._last = read_only(path, check_same_thread=False)
        self._last.execute("SELECT count(*) FROM runs").fetchone()
        self._path, self._files = path, {path: which, self._log: _id_or_none(self._log)}
        self._log_size, self._cut_off = 0, ""

    def check(self) -> None:
        """See that the files are there.

        Raises:
            JournalError: One is not, and the message says what is lost.
        """
        for path, which in self._files.items():
            if which is not None and (current := _id_or_none(path)) != which:
                how = f"{path} was {'replaced' if current else 'removed'} while it was in use"
                raise JournalError(f"{how}; nothing more is sent{self._lost()}")
        with contextlib.suppress(OSError):  # the log has just gone
            before, self._log_size = self._log_size, self._log.stat().st_size
            self._cut_off = self._cut_off or (self._log_size < before and _damage(self._path)) or ""
        if self._cut_off:
            how = f"{self._log} was cut off while it was in use ({self._cut_off})"
            lost = "the latest replies are lost: the same command asks for them again"
            raise JournalError(f"{how}; nothing more is sent, and {lost}")

    @property
    def is_whole(self) -> bool:
        """Whether the journal's own file is where it was, and its log may be brought into it."""
        return not self._cut_off and _id_or_none(self._path) == self._files[self._path]

    def _lost(self) -> str:
        """What was paid for and is gone with the journal's own file."""
        if self.is_whole:
            return ". What it held is in the journal; run the same command again"
        sql = "SELECT count(*), total(cost_usd) FROM calls"
        n, cost = self._last.execute(sql).fetchone()
        held = f"the {plural(n, 'reply')} that it held (${cost:.2f}) and those in flight are lost"
        return f", and {held}: restore it from a copy, or run the same command again"

    def close(self) -> None:
        """Let go of the files."""
        self._last.close()


def _damage(path: Path) -> str | None:
    """What is wrong with a journal's contents, seen without what is held in memory."""
    try:
        with contextlib.closing(read_only(path)) as fresh:
            return damage_in(fresh)
    except sqlite3.Error as error:
        return str(error)


def _id_or_none(path: Path) -> FileId | None:
    """Which file is at a path; ``None`` when there is none that can be reached."""
    try:
        return file_id(path)
    except OSError:
        return None
