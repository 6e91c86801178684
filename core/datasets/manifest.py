"""The manifest of a benchmark's packs: ``manifest.json`` in its data folder."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import DataError
from ..types import JsonObject
from .readers import read_json


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file of a pack.

    Attributes:
        name: What the benchmark's reader asks for it by.
        path: Relative to the data folder (bundled), to the cache or to a user's folder.
        sha256: ``None`` for bundled files, which change with the program.
        size: Bytes; ``None`` likewise.
        url: Where it can be had; ``None`` likewise.
        lang: The language it belongs to; ``None`` when it belongs to all.
        optional: Not everything needs it, so a folder without it is a pack too: a custom one.
    """

    name: str
    path: str
    sha256: str | None = None
    size: int | None = None
    url: str | None = None
    lang: str | None = None
    optional: bool = False


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
    """The packs of a data folder by name.

    Raises:
        DataError: The manifest is missing or not of its form.
    """
    path = folder / "manifest.json"
    raw = read_json(path)
    try:
        return {
            name: PackEntry(name, tuple(FileEntry(**entry) for entry in files), facts)
            for name, facts in raw["packs"].items()
            for files in [facts.pop("files")]
        }
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(path, f"not a manifest: {type(error).__name__}: {error}") from error
