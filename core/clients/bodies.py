"""The body of an HTTP answer: unpacked no further than a limit, read as text, broken off or not.

What a server says of a body need not be true. JSON is UTF-8, so that is tried first, whatever
charset is named, and no name of one can make reading fail.

A reply that is whole is taken, however its connection ended, as it is paid for. aiohttp gives
nobody what it holds of a body once that is broken, and leaves a reader waiting after a bad
chunk; both are made up for here.
"""

import asyncio
import contextlib
import json
import re
import zlib
from collections.abc import Callable, Iterator
from weakref import WeakSet

import aiohttp

from ..errors import ProviderError
from ..parties.providers import AskedParty
from .error_bodies import shown
from .failures import connection_error
from .replies import read_json

_CHARSET = re.compile(r"charset\s*=\s*\"?([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_GZIP_FIRST = 0x1F
_GZIP, _ZLIB, _RAW = 16 + zlib.MAX_WBITS, zlib.MAX_WBITS, -zlib.MAX_WBITS
PACKINGS = frozenset({"", "identity", "gzip", "x-gzip", "deflate"})
"""The values of ``Content-Encoding`` that can be read; only these are asked for."""


class Body:
    """A body that is taken in piece by piece, and unpacked to no more than `most` bytes."""

    def __init__(self, packing: str, most: int) -> None:
        self._most = most
        self._arrived = 0
        self._packing = packing.strip().lower()
        self._unpacking: zlib._Decompress | None = None
        self._held = bytearray()

    @property
    def size(self) -> int:
        """Bytes of it, packed or not, whichever are more; more than `most` when cut off."""
        return max(self._arrived, len(self._held))

    def add(self, piece: bytes) -> None:
        """Take in what arrived; raises `zlib.error` when it is not packed as it is said to be."""
        self._arrived += len(piece)
        if self._packing in ("", "identity"):
            self._held += piece
            return
        while piece and len(self._held) <= self._most and not self._is_padding(piece):
            if self._unpacking is None or self._unpacking.eof:
                self._unpacking = zlib.decompressobj(self._window(piece))
            self._held += self._unpacking.decompress(piece, self._most + 1 - len(self._held))
            piece = self._unpacking.unconsumed_tail or self._unpacking.unused_data

    def _is_padding(self, piece: bytes) -> bool:
        """Whether it follows the end and is no further part, of which gzip may have several."""
        has_ended = self._unpacking is not None and self._unpacking.eof
        return has_ended and (self._packing == "deflate" or piece[0] != _GZIP_FIRST)

    def _window(self, piece: bytes) -> int:
        """How to unpack; "deflate" is sent with and without the header that it should have."""
        if self._packing != "deflate":
            return _GZIP
        return _ZLIB if piece[0] & 0x0F == 8 else _RAW

    def __bytes__(self) -> bytes:
        return bytes(self._held)


def text_of(body: bytes, content_type: str | None = None) -> str:
    """The text in a body, without a byte-order mark.

    What is no Unicode is read in the charset that is named for it, if there is such a charset,
    and else with U+FFFD for each byte that is wrong.
    """
    encoding = json.detect_encoding(body)
    try:
        return body.decode(encoding)
    except UnicodeDecodeError:
        pass
    named = _CHARSET.search(content_type or "")
    try:
        return body.decode(named[1] if named else "utf-8", "replace")
    except (LookupError, ValueError):  # of what may be named, some are no charsets of texts
        return body.decode("utf-8", "replace")


_known: "WeakSet[asyncio.Future[None]]" = WeakSet()
"""The ends of connections that somebody looks at, so that asyncio warns of none."""


@contextlib.contextmanager
def ending_with_its_connection(response: aiohttp.ClientResponse) -> Iterator[None]:
    """A block in which a body that is read breaks off when its connection ends."""
    stream, connection = response.content, response.connection
    protocol = None if connection is None else connection.protocol
    if protocol is None:  # all of it is here
        yield
        return

    def end(_: object = None) -> None:
        if not stream.is_eof() and stream.exception() is None:
            stream.set_exception(aiohttp.ClientPayloadError(_words(protocol.exception())))

    closed = protocol.closed
    if closed is None:  # it has ended already
        end()
        yield
        return
    if closed not in _known:
        _known.add(closed)
        closed.add_done_callback(_look_at)
    closed.add_done_callback(end)
    try:
        yield
    finally:
        closed.remove_done_callback(end)


def _look_at(closed: "asyncio.Future[None]") -> None:
    if not closed.cancelled():
        closed.exception()


def add_rest(body: Body, stream: aiohttp.StreamReader) -> None:
    """Add what had arrived of a body before it broke off."""
    held: Callable[[int], bytes] | None = getattr(stream, "_read_nowait", None)
    if held is not None:
        body.add(held(-1))


def is_whole(body: Body, content_type: str | None) -> bool:
    """Whether a body holds a JSON object to its last brace, so that nothing is missing."""
    return isinstance(read_json(text_of(bytes(body), content_type)), dict)


def lost(asked: AskedParty, error: Exception) -> ProviderError:
    """The error to raise when a connection gave no answer, or no whole one."""
    failure = connection_error(asked, error)
    message = ""
    if isinstance(error, aiohttp.ClientHttpProxyError):
        failure.unsent = True
        message = (
            f"cannot reach {asked.name}: the proxy answered {error.status} {shown(error.message)}"
        )
    elif isinstance(error, aiohttp.ClientResponseError):
        message = f"{asked.name} sent what is no HTTP answer: {_words(error)}"
    elif isinstance(error, aiohttp.ClientPayloadError):
        message = f"{asked.name} broke off its answer: {_words(error.__cause__ or error)}"
    if message:
        failure.args = (f"{message}; check {asked.options.base_url}, and the server",)
    return failure


def _words(error: BaseException | None) -> str:
    """What aiohttp's parser says is wrong, without its marks below the place."""
    message = shown(str(getattr(error, "message", None) or error or "the connection ended"))
    return message.removesuffix(" ^")
