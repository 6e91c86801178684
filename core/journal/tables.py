"""What one table of the journal holds, read off its row type: so each column is declared once.

The annotations of a row type say of each column what SQLite holds and what a line of a file may
bring: ``Annotated[int, whole(1)]``, ``Annotated[str, Json(list_of(text))]``. A column has exactly
one such mark; a field without one is no column of a file, such as a run's number. A field that
is ``bool`` is an integer in SQLite; one that may be ``None`` may be NULL.

Rows of replies, grades and comparisons have a checksum, so that damage in them is seen: SQLite
finds pages that do not fit together, and not a bit that is turned over in a text.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, NoReturn, get_args, get_origin
from zlib import crc32

from ..text import readable
from .shapes import Shape, optional

Row = tuple[Any, ...]
"""The columns of a row as SQLite gives them."""


class Json(NamedTuple):
    """Marks a column that holds JSON, of a shape."""

    shape: Shape


class DamagedRow(ValueError):
    """A row is not what was written."""


_SQL = {str: "TEXT", int: "INTEGER", bool: "INTEGER", float: "REAL"}
_FITTING: Mapping[type, tuple[type, ...]] = {
    str: (str,),
    int: (int,),
    bool: (int,),  # SQLite gives 0 or 1
    float: (float, int),  # a line of a file may say 2 for 2.0
}
"""By a column's type in Python, those of the values that it may hold."""


class TableSchema:
    """The rows of one kind, in the journal and in a file.

    Args:
        kind: What a line of a file calls such a row.
        name: Of the table.
        row: The type of its rows: each annotated field is a column.
        key: What tells the rows of one run from one another, such as a grade's ``grader``,
            ``item_id`` and ``iteration``; empty for the table of the runs themselves.
        free: Columns that two machines may fill otherwise for the same thing, such as the time
            ``at`` which a grade was given.
        is_numbered: Rows have a number, ``n``: the lower, the earlier they came. Those without
            a key have one anyway.
        more: Annotations of columns behind those of the row.

    Attributes:
        columns: In the order of the table, without the run's number and checksums.
        stored: Those that are read and written: with checksums, where there are some.
        json: The columns that hold JSON.
        shapes: What a line of a file may hold in each column.
        order: The SQL of the order in which a run's rows stand in a file.
    """

    def __init__(
        self,
        kind: str,
        name: str,
        row: type,
        *,
        key: tuple[str, ...] = (),
        free: Iterable[str] = (),
        is_numbered: bool = False,
        **more: object,
    ) -> None:
        self.kind, self.name, self.key, self.free = kind, name, key, frozenset(free)
        self.is_numbered = is_numbered or not key
        self.shapes: dict[str, Shape] = {}
        self._types: dict[str, type] = {}
        self._optional: set[str] = set()
        json_columns: set[str] = set()
        for column, annotation in {**row.__annotations__, **more}.items():
            if get_origin(annotation) is not Annotated:
                continue
            held, mark = get_args(annotation)
            types = get_args(held) if isinstance(held, UnionType) else (held,)
            if isinstance(mark, Json):
                json_columns.add(column)
                shape, self._types[column] = mark.shape, str
            else:
                shape, self._types[column] = mark, types[0]
            if NoneType in types:
                self._optional.add(column)
                shape = optional(shape)
            self.shapes[column] = shape
        self.json = frozenset(json_columns)
        self.columns = self.stored = tuple(self.shapes)
        self.order = "n" if self.is_numbered else ", ".join(key)
        self._type_fault = cache(self._find_type_fault)
        self._json_fault = lru_cache(256)(self._find_json_fault)

    def creating(self) -> str:
        """The SQL that makes the table, and the index by which it finds a row."""
        key = f"(run, {quoted(self.key)})"
        columns = ["n INTEGER PRIMARY KEY"] if self.is_numbered else []
        if self.key:
            columns.append("run INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE")
        for column in self.columns:
            null = "" if column in self._optional else " NOT NULL"
            columns.append(f'"{column}" {_SQL[self._types[column]]}{null}')
        columns += [f"{checksum} INTEGER NOT NULL" for checksum in self.stored[len(self.columns) :]]
        if not self.is_numbered:
            columns.append(f"PRIMARY KEY {key}")
        table = f"CREATE TABLE {self.name} (\n    {f',{chr(10)}    '.join(columns)}\n)"
        if not self.is_numbered:
            return f"{table} WITHOUT ROWID;\n"
        if not self.key:
            return f"{table};\n"
        return f"{table};\nCREATE UNIQUE INDEX {self.name}_by_key ON {self.name} {key};\n"

    def adding(self, verb: str = "INSERT OR REPLACE") -> str:
        """The SQL that adds a row to a run."""
        marks = ", ".join("?" * (1 + len(self.stored)))
        return f"{verb} INTO {self.name} (run, {quoted(self.stored)}) VALUES ({marks})"

    def sealed(self, row: Sequence[object]) -> Row:
        """A row as it is `stored` from its columns."""
        return tuple(row)

    def opened(self, row: Sequence[object]) -> Row:
        """A row's columns from those that are `stored`."""
        return tuple(row)

    def wrong_type(self, columns: Iterable[str], row: Sequence[object]) -> str | None:
        """What is wrong with the types of some columns and of the JSON in them, if anything."""
        columns = tuple(columns)
        if message := self._type_fault(columns, tuple(map(type, row))):
            return message
        for column, value in zip(columns, row, strict=True):
            is_json = column in self.json and value is not None
            if is_json and (message := self._json_fault(column, value)):
                return f'"{column}" {message}'
        return None

    def _find_type_fault(self, columns: Sequence[str], types: Sequence[type]) -> str | None:
        for column, held in zip(columns, types, strict=True):
            is_null = held is NoneType and column in self._optional
            if not (is_null or issubclass(held, _FITTING[self._types[column]])):
                return f'"{column}" is {held.__name__}'
        return None

    def _find_json_fault(self, column: str, text: str) -> str | None:
        try:
            return self.shapes[column](json.loads(text))
        except (ValueError, RecursionError) as error:
            return f"is not JSON: {error}"


def field_of(column: str) -> str:
    """A column's name in a line, where ``kind`` is the line's own."""
    return "failure_kind" if column == "kind" else column


def quoted(columns: Iterable[str], prefix: str = "") -> str:
    """Columns as SQL; one of them is a word of SQL."""
    return ", ".join(f'{prefix}"{column}"' for column in columns)


def storable_row(values: Sequence[object]) -> tuple[Any, ...]:
    """Values whose texts Unicode can hold; half a surrogate pair becomes U+FFFD."""
    # A text of ASCII alone is known to be so without looking at it.
    return tuple([v if not isinstance(v, str) or v.isascii() else readable(v) for v in values])


CRC, DETAIL_CRC = "crc", "detail_crc"
_EXACT = 2**53
"""Up to here each whole number is a float of its own."""


class Checked(TableSchema):
    """The rows of one table that have a checksum.

    It covers each column that is not NULL with its name, so a column that a later migration
    adds changes no checksum that is there. A grade's detail, which may be long and is seldom
    wanted, has one of its own, which stands in its place in that of the row.

    Attributes:
        short: The stored columns that are enough to check all but the detail.
    """

    def __init__(self, kind: str, name: str, row: type, **options: Any) -> None:
        super().__init__(kind, name, row, **options)
        self._detail = self.columns.index("detail") if "detail" in self.columns else None
        self.stored = (*self.columns, *([] if self._detail is None else [DETAIL_CRC]), CRC)
        self.short = tuple(DETAIL_CRC if c == "detail" else c for c in (*self.columns, CRC))
        self._starts = [f"\x1e{column}\x1f" for column in self.columns]
        self._item = self.columns.index("item_id")
        self._iteration = self.columns.index("iteration")

    def sealed(self, row: Sequence[object]) -> Row:
        """The columns of a row and its checksums, as they are stored.

        Raises:
            ValueError: One is neither ``None`` nor a text nor a number.
        """
        try:
            return self._with_sums(row)
        except UnicodeEncodeError:
            return self._with_sums(storable_row(row))

    def _with_sums(self, row: Sequence[object]) -> tuple[object, ...]:
        if self._detail is None:
            return (*row, self._sum(row))
        short = list(row)
        detail_crc = short[self._detail] = _crc(short[self._detail])
        return (*row, detail_crc, self._sum(short))

    def opened(self, row: Sequence[object]) -> Row:
        """The columns of a row that was read as it is `stored`.

        Raises:
            DamagedRow: It is not what was written.
        """
        if self._detail is None:
            return self._checked(row)
        *columns, detail_crc, crc = row
        short = [*columns, crc]
        short[self._detail] = detail_crc
        self._checked(short)
        if _crc(columns[self._detail]) != detail_crc:
            self._damaged(row, "its detail does not fit its checksum")
        return tuple(columns)

    def opened_short(self, row: Sequence[object]) -> Row:
        """The columns of a row that was read as `short`, a checksum in place of the detail.

        Raises:
            DamagedRow: It is not what was written.
        """
        return self._checked(row)

    def _checked(self, row: Sequence[object]) -> Row:
        """A row without the checksum at its end, which has to fit."""
        *columns, crc = row
        try:
            fits = self._sum(columns) == crc
        except ValueError:  # a type that is never written
            fits = False
        if not fits:
            self._damaged(columns, "does not fit its checksum")
        return tuple(columns)

    def _damaged(self, row: Sequence[object], wrong: str) -> NoReturn:
        sample = f"item {row[self._item]!r:.60}, iteration {row[self._iteration]!r:.20}"
        raise DamagedRow(f"a {self.kind} of {sample}: {wrong}")

    def _sum(self, row: Sequence[object]) -> int:
        """The same for what is written and for what SQLite makes of it."""
        parts: list[str] = []
        for start, value in zip(self._starts, row, strict=True):
            if type(value) is str:
                parts += (start, value)
            elif type(value) is int and -_EXACT < value < _EXACT:  # as `_digits`, but faster
                parts += (start, str(value))
            elif value is not None and value == value:  # SQLite takes NaN for NULL
                parts += (start, value if isinstance(value, str) else _digits(value))
        return crc32("".join(parts).encode())


def _crc(text: object) -> int | None:
    return crc32(text.encode()) if isinstance(text, str) else None


def _digits(value: object) -> str:
    """A number as text, alike for what SQLite takes for the same."""
    if isinstance(value, int) and abs(value) < _EXACT:
        return str(int(value))
    value = float(value) if isinstance(value, int) else value
    if not isinstance(value, float):
        raise ValueError(f"{type(value).__name__} is nothing that is stored")
    return str(int(value)) if value.is_integer() else repr(value)
