"""The official packs and published ladders: what they hold, and getting them into the cache.

A ladder holds results that a benchmark's authors keep beside their code; the manifest has git's
ids of its files, and no sizes. A file reaches its path in the cache in one step and only with the
checksum of the manifest.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath
from urllib.parse import quote, urlsplit

from ..errors import DataError, UsageError
from ..parties.secrets import shown_address
from ..reading.files import is_there
from ..reading.formats import read_json
from ..types import JsonObject
from .files import ORDINARY, DownloadSettings, check_entry, is_right, objection, read_right
from .sources import FileEntry, cache_folder, read_manifest


class FetchState(StrEnum):
    """How a file of a pack is in the cache."""

    HERE = "here"
    WRONG = "wrong"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class OfficialPack:
    """An official pack and its folder in the cache.

    Attributes:
        name: Of its benchmark.
        all_files: In manifest order.
        facts: What else the manifest says, such as title, licence, repository, commit.
        folder: Where its files are kept.
        title: What it is called.
        way_out: What else to do when a server does not give its files.
    """

    name: str
    all_files: tuple[FileEntry, ...]
    facts: JsonObject
    folder: Path
    title: str
    way_out: str

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that files of it belong to."""
        return tuple(dict.fromkeys(f.lang for f in self.all_files if f.lang))

    def files(self, lang: str | None = None) -> tuple[FileEntry, ...]:
        """All files, or those that one language needs; `UsageError` if it has no such language."""
        if lang is None:
            return self.all_files
        if lang not in self.languages:
            known = f"there are: {', '.join(self.languages)}" if self.languages else "it has none"
            raise UsageError(f"{self.name} has no language {lang!r}; {known}")
        return tuple(f for f in self.all_files if f.lang in (None, lang))

    def state(self, file: FileEntry) -> FetchState:
        """How a file is in the cache, told by its contents."""
        path = self.folder / file.path
        if not is_there(path):
            return FetchState.ABSENT
        return FetchState.HERE if is_right(file, path) else FetchState.WRONG

    def usable(self, lang: str | None = None) -> bool:
        """Whether all files of a language, or of any, are in the cache and right."""
        choices = (lang,) if lang else self.languages or (None,)
        return any(all(self.state(f) is FetchState.HERE for f in self.files(c)) for c in choices)


class Ladder(OfficialPack):
    """The published ladder of a benchmark and its folder in the cache."""

    @property
    def form(self) -> str:
        """Of its files, as `bench import --format` takes it."""
        return str(self.facts["format"])

    @property
    def judge(self) -> str:
        """What the judge is called where a file does not say who it was."""
        return str(self.facts.get("judge", ""))

    @property
    def comparisons(self) -> Path:
        """Where the comparisons that were read of its files are kept."""
        return self.folder / "comparisons.jsonl.gz"


def pack_folders(data: Path, benchmarks: Mapping[str, Path | None]) -> dict[str, Path]:
    """The folder of each manifest by benchmark name; nothing is read.

    `data` holds a folder for each benchmark, named like it but for ``_`` in place of ``-``; those
    of installed benchmarks may lie elsewhere.
    """
    bundled = {p.parent.name.replace("_", "-"): p.parent for p in data.glob("*/manifest.json")}
    declared = {name: folder for name, folder in benchmarks.items() if folder}
    return dict(sorted((bundled | declared).items()))


DATA_ONLY = "data only: no benchmark uses it yet"


def is_data_only(name: str, folder: Path, benchmarks: Mapping[str, Path | None]) -> bool:
    """Whether no benchmark uses a pack, whose manifest is in `folder`."""
    return name not in benchmarks and folder not in benchmarks.values()


def read_official(name: str, data: Path, *, cache: Path | None = None) -> OfficialPack:
    """The official pack that a data folder's manifest describes; `UsageError` if there is none."""
    entry = read_manifest(data).get("official")
    if entry is None:
        raise UsageError(f"{name} has no official pack")
    for file in entry.files:
        check_entry(data / "manifest.json", file, "pack")
    folder, title = (cache or cache_folder()) / name, f"the official pack of {name}"
    import_it = f"a file that you get in another way goes in with: bench data import {name} PATH"
    return OfficialPack(name, entry.files, entry.facts, folder, title, import_it)


def read_ladder(name: str, data: Path) -> Ladder:
    """The ladder that a data folder's manifest names; `UsageError` if there is none."""
    manifest = data / "manifest.json"
    facts = read_json(manifest).get("ladder")
    if facts is None:
        raise UsageError(f"{name} has no published ladder")
    try:
        files = tuple(FileEntry(file["path"], **file) for file in facts["files"])
        folder, from_it = cache_folder() / name / "ladder", "--from DIR takes files you have"
        ladder = Ladder(name, files, facts, folder, "the published ladder", from_it)
        _ = ladder.form, ladder.judge
    except (KeyError, TypeError, AttributeError) as error:
        message = f"its ladder is not of the form: {type(error).__name__}: {error}"
        raise DataError(manifest, message) from None
    for file in files:
        check_entry(manifest, file, "ladder")
    return ladder


def fetch(
    pack: OfficialPack,
    *,
    lang: str | None = None,
    source: str | None = None,
    settings: DownloadSettings = ORDINARY,
) -> tuple[FileEntry, ...]:
    """Get the files of a pack into the cache that are not there and right; which they were.

    `lang` limits it to what one language needs. `source` is a folder or a URL that has the files
    by their paths; ``None`` for their own addresses.
    """
    files = (f for f in pack.files(lang) if not is_right(f, pack.folder / f.path))
    origins = {file: _origin(source, file) for file in files}
    _put_all(pack, origins, settings)
    return tuple(origins)


def _put_all(
    pack: OfficialPack, origins: Mapping[FileEntry, Path | str], settings: DownloadSettings
) -> None:
    """Copy or download each file from where it is into the cache."""
    if origins:
        from .download import put  # aiohttp and SQLite, which few commands need

        for file, origin in origins.items():
            put(pack, file, origin, settings)


def _origin(source: str | None, file: FileEntry) -> Path | str:
    """Where to get a file."""
    if source is None:
        return str(file.url)
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


def import_files(pack: OfficialPack, path: Path) -> tuple[FileEntry, ...]:
    """Copy a file that the user has, or those in a folder, into the cache; which they were.

    Files are known by their contents, whatever they are called.
    """
    files = _recognised(pack, path)
    missing = {f: p for f, p in files.items() if not is_right(f, pack.folder / f.path)}
    _put_all(pack, missing, ORDINARY)
    return tuple(files)


def _recognised(pack: OfficialPack, path: Path) -> dict[FileEntry, Path]:
    """The files of a pack among those at a path."""
    if not is_there(path):
        raise DataError(path, "no such file or folder; check the path")
    try:
        paths = sorted(p for p in path.iterdir() if p.is_file()) if path.is_dir() else [path]
    except OSError as error:
        raise DataError(path, f"cannot be read: {error.strerror}") from None
    files = {}
    for file in pack.all_files:
        if match := next((p for p in paths if is_right(file, p)), None):
            files[file] = match
        elif namesake := next((p for p in paths if p.name == PurePosixPath(file.path).name), None):
            read_right(file, namesake)  # says why it is another
    if not files:
        names = ", ".join(f.path for f in pack.all_files)
        raise DataError(
            path,
            f"holds no file of {pack.title} ({names}); "
            "other data needs no import: bench run takes it with --dataset PATH",
        )
    return files
