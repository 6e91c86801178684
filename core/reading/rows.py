"""Rows of a pack's files, each field of the type that was asked for."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import cast, get_args

from ..errors import DataError
from ..types import Item, JsonDict
from .formats import read_csv_rows, read_jsonl
from .packs import PackSource

Kind = object  # in a dict of different ones, their common type is object
"""Of a field: ``str``, ``int``, ``float``, ``bool``, ``list`` or ``dict``, such a type or ``None``
(``str | None``: it may be missing), or the texts that are allowed."""


_PLAIN = (str, int, float, bool, list, dict)


def is_kind(kind: Kind) -> bool:
    """Whether a field can be said to hold this."""
    if isinstance(kind, tuple):
        return bool(kind) and all(isinstance(text, str) for text in kind)
    if isinstance(kind, type):
        return kind in _PLAIN
    return isinstance(kind, UnionType) and all(k in (*_PLAIN, NoneType) for k in get_args(kind))


def read_rows(source: PackSource | Path, fields: Mapping[str, Kind]) -> list[JsonDict]:
    """The rows of JSON-lines, CSV or TSV files (by the name's ending), in order.

    Fields that are not named are kept as they are. In CSV, numbers and booleans are read from their
    text, and an empty cell is a missing field.

    Args:
        source: A pack, or one file.
        fields: What each row holds. If there is an ``id``, no two rows have the same.

    Raises:
        DataError: A file or a row is something else; the message has file, line and field.
    """
    paths = [source] if isinstance(source, Path) else list(source.files.values())
    rows, lines = list[JsonDict](), dict[str, str]()
    for path in paths:
        for number, row in _rows_of(path, fields):
            checked = _checked(path, number, row, fields)
            if "id" in fields:
                _keep_apart(path, number, str(checked["id"]), lines)
            rows.append(checked)
    if not rows:
        raise DataError(paths[0] if paths else Path(), "holds no rows; write one for each item")
    return rows


def item_of(row: JsonDict, tags: Iterable[str] = (), *, weighed: bool = False) -> Item[JsonDict]:
    """A row as an item: its ``id``, its ``family`` if it has one, and the fields that are tags.

    Where items are weighed, its ``weight`` too, or 1.
    """
    values = {key: str(row[key]) for key in tags if row.get(key) is not None}
    weight = cast(float, row.get("weight", 1.0)) if weighed else 1.0
    return Item(str(row["id"]), row, str(row.get("family") or ""), values, weight)


def _rows_of(path: Path, fields: Mapping[str, Kind]) -> Iterator[tuple[int, object]]:
    if path.suffix.lower() not in (".csv", ".tsv"):
        yield from read_jsonl(path)
        return
    for number, row in read_csv_rows(path):
        filled = {name: text for name, text in row.items() if text != ""}
        yield number, {n: _from_text(t, fields.get(n, str)) for n, t in filled.items()}


def _from_text(text: str, kind: Kind) -> object:
    """A cell's value; its text where it is none of the type, which is told as for JSON."""
    types = _types_of(kind)
    if bool in types and text.lower() in ("true", "false"):
        return text.lower() == "true"
    for number in (int, float):
        if number in types:
            try:
                return number(text)
            except ValueError:
                continue
    return text


def _checked(path: Path, number: int, row: object, fields: Mapping[str, Kind]) -> JsonDict:
    if not isinstance(row, dict):
        raise DataError(path, f"must be an object, not {row!r:.40}", f"line {number}")
    for name, kind in fields.items():
        if name not in row and type(None) not in _types_of(kind):
            raise DataError(path, f"has no field {name!r}: needs {_shown(kind)}", f"line {number}")
        if not _is_a(row.get(name), kind):
            message = f"must be {_shown(kind)}, not {row[name]!r:.60}"
            raise DataError(path, message, f"line {number}, field {name!r}")
    return {**dict.fromkeys(fields), **row}


def _types_of(kind: Kind) -> tuple[type, ...]:
    if isinstance(kind, tuple):
        return (str,)
    return (kind,) if isinstance(kind, type) else get_args(kind)


def _is_a(value: object, kind: Kind) -> bool:
    if isinstance(kind, tuple):
        return value in kind
    type_, types = type(value), _types_of(kind)
    return type_ in types or (type_ is int and float in types)


def _shown(kind: Kind) -> str:
    if isinstance(kind, tuple):
        return f"one of {', '.join(kind)}"
    return " or ".join(_names(_types_of(kind)))


def _names(types: Iterable[type]) -> Iterator[str]:
    plain = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
    plain |= {list: "a list", dict: "an object", type(None): "missing"}
    return (plain.get(kind, kind.__name__) for kind in types)


def _keep_apart(path: Path, number: int, row_id: str, lines: dict[str, str]) -> None:
    if not row_id.strip():
        raise DataError(path, "is blank", f"line {number}, field 'id'")
    if row_id in lines:
        message = f"{row_id!r} stands twice: also in {lines[row_id]}"
        raise DataError(path, message, f"line {number}, field 'id'")
    lines[row_id] = f"{path.name}, line {number}"
