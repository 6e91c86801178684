"""Files that a manifest names: where each may come from, and which contents are its own."""

import hashlib
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from ..errors import DataError
from ..parties.providers import is_loopback
from ..reading.files import blob_id, is_there
from .sources import FileEntry


class WrongContents(DataError):
    """What arrives is not the file that the manifest describes."""


@dataclass(frozen=True, slots=True)
class DownloadLimits:
    """How long to put up with a server.

    Attributes:
        retries: Attempts after the first one.
        backoff_s: Seconds before the second attempt; doubled before each further one.
        timeout_s: Seconds without a byte that end an attempt.
        total_s: Seconds after which a file is given up, over all attempts and waits.
        sleep: Waits so many seconds.
    """

    retries: int = 3
    backoff_s: float = 0.5
    timeout_s: float = 30.0
    total_s: float = 3600.0
    sleep: Callable[[float], object] = time.sleep


@dataclass(frozen=True, slots=True)
class DownloadCallbacks:
    """Who is told what happens meanwhile.

    Attributes:
        progress: Gets a file's path in the pack, the bytes that are there, and all its bytes; the
            most that it may have where neither manifest nor server says its size.
        say: Gets one line on what went wrong and will be tried again.
    """

    progress: Callable[[str, int, int], object] = lambda path, have, size: None
    say: Callable[[str], object] = lambda line: None


NO_CALLBACKS, DEFAULT_LIMITS = DownloadCallbacks(), DownloadLimits()


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


def check_entry(manifest: Path, file: FileEntry, kept: str) -> None:
    """Refuse a file that would leave the folder it is kept in, or come from a wrong address.

    Raises:
        DataError: Likewise if its size or checksum is missing; a file of a ladder needs no size.
    """
    entry = f"file {file.path!r}"
    if not stays_inside(file.path):
        raise DataError(manifest, f"its path must stay inside the {kept}'s folder", entry)
    if why := objection(str(file.url)):
        raise DataError(manifest, f"nothing is downloaded from {file.url}: {why}", entry)
    is_git, checksum = kept == "ladder", str(file.checksum)
    if not is_git and (not isinstance(file.size, int) or file.size < 1):
        raise DataError(manifest, "needs its size in bytes", entry)
    if not re.fullmatch(r"[0-9a-f]+", checksum) or len(checksum) != (40 if is_git else 64):
        needed = "git's id of its contents, 40" if is_git else "its SHA-256, 64"
        raise DataError(manifest, f"needs {needed} hexadecimal digits", entry)


def stays_inside(path: object) -> bool:
    """Whether a manifest's path is a plain relative one, on every system."""
    if not isinstance(path, str) or not re.fullmatch(r"[^\\:\0]+", path):
        return False
    parts = PurePosixPath(path).parts
    return bool(parts) and parts[0] != "/" and ".." not in parts


def is_right(file: FileEntry, path: Path) -> bool:
    """Whether a file is at a path, with the contents that the manifest names.

    Raises:
        DataError: It cannot be read.
    """
    try:
        return is_there(path) and path.is_file() and bool(read_right(file, path))
    except WrongContents:
        return False


def read_right(file: FileEntry, path: Path) -> bytes:
    """The contents of the file that is at a path.

    Raises:
        DataError: It cannot be read.
        WrongContents: It is not the one of the manifest; of another size, it is not read.
    """
    try:
        size = path.stat().st_size
        if file.size not in (None, size):
            what = f"has {size:,} bytes, the file of the manifest {file.size:,}"
            raise _another(file, path, what)
        data = path.read_bytes()
    except OSError as error:
        raise DataError(path, f"cannot be read: {error.strerror}") from None
    check(file, data, path)
    return data


def check(file: FileEntry, data: bytes, origin: object) -> None:
    """Refuse contents, which came from `origin`, with another checksum, by `WrongContents`."""
    by_sha = file.sha256 is not None
    checksum = hashlib.sha256(data).hexdigest() if by_sha else blob_id(data)
    if checksum != file.checksum:
        named = "its SHA-256" if by_sha else "git's id of it"
        what = f"{named} is {checksum}, that of the manifest is {file.checksum}"
        raise _another(file, origin, what)


def _another(file: FileEntry, origin: object, what: str) -> WrongContents:
    return WrongContents(origin, f"{what}; refused, as it is another file than {file.path}")
