"""What code a result was computed by, so that a cached one is shown by the same code alone."""

import os
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from ..hooks.on_demand import entries
from ..types import digest

_OWN = __name__.partition(".")[0]
_FileState = tuple[str, int, int]


def code_digest(thing: object) -> str | None:
    """A digest of the code of a plugin's object; ``None`` where it is not of a plugin's package.

    It changes with each file of eibench and of any plugin, and with each version that is
    installed of anything else.
    """
    homes = {kind.__module__.partition(".")[0] for kind in type(thing).__mro__}
    return _digest() if homes - sys.stdlib_module_names <= _packages() else None


def _packages() -> set[str]:
    return {_OWN, *(entry.module.partition(".")[0] for entry in entries())}


@cache
def _digest() -> str | None:
    try:
        files = sorted(state for name in _packages() for state in _files_of(name))
        folders = [folder for folder in map(Path, sys.path) if folder.is_dir()]
        versions = sorted(path.name for folder in folders for path in folder.glob("*-info"))
    except (ImportError, OSError, ValueError):  # a package that is no folder of files
        return None
    return digest([sys.version, files, versions])


def _files_of(package: str) -> Iterator[_FileState]:
    """Each file of a package, its size, and when it was changed."""
    if (spec := find_spec(package)) is None:
        return
    seen = set[int]()
    for folder in spec.submodule_search_locations or ():
        yield from _files_in(folder, seen)
    if spec.submodule_search_locations is None:
        stat = Path(str(spec.origin)).stat()
        yield str(spec.origin), stat.st_size, stat.st_mtime_ns


def _files_in(folder: str, seen: set[int]) -> Iterator[_FileState]:
    with os.scandir(folder) as scan:
        for entry in scan:
            stat = entry.stat()
            if not entry.is_dir():
                yield entry.path, stat.st_size, stat.st_mtime_ns
            elif entry.name != "__pycache__" and stat.st_ino not in seen:
                seen.add(stat.st_ino)
                yield from _files_in(entry.path, seen)
