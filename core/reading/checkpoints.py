"""Folders of model weights: which checkpoint one holds, and whether it is written to its end."""

import errno
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from ..errors import DataError
from .files import exists

_ENDS = 2**20
"""Bytes that are read at either end of a file: weights differ in all of their tensors."""
_UNFINISHED = (".tmp", ".part", ".incomplete", ".lock")


def checkpoint_of(text: str) -> str:
    """What tells a checkpoint from others: the digest of what is at a path; else the text itself.

    Of each file its path in the folder, its size, and the first and the last MiB are digested, so
    that a folder that moved is the same checkpoint, and one that was overwritten is another.

    Raises:
        DataError: A file cannot be read, or the folder is empty.
    """
    path = Path(text)
    if not is_on_disk(path):
        return text
    whole, files = hashlib.sha256(), list(_files(path))
    if not files:
        raise DataError(path, "is an empty folder; a checkpoint has files")
    try:
        for file in files:
            name = file.relative_to(path).as_posix() if path.is_dir() else ""
            whole.update(f"{name}\0{file.stat().st_size}\0".encode())
            whole.update(_ends_of(file))
    except OSError as error:
        raise DataError(error.filename or path, f"cannot be read: {error.strerror}") from None
    return whole.hexdigest()


def is_on_disk(path: Path) -> bool:
    """Whether anything is at a path, which may be any text.

    Raises:
        DataError: That cannot be told.
    """
    try:
        return exists(path)
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.EINVAL):
            return False  # no file can be called so
        raise DataError(path, f"cannot be read: {error.strerror}") from None


def unfinished(folder: Path) -> str:
    """Why a folder is no whole checkpoint yet; empty where nothing says so.

    It is not while it holds a file that is being written (by its ending), no file at all, or an
    index (`*.index.json`) that names files which are not there.
    """
    files = list(_files(folder))
    if not files:
        return "it has no files"
    if wip := next((file for file in files if file.name.endswith(_UNFINISHED)), None):
        return f"it has {wip.name}"
    for index in (file for file in files if file.name.endswith(".index.json")):
        try:
            named = {str(name) for name in json.loads(index.read_bytes())["weight_map"].values()}
            lacks = sorted(name for name in named if not (index.parent / name).is_file())
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return f"{index.name} is not written to its end, or is no index"
        if lacks:
            return f"it lacks {lacks[0]}"
    return ""


def state_of(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """The files with their sizes and times, which stay as they are once nobody writes."""
    stats = ((str(file), file.stat()) for file in _files(folder))
    return tuple((name, one.st_size, one.st_mtime_ns) for name, one in stats)


def _files(path: Path) -> Iterator[Path]:
    try:
        paths = sorted(path.rglob("*")) if path.is_dir() else [path]
    except RecursionError:
        raise DataError(path, "has folders nested too deeply") from None
    return (one for one in paths if one.is_file())


def _ends_of(file: Path) -> bytes:
    with file.open("rb") as opened:
        first = opened.read(_ENDS)
        opened.seek(max(0, file.stat().st_size - _ENDS))
        return hashlib.sha256(first + opened.read(_ENDS)).digest()
