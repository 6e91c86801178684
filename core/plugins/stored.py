"""Benchmarks that files declare, kept with their runs: they go on when a file is gone or another.

What is kept are a benchmark's `files`. They are written to a folder of this process, and read
there as they were where they came from.
"""

import atexit
import base64
import json
import shutil
import tempfile
import zlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ..benchmark import Benchmark
from ..datasets.files import stays_inside
from ..errors import JournalError, PluginError
from ..hooks.on_demand import OnDemand
from ..journal import Journal, RunRecord
from .catalogue import Catalogue, installed

KEPT = "declaration"
"""The setting of a run that holds the files of its benchmark."""
_MOST = 2**28
"""Bytes that are unpacked: what somebody sends may be made to fill the memory."""


def packed(files: Mapping[str, str]) -> str:
    """Files by path as one text, the same for the same files."""
    return base64.b64encode(zlib.compress(json.dumps(list(files.items())).encode())).decode()


def unpacked(text: str) -> dict[str, str]:
    """The files that were `packed`.

    Raises:
        JournalError: It is no such text, or a path leaves its folder.
    """
    try:
        unpacking = zlib.decompressobj()
        files = dict(json.loads(unpacking.decompress(base64.b64decode(text), _MOST)))
        fit = all(stays_inside(path) and isinstance(one, str) for path, one in files.items())
        if fit and files and not unpacking.unconsumed_tail:
            return files
    except (ValueError, TypeError, zlib.error, RecursionError):
        pass
    raise JournalError("the journal is damaged: a run's benchmark cannot be read from it")


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="eibench-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def restored(text: str) -> Benchmark:
    """The benchmark that `packed` files declare.

    Raises:
        BenchError: They are damaged, or declare none that this program reads.
    """
    files = unpacked(text)
    folder = Path(tempfile.mkdtemp(dir=_folder()))
    for path, one in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(one, encoding="utf-8")
    first = next(iter(files))
    benchmark = installed().declared_at(folder / first, clashes=True)
    if benchmark is None:
        raise PluginError(f"no plugin reads {first}, which declares a run's benchmark")
    benchmark.path = None
    return benchmark


class _Stored(OnDemand):
    """A benchmark that a journal holds; `target` is its files, packed."""

    __slots__ = ()

    def make(self) -> Any:
        """The benchmark."""
        return restored(self.target)


def benchmark_of(run: RunRecord, catalogue: Catalogue) -> Benchmark:
    """The benchmark of a run: as it was declared when the run was made, else the one of its name.

    Raises:
        UsageError: It is not installed.
    """
    kept = run.settings.get(KEPT)
    return restored(kept) if kept else catalogue.benchmark(run.benchmark)


def catalogue_of(journal: Journal) -> Catalogue:
    """What is installed, and the benchmarks that files declared for runs of a journal."""
    catalogue = installed()
    kept = {
        name: _Stored(declaration, name)
        for name, declaration in journal.kept_settings(KEPT).items()
        if name not in catalogue.benchmarks.declared
    }
    return catalogue.having(kept) if kept else catalogue
