"""Files that a manifest names: where each may come from, and which contents are its own."""

import hashlib
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from urllib.parse import urlsplit

from ..errors import DataError
from ..parties.providers import is_loopback
from ..reading.files import blob_id, is_there
from .sources import FileEntry


class WrongContents(DataError):
    """What arrives is not the file that the manifest describes."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to put up with a server.

    Attributes:
        retries: Attempts after the first one.
        backoff_s: Seconds before the second attempt; doubled before each further one.
        timeout_s: Seconds without a byte that end an attempt.
        total_s: Seconds after which a file is given up, even while bytes come.
        sleep: Waits so many seconds.
    """

    retries: int = 3
    backoff_s: float = 0.5
    timeout_s: float = 30.0
    total_s: float = 3600.0
    sleep: Callable[[float], object] = time.sleep


@dataclass(frozen=True, slots=True)
class Watch:
    """Who is told what happens meanwhile.

    Attributes:
        progress: Gets a file's path in the pack, the bytes that are there, and all its bytes.
        say: Gets one line on what went wrong and will be tried again.
    """

    progress: Callable[[str, int, int], object] = lambda path, have, size: None
    say: Callable[[str], object] = lambda line: None


class NamedFile(NamedTuple):
    """A file of a manifest.

    Attributes:
        path: Relative.
        url: Its own, for when no other source is named.
        checksum: SHA-256, or git's id, which has 40 digits.
        size: Bytes; ``None`` where the manifest does not say.
        lang: The language it belongs to; ``None`` when it belongs to all.
    """

    path: str
    url: str
    checksum: str
    size: int | None = None
    lang: str | None = None


class Cached(NamedTuple):
    """Files that are kept together in the cache.

    Attributes:
        folder: Where.
        title: What they are called.
        way_out: What to do when a server does not give them.
    """

    folder: Path
    title: str
    way_out: str


UNWATCHED, PATIENT = Watch(), Patience()


def objection(url: str) -> str:
    """Why nothing may be downloaded from a URL; empty when it may be."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises when it is no port
        (parts.hostname or "").encode("idna")  # raises when a label is empty or too long
    except ValueError:
        return "it is not a URL"
    if not parts.hostname or any(not "!" <= c <= "~" for c in url):
        return "it is not a URL"
    if "@" in parts.netloc:
        return "it holds a user name"
    if parts.scheme == "https" or (parts.scheme == "http" and is_loopback(url)):
        return ""
    return "it is not https (http is for this machine's own servers only)"


def check_entry(manifest: Path, file: NamedFile | FileEntry, kept: str) -> None:
    """Refuse a file that would leave the folder it is kept in, or come from a wrong place.

    Raises:
        DataError: It would.
    """
    place = f"file {file.path!r}"
    if not _stays_inside(file.path):
        raise DataError(manifest, f"its path must stay inside the {kept}'s folder", place)
    if why := objection(str(file.url)):
        raise DataError(manifest, f"nothing is downloaded from {file.url}: {why}", place)


def _stays_inside(path: object) -> bool:
    """Whether a manifest's path is a plain relative one, on every system."""
    if not isinstance(path, str) or not re.fullmatch(r"[^\\:\0]+", path):
        return False
    parts = PurePosixPath(path).parts
    return bool(parts) and parts[0] != "/" and ".." not in parts


def is_right(file: NamedFile, path: Path) -> bool:
    """Whether a file is at a path, with the contents that the manifest names.

    Raises:
        DataError: It cannot be read.
    """
    try:
        return is_there(path) and path.is_file() and bool(read_right(file, path))
    except WrongContents:
        return False


def read_right(file: NamedFile, path: Path) -> bytes:
    """The contents of the file that is at a path.

    Raises:
        DataError: It cannot be read.
        WrongContents: It is not the one of the manifest; of another size, it is not read.
    """
    try:
        size = path.stat().st_size
        if file.size not in (None, size):
            what = f"has {size:,} bytes, the file of the manifest {file.size:,}"
            raise WrongContents(path, another(file, what))
        data = path.read_bytes()
    except OSError as error:
        raise DataError(path, f"cannot be read: {error.strerror}") from None
    check(file, data, path)
    return data


def check(file: NamedFile, data: bytes, origin: object) -> None:
    """Refuse contents, which came from `origin`, with another checksum.

    Raises:
        WrongContents: They have one.
    """
    by_git = len(file.checksum) == 40
    found = blob_id(data) if by_git else hashlib.sha256(data).hexdigest()
    if found != file.checksum:
        named = "git's id of it" if by_git else "its SHA-256"
        what = f"{named} is {found}, that of the manifest is {file.checksum}"
        raise WrongContents(origin, another(file, what))


def another(file: NamedFile, what: str) -> str:
    """What is said of another file."""
    return f"{what}; refused, as it is another file than {file.path}"
