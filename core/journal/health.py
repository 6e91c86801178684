"""How a journal is, without changing a byte of it."""

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ..errors import JournalError
from .locks import owner_of
from .opening import FILE, check_file, damage_in, is_there, read_only, reading
from .schema import CHECKED
from .tables import quoted

_TOLD_AT_MOST = 3


class Health(NamedTuple):
    """What is known of a journal that can be used.

    Attributes:
        size: Bytes.
        owners: Who works on a run, by the run's id.
    """

    path: Path
    size: int
    runs: int
    calls: int
    owners: Mapping[str, str]


def read_health(folder: Path) -> Health | None:
    """How the journal of a runs folder is; ``None`` when there is none yet.

    The whole structure is checked, and each row with a checksum, however large the file.

    Raises:
        JournalError: It cannot be read, is foreign, damaged, or of another form.
    """
    path = folder / FILE
    if not is_there(path):
        return None
    check_file(path)
    with reading(path), contextlib.closing(read_only(path)) as connection:
        if wrong := damage_in(connection, _TOLD_AT_MOST):
            raise JournalError(
                f"{path} is damaged ({wrong}); nothing was changed. "
                "Restore it from a copy, or use another --runs-dir"
            )
        for checked in CHECKED:
            sql = f"SELECT {quoted(checked.stored)} FROM {checked.name}"
            for row in connection.execute(sql):
                checked.opened(row)
        (calls,) = connection.execute("SELECT count(*) FROM calls").fetchone()
        ids = [run_id for (run_id,) in connection.execute("SELECT run_id FROM runs")]
    owners = {run_id: owner for run_id in ids if (owner := owner_of(folder, run_id))}
    return Health(path, path.stat().st_size, len(ids), int(calls), owners)
