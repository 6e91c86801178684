"""How a journal is, without changing a byte of it."""

import contextlib
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ..errors import JournalError
from .file import FILE
from .locks import owner_of
from .opening import check_file, is_there, read_only, reading
from .schema import CHECKED, newest, version_of
from .tables import quoted

_TOLD_AT_MOST = 3


class Health(NamedTuple):
    """What is known of a journal that can be used: its owners by the id of the run they work on."""

    path: Path
    size: int
    schema: int
    newest: int
    runs: int
    calls: int
    owners: Mapping[str, str]


def read_health(folder: Path) -> Health | None:
    """How the journal of a runs folder is; ``None`` when there is none yet.

    The whole structure is checked, and each row with a checksum, however large the file.
    """
    path = folder / FILE
    if not is_there(path):
        return None
    check_file(path)
    with reading(path), contextlib.closing(read_only(path)) as connection:
        _check(connection, path)
        schema = version_of(connection)
        if schema == newest():
            _check_rows(connection)
        (calls,) = connection.execute("SELECT count(*) FROM calls").fetchone()
        ids = [run_id for (run_id,) in connection.execute("SELECT run_id FROM runs")]
    owners = {run_id: owner for run_id in ids if (owner := owner_of(folder, run_id))}
    size = path.stat().st_size
    return Health(path, size, schema, newest(), len(ids), int(calls), owners)


def _check(connection: sqlite3.Connection, path: Path) -> None:
    messages = [row[0] for row in connection.execute(f"PRAGMA quick_check({_TOLD_AT_MOST})")]
    if messages != ["ok"]:
        raise JournalError(
            f"{path} is damaged ({'; '.join(messages)}); nothing was changed. "
            "Restore it from a copy, or use another --runs-dir"
        )


def _check_rows(connection: sqlite3.Connection) -> None:
    for checked in CHECKED:
        sql = f"SELECT {quoted(checked.stored)} FROM {checked.name}"
        for row in connection.execute(sql):
            checked.opened(row)
