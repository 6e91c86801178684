"""The official packs: what they hold, whether they are in the cache, getting them there.

A file reaches its place in the cache in one step and only with the size and the
SHA-256 of the manifest; until then it is a ``.part`` file beside it.
"""

import contextlib
import hashlib
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Protocol
from urllib.parse import quote, urlsplit

from ..errors import DataError, ProviderError, UsageError
from ..parties.secrets import shown_address
from ..reading.files import IS_LOCKED, is_there, take_lock
from ..types import JsonObject
from .download import Download, Patience, Watch, WrongContents, download_right, objection, writing
from .sources import FileEntry, cache_folder, read_manifest

_UNWATCHED = Watch()
_PATIENCE = Patience()


class FetchState(StrEnum):
    """How a file of a pack is in the cache."""

    HERE = "here"
    WRONG = "wrong"
    ABSENT = "absent"


class OfficialFile(NamedTuple):
    """One file of an official pack; the fields are those of the manifest."""

    path: str
    url: str
    sha256: str
    size: int
    lang: str | None


@dataclass(frozen=True, slots=True)
class OfficialPack:
    """An official pack and its place in the cache.

    Attributes:
        name: Of its benchmark.
        all_files: In manifest order.
        facts: Title, licence, repository, commit.
        folder: Where its files are kept.
    """

    name: str
    all_files: tuple[OfficialFile, ...]
    facts: JsonObject
    folder: Path

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that files of it belong to."""
        return tuple(dict.fromkeys(f.lang for f in self.all_files if f.lang))

    def files(self, lang: str | None = None) -> tuple[OfficialFile, ...]:
        """All files, or those that one language needs.

        Raises:
            UsageError: It has no such language.
        """
        if lang is None:
            return self.all_files
        if lang not in self.languages:
            there = f"there are: {', '.join(self.languages)}" if self.languages else "it has none"
            raise UsageError(f"{self.name} has no language {lang!r}; {there}")
        return tuple(f for f in self.all_files if f.lang in (None, lang))

    def state(self, file: OfficialFile) -> FetchState:
        """How a file is in the cache, told by its contents.

        Raises:
            DataError: It cannot be read.
        """
        path = self.folder / file.path
        if not is_there(path):
            return FetchState.ABSENT
        return FetchState.HERE if _is(path, file) else FetchState.WRONG

    def usable(self, lang: str | None = None) -> bool:
        """Whether all files of a language, or of any, are in the cache and right."""
        choices = (lang,) if lang else self.languages or (None,)
        return any(all(self.state(f) is FetchState.HERE for f in self.files(c)) for c in choices)


def pack_folders(data: Path, benchmarks: Mapping[str, Path | None]) -> dict[str, Path]:
    """The folder of each manifest by benchmark name; nothing is read.

    Args:
        data: Holds a folder per benchmark, named like it but for ``_`` in place of ``-``.
        benchmarks: The folder of each installed benchmark, which may lie elsewhere.
    """
    ours = {p.parent.name.replace("_", "-"): p.parent for p in data.glob("*/manifest.json")}
    theirs = {name: folder for name, folder in benchmarks.items() if folder}
    return dict(sorted((ours | theirs).items()))


DATA_ONLY = "data only: no benchmark uses it yet"


def is_data_only(name: str, folder: Path, benchmarks: Mapping[str, Path | None]) -> bool:
    """Whether no benchmark uses a pack.

    Args:
        name: Of the pack.
        folder: Of its manifest.
        benchmarks: The folder of each installed benchmark.
    """
    return name not in benchmarks and folder not in benchmarks.values()


def read_official(name: str, data: Path, *, cache: Path | None = None) -> OfficialPack:
    """The official pack that a data folder's manifest describes.

    Raises:
        DataError: The manifest is missing, or says what cannot be.
        UsageError: It has no official pack.
    """
    entry = read_manifest(data).get("official")
    if entry is None:
        raise UsageError(f"{name} has no official pack")
    files = tuple(_checked(data / "manifest.json", file) for file in entry.files)
    return OfficialPack(name, files, entry.facts, (cache or cache_folder()) / name)


def fetch(
    pack: OfficialPack,
    *,
    lang: str | None = None,
    source: str | None = None,
    watch: Watch = _UNWATCHED,
    patience: Patience = _PATIENCE,
) -> tuple[OfficialFile, ...]:
    """Get what is missing of a pack into the cache.

    Args:
        pack: What to get.
        lang: Only what this language needs.
        source: A folder or a URL that has the files by the manifest's paths; ``None`` for the
            URLs of the manifest.
        watch: Is told how it goes.
        patience: With a server.

    Returns:
        The files that were fetched; none when all were there and right.

    Raises:
        DataError: A file is not the one of the manifest, or the cache cannot be written.
        ProviderError: The network or the server failed.
        UsageError: No such language, or nothing may be downloaded from that URL.
    """
    wanted = {
        f: place_of(source, f) for f in pack.files(lang) if pack.state(f) is not FetchState.HERE
    }
    with alone(pack.folder) if wanted else contextlib.nullcontext():
        for file, place in wanted.items():
            if pack.state(file) is FetchState.HERE:
                continue  # another process was quicker
            if isinstance(place, Path):
                _copy(place, pack, file)
            else:
                _download(place, pack, file, watch, patience)
    return tuple(wanted)


def import_files(pack: OfficialPack, path: Path) -> tuple[OfficialFile, ...]:
    """Copy a file that the user has, or those in a folder, into the cache.

    Files are known by their contents, whatever they are called.

    Returns:
        The files of the pack that were found there.

    Raises:
        DataError: There is none, or one has a right name and wrong contents.
    """
    found = _recognised(pack, path)
    with alone(pack.folder):
        for file, place in found.items():
            if pack.state(file) is not FetchState.HERE:
                _copy(place, pack, file)
    return tuple(found)


class Located(Protocol):
    """A file that has an address of its own, and a path that another place has it under."""

    @property
    def path(self) -> str:
        """Relative."""
        ...

    @property
    def url(self) -> str:
        """Its own."""
        ...


def place_of(source: str | None, file: Located) -> Path | str:
    """Where to get a file: a path or a URL.

    Raises:
        DataError: The folder is not there.
        UsageError: Nothing may be downloaded from there.
    """
    if source is None:
        return file.url
    if "://" not in source:
        if not (is_there(Path(source)) and Path(source).is_dir()):
            raise DataError(source, "no such folder (a URL begins with https://)")
        return Path(source, file.path)
    if why := objection(source):
        raise UsageError(f"nothing is downloaded from {shown_address(source)}: {why}")
    if urlsplit(source).query or urlsplit(source).fragment:
        message = "give the address of a folder"
        raise UsageError(f"nothing is downloaded from {shown_address(source)}: {message}")
    return f"{source.rstrip('/')}/{quote(file.path)}"


def _download(
    url: str, pack: OfficialPack, file: OfficialFile, watch: Watch, patience: Patience
) -> None:
    wanted = Download(url, file.path, file.size)
    part = _part(pack, file)
    try:
        download_right(wanted, part, lambda: _is(part, file), watch, patience)
        _must_be(file, part, url)
    except WrongContents:
        part.unlink(missing_ok=True)
        raise
    except ProviderError as error:
        error.args = (f"{error}; {_way_out(pack)}",)
        raise
    with writing(part):
        part.replace(pack.folder / file.path)


def _way_out(pack: OfficialPack) -> str:
    return (
        "the same command goes on where it stopped; a file that you get in another way "
        f"goes in with: bench data import {pack.name} PATH"
    )


def _copy(place: Path, pack: OfficialPack, file: OfficialFile) -> None:
    if not place.is_file():
        raise DataError(place, f"no such file; it is one of the official pack of {pack.name}")
    _must_be(file, place, place)
    part = _part(pack, file)
    with writing(part):
        shutil.copyfile(place, part)
    _must_be(file, part, place)
    with writing(part):
        part.replace(pack.folder / file.path)


def _part(pack: OfficialPack, file: OfficialFile) -> Path:
    path = pack.folder / file.path
    with writing(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
    return path.with_name(path.name + ".part")


def _recognised(pack: OfficialPack, path: Path) -> dict[OfficialFile, Path]:
    """The files of a pack among those at a path."""
    if not is_there(path):
        raise DataError(path, "no such file or folder; check the path")
    try:
        places = sorted(p for p in path.iterdir() if p.is_file()) if path.is_dir() else [path]
    except OSError as error:
        raise DataError(path, f"cannot be read: {error.strerror}") from None
    found = {}
    for file in pack.all_files:
        if place := next((p for p in places if _is(p, file)), None):
            found[file] = place
        elif place := next((p for p in places if p.name == PurePosixPath(file.path).name), None):
            _must_be(file, place, place)
    if not found:
        wanted = ", ".join(f.path for f in pack.all_files)
        raise DataError(
            path,
            f"holds no file of the official pack of {pack.name} ({wanted}); "
            "other data needs no import: bench run takes it with --dataset PATH",
        )
    return found


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Be the only process that writes into a folder of the cache; the lock dies with it.

    Raises:
        DataError: Another process does, or it cannot be written.
    """
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / ".lock").open("a", encoding="utf-8")
    with file:
        try:
            take_lock(file)
        except OSError as error:
            if error.errno in IS_LOCKED:  # else there are no locks here: go on without
                message = "another process is getting this pack; wait until it ends"
                raise DataError(folder, message) from None
        yield


def _is(path: Path, file: OfficialFile) -> bool:
    try:
        return path.is_file() and path.stat().st_size == file.size and _sha256(path) == file.sha256
    except OSError as error:
        raise DataError(path, f"cannot be read: {error.strerror}") from None


def _must_be(file: OfficialFile, path: Path, origin: object) -> None:
    """Check what came from `origin` and is at `path`."""
    if _is(path, file):
        return
    size = path.stat().st_size
    if size != file.size:
        message = f"has {size:,} bytes, the file of the manifest {file.size:,}"
    else:
        message = f"its SHA-256 is {_sha256(path)}, that of the manifest is {file.sha256}"
    raise WrongContents(origin, f"{message}; refused, as it is another file than {file.path}")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _checked(manifest: Path, entry: FileEntry) -> OfficialFile:
    """A file of a manifest that says all that a download needs to know.

    Raises:
        DataError: It does not, or its path would leave the folder.
    """
    place = f"file {entry.path!r}"
    if not stays_inside(entry.path):
        raise DataError(manifest, "its path must stay inside the pack's folder", place)
    if not isinstance(entry.size, int) or entry.size < 1:
        raise DataError(manifest, "needs its size in bytes", place)
    if not re.fullmatch(r"[0-9a-f]{64}", str(entry.sha256)):
        raise DataError(manifest, "needs its SHA-256, 64 hexadecimal digits", place)
    if why := objection(str(entry.url)):
        raise DataError(manifest, f"nothing is downloaded from {entry.url}: {why}", place)
    return OfficialFile(entry.path, str(entry.url), str(entry.sha256), entry.size, entry.lang)


def stays_inside(path: object) -> bool:
    """Whether a manifest's path is a plain relative one, on every system."""
    if not isinstance(path, str) or not re.fullmatch(r"[^\\:\0]+", path):
        return False
    parts = PurePosixPath(path).parts
    return bool(parts) and parts[0] != "/" and ".." not in parts
