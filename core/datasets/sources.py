"""Where a pack's files are, and which pack they are.

A pack is known by the SHA-256 of its contents, wherever the files lie: a path
with the official contents is the official pack. One file's pack has that
file's SHA-256; several files' pack has the SHA-256 of their ``sha256sum``
listing in manifest order (what ``sha256sum FILES | sha256sum`` prints). The manifest of
a benchmark's packs is ``manifest.json`` in its data folder.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..benchmark import Benchmark, Options, PackSource
from ..errors import DataError, PluginError, UsageError
from ..reading.files import is_there
from ..reading.formats import read_json
from ..types import JsonObject


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file of a pack.

    Attributes:
        name: What the benchmark's reader asks for it by.
        path: Relative to the data folder (bundled), to the cache or to a user's folder.
        sha256: ``None`` for bundled files, which change with the program, and in a ladder.
        size: Bytes; ``None`` likewise.
        url: Where it can be had; ``None`` likewise.
        lang: The language it belongs to; ``None`` when it belongs to all.
        optional: Not everything needs it, so a folder without it is a pack too: a custom one.
        blob: Git's id of its contents, of a file of a ladder.
    """

    name: str
    path: str
    sha256: str | None = None
    size: int | None = None
    url: str | None = None
    lang: str | None = None
    optional: bool = False
    blob: str | None = None

    @property
    def checksum(self) -> str:
        """What tells its contents from others: its SHA-256, or else git's id of them."""
        return self.sha256 or self.blob or ""


@dataclass(frozen=True, slots=True)
class PackEntry:
    """One pack: its files and what is known about it."""

    name: str
    files: tuple[FileEntry, ...]
    facts: JsonObject

    def files_for(self, lang: str | None) -> tuple[FileEntry, ...]:
        """The files of one language, those that belong to all among them."""
        return tuple(f for f in self.files if f.lang in (None, lang))


Manifest = Mapping[str, PackEntry]


def read_manifest(folder: Path) -> Manifest:
    """The packs of a data folder by name; `DataError` if the manifest is not of its form."""
    path = folder / "manifest.json"
    raw = read_json(path)
    try:
        return _packs(raw["packs"])
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(path, f"not a manifest: {type(error).__name__}: {error}") from error


def _packs(raw: Mapping[str, Mapping[str, Any]]) -> Manifest:
    return {
        name: PackEntry(
            name,
            tuple(FileEntry(**entry) for entry in facts["files"]),
            {key: fact for key, fact in facts.items() if key != "files"},
        )
        for name, facts in raw.items()
    }


def cache_folder() -> Path:
    """Where downloaded packs are kept."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("eibench", appauthor=False)) / "packs"


def find_pack(
    benchmark: Benchmark, dataset: str | None, options: Options, *, cache: Path | None = None
) -> PackSource:
    """The files of the pack that ``--dataset`` names, checked.

    Args:
        benchmark: Whose manifest is used.
        dataset: ``bundled``, ``official``, a path, or ``None`` for the official pack if it
            is in the cache and else the bundled one.
        options: The benchmark's own options; ``lang`` chooses among a pack's files.
        cache: Where downloaded packs are kept.

    Raises:
        DataError: A file is missing, or does not have the contents it should have.
        UsageError: There is no such pack.
    """
    lang = options.get("lang")
    manifest = manifest_of(benchmark)
    folder = (cache or cache_folder()) / benchmark.name
    if dataset is None and manifest:
        official = manifest["official"].files_for(lang) if "official" in manifest else ()
        is_here = official and _all_there(folder, official)
        dataset = "official" if is_here or "bundled" not in manifest else "bundled"
    if dataset is None:
        raise UsageError(f"{benchmark.name} has no data of its own; name some with --dataset PATH")
    named = manifest.get(str(dataset))
    if named and lang and not named.files_for(lang):
        languages = ", ".join(dict.fromkeys(f.lang for f in named.files if f.lang))
        raise UsageError(
            f"the {dataset} pack of {benchmark.name} has no language {lang!r}, but {languages}; "
            "--dataset FILE gives your own"
        )
    if dataset == "official" and "official" in manifest:
        return _cached(benchmark, manifest["official"], folder, lang)
    if dataset in manifest and benchmark.data is not None:
        pack, data = manifest[str(dataset)], benchmark.data
        return _source(pack.name, pack, {f.name: data / f.path for f in pack.files_for(lang)})
    return _at_path(benchmark, Path(str(dataset)), manifest, lang)


def manifest_of(benchmark: Benchmark) -> Manifest:
    """The packs that a benchmark declares: itself, or in the manifest of its data folder."""
    if benchmark.packs:
        return _packs(benchmark.packs)
    if benchmark.data is None:
        return {}
    if not (benchmark.data / "manifest.json").is_file():
        raise PluginError(
            f"{benchmark.name} declares its data in {benchmark.data}, where there is "
            "no manifest.json: its package was built without it, or `data` names another folder"
        )
    return read_manifest(benchmark.data)


def _all_there(folder: Path, files: Sequence[FileEntry]) -> bool:
    return all((folder / f.path).is_file() for f in files)


def _cached(benchmark: Benchmark, pack: PackEntry, folder: Path, lang: str | None) -> PackSource:
    files, fetch = pack.files_for(lang), f"bench data fetch {benchmark.in_commands}"
    if not _all_there(folder, files):
        message = f"the official pack of {benchmark.name} is not on this machine; {fetch} gets it"
        raise DataError(folder, message)
    for file in files:
        path = folder / file.path
        if _sha256(path) != file.sha256:
            raise DataError(path, f"its SHA-256 is not {file.sha256}; {fetch} replaces it")
    return _source("official", pack, {f.name: folder / f.path for f in files})


def _at_path(benchmark: Benchmark, path: Path, manifest: Manifest, lang: str | None) -> PackSource:
    if not is_there(path):
        known = ", ".join(manifest) or "none"
        raise DataError(path, f"no such file, folder or pack ({benchmark.name} has: {known})")
    custom: Mapping[str, Path] = _any_files(path, benchmark.file_endings)
    for pack in manifest.values():
        entries = pack.files_for(lang)
        files = _matching(path, entries)
        is_whole = files and custom.keys() <= files.keys()  # with more beside it, it is another
        if is_whole and all(_is_that(benchmark, f, files.get(f.name)) for f in entries):
            return _source(pack.name, pack, files)
        custom = custom or files
    if not custom and path.is_file():
        custom = {path.name: path}
    if not custom and not manifest:
        raise DataError(path, f"is a folder; name the file in it that {benchmark.name} reads")
    if not custom:
        packs = [pack.files_for(lang) for pack in manifest.values()]
        raise DataError(path, f"holds no pack of {benchmark.name}; it {_lacks(path, packs)}")
    return _source("custom", None, custom)


def _any_files(path: Path, endings: Sequence[str]) -> dict[str, Path]:
    """The files that have one of the endings, by their names: a file, or those of a folder."""
    paths = sorted(path.iterdir()) if path.is_dir() else [path]
    return {p.name: p for p in paths if p.suffix.lower() in endings and p.is_file()}


def _lacks(path: Path, packs: Sequence[Sequence[FileEntry]]) -> str:
    """What the pack that a folder comes nearest to still needs."""
    lacking = [[_asked_for(f) for f in files if _in_folder(path, f, files) is None]
               for files in packs]  # fmt: skip
    nearest, lacks = max(
        zip(packs, lacking, strict=True), key=lambda pair: len(pair[0]) - len(pair[1])
    )
    if len(lacks) < len(nearest):
        return f"lacks {', '.join(lacks)}"
    official = [f.path for files in packs for f in files if f.sha256]
    return f"needs {', '.join(official or lacks)}"


def _asked_for(file: FileEntry) -> str:
    """What a folder of a user's own may call a file: one of ours by its name alone."""
    return file.path if file.sha256 else Path(file.path).name


def _is_that(benchmark: Benchmark, file: FileEntry, path: Path | None) -> bool:
    """Whether a pack's file is there, with the manifest's SHA-256 or as the bundled file is."""
    sha256 = file.sha256
    if sha256 is None and benchmark.data is not None:
        sha256 = _sha256(benchmark.data / file.path)
    return path is not None and _sha256(path) == sha256


def _matching(path: Path, entries: Sequence[FileEntry]) -> dict[str, Path]:
    """The pack's files at a path, or nothing when a needed one is missing.

    A path to a file stands for a pack of one file.
    """
    if path.is_file():
        return {entries[0].name: path} if len(entries) == 1 else {}
    files = {e.name: file for e in entries if (file := _in_folder(path, e, entries))}
    return files if all(e.name in files or e.optional for e in entries) else {}


def _in_folder(folder: Path, entry: FileEntry, entries: Sequence[FileEntry]) -> Path | None:
    """Where a file of a pack is in a folder: as upstream has it, or by its name alone.

    The name alone does where no other file of the pack has the same.
    """
    name = Path(entry.path).name
    is_one = sum(Path(other.path).name == name for other in entries) == 1
    paths = [folder / entry.path, *[folder / name] * is_one]
    return next((path for path in paths if path.is_file()), None)


def _source(name: str, pack: PackEntry | None, files: Mapping[str, Path]) -> PackSource:
    sums = {path: _sha256(path) for path in files.values()}
    listing = "".join(f"{value}  {path.name}\n" for path, value in sums.items())
    whole = next(iter(sums.values())) if len(sums) == 1 else _of(listing.encode())
    return PackSource(name, whole, files, pack.facts if pack else {})


def _sha256(path: Path) -> str:
    try:
        return _of(path.read_bytes())
    except OSError as error:
        raise DataError(path, f"cannot be read: {error.strerror}") from None


def _of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
