"""The official packs: what they hold, whether they are in the cache, getting them there.

A file reaches its place in the cache in one step and only with the size and the
SHA-256 of the manifest.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath
from urllib.parse import quote, urlsplit

from ..errors import DataError, UsageError
from ..parties.secrets import shown_address
from ..reading.files import is_there
from ..types import JsonObject
from .files import (
    PATIENT,
    UNWATCHED,
    Cached,
    NamedFile,
    Patience,
    Watch,
    check_entry,
    is_right,
    objection,
    read_right,
)
from .sources import FileEntry, cache_folder, read_manifest


class FetchState(StrEnum):
    """How a file of a pack is in the cache."""

    HERE = "here"
    WRONG = "wrong"
    ABSENT = "absent"


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
    all_files: tuple[NamedFile, ...]
    facts: JsonObject
    folder: Path

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that files of it belong to."""
        return tuple(dict.fromkeys(f.lang for f in self.all_files if f.lang))

    @property
    def cached(self) -> Cached:
        """Its files as they are kept, and what to do when a server does not give them."""
        way_out = (
            "the same command goes on with what is missing; a file that you get in another way "
            f"goes in with: bench data import {self.name} PATH"
        )
        return Cached(self.folder, f"the official pack of {self.name}", way_out)

    def files(self, lang: str | None = None) -> tuple[NamedFile, ...]:
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

    def state(self, file: NamedFile) -> FetchState:
        """How a file is in the cache, told by its contents.

        Raises:
            DataError: It cannot be read.
        """
        path = self.folder / file.path
        if not is_there(path):
            return FetchState.ABSENT
        return FetchState.HERE if is_right(file, path) else FetchState.WRONG

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
    watch: Watch = UNWATCHED,
    patience: Patience = PATIENT,
) -> tuple[NamedFile, ...]:
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
    return get_missing(pack.files(lang), pack.cached, source, watch, patience)


def get_missing(
    files: Sequence[NamedFile], to: Cached, source: str | None, watch: Watch, patience: Patience
) -> tuple[NamedFile, ...]:
    """Get those files into the cache that are not there and right; which they were.

    `source` is a folder or a URL that has them by their paths; ``None`` for their own addresses.

    Raises:
        DataError: A file is not the one of the manifest, or the cache cannot be written.
        ProviderError: The network or the server failed.
        UsageError: Nothing may be downloaded from that URL.
    """
    wanted = {f: _place(source, f) for f in files if not is_right(f, to.folder / f.path)}
    put_all(wanted, to, watch, patience)
    return tuple(wanted)


def put_all(
    places: Mapping[NamedFile, Path | str],
    to: Cached,
    watch: Watch = UNWATCHED,
    patience: Patience = PATIENT,
) -> None:
    """Copy or download each file from its place into the cache."""
    if places:
        from .download import put  # aiohttp and SQLite, which few commands need

        for file, place in places.items():
            put(file, place, to, watch, patience)


def _place(source: str | None, file: NamedFile) -> Path | str:
    """Where to get a file."""
    if source is None:
        return file.url
    if "://" not in source:
        if not (is_there(Path(source)) and Path(source).is_dir()):
            raise DataError(source, "no such folder (a URL begins with https://)")
        return Path(source, file.path)
    why = objection(source)
    if not why and (urlsplit(source).query or urlsplit(source).fragment):
        why = "give the address of a folder"
    if why:
        raise UsageError(f"nothing is downloaded from {shown_address(source)}: {why}")
    return f"{source.rstrip('/')}/{quote(file.path)}"


def import_files(pack: OfficialPack, path: Path) -> tuple[NamedFile, ...]:
    """Copy a file that the user has, or those in a folder, into the cache.

    Files are known by their contents, whatever they are called.

    Returns:
        The files of the pack that were found there.

    Raises:
        DataError: There is none, or one has a right name and wrong contents.
    """
    found = _recognised(pack, path)
    missing = {f: p for f, p in found.items() if not is_right(f, pack.folder / f.path)}
    put_all(missing, pack.cached)
    return tuple(found)


def _recognised(pack: OfficialPack, path: Path) -> dict[NamedFile, Path]:
    """The files of a pack among those at a path."""
    if not is_there(path):
        raise DataError(path, "no such file or folder; check the path")
    try:
        places = sorted(p for p in path.iterdir() if p.is_file()) if path.is_dir() else [path]
    except OSError as error:
        raise DataError(path, f"cannot be read: {error.strerror}") from None
    found = {}
    for file in pack.all_files:
        if place := next((p for p in places if is_right(file, p)), None):
            found[file] = place
        elif place := next((p for p in places if p.name == PurePosixPath(file.path).name), None):
            read_right(file, place)  # says why it is another
    if not found:
        wanted = ", ".join(f.path for f in pack.all_files)
        raise DataError(
            path,
            f"holds no file of the official pack of {pack.name} ({wanted}); "
            "other data needs no import: bench run takes it with --dataset PATH",
        )
    return found


def _checked(manifest: Path, entry: FileEntry) -> NamedFile:
    """A file of a manifest that says all that a download needs to know.

    Raises:
        DataError: It does not, or its path would leave the folder.
    """
    check_entry(manifest, entry, "pack")
    place = f"file {entry.path!r}"
    if not isinstance(entry.size, int) or entry.size < 1:
        raise DataError(manifest, "needs its size in bytes", place)
    if not re.fullmatch(r"[0-9a-f]{64}", str(entry.sha256)):
        raise DataError(manifest, "needs its SHA-256, 64 hexadecimal digits", place)
    return NamedFile(entry.path, str(entry.url), str(entry.sha256), entry.size, entry.lang)
