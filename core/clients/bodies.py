"""The body of an HTTP answer: unpacked no further than a limit, and read as text.

What a server says of a body need not be true. JSON is UTF-8, so that is tried first, whatever
charset is named, and no name of one can make reading fail.
"""

import json
import re
import zlib

from ..text import readable
from .keys import redact

_CHARSET = re.compile(r"charset\s*=\s*\"?([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_GZIP_FIRST = 0x1F
_LONGEST_NAME = 200
_GZIP, _ZLIB, _RAW = 16 + zlib.MAX_WBITS, zlib.MAX_WBITS, -zlib.MAX_WBITS
PACKINGS = frozenset({"", "identity", "gzip", "x-gzip", "deflate"})
"""The values of ``Content-Encoding`` that can be read; only these are asked for."""


class Body:
    """A body that is taken in piece by piece.

    Args:
        packing: Its ``Content-Encoding``, one of `PACKINGS`.
        most: Bytes after which no more is unpacked.
    """

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
        """Take in what arrived.

        Raises:
            zlib.error: It is not packed as it is said to be.
        """
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
    found = json.detect_encoding(body)
    try:
        return body.decode(found)
    except UnicodeDecodeError:
        pass
    try:
        return body.decode(_charset(content_type), "replace")
    except (LookupError, ValueError):  # of what may be named, some are no charsets of texts
        return body.decode("utf-8", "replace")


def _charset(content_type: str | None) -> str:
    named = _CHARSET.search(content_type or "")
    return named[1] if named else "utf-8"


def read_json(text: str) -> object:
    """The value in a text; ``None`` when it is no JSON.

    A byte-order mark before it is no part of it, and a number with more digits than Python reads
    is none of ours and spoils no reply.
    """
    text = text.removeprefix("\ufeff")
    for parse_int in (None, _readable_int):
        try:
            return json.loads(text, parse_int=parse_int)
        except (ValueError, RecursionError):
            continue
    return None


def _readable_int(digits: str) -> float | int:
    try:
        return int(digits)
    except ValueError:
        return float(digits)


def words(text: str) -> str:
    """A model's words as they can be stored, without known keys."""
    return redact.reply(readable(text))


def name_of(value: object) -> str | None:
    """An identifier of the server's; ``None`` when it sent none."""
    return words(value)[:_LONGEST_NAME] if isinstance(value, str) and value else None
