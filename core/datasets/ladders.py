"""The published ladder of a benchmark: results that its authors keep beside their code.

The manifest names its files with their addresses and git's ids of their contents; sizes are
not known beforehand. A file reaches its place in the cache in one step, and only with that id.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from ..errors import DataError, UsageError
from ..reading.formats import read_json
from .fetching import get_missing
from .files import PATIENT, UNWATCHED, Cached, NamedFile, Watch, check_entry
from .sources import cache_folder


@dataclass(frozen=True, slots=True)
class Ladder:
    """The files of a ladder and their place in the cache.

    Attributes:
        name: Of its benchmark.
        form: Of its files, as `bench import --format` takes it.
        judge: What the judge is called where a file does not say who it was.
        files: In manifest order.
        folder: Where they are kept.
    """

    name: str
    form: str
    judge: str
    files: tuple[NamedFile, ...]
    folder: Path

    @property
    def comparisons(self) -> Path:
        """Where the comparisons that were read of them are kept."""
        return self.folder / "comparisons.jsonl.gz"


def read_ladder(name: str, data: Path, *, cache: Path | None = None) -> Ladder:
    """The ladder that a data folder's manifest names.

    Raises:
        DataError: The manifest is missing, or says what cannot be.
        UsageError: It names none.
    """
    manifest = data / "manifest.json"
    found = read_json(manifest).get("ladder")
    if found is None:
        raise UsageError(f"{name} has no published ladder")
    try:
        files = tuple(_file(**file) for file in found["files"])
        form, judge = str(found["format"]), str(found.get("judge", ""))
    except (KeyError, TypeError, AttributeError) as error:
        message = f"its ladder is not of the form: {type(error).__name__}: {error}"
        raise DataError(manifest, message) from None
    for file in files:
        check_entry(manifest, file, "ladder")
        if not re.fullmatch(r"[0-9a-f]{40}", str(file.checksum)):
            message = "needs git's id of its contents, 40 hexadecimal digits"
            raise DataError(manifest, message, f"file {file.path!r}")
    return Ladder(name, form, judge, files, (cache or cache_folder()) / name / "ladder")


def _file(path: str, url: str, blob: str) -> NamedFile:
    return NamedFile(path, url, blob)


def fetch_ladder(
    ladder: Ladder, source: str | None = None, watch: Watch = UNWATCHED
) -> tuple[NamedFile, ...]:
    """Get what is missing of a ladder into the cache, and say what that was; as `fetch` does."""
    way_out = "the same command goes on with what is missing; --from DIR takes files you have"
    into = Cached(ladder.folder, "the published ladder", way_out)
    return get_missing(ladder.files, into, source, watch, PATIENT)
