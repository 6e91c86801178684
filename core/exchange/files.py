"""Results of other programs: read within limits, interpreted by a benchmark, checked again.

A large file is one JSON object, read part by part, with never more of it in memory than one. A
part is what a key of the object holds, or an element of a list that is asked for. It is read as
strictly as a line of our own files; a ValueError says what is wrong.
"""

import codecs
import json
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from .. import ratings
from ..benchmark import Benchmark
from ..benchmark.abilities import ReadsForeignParts
from ..benchmark.foreign import ForeignPart, ForeignResults
from ..errors import BenchError, DataError, PluginError, UsageError
from ..guard import described, guard
from ..journal.archives import read_chunks, read_whole
from ..journal.lines import STRICT, read_line
from ..plugins import Catalogue
from ..reading.responses import MOST_ITERATIONS
from ..types import Json

PART_LIMIT = 2**26
"""Most characters of a part."""
_SPACE = re.compile(r"[ \t\n\r]*")
_AFTER = frozenset(",:]} \t\n\r")
"""What may follow a value; after anything else a number may go on."""
Keys = tuple[str, ...]


def read_parts(chunks: Iterable[bytes], lists: Collection[Keys]) -> Iterator[ForeignPart]:
    """The parts of a JSON object in UTF-8, in their order.

    `lists` are the keys that lead to each list whose elements are parts.

    Raises:
        ValueError: It is not one JSON object, or a part is too long.
    """
    text = _Text(chunks)
    if (begins := text.peek()) != "{":
        raise ValueError("is not a JSON object" if begins else "is not JSON: it is empty")
    yield from _members(text, (), lists)
    if text.peek():
        raise text.wrong("more follows the object")


def _members(text: "_Text", path: Keys, lists: Collection[Keys]) -> Iterator[ForeignPart]:
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


def _member(text: "_Text", path: Keys, lists: Collection[Keys]) -> Iterator[ForeignPart]:
    begins = text.peek()
    if begins == "{" and any(path == one[: len(path)] != one for one in lists):
        yield from _members(text, path, lists)
    elif begins == "[" and path in lists:
        yield from _elements(text, path)
    else:
        yield ForeignPart(path, text.value())


def _elements(text: "_Text", path: Keys) -> Iterator[ForeignPart]:
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

    def take(self, choices: str) -> str:
        """The next character, which is one of these."""
        character = self.peek()
        if not character or character not in choices:
            raise self.wrong(f"no {' or '.join(choices)}")
        self._at += 1
        return character

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

    def wrong(self, message: str, index: int | None = None) -> ValueError:
        """That it is no JSON, and where."""
        at = self._before + (self._at if index is None else index) + 1
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


class ForeignFile(NamedTuple):
    """What is in a foreign file, and the benchmark that has read it."""

    benchmark: Benchmark
    results: ForeignResults


def read_foreign(catalogue: Catalogue, path: Path, form: str, judge: str = "") -> ForeignFile:
    """The comparisons and runs in a JSON file of another program, plain or gzip.

    `judge` is who judged, where the file does not say.

    Raises:
        UsageError: No benchmark reads that form.
        DataError: The file is not of it, or nothing in it can be read.
        PluginError: The benchmark failed.
    """
    benchmarks = {name: b for b in catalogue.benchmarks for name in b.foreign_forms}
    if form not in benchmarks:
        known = ", ".join(sorted(benchmarks)) or "none"
        raise UsageError(f"--format {form}: no benchmark reads that; there are: {known}")
    benchmark = benchmarks[form]
    results = _read(benchmark, path, form, judge)
    try:
        _check(results)
    except BenchError:
        raise
    except Exception as error:
        message = f"returned what is no result of another program: {described(error)}"
        raise PluginError(f"{guard(benchmark).called('read_foreign')} {message}") from error
    if not results.comparisons and not results.runs:
        reasons = "; ".join(f"{n} x {reason}" for reason, n in results.left_out.items())
        raise DataError(path, f"nothing in it can be read: {reasons or 'it is empty'}")
    return ForeignFile(benchmark, results)


def _read(benchmark: Benchmark, path: Path, form: str, judge: str) -> ForeignResults:
    if isinstance(benchmark, ReadsForeignParts):
        parts = _parts(path, benchmark.foreign_lists)
        results = guard(benchmark).read_foreign_parts(form, parts, path, judge)
        for _ in parts:  # the rest, if it was not asked for, has to be JSON too
            pass
        return results
    try:
        value = read_line(read_whole(path))
    except ValueError as error:
        raise DataError(path, str(error)) from None
    return guard(benchmark).read_foreign(form, value, path, judge)


def _parts(path: Path, lists: tuple[Keys, ...]) -> Iterator[ForeignPart]:
    try:
        yield from read_parts(read_chunks(path), lists)
    except ValueError as error:
        raise DataError(path, str(error)) from None


def _check(results: ForeignResults) -> None:
    """Hold what a benchmark made of a file to what it may be; a ValueError says what is wrong."""
    columns = ratings.columns.Columns("what was read", "comparison")
    for number, row in enumerate(results.comparisons, start=1):
        columns.add(row.as_json(), number)
    keys = [run.key for run in results.runs]
    if len(set(keys)) < len(keys):
        raise ValueError("two runs have one key")
    for run in results.runs:
        samples = [(sample.item_id, sample.iteration) for sample in run.samples]
        if len(set(samples)) < len(samples):
            raise ValueError(f"run {run.key!r:.60} has a sample twice")
        if any(not 1 <= iteration <= MOST_ITERATIONS for _, iteration in samples):
            raise ValueError(f"run {run.key!r:.60} has an iteration beyond {MOST_ITERATIONS}")
