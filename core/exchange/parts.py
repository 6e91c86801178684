"""The object in a JSON file, part by part: never more of it in memory than one part.

A part is what a key of the object holds, or an element of a list that is asked for. It is read
as strictly as a line of our own files; a ValueError says what is wrong.
"""

import codecs
import json
import re
from collections.abc import Collection, Iterable, Iterator

from ..benchmark.foreign import ForeignPart
from ..journal.lines import STRICT
from ..types import Json

PART_LIMIT = 2**26
"""Most characters of a part."""
_SPACE = re.compile(r"[ \t\n\r]*")
_AFTER = frozenset(",:]} \t\n\r")
"""What may follow a value; after anything else a number may go on."""
Path = tuple[str, ...]


def read_parts(chunks: Iterable[bytes], lists: Collection[Path]) -> Iterator[ForeignPart]:
    """The parts of a JSON object, in their order.

    Args:
        chunks: The text, in UTF-8.
        lists: The keys that lead to each list whose elements are parts.

    Raises:
        ValueError: It is not one JSON object, or a part is too long.
    """
    text = _Text(chunks)
    if (begins := text.peek()) != "{":
        raise ValueError("is not a JSON object" if begins else "is not JSON: it is empty")
    yield from _members(text, (), lists)
    if text.peek():
        raise text.wrong("more follows the object")


def _members(text: "_Text", path: Path, lists: Collection[Path]) -> Iterator[ForeignPart]:
    """The parts of an object that begins here."""
    text.take("{")
    seen: set[str] = set()
    while text.peek() != "}" or seen:
        key = text.key()
        if key in seen:
            raise ValueError("has a key twice in one object")
        seen.add(key)
        text.take(":")
        yield from _member(text, (*path, key), lists)
        if text.take(",}") == "}":
            return
    text.take("}")


def _member(text: "_Text", path: Path, lists: Collection[Path]) -> Iterator[ForeignPart]:
    begins = text.peek()
    if begins == "{" and any(path == one[: len(path)] != one for one in lists):
        yield from _members(text, path, lists)
    elif begins == "[" and path in lists:
        yield from _elements(text, path)
    else:
        yield ForeignPart(path, text.value())


def _elements(text: "_Text", path: Path) -> Iterator[ForeignPart]:
    """The elements of a list that begins here; the list itself where it is empty."""
    text.take("[")
    if text.peek() == "]":
        text.take("]")
        yield ForeignPart(path, [])
        return
    n = 0
    while True:
        yield ForeignPart((*path, n), text.value())
        n += 1
        if text.take(",]") == "]":
            return


class _Text:
    """A text that comes in chunks, read from its beginning to its end."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._coming = codecs.iterdecode(chunks, "utf-8")
        self._text = ""
        self._at = 0
        self._before = 0

    def peek(self) -> str:
        """The next character that is no space; nothing at the end."""
        while True:
            space = _SPACE.match(self._text, self._at)
            assert space is not None  # it matches nothing, too
            self._at = space.end()
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._get_more():
                return ""

    def take(self, wanted: str) -> str:
        """The next character, one of those that are wanted."""
        found = self.peek()
        if not found or found not in wanted:
            raise self.wrong(f"no {' or '.join(wanted)}")
        self._at += 1
        return found

    def key(self) -> str:
        """The text that comes next."""
        if self.peek() != '"' or not isinstance(key := self.value(), str):
            raise self.wrong("no key")
        return key

    def value(self) -> Json:
        """The value that comes next."""
        self.peek()
        while True:
            try:
                value, end = STRICT.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if not self._get_more():
                    raise self.wrong(error.msg, error.pos) from None
                continue
            except RecursionError:
                raise ValueError("is nested too deeply") from None
            if self._text[end : end + 1] in _AFTER or not self._get_more():
                self._at = end
                return value  # type: ignore[no-any-return]

    def wrong(self, message: str, place: int | None = None) -> ValueError:
        """That it is no JSON, and where."""
        at = self._before + (self._at if place is None else place) + 1
        return ValueError(f"is not JSON: {message} at character {at:,}")

    def _get_more(self) -> bool:
        """Put what comes next behind what is not read yet, and as much again; whether any came."""
        rest = self._text[self._at :]
        if len(rest) > PART_LIMIT:
            raise ValueError(f"has a part of more than {PART_LIMIT:,} characters")
        came: list[str] = []
        try:
            while sum(map(len, came)) <= len(rest) and (text := next(self._coming, None)):
                came.append(text)
        except UnicodeDecodeError:
            raise ValueError("is not JSON: it is no UTF-8 text") from None
        if came:
            self._before += self._at
            self._text, self._at = "".join([rest, *came]), 0
        return bool(came)
