"""One file into the cache: whole, never longer than announced, with its own contents or not at all.

A download that breaks off is begun anew; nothing of it is kept.
"""

import asyncio
import contextlib
import http.client
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import aiohttp
from yarl import URL

from .. import __version__
from ..clients.bodies import ending_with_its_connection
from ..clients.error_bodies import shown
from ..clients.failures import reason, retry_after
from ..clients.http import proxy_of, system_tls
from ..errors import DataError, ErrorKind, ProviderError
from ..journal.temporary import replacing
from ..parties.secrets import shown_address
from .files import DownloadCallbacks, DownloadLimits, WrongContents, check, objection, read_right
from .official import OfficialPack
from .sources import FileEntry

MOST = 100 * 2**20
"""Bytes of a file whose size no manifest says; GitHub takes no larger one."""
_CHUNK = 2**16
_LONGEST_HEADER = 2**16
_LONGEST_WAIT_S = 60.0
_HEADERS = {"User-Agent": f"eibench/{__version__}", "Accept-Encoding": "identity"}
_REDIRECTS = {301, 302, 303, 307, 308}
_MOST_REDIRECTS = 10
_KINDS = {401: ErrorKind.AUTH, 403: ErrorKind.AUTH, 407: ErrorKind.AUTH,
          404: ErrorKind.NOT_FOUND, 410: ErrorKind.NOT_FOUND,
          408: ErrorKind.SERVER, 429: ErrorKind.RATE_LIMIT}  # fmt: skip


def put(
    pack: OfficialPack,
    file: FileEntry,
    origin: Path | str,
    callbacks: DownloadCallbacks,
    limits: DownloadLimits,
) -> None:
    """Copy or download a file into the cache, where it appears in one step.

    Raises:
        DataError: It is not the one of the manifest, or the cache cannot be written.
        ProviderError: The network or the server failed.
    """
    target = pack.folder / file.path
    with _writing(target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
    with _writing(target), replacing(target) as out:  # before any request, to know that it can be
        out.write(_contents(pack, file, origin, callbacks, limits))


def _contents(
    pack: OfficialPack,
    file: FileEntry,
    origin: Path | str,
    callbacks: DownloadCallbacks,
    limits: DownloadLimits,
) -> bytes:
    if isinstance(origin, Path):
        if not origin.is_file():
            raise DataError(origin, f"no such file; it is one of {pack.title}")
        return read_right(file, origin)
    try:
        data = _Download(file, origin, callbacks, limits).run()
    except ProviderError as error:
        error.args = (f"{error}; the same command goes on with what is missing; {pack.way_out}",)
        raise
    check(file, data, origin)
    return data


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    """A block that writes a file; what the system says against it becomes one line."""
    try:
        yield
    except OSError as error:
        message = f"cannot be written: {error.strerror or error}"
        raise DataError(path, f"{message}; give it room and write access, then try again") from None


class _Download:
    """One file on its way."""

    def __init__(
        self, file: FileEntry, url: str, callbacks: DownloadCallbacks, limits: DownloadLimits
    ) -> None:
        self._file, self._url, self._callbacks, self._limits = file, url, callbacks, limits
        self._have = 0

    def run(self) -> bytes:
        """All of it, after as many attempts as it needs."""
        limits, attempt, end = self._limits, 1, time.monotonic() + self._limits.total_s
        while True:
            try:
                return asyncio.run(self._attempt(end - time.monotonic()))
            except ProviderError as error:
                error.attempts = attempt
                if not error.retryable or attempt > limits.retries:
                    raise
                wait = max(limits.backoff_s * 2 ** (attempt - 1), error.retry_after or 0.0)
                self._callbacks.say(f"{error}; trying again in {wait:g} s")
                limits.sleep(wait)
                attempt += 1

    async def _attempt(self, left_s: float) -> bytes:
        total = asyncio.timeout(left_s)
        try:
            async with (
                total,
                self._session() as session,
                await self._answer(session, self._url, _MOST_REDIRECTS) as answer,
            ):
                with ending_with_its_connection(answer):
                    return await self._read(answer)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            if total.expired():
                raise self._too_slow() from None
            raise self._unreached(error) from None

    def _session(self) -> aiohttp.ClientSession:
        silent_s = self._limits.timeout_s
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=system_tls()),
            headers=_HEADERS,
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=silent_s, sock_read=silent_s),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            max_line_size=_LONGEST_HEADER,
            max_field_size=_LONGEST_HEADER,
        )

    async def _answer(
        self, session: aiohttp.ClientSession, url: str, redirects: int
    ) -> aiohttp.ClientResponse:
        """The answer with the file, after redirects to where a download may come from."""
        at = URL(url, encoded=True)
        answer = await session.get(at, proxy=proxy_of(url), allow_redirects=False)
        if answer.status < 300:
            return answer
        answer.close()
        location = urljoin(url, answer.headers.get("Location", "")).replace(" ", "%20")
        scheme = urlsplit(location).scheme
        goes_on = answer.status in _REDIRECTS and location != url and redirects
        if not goes_on or scheme not in ("http", "https", "ftp"):
            raise self._refusal(answer.status, answer.headers)
        why = objection(location)
        if not why and scheme != urlsplit(url).scheme:
            why = "it is another scheme"
        if why:
            message = f"it redirects to {shown_address(location)}, which is refused: {why}"
            raise self._failure(ErrorKind.INVALID_REQUEST, message, url)
        return await self._answer(session, location, redirects - 1)

    async def _read(self, answer: aiohttp.ClientResponse) -> bytes:
        """The body, no further than the manifest or, where it states no size, `MOST` allows."""
        size, length, data = self._file.size, answer.content_length, bytearray()
        most, whose = size or MOST, "manifest" if size else "limit"
        if length is not None and length > most:
            raise self._wrong(f"has {length:,} bytes, more than the {whose}'s {most:,}")
        if length is not None and length < (size or 0):
            raise self._wrong(f"has {length:,} bytes, fewer than the manifest's {size:,}")
        expected = size or length
        self._callbacks.progress(self._file.path, 0, expected or most)
        try:
            async for piece in answer.content.iter_chunked(_CHUNK):
                data += piece
                self._have = len(data)
                if len(data) > most:
                    raise self._wrong(f"sends more than the {most:,} bytes of the {whose}")
                self._callbacks.progress(self._file.path, len(data), expected or most)
            is_whole = len(data) >= (size or 0)
        except aiohttp.ClientPayloadError:
            is_whole = False
        if not is_whole:
            came = f"{answer.content.total_bytes:,}{f' of {expected:,}' if expected else ''} bytes"
            raise self._failure(ErrorKind.CONNECTION, f"the connection ended after {came}")
        return bytes(data)

    def _wrong(self, what: str) -> WrongContents:
        return WrongContents(self._url, f"{what}; refused, as it is another file")

    def _too_slow(self) -> ProviderError:
        of_all = f" of {self._file.size:,}" if self._file.size else ""
        came = f"{self._have:,}{of_all} bytes came within {self._limits.total_s:,.15g} s"
        return self._failure(ErrorKind.TIMEOUT, f"{came}; --from names another source")

    def _refusal(self, status: int, headers: Mapping[str, str]) -> ProviderError:
        kind = ErrorKind.SERVER if status >= 500 else ErrorKind.INVALID_REQUEST
        message = f"the server answers {status} {http.client.responses.get(status, '')}".rstrip()
        if where := headers.get("Location"):
            message += f" to {shown_address(where)}, which is not followed"
        failure = self._failure(_KINDS.get(status, kind), message)
        failure.status = status
        failure.retry_after = min(retry_after(headers) or 0.0, _LONGEST_WAIT_S)
        return failure

    def _unreached(self, error: Exception) -> ProviderError:
        failure = self._failure(ErrorKind.CONNECTION, self._explain(error))
        failure.final = isinstance(error, aiohttp.ClientConnectorCertificateError)
        return failure

    def _explain(self, error: Exception) -> str:
        """Why there is no file; the order of the cases matters, as some are kinds of later ones."""
        match error:
            case aiohttp.ClientConnectorCertificateError(certificate_error=cause):
                why = getattr(cause, "verify_message", cause)
                return f"the server's certificate is not valid: {why}"
            case TimeoutError():
                return f"no answer for {self._limits.timeout_s:g} s"
            case aiohttp.ClientConnectorDNSError():
                return "its host is not found; there may be no network"
            case aiohttp.ClientProxyConnectionError():
                return f"the proxy of the environment is not reached: {shown(reason(error))}"
            case aiohttp.ClientHttpProxyError():
                return f"the proxy answered {error.status} {shown(error.message)}"
            case aiohttp.ServerDisconnectedError() | aiohttp.ClientResponseError():
                return f"the connection broke: {type(error).__name__}"
        return shown(reason(error))

    def _failure(self, kind: ErrorKind, message: str, url: str = "") -> ProviderError:
        return ProviderError(kind, f"cannot download {url or self._url}: {message}")
