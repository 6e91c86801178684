"""The paragraphs of a .docx file: a zip of XML that may come from anybody.

Only ``word/document.xml`` is unpacked, up to a limit that is kept while unpacking, whatever
size the archive says it has. A document type declaration is refused, so there are no
entities to expand and nothing outside the file to fetch.
"""

import zipfile
import zlib
from pathlib import Path
from typing import IO
from xml.parsers import expat

from eibench import DataError

MOST_BYTES = 16 * 2**20
"""Of the unpacked text; the official files have under 0.2 MiB."""
MOST_RATIO = 200
"""Unpacked over packed size; text in XML packs to about a tenth."""
_FREE = 2**20
"""Below this size no ratio is suspicious."""
_MEMBER = "word/document.xml"
_CHUNK = 1 << 16
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main "
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


def read_paragraphs(path: Path) -> list[str]:
    """The text of each paragraph in order; tabs are tabs, line breaks are newlines.

    Raises:
        DataError: The file is missing, is no .docx, unpacks to too much, or its XML is broken
            or declares a document type.
    """
    collector = _Paragraphs()
    try:
        collector.parser.Parse(_document(path), True)
    except (expat.ExpatError, ValueError, LookupError) as error:  # the last two: its encoding
        raise DataError(path, f"its {_MEMBER} is not XML: {error}") from None
    except _Refused as error:
        raise DataError(path, f"its {_MEMBER} {error}, which is refused") from None
    return collector.paragraphs


class _Refused(Exception):
    """The XML holds what no document of a word processor does."""


def _document(path: Path) -> bytes:
    """The unpacked XML of the text."""
    try:
        with zipfile.ZipFile(path) as archive:
            info = archive.getinfo(_MEMBER)
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise DataError(path, "not a .docx file: it is packed in an unusual way")
            with archive.open(info) as member:
                most = min(MOST_BYTES, max(_FREE, info.compress_size * MOST_RATIO))
                return _limited(path, member, most)
    except FileNotFoundError:
        raise DataError(path, "no such file; check the path") from None
    except KeyError:
        raise DataError(path, f"not a .docx file: it holds no {_MEMBER}") from None
    except _BROKEN as error:
        raise DataError(path, f"not a .docx file: {error}") from None
    except OSError as error:
        raise DataError(path, f"cannot be read: {error.strerror}") from None


def _limited(path: Path, member: IO[bytes], most: int) -> bytes:
    unpacked = bytearray()
    while chunk := member.read(_CHUNK):
        unpacked += chunk
        if len(unpacked) > most:
            raise DataError(path, f"its {_MEMBER} unpacks to over {most:,} bytes, which is refused")
    return bytes(unpacked)


class _Paragraphs:
    """Collects text while expat reads."""

    def __init__(self) -> None:
        self.paragraphs: list[str] = []
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._doctype
        self._open: list[str] = []
        self._pieces: list[str] = []

    def _start(self, name: str, attributes: object) -> None:
        # A tab outside a run is a tab stop of the paragraph's layout, not a character.
        in_run = bool(self._open) and self._open[-1] == f"{_W}r"
        if in_run and name == f"{_W}tab":
            self._pieces.append("\t")
        elif in_run and name in (f"{_W}br", f"{_W}cr"):
            self._pieces.append("\n")
        self._open.append(name)

    def _end(self, name: str) -> None:
        self._open.pop()
        if name == f"{_W}p":
            self.paragraphs.append("".join(self._pieces))
            self._pieces.clear()

    def _text(self, data: str) -> None:
        if self._open and self._open[-1] == f"{_W}t":
            self._pieces.append(data)

    def _doctype(self, *declared: object) -> None:
        raise _Refused("declares a document type")
