"""What one table of the journal holds, read off its row type: so each column is declared once.

A row type is a `NamedTuple` whose annotations say of each column what SQLite holds and what a
line of a file may bring: ``Annotated[int, whole(1)]``, ``Annotated[str, Json(list_of(text))]``.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from types import NoneType
from typing import Any, Generic, NamedTuple, TypeVar, get_args

from ..text import readable
from .shapes import Shape, optional

R = TypeVar("R", bound=tuple[object, ...])
"""A row type: a `NamedTuple`."""


class Json(NamedTuple):
    """Marks a column that holds JSON, of a shape."""

    shape: Shape


class DamagedRow(ValueError):
    """A row is not what was written."""


class TableSchema(Generic[R]):
    """The rows of one kind, in the journal and in a file.

    Args:
        kind: What a line of a file calls such a row.
        name: Of the table.
        row: The type of its rows: all columns but the run's number and checksums.
        key: What tells the rows of one run from one another.
        free: Columns that two machines may fill otherwise for the same thing.
        later: Columns that lines of older programs lack; they are null there.

    Attributes:
        columns: In the order of the table.
        stored: Those that are read and written: with checksums, where there are some.
        json: The columns that hold JSON.
        shapes: What a line of a file may hold in each column.
        make: A row from its columns, in their order.
    """

    def __init__(
        self,
        kind: str,
        name: str,
        row: type[R],
        *,
        key: tuple[str, ...] = (),
        free: Iterable[str] = (),
        later: Iterable[str] = (),
    ) -> None:
        self.kind, self.name, self.key = kind, name, key
        self.free, self.later = frozenset(free), frozenset(later)
        self.make: Callable[[Iterable[object]], R] = row._make  # type: ignore[attr-defined] # of a NamedTuple
        self.shapes: dict[str, Shape] = {}
        self._types: dict[str, tuple[type, ...]] = {}
        json_columns = set()
        for column, annotation in row.__annotations__.items():
            held, mark = get_args(annotation)
            types = get_args(held) or (held,)
            if isinstance(mark, Json):
                json_columns.add(column)
                mark = mark.shape
            self.shapes[column] = optional(mark) if NoneType in types else mark
            self._types[column] = (*types, int) if float in types else types
        self.json = frozenset(json_columns)
        self.columns = self.stored = tuple(self.shapes)
        self._wrong_types, self._wrong_json = cache(self._find_type), lru_cache(256)(self._find)

    def adding(self, verb: str = "INSERT OR REPLACE") -> str:
        """The SQL that adds a row to a run."""
        marks = ", ".join("?" * (1 + len(self.stored)))
        return f"{verb} INTO {self.name} (run, {quoted(self.stored)}) VALUES ({marks})"

    def values(self, prefix: str) -> str:
        """The SQL that gives a row as it is `stored` from its columns elsewhere."""
        return quoted(self.columns, prefix)

    def opened(self, row: Sequence[object]) -> R:
        """A row from its columns as they are `stored`."""
        return self.make(row)

    def wrong_type(self, columns: Iterable[str], row: Sequence[object]) -> str | None:
        """What is wrong with the types of some columns and of the JSON in them, if anything."""
        columns = tuple(columns)
        if message := self._wrong_types(columns, tuple(map(type, row))):
            return message
        for column, value in zip(columns, row, strict=True):
            held = column in self.json and value is not None
            if held and (message := self._wrong_json(column, value)):
                return f'"{column}" {message}'
        return None

    def _find_type(self, columns: Sequence[str], types: Sequence[type]) -> str | None:
        for column, found in zip(columns, types, strict=True):
            if not issubclass(found, self._types[column]):
                return f'"{column}" is {found.__name__}'
        return None

    def _find(self, column: str, text: str) -> str | None:
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
