"""The official packs and published ladders: what they hold, and where the cache has it.

A ladder holds results that a benchmark's authors keep beside their code; the manifest has git's
ids of its files, and no sizes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ..benchmark import Benchmark
from ..errors import DataError, UsageError
from ..reading.files import is_there
from ..reading.formats import read_json
from ..types import JsonObject
from .files import check_entry, is_right
from .sources import FileEntry, Manifest, cache_folder, manifest_of, read_manifest


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

    def needed(self, lang: str | None) -> tuple[FileEntry, ...]:
        """The files that a run in a language needs: all of them where none belongs to a language.

        Raises:
            UsageError: It has files of other languages alone.
        """
        return self.files(lang if self.languages else None)

    def state(self, file: FileEntry) -> FetchState:
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
    """The official pack that a data folder's manifest describes; `UsageError` if there is none.

    Raises:
        DataError: The manifest is missing, or says what cannot be.
    """
    return _official(name, read_manifest(data), data / "manifest.json", cache)


def official_of(benchmark: Benchmark, *, cache: Path | None = None) -> OfficialPack:
    """The official pack that a benchmark declares; errors as of `read_official`."""
    origin = next(iter(benchmark.files), "manifest.json")
    manifest = manifest_of(benchmark)
    return _official(benchmark.name, manifest, (benchmark.data or Path()) / origin, cache)


def _official(name: str, manifest: Manifest, origin: Path, cache: Path | None) -> OfficialPack:
    entry = manifest.get("official")
    if entry is None:
        raise UsageError(f"{name} has no official pack")
    for file in entry.files:
        check_entry(origin, file, "pack")
    folder, title = (cache or cache_folder()) / name, f"the official pack of {name}"
    import_it = f"a file that you get in another way goes in with: bench data import {name} PATH"
    return OfficialPack(name, entry.files, entry.facts, folder, title, import_it)


def read_ladder(name: str, data: Path) -> Ladder:
    """The ladder that a data folder's manifest names; `UsageError` if there is none.

    Raises:
        DataError: The manifest is missing, or says what cannot be.
    """
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
