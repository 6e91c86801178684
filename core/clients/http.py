"""Requests over aiohttp itself: what `openai/` and `anthropic/` send and read.

One session, whose connections are kept, for one server with the same headers each time. No
redirect is followed, no cookie kept, nothing sent twice; the time is limited by the caller, but
for connecting. A body is read, and unpacked, no further than a limit.
"""

import asyncio
import contextlib
import json
import os
import ssl
import sys
import urllib.request
import zlib
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

import aiohttp

from .. import __version__
from ..errors import ConfigError
from ..parties.providers import AskedParty, ClientConfig, is_loopback
from ..types import JsonObject
from .bodies import PACKINGS, Body, add_rest, ending_with_its_connection, is_whole, lost, text_of
from .failures import malformed, too_large
from .keys import redact

CONNECT_S = 15.0
"""Three of these fit into the minute in which a dead host has to be noticed."""
_MOST_OF_AN_ERROR = 2**16
_ORDINARY = 2**20
"""Bytes of a reply beyond which few are read at a time, so that many cannot fill the memory."""
_LARGE_AT_A_TIME = 4
_LONGEST_HEADER = 2**16
_HEADERS = {
    "Accept": "application/json",
    "Accept-Encoding": "gzip, deflate",
    "Content-Type": "application/json",
    "User-Agent": f"eibench/{__version__}",
}
_write = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


class HttpAnswer(NamedTuple):
    """An HTTP answer; the names of its headers may be looked up in any case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text."""
        return text_of(self.body, self.headers.get("content-type"))


class HttpTransport:
    """Sends to one server; `headers` go with each request, those of the user included."""

    def __init__(
        self, base_url: str, headers: Mapping[str, str], config: ClientConfig, asked: AskedParty
    ) -> None:
        self._base_url, self._asked = base_url, asked
        self._headers = headers
        self._most = config.max_reply
        self._concurrency = config.concurrency
        self._proxy = proxy_of(base_url)
        self._large = asyncio.Semaphore(_LARGE_AT_A_TIME)
        self._session: aiohttp.ClientSession | None = None

    async def prepare(self) -> None:
        """Make the session, and read the certificates of this machine."""
        self._open()

    async def post(self, path: str, body: JsonObject) -> HttpAnswer:
        """The answer to a request, of whatever status."""
        return await self.send("POST", path, _write(body).encode(), self._most)

    async def send(
        self, method: str, path: str, data: bytes | aiohttp.FormData | None, most: int
    ) -> HttpAnswer:
        """The answer to anything that is sent to a path; of a good one no more than `most` bytes.

        Raises:
            ProviderError: There was none, or a longer one.
        """
        form = data() if isinstance(data, aiohttp.FormData) else None
        headers = {"Content-Type": form.content_type} if form else {}
        try:
            async with self._open().request(
                method,
                f"{self._base_url}/{path}",
                data=form or data,
                headers={**self._headers, **headers},
                allow_redirects=False,
            ) as response:
                read = await self._read(response, most)
                if read is not None:
                    return HttpAnswer(response.status, response.headers, read)
            failed = too_large(self._asked, most)
        except (aiohttp.ClientError, OSError) as error:
            failed = lost(self._asked, error)
        except zlib.error as error:
            failed = malformed(self._asked, f"(not decodable: {error})")
        raise failed  # out here, as aiohttp's error holds the request, and with it the key

    def _open(self) -> aiohttp.ClientSession:
        """The session, made when the event loop runs that it belongs to.

        It has no headers of the user's: those of a session go to its proxy too, with the key.
        """
        if self._session is None:
            secure = "https" in (
                urlsplit(self._base_url).scheme,
                urlsplit(self._proxy or "").scheme,
            )
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    limit=self._concurrency, ssl=system_tls() if secure else True
                ),
                headers=_HEADERS,
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                proxy=self._proxy,
                max_line_size=_LONGEST_HEADER,
                max_field_size=_LONGEST_HEADER,
            )
        return self._session

    async def _read(self, response: aiohttp.ClientResponse, most: int) -> bytes | None:
        """The unpacked body; ``None`` when it is too large."""
        packing = response.headers.get("Content-Encoding", "")
        if response.status >= 300:
            return await _start_of_error(response, packing)
        if packing.strip().lower() not in PACKINGS:
            failed = malformed(self._asked, f"(packed as {packing}, which was not asked for)")
            failed.final = True  # the next one would be packed alike
            raise failed
        body = Body(packing, most)
        try:
            with ending_with_its_connection(response):
                if not await _take(response.content, body, min(most, _ORDINARY)):
                    async with self._large:
                        await _take(response.content, body, most)
        except (aiohttp.ClientError, OSError):
            add_rest(body, response.content)
            if body.size > most or not is_whole(body, response.headers.get("Content-Type")):
                raise
        if body.size <= most:
            return bytes(body)
        response.close()  # there is more
        return None

    async def close(self) -> None:
        """Close connections."""
        if self._session is not None:
            await self._session.close()


async def _start_of_error(response: aiohttp.ClientResponse, packing: str) -> bytes:
    """As much of an error's body as matters; nothing of one that cannot be unpacked."""
    body = Body(packing, _MOST_OF_AN_ERROR)
    if packing.strip().lower() in PACKINGS:
        broken = contextlib.suppress(zlib.error, aiohttp.ClientError, OSError)
        with broken, ending_with_its_connection(response):
            await _take(response.content, body, _MOST_OF_AN_ERROR)
    if not response.content.at_eof():
        response.close()
    return bytes(body)[:_MOST_OF_AN_ERROR]


async def _take(stream: aiohttp.StreamReader, body: Body, until: int) -> bool:
    """Read until there is no more, or more than so many bytes; whether there is no more."""
    while body.size <= until:
        piece = await stream.readany()
        if not piece:
            return True
        body.add(piece)
    return False


def proxy_of(url: str) -> str | None:
    """The proxy that the environment names for an address; never for this machine's own.

    Raises:
        ConfigError: It is of a kind that cannot be used.
    """
    parts = urlsplit(url)
    if is_loopback(url) or urllib.request.proxy_bypass(parts.netloc):
        return None
    proxies = urllib.request.getproxies()
    named = proxies.get(parts.scheme) or proxies.get("all")
    if not named:
        return None
    proxy = named if "://" in named else f"http://{named}"
    if urlsplit(proxy).scheme not in ("http", "https"):
        raise ConfigError(
            f"the proxy of the environment for {parts.hostname} is of the kind "
            f"{urlsplit(proxy).scheme}, which cannot be used; name an http:// one, or set "
            f"NO_PROXY={parts.hostname}"
        )
    redact.add(urlsplit(proxy).password)
    return proxy


def system_tls() -> ssl.SSLContext:
    """Checks servers against the system's certificates, or SSL_CERT_FILE and SSL_CERT_DIR."""
    named = {"SSL_CERT_FILE", "SSL_CERT_DIR"} & os.environ.keys()
    if sys.platform in ("darwin", "win32") and not named:
        import truststore  # OpenSSL does not know where these systems keep theirs

        return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return ssl.create_default_context()
