"""Reading text, JSON, JSON lines, CSV and TOML with errors that name the file and the place."""

import csv
import io
import json
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import DataError
from ..types import Json, JsonDict
from . import files

MOST = 2**30
"""Bytes of a file."""
_DEEPEST = 50
"""Tables and lists of TOML within one another."""


def read_text(path: Path, most: int = MOST) -> str:
    """A file's text.

    Raises:
        DataError: It is missing, a folder or a device, of more bytes than that or not UTF-8.
    """
    try:
        return files.read_text(path, most, encoding="utf-8-sig", pipes=True)
    except FileNotFoundError:
        raise DataError(path, "no such file; check the path") from None
    except UnicodeDecodeError as error:
        number = error.object.count(b"\n", 0, error.start) + 1
        where = f"line {number}, byte {error.start}"
        raise DataError(path, "not UTF-8 text; save it as UTF-8", where) from None
    except OSError as error:
        raise DataError(path, f"cannot be read: {error.strerror}") from None


def write_text(path: Path, text: str) -> None:
    """Make a file of a text."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DataError(path, f"cannot be written: {error.strerror}") from None


def read_json(path: Path) -> Any:
    """The value in a JSON file; an object that has a key twice is refused.

    Raises:
        DataError: The file is missing or not JSON.
    """
    text = read_text(path)
    try:
        return json.loads(text, object_pairs_hook=without_repeats)
    except json.JSONDecodeError as error:
        position = f"line {error.lineno}, column {error.colno}"
        raise DataError(path, f"not JSON: {error.msg}", position) from None
    except _RepeatedKeyError as error:
        raise DataError(path, str(error)) from None
    except RecursionError:
        raise DataError(path, "not JSON of a sane kind: nested too deeply") from None


def read_toml(path: Path, most: int = MOST) -> dict[str, Any]:
    """The table in a TOML file.

    Raises:
        DataError: The file is missing, of more bytes than that or not TOML.
    """
    try:
        return toml_of(read_text(path, most))
    except ValueError as error:
        raise DataError(path, f"not TOML: {error}") from None
    except RecursionError:
        raise DataError(path, "not TOML: nested too deeply") from None


def toml_of(text: str) -> dict[str, Any]:
    """The table in a text; `ValueError` where there is none, or one that nobody wrote by hand."""
    try:
        table = tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    inner = list[Any]([table])
    for _ in range(_DEEPEST):
        values = (one.values() if isinstance(one, dict) else one for one in inner)
        inner = [value for each in values for value in each if isinstance(value, dict | list)]
    if inner:
        raise ValueError("nested too deeply")
    return table


def read_jsonl(path: Path) -> Iterator[tuple[int, Any]]:
    """Line numbers and values of a JSON-lines file; blank lines are passed over.

    Raises:
        DataError: The file is missing, or a line is not JSON.
    """
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if line.strip():
            try:
                yield number, json.loads(line, object_pairs_hook=without_repeats)
            except (ValueError, RecursionError) as error:
                message = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
                message = "nested too deeply" if isinstance(error, RecursionError) else message
                raise DataError(path, f"not JSON: {message}", f"line {number}") from None


def read_csv(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Line numbers and cells of a CSV file, the heading first; of several lines the last.

    Cells are divided by commas, or by tabs where the name ends in ``.tsv``.

    Raises:
        DataError: The file is missing, or a quotation is broken.
    """
    divider = "\t" if path.suffix.lower() == ".tsv" else ","
    reader = csv.reader(io.StringIO(read_text(path), newline=""), delimiter=divider, strict=True)
    try:
        for cells in reader:
            yield reader.line_num, cells
    except csv.Error as error:
        raise DataError(path, f"not CSV: {error}", f"line {reader.line_num}") from None


def read_csv_rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Line numbers and rows of a CSV file, each a text by column; empty lines are left out.

    Raises:
        DataError: As `read_csv`; two columns have one name, or a row other cells than the heading.
    """
    lines = read_csv(path)
    at, header = next(lines, (0, []))
    if twice := next((name for name in header if header.count(name) > 1), None):
        raise DataError(path, f"two columns are named {twice!r}; rename one", f"line {at}")
    separator = next((c for c in (";", "\t") if len(header) == 1 and c in header[0]), "")
    if separator:
        message = f"its cells are divided by {separator!r}; save it with commas between them"
        raise DataError(path, message, f"line {at}")
    for number, cells in filter(lambda line: line[1], lines):
        if len(cells) != len(header):
            counts = f"has {len(cells)} cells, and the header {len(header)}"
            message = f"{counts}; a cell with a comma in it stands in double quotes"
            raise DataError(path, message, f"line {number}")
        yield number, dict(zip(header, cells, strict=True))


class _RepeatedKeyError(ValueError):
    pass


def without_repeats(pairs: list[tuple[str, Json]]) -> JsonDict:
    """An object that has no key twice, as a hook of `json`."""
    value = dict(pairs)
    if len(value) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key, n in counts.items() if n > 1)
        raise _RepeatedKeyError(f"the key {twice!r} stands twice in one object")
    return value
