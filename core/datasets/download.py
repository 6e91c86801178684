"""One file over HTTPS: resumed, never longer than announced, tried again.

Bytes go into a part file as they come, so a stop at any moment (`kill -9` too)
loses none; the next attempt asks for the rest alone. Whether they are the right
ones is for the caller to check, before the part takes the file's place.
"""

import contextlib
import http.client
import socket
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from .. import __version__
from ..errors import DataError, ErrorKind, ProviderError
from ..parties.providers import is_loopback
from ..parties.secrets import shown_address
from .deadline import Deadline

CHUNK = 1 << 16
_LONGEST_WAIT_S = 60.0
_KINDS = {401: ErrorKind.AUTH, 403: ErrorKind.AUTH, 407: ErrorKind.AUTH,
          404: ErrorKind.NOT_FOUND, 410: ErrorKind.NOT_FOUND,
          408: ErrorKind.SERVER, 429: ErrorKind.RATE_LIMIT}  # fmt: skip


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


@dataclass(frozen=True, slots=True)
class Download:
    """A file to download.

    Attributes:
        url: Where from.
        path: What it is called.
        size: How many bytes it has; ``None`` where only its digest is known.
        most: How many it may have then.
    """

    url: str
    path: str
    size: int | None
    most: int = 0


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


def download(wanted: Download, part: Path, watch: Watch, patience: Patience) -> None:
    """Have all bytes of a file in `part`, going on with those that are there.

    Raises:
        ProviderError: The network or the server failed, again and again, or took too long.
        WrongContents: The server has more or fewer bytes than announced.
        DataError: `part` cannot be written.
    """
    with Deadline(patience.total_s) as deadline:
        transfer = _Transfer(wanted, part, watch, patience.timeout_s, deadline)
        for attempt in range(patience.retries + 1):
            try:
                transfer.attempt()
                return
            except ProviderError as error:
                error.attempts = attempt + 1
                if deadline.is_over:
                    raise _too_slow(wanted, part, deadline) from None
                if not error.retryable or attempt == patience.retries:
                    raise
                wait = max(patience.backoff_s * 2**attempt, error.retry_after or 0.0)
                watch.say(f"{error}; trying again in {wait:g} s")
                patience.sleep(wait)


def download_right(
    wanted: Download, part: Path, is_right: Callable[[], bool], watch: Watch, patience: Patience
) -> None:
    """The same until the part is the right file; one that was begun of another is begun anew.

    Args:
        wanted: What to get.
        part: Where to; what is there already is gone on with.
        is_right: Whether the part is the whole of the right file.
        watch: Is told how it goes.
        patience: With the server.

    Raises:
        WrongContents: It is longer or shorter than announced; nothing of it is kept.
        DataError: It cannot be written.
        ProviderError: The network or the server failed.
    """
    went_on = part.exists()
    try:
        download(wanted, part, watch, patience)
        if went_on and not is_right():
            watch.say(f"{part}: what was there before was of another file; starting again")
            part.unlink()
            download(wanted, part, watch, patience)
    except WrongContents:
        part.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """A block that writes a file; what the system says against it becomes one line.

    Raises:
        DataError: The block raised `OSError`.
    """
    try:
        yield
    except OSError as error:
        message = f"cannot be written: {error.strerror or error}"
        raise DataError(path, f"{message}; give it room and write access, then try again") from None


class _Transfer:
    """One file on its way into its part file."""

    def __init__(
        self, wanted: Download, part: Path, watch: Watch, timeout_s: float, deadline: Deadline
    ) -> None:
        self._wanted = wanted
        self._size = wanted.size
        self._part = part
        self._watch = watch
        self._timeout_s = timeout_s
        self._opener = _opener(wanted.url, deadline)

    def attempt(self) -> None:
        """Get what is missing with one request; none when nothing is."""
        with writing(self._part):
            file = self._part.open("ab", buffering=0)  # in the file even if we are killed
        with file:
            have = file.seek(0, 2)
            if have > self._limit:
                have = self._emptied(file)
            if have != self._size:
                self._get_rest(file, have)

    @property
    def _limit(self) -> int:
        """The bytes that it has, or may have where that is not known yet."""
        return self._wanted.most if self._size is None else self._size

    def _get_rest(self, file: IO[bytes], have: int) -> None:
        url = self._wanted.url
        with _network(url, self._timeout_s), self._answer(have) as answer:
            have = self._begin(file, answer, have)
            limit = self._limit
            self._watch.progress(self._wanted.path, have, limit)
            for data in _chunks(answer, limit - have):
                have += len(data)
                if have > limit:
                    raise self._wrong(f"sends more than the {limit:,} bytes of {self._whose}")
                with writing(self._part):
                    _write(file, data)
                self._watch.progress(self._wanted.path, have, limit)
        if self._size is not None and have < self._size:
            message = f"the connection ended after {have:,} of {self._size:,} bytes"
            raise _failure(ErrorKind.CONNECTION, url, message)

    @property
    def _whose(self) -> str:
        """Who says how many bytes there are."""
        return "the limit" if self._wanted.size is None else "the manifest"

    def _answer(self, have: int) -> http.client.HTTPResponse:
        headers = {"User-Agent": f"eibench/{__version__}"}
        if have:
            headers["Range"] = f"bytes={have}-"
        request = urllib.request.Request(self._wanted.url, headers=headers)
        try:
            answer: http.client.HTTPResponse = self._opener.open(request, timeout=self._timeout_s)
        except urllib.error.HTTPError as error:
            if error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE and have:
                error.close()
                return self._answer(0)
            raise
        return answer

    def _begin(self, file: IO[bytes], answer: http.client.HTTPResponse, have: int) -> int:
        """Where the answer goes on from: 0 when the server sends the file from its start."""
        url, length = self._wanted.url, answer.length
        if answer.status != HTTPStatus.PARTIAL_CONTENT:
            have = self._emptied(file) if have else 0
        elif not (answer.headers["Content-Range"] or "").startswith(f"bytes {have}-"):
            self._emptied(file)
            message = "the server sends another part of the file than was asked for"
            raise _failure(ErrorKind.MALFORMED, url, message)
        if length is not None:
            self._check_length(have, length)
        return have

    def _check_length(self, have: int, length: int) -> None:
        """Hold what the server announces to what is known; where nothing is, take its word."""
        size = self._wanted.size
        most = self._wanted.most if size is None else size
        if have + length > most:
            raise self._wrong(f"has {have + length:,} bytes, more than {self._whose}'s {most:,}")
        if size is None:
            self._size = have + length
        elif not have and length < size:
            raise self._wrong(f"has {length:,} bytes, fewer than the manifest's {size:,}")

    def _emptied(self, file: IO[bytes]) -> int:
        with writing(self._part):
            return file.truncate(0)

    def _wrong(self, message: str) -> WrongContents:
        return WrongContents(self._wanted.url, f"{message}; refused, as it is another file")


def _chunks(answer: http.client.HTTPResponse, left: int) -> Iterator[bytes]:
    """The bytes as they come; where no length is announced, one more is asked for, to know."""
    left += answer.length is None
    while left and (data := answer.read1(min(CHUNK, left))):
        left -= len(data)
        yield data


def _write(file: IO[bytes], data: bytes) -> None:
    """All of it: an unbuffered file may take less at a time."""
    while data:
        data = data[file.write(data) :]


def _too_slow(wanted: Download, part: Path, deadline: Deadline) -> ProviderError:
    of_all = "" if wanted.size is None else f" of {wanted.size:,}"
    message = f"{part.stat().st_size:,}{of_all} bytes came within {deadline.seconds:,.15g} s"
    more = "they are kept, so the same command goes on with the rest; --from names another source"
    return _failure(ErrorKind.TIMEOUT, wanted.url, f"{message}; {more}")


def _opener(url: str, deadline: Deadline) -> urllib.request.OpenerDirector:
    """Checks certificates and redirects; uses the user's proxy but for this machine."""
    direct = [urllib.request.ProxyHandler({})] if is_loopback(url) else []
    return urllib.request.build_opener(*deadline.handlers(), _Redirects(), *direct)


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows a redirect only to where a download may come from, by the same scheme."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        """The request that follows."""
        why = objection(newurl)
        if not why and urlsplit(newurl).scheme != urlsplit(req.full_url).scheme:
            why = "it is another scheme"
        if why:
            fp.close()
            message = f"it redirects to {shown_address(newurl)}, which is refused: {why}"
            raise _failure(ErrorKind.INVALID_REQUEST, req.full_url, message)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


@contextlib.contextmanager
def _network(url: str, timeout_s: float) -> Iterator[None]:
    """A block that reads from a server; what goes wrong there becomes a `ProviderError`."""
    try:
        yield
    except urllib.error.HTTPError as error:
        error.close()
        raise _refusal(url, error) from None
    except urllib.error.URLError as error:
        raise _unreached(url, error.reason, timeout_s) from None
    except (OSError, http.client.HTTPException) as error:
        raise _unreached(url, error, timeout_s) from None


def _refusal(url: str, error: urllib.error.HTTPError) -> ProviderError:
    kind = ErrorKind.SERVER if error.code >= 500 else ErrorKind.INVALID_REQUEST
    wait = error.headers["Retry-After"] or ""
    message = f"the server answers {error.code} {_phrase(error.code)}".rstrip()
    if where := error.headers["Location"]:
        message += f" to {shown_address(where)}, which is not followed"
    return _failure(
        _KINDS.get(error.code, kind),
        url,
        message,
        status=error.code,
        retry_after=min(float(wait), _LONGEST_WAIT_S) if wait.isdecimal() else None,
    )


def _phrase(status: int) -> str:
    with contextlib.suppress(ValueError):
        return HTTPStatus(status).phrase
    return ""


def _unreached(url: str, reason: object, timeout_s: float) -> ProviderError:
    if isinstance(reason, ssl.SSLCertVerificationError):
        message = f"the server's certificate is not valid: {reason.verify_message}"
        return _failure(ErrorKind.CONNECTION, url, message, fatal=True)
    if isinstance(reason, TimeoutError):
        message = f"no answer for {timeout_s:g} s"
    elif isinstance(reason, socket.gaierror):
        message = "its host is not found; there may be no network"
    elif isinstance(reason, http.client.HTTPException):
        message = f"the connection broke: {type(reason).__name__}"
    else:
        message = str(getattr(reason, "strerror", None) or reason)
    return _failure(ErrorKind.CONNECTION, url, message)


def _failure(
    kind: ErrorKind,
    url: str,
    text: str,
    *,
    status: int | None = None,
    retry_after: float | None = None,
    fatal: bool | None = None,
) -> ProviderError:
    message = f"cannot download {url}: {text}"
    return ProviderError(kind, message, status=status, retry_after=retry_after, fatal=fatal)
