"""Forms of files that declare a benchmark, so that a path may stand where a name does."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..benchmark import Benchmark
    from .on_demand import OnDemand


@dataclass(frozen=True, slots=True)
class BenchmarkFiles:
    """A form of files, each of which declares a benchmark.

    Attributes:
        name: What the form is called.
        title: One line for `bench list`.
        suffix: How names of such files end, with the dot.
        in_folder: What such a file is called in a folder of its own, which may stand for it.
        read: The benchmark that a file declares; raises `DataError` with file and line. What its
            `files` say is stored with its runs, and read again by this where the file is gone.
    """

    name: str
    title: str
    suffix: str
    in_folder: str
    read: "Callable[[Path], Benchmark] | OnDemand"

    def file_at(self, path: Path) -> Path | None:
        """The file of this form that a path names; ``None`` where it names none."""
        if path.is_dir():
            return path / self.in_folder if (path / self.in_folder).is_file() else None
        return path if path.suffix == self.suffix else None
