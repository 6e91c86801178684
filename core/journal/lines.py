"""The file form of runs: one JSON object a line (docs/storage.md describes it).

A header, then each run with its calls, grades and failures, then a line that says how
many lines there are and has their SHA-256. A line names its kind and has each column of its
table by name; columns that hold JSON are JSON in it. Reading is strict: what `schema` says a
line may hold is let through, and nothing else; and each field of a run's settings and result that
pages and boards read has the type that the program writes (`wrong_inside`). Writing holds
to what `schema` says.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import chain
from typing import get_type_hints

from .. import __version__
from ..text import escaped, readable
from ..types import Json, JsonDict, JsonObject, Sampling, digest
from ..types.result_document import RatingNotes
from .records import RUN_ID, as_json, judge, option
from .schema import FORM, TABLES, other_form
from .shapes import (
    Shape,
    anything,
    matching,
    object_of,
    optional,
    record,
    shape_of,
    text,
    whole,
)
from .tables import TableSchema, field_of

_SPEC = matching(r"(?s:[^/]+/.+)", "PROVIDER/NAME")
_TEXTS = object_of(text)
_SAMPLING = record(
    {name: shape_of(hint) for name, hint in get_type_hints(Sampling).items()}, required=frozenset()
)
_OPTIONS = object_of(option)
_PLAYER = record({"model": _SPEC, "endpoint": optional(text), "sampling": _SAMPLING}, more=True)
SETTINGS = record(
    {
        **dict.fromkeys(("benchmark", "version", "pack"), text),
        **dict.fromkeys(("endpoint", "system", "name", "dataset"), optional(text)),
        "model": _SPEC,
        "prompts": _TEXTS,
        "sampling": _SAMPLING,
        "options": _OPTIONS,
        "all_options": _OPTIONS,
        "roles": object_of(_PLAYER),
        "notes": object_of(option),
        "versions": object_of(optional(text)),
        "declaration": text,
    },
    more=True,
    required=frozenset(),
)
"""How a run was asked."""
_NOTES = record({"rating": optional(shape_of(RatingNotes))}, more=True, required=frozenset())
_FIELDS: Mapping[str, Mapping[str, Shape]] = {"run": {"model": _SPEC, "settings": SETTINGS}}


def wrong_inside(kind: str, line: JsonObject) -> str | None:
    """What is wrong in the fields of a line whose columns are right; ``None`` for nothing."""
    for name, shape in _FIELDS.get(kind, {}).items():
        if wrong := shape(line[name]):
            return f'"{name}" {wrong}'
    document = line.get("document")
    if isinstance(document, dict) and (wrong := _NOTES(document["notes"])):
        return f'"document" "notes" {wrong}'
    if isinstance(document, dict) and (wrong := optional(judge)(document["judged_by"])):
        return f'"document" "judged_by" {wrong}'
    return None


FORMAT = "eibench-journal"


def _fields(table: TableSchema) -> dict[str, Shape]:
    """What a line of a table has beside its kind."""
    owner = {} if table.kind == "run" else {"run": matching(RUN_ID, "a run's id")}
    return owner | {field_of(column): shape for column, shape in table.shapes.items()}


_ID_PARTS = re.compile(RUN_ID, re.ASCII)


def _shape_of_line(table: TableSchema) -> Shape:
    return record({"kind": text, **_fields(table)})


_SHAPES = {kind: _shape_of_line(table) for kind, table in TABLES.items()}
_HEADER = record(
    {"format": text, "version": whole(1), "eibench": text, "manifest": object_of(anything)},
    required=frozenset({"format", "version", "eibench"}),
)
_END = record({"kind": text, "lines": whole(2), "sha256": matching("[0-9a-f]{64}", "a SHA-256")})


# Writing


def file_lines(rows: Iterable[bytes], manifest: JsonObject | None = None) -> Iterator[bytes]:
    """A file's lines: a header, those of its rows, and an end that says how many and of what.

    The header of a bundle has its manifest (`exchange.bundles`).
    """
    begins = {"manifest": manifest} if manifest else {}
    header = line_of({"format": FORMAT, "version": FORM, "eibench": __version__, **begins})
    checksum, n = sha256(), 0
    for n, line in enumerate(chain([header], rows), 1):  # noqa: B007 - counted
        checksum.update(line)
        yield line
    yield line_of({"kind": "end", "lines": n + 1, "sha256": checksum.hexdigest()})


def row_line(name: str, run_id: str, row: JsonObject) -> bytes:
    """The line of a table's row, whose columns are as they are stored.

    Raises:
        ValueError: It could not be read again.
    """
    table = TABLES[name]
    owner = {} if name == "run" else {"run": run_id}
    values = {c: _opened(v) if c in table.json else v for c, v in row.items()}
    line = {"kind": name, **owner, **{field_of(c): v for c, v in values.items()}}
    _check(name, line)
    return line_of(line)


def _opened(stored: Json) -> Json:
    return json.loads(stored) if isinstance(stored, str) else None


def line_of(value: JsonObject) -> bytes:
    """The line of an object."""
    written = as_json(value)
    if not written.isascii() or "\x7f" in written:  # else there is nothing to be found
        written = escaped(written)
    return written.encode() + b"\n"


# Reading; a ValueError says what is wrong with the line


def read_line(raw: bytes) -> JsonDict:
    """The object in a line.

    Raises:
        ValueError: It is not one JSON object, or has a key twice or a number that is none.
    """
    try:
        value = STRICT.decode(raw.decode())
    except json.JSONDecodeError as error:
        raise ValueError(f"is not JSON: {error.msg} at character {error.pos + 1}") from None
    except UnicodeDecodeError:
        raise ValueError("is not JSON: it is no UTF-8 text") from None
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("is not a JSON object")
    return value


def _once(pairs: list[tuple[str, Json]]) -> JsonDict:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("has a key twice in one object")
    return value


def _no_number(name: str) -> None:
    raise ValueError(f"holds {name}, which is no JSON value")


def _finite(digits: str) -> float:
    if not math.isfinite(value := float(digits)):
        raise ValueError(f"holds {digits:.40}, which is too large")
    return value


def _whole(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:  # Python reads no more than some thousand digits
        raise ValueError(f"holds {digits:.40}…, which is too large") from None


STRICT = json.JSONDecoder(
    object_pairs_hook=_once, parse_constant=_no_number, parse_float=_finite, parse_int=_whole
)
"""Reads JSON; ValueError where an object has a key twice, or a number is none or too large."""


OTHER_FILES = "bench import -h lists the --format of other programs' files"


def check_header(raw: bytes, others: str = OTHER_FILES) -> None:
    """Refuse what no `bench export` began; `others` says what there is for other files.

    Raises:
        ValueError: It is another form, or that of an older or newer program.
    """
    try:
        line = read_line(raw)
    except ValueError as error:
        raise ValueError(f"{error}; {others}") from None
    if line.get("format") != FORMAT:
        message = "is not the first line of a file of runs that bench export writes"
        raise ValueError(f"{message}; {others}")
    version = line.get("version")
    if isinstance(version, int):
        _refuse(other_form(version))
    _refuse(_HEADER(line))


def check_end(line: JsonObject, position: int, checksum: str) -> None:
    """Refuse an end that does not fit what came before it, of which it has the SHA-256.

    Raises:
        ValueError: It counts other lines, or is of others.
    """
    _refuse(_END(line))
    if line["lines"] != position:
        raise ValueError(f"counts {line['lines']} lines, but is line {position}: lines are missing")
    if line["sha256"] != checksum:
        raise ValueError("is of other lines: the file was changed after bench export wrote it")


def stored_row(line: JsonObject) -> tuple[object, ...]:
    """A row's columns as they are stored, in the order of its kind.

    Raises:
        ValueError: The line is of an unknown kind, or not what its kind must be.
    """
    name = line.get("kind")
    if not isinstance(name, str) or name not in TABLES:
        raise ValueError(f"is of an unknown kind, {name!r:.40}")
    table = TABLES[name]
    _check(name, line)
    _refuse(wrong_inside(name, line))
    if name == "grade" and digest(line["graded_by"]) != line["grader"]:
        raise ValueError('"grader" is not the digest of "graded_by": who graded was changed')
    row = tuple(_stored(table, column, line) for column in table.columns)
    if any(isinstance(value, str) and readable(value) != value for value in row):
        raise ValueError("holds half of a character, which UTF-8 cannot")
    return row


def _check(name: str, line: JsonObject) -> None:
    _refuse(_SHAPES[name](line))
    if name == "run":
        _check_ids(line)


def _stored(table: TableSchema, column: str, line: JsonObject) -> Json:
    value = line.get(field_of(column))
    if column == "settings":
        return json.dumps(value)  # as `Journal.add_run`: what the user typed may be odd
    return as_json(value) if column in table.json and value is not None else value


def _check_ids(line: JsonObject) -> None:
    """A run's id must be made from its identity and ordinal, else no command would find it."""
    parts = _ID_PARTS.fullmatch(str(line["run_id"]))
    assert parts is not None
    begins = str(line["identity"]).startswith(parts["digits"])
    if not begins or int(parts["ordinal"] or 1) != line["ordinal"] or parts["ordinal"] == "1":
        raise ValueError('"run_id" is not made from "identity" and "ordinal"')
    document = line["document"]
    names = ("run_id", "name")
    if isinstance(document, dict) and any(document[name] != line[name] for name in names):
        raise ValueError('"document" is that of another run')


def _refuse(message: str | None) -> None:
    if message:
        raise ValueError(message)
