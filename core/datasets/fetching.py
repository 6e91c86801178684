"""Getting the files of official packs and ladders into the cache, from servers and from folders.

A file reaches its path in the cache in one step and only with the checksum of the manifest.
"""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from urllib.parse import quote, unquote, urlsplit

from ..errors import DataError, UsageError
from ..parties.secrets import shown_address
from ..reading.files import is_there
from .files import (
    DEFAULT_LIMITS,
    NO_CALLBACKS,
    DownloadCallbacks,
    DownloadLimits,
    is_right,
    objection,
    read_right,
)
from .official import OfficialPack
from .sources import FileEntry


def fetch(
    pack: OfficialPack,
    *,
    lang: str | None = None,
    source: str | None = None,
    callbacks: DownloadCallbacks = NO_CALLBACKS,
    limits: DownloadLimits = DEFAULT_LIMITS,
) -> tuple[FileEntry, ...]:
    """Get the files of a pack into the cache that are not there and right; which they were.

    `lang` limits it to what one language needs. `source` is a folder or a URL that has the files
    by their paths; ``None`` for their own addresses.

    Raises:
        DataError: A file is not the one of the manifest, or cannot be read or written.
        ProviderError: The network or a server failed.
        UsageError: There is no such language, or nothing may be downloaded from `source`.
    """
    files = (f for f in pack.files(lang) if not is_right(f, pack.folder / f.path))
    origins = {file: _origin(source, file) for file in files}
    _put_all(pack, origins, callbacks, limits)
    return tuple(origins)


def _put_all(
    pack: OfficialPack,
    origins: Mapping[FileEntry, Path | str],
    callbacks: DownloadCallbacks = NO_CALLBACKS,
    limits: DownloadLimits = DEFAULT_LIMITS,
) -> None:
    """Copy or download each file from where it is into the cache."""
    if origins:
        from .download import put  # aiohttp and SQLite, which few commands need

        for file, origin in origins.items():
            put(pack, file, origin, callbacks, limits)


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

    Files of the folder are known by their contents, whatever they are called; those in folders
    within it have the paths that they have in the pack or at their addresses.

    Raises:
        DataError: None of them is a file of the pack, one that has the name of such a file is
            another, or one cannot be read or written.
    """
    files = _recognised(pack, path)
    missing = {f: p for f, p in files.items() if not is_right(f, pack.folder / f.path)}
    _put_all(pack, missing)
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
        candidates = [*paths, *_within(path, file)]
        name = PurePosixPath(file.path).name
        if match := next((p for p in candidates if is_right(file, p)), None):
            files[file] = match
        elif namesake := next((p for p in candidates if p.name == name), None):
            read_right(file, namesake)  # says why it is another
    if not files:
        names = ", ".join(f.path for f in pack.all_files)
        raise DataError(
            path,
            f"holds no file of {pack.title} ({names}); "
            "other data needs no import: bench run takes it with --dataset PATH",
        )
    return files


def _within(folder: Path, file: FileEntry) -> list[Path]:
    """Where a copy of the folder or repository that a file is from has it."""
    parts = PurePosixPath(unquote(urlsplit(str(file.url)).path)).parts[1:]
    paths = [folder / file.path, *(folder.joinpath(*parts[n:]) for n in range(len(parts)))]
    return [path for path in paths if path.is_file()]
