"""Whether a journal's files are still those that are open, and what is done when they are not.

Whoever removes or replaces a file takes away its name only: what was written, and what is
still written, is there as long as the file is open. So it can be saved in the end.
"""

import contextlib
import itertools
import os
import sqlite3
from pathlib import Path

from .opening import FileId, damage_in, file_id, put_into_place, read_only
from .temporary import PARTIAL, make_held


class Presence:
    """The files of a journal that is written to; `which` is the file that was opened.

    Once that was seen, `wrong` says what has become of them; if they are cut, parts of them are
    gone, and nothing can be written any more.
    """

    def __init__(self, path: Path, which: FileId) -> None:
        self.wrong: str | None = None
        self.is_cut = False
        self._path, self._which = path, which
        self._log = path.with_name(f"{path.name}-wal")
        # Whichever connection is closed last brings the log into the file and removes it by its
        # name, unless it cannot write. This one is the last where that would do harm.
        self._last = read_only(path, check_same_thread=False)
        self._last.execute("SELECT count(*) FROM runs").fetchone()
        self._which_log = _id_or_none(self._log)
        self._log_size = 0

    def look(self) -> str | None:
        """What has become of the files, if they are no longer the journal's."""
        self.wrong = self.wrong or self._moved(self._path, self._which)
        if self._which_log is not None and self.wrong is None:
            self.wrong = self._moved(self._log, self._which_log) or self._cut()
        return self.wrong

    def _moved(self, path: Path, which: FileId) -> str | None:
        current = _id_or_none(path)
        if current == which:
            return None
        return f"{path} was {'replaced' if current else 'removed'} while it was in use"

    def _cut(self) -> str | None:
        """What is wrong with a log that is shorter than it was; some programs may make it so."""
        with contextlib.suppress(OSError):  # it has just gone
            before, self._log_size = self._log_size, self._log.stat().st_size
            if self._log_size < before and (message := _damage(self._path)):
                self.is_cut = True
                return f"{self._log} was cut off while it was in use ({message})"
        return None

    def save(self, writing: sqlite3.Connection, reading: sqlite3.Connection) -> str:
        """Save what the open files hold; what to tell the user about that."""
        if self.is_cut:
            return "The latest replies are lost; the same command asks for them again"
        try:
            if self._moved(self._path, self._which) is None and _is_brought_in(writing):
                return "All replies are in the journal; run the same command again"
            path = self._copied(reading)
        except (OSError, sqlite3.Error) as error:
            return f"What it held could not be saved: {error}"
        if path == self._path:
            return "All that it held is saved there again; run the same command again"
        return (
            f"All that it held is saved in {path}; bench runs --runs-dir {path.parent} lists it, "
            "bench export and bench import bring it back"
        )

    def _copied(self, reading: sqlite3.Connection) -> Path:
        """Where a copy is: at the journal's own place, or in a folder beside what took that."""
        folder = self._path.parent
        folder.mkdir(parents=True, exist_ok=True)
        if not self._path.exists() and self._is_copied_to(reading, self._path):
            return self._path
        for n in itertools.count(1):
            path = folder / f"rescued-{n}" / self._path.name
            with contextlib.suppress(FileExistsError):
                path.parent.mkdir()
                if self._is_copied_to(reading, path):
                    return path
        raise AssertionError("there are more numbers")

    def _is_copied_to(self, reading: sqlite3.Connection, path: Path) -> bool:
        """Copy everything to a place, unless somebody else has just put a file there."""
        fresh, held = make_held(path.parent, f".{path.name}.", PARTIAL)
        try:
            with contextlib.closing(sqlite3.connect(fresh)) as copy:
                reading.backup(copy)
            return put_into_place(fresh, path)
        finally:
            fresh.unlink(missing_ok=True)
            os.close(held)

    def close(self) -> None:
        """Let go of the files."""
        self._last.close()


def _is_brought_in(writing: sqlite3.Connection) -> bool:
    """Bring all that is in the log into the file; whether that was possible."""
    busy, logged, done = writing.execute("PRAGMA wal_checkpoint(FULL)").fetchone()
    return not busy and logged == done


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
