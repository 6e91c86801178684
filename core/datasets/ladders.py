"""The published ladder of a benchmark: results that its authors keep beside their code.

The manifest names its files with their addresses and git's ids of their contents; sizes are
not known beforehand. A file reaches its place in the cache in one step, and only with that id.
"""

import hashlib
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ..errors import DataError, ProviderError, UsageError
from ..reading.files import is_there
from ..reading.formats import read_json
from .download import Download, Patience, Watch, WrongContents, download_right, objection, writing
from .fetching import alone, place_of, stays_inside
from .sources import cache_folder

MOST = 100 * 2**20
"""Bytes of a file; GitHub takes no larger one."""
_CHUNK = 2**20
_UNWATCHED = Watch()
_PATIENCE = Patience()


class LadderFile(NamedTuple):
    """One file; the fields are those of the manifest."""

    path: str
    url: str
    blob: str


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
    files: tuple[LadderFile, ...]
    folder: Path

    @property
    def comparisons(self) -> Path:
        """Where the comparisons that were read of them are kept."""
        return self.folder / "comparisons.jsonl.gz"

    def has(self, file: LadderFile) -> bool:
        """Whether a file is in the cache, with the right contents."""
        path = self.folder / file.path
        return is_there(path) and path.is_file() and git_blob(path) == file.blob


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
        files = tuple(LadderFile(**file) for file in found["files"])
        form, judge = str(found["format"]), str(found.get("judge", ""))
    except (KeyError, TypeError, AttributeError) as error:
        message = f"its ladder is not of the form: {type(error).__name__}: {error}"
        raise DataError(manifest, message) from None
    for file in files:
        _check(manifest, file)
    return Ladder(name, form, judge, files, (cache or cache_folder()) / name / "ladder")


def _check(manifest: Path, file: LadderFile) -> None:
    place = f"file {file.path!r}"
    if not stays_inside(file.path):
        raise DataError(manifest, "its path must stay inside the ladder's folder", place)
    if not re.fullmatch(r"[0-9a-f]{40}", str(file.blob)):
        raise DataError(manifest, "needs git's id of its contents, 40 hexadecimal digits", place)
    if why := objection(str(file.url)):
        raise DataError(manifest, f"nothing is downloaded from {file.url}: {why}", place)


def fetch_ladder(
    ladder: Ladder,
    *,
    source: str | None = None,
    watch: Watch = _UNWATCHED,
    patience: Patience = _PATIENCE,
) -> tuple[LadderFile, ...]:
    """Get what is missing of a ladder into the cache.

    Args:
        ladder: What to get.
        source: A folder or a URL that has the files by the manifest's paths; ``None`` for the
            URLs of the manifest.
        watch: Is told how it goes.
        patience: With a server.

    Returns:
        The files that were fetched; none when all were there and right.

    Raises:
        DataError: A file is not the one of the manifest, or the cache cannot be written.
        ProviderError: The network or the server failed.
        UsageError: Nothing may be downloaded from that URL.
    """
    wanted = {f: place_of(source, f) for f in ladder.files if not ladder.has(f)}
    for file, place in wanted.items():
        with alone(ladder.folder):
            part = ladder.folder / f"{file.path}.part"
            with writing(part.parent):
                part.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(place, Path):
                _copy(place, part, file)
            else:
                _download(Download(place, file.path, None, MOST), part, file, (watch, patience))
            with writing(part):
                part.replace(ladder.folder / file.path)
    return tuple(wanted)


def _copy(place: Path, part: Path, file: LadderFile) -> None:
    if not place.is_file():
        raise DataError(place, "no such file; it is one of the published ladder")
    with writing(part):
        shutil.copyfile(place, part)
    _must_be(file, part, place)


def _download(wanted: Download, part: Path, file: LadderFile, how: tuple[Watch, Patience]) -> None:
    if _is(part, file):
        return  # the last process ended before it could put it into its place
    try:
        download_right(wanted, part, lambda: _is(part, file), *how)
    except ProviderError as error:
        more = "the same command goes on where it stopped; --from DIR takes files you have"
        error.args = (f"{error}; {more}",)
        raise
    _must_be(file, part, wanted.url)


def _must_be(file: LadderFile, part: Path, origin: object) -> None:
    """Keep nothing that is another file."""
    if not _is(part, file):
        found = git_blob(part)
        part.unlink()
        message = f"git's id of it is {found}, that of the manifest is {file.blob}"
        raise WrongContents(origin, f"{message}; refused, as it is another file than {file.path}")


def _is(part: Path, file: LadderFile) -> bool:
    return part.is_file() and git_blob(part) == file.blob


def git_blob(path: Path) -> str:
    """Git's id of a file's contents: the SHA-1 of a header with their size, and of them.

    Raises:
        DataError: It cannot be read.
    """
    try:
        with path.open("rb") as file:
            size = path.stat().st_size
            made = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
            while chunk := file.read(_CHUNK):
                made.update(chunk)
    except OSError as error:
        raise DataError(path, f"cannot be read: {error.strerror}") from None
    return made.hexdigest()
