"""What was computed of runs, kept so that it need not be made of all of their rows again.

Triggers of the file delete a run's row here with every change of its calls, grades and
failures or of the run itself, whoever makes it (`schema`).
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from typing import Any, NamedTuple
from zlib import crc32

from .file import JournalFile
from .opening import connect
from .records import RunRecord, as_json

_SELECT = "SELECT run, key, result, crc FROM board_cache WHERE run {of}"
_ADD = "INSERT OR REPLACE INTO board_cache (run, reader, key, result, crc) VALUES (?, ?, ?, ?, ?)"


class CachedResult(NamedTuple):
    """What a board shows of a run.

    Attributes:
        key: Digest of all that it depends on beside the run's rows.
        value: As JSON holds it.
    """

    key: str
    value: Mapping[str, Any]


class BoardCache(JournalFile):
    """The journal's results of boards."""

    def cached(self, run: RunRecord, key: str) -> Mapping[str, Any] | None:
        """What is cached of a run; ``None`` where that is nothing, damaged or of another key."""
        for known, text, crc in self._rows_of(run, _SELECT, (), tuple):
            if known == key and crc == _crc(key, text):
                value: Mapping[str, Any] = json.loads(text)
                return value
        return None

    @contextmanager
    def caching(self, reader: str = "board") -> Iterator[dict[int, CachedResult]]:
        """Cache what the block computes from the journal and puts in, by the run's number.

        The last of each `reader` is kept.

        Nothing is, where somebody has written meanwhile, has the file locked, or it cannot be
        written to: whoever asks next computes it again.
        """
        results: dict[int, CachedResult] = {}
        with ExitStack() as stack:
            database, before = None, None
            with suppress(sqlite3.Error):
                database = stack.enter_context(closing(connect(self.path, timeout=0)))
                before = _version(database)
            yield results
            if results and database and before is not None:
                with suppress(sqlite3.Error):
                    _store(database, before, reader, results)


def _store(
    database: sqlite3.Connection, before: int, reader: str, results: Mapping[int, CachedResult]
) -> None:
    rows = []
    for run, (key, value) in results.items():
        with suppress(TypeError, ValueError):  # a plugin's note that no file can hold
            text = as_json(value)
            rows.append((run, reader, key, text, _crc(key, text)))
    with database:
        database.execute("BEGIN IMMEDIATE")
        if _version(database) == before:
            database.executemany(_ADD, rows)


def _version(database: sqlite3.Connection) -> int:
    """A number that changes with whatever another connection writes."""
    (number,) = database.execute("PRAGMA data_version").fetchone()
    return int(number)


def _crc(key: str, text: str) -> int:
    return crc32(f"{key}\n{text}".encode())
