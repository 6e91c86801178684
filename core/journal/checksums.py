"""A checksum in each row of replies, grades and comparisons, so that damage in it is seen.

SQLite finds pages that do not fit together, and not a bit that is turned over in a text. A
row that was written before there were checksums has none: its types are looked at instead.
"""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache, partial
from types import NoneType
from typing import Any, NoReturn
from zlib import crc32

from .kinds import KINDS

CRC, DETAIL_CRC = "crc", "detail_crc"
_WHOLE = {"n", "ordinal", "demo", "iteration", "occurrence", "attempts", "input_tokens"}
_WHOLE |= {"cached_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens"}
_WHOLE |= {"batch", "rank", "len_a", "len_b"}
_NUMBERS = {"elapsed_s", "latency_s", "cost_usd"}


class DamagedRow(ValueError):
    """A row is not what was written."""


class Checked:
    """The rows of one table that have a checksum.

    It covers each column that is not NULL with its name, so a column that a later migration
    adds changes no checksum that is there. A grade's detail, which may be long and is seldom
    wanted, has one of its own, which stands in its place in that of the row.

    Attributes:
        columns: As `kinds` has them, without the run's number and the checksums.
        stored: With the checksums after them.
        short: What is enough to check all but the detail.
    """

    def __init__(self, name: str) -> None:
        kind = KINDS[name]
        self.name, self.table = name, kind.table
        self.columns = tuple(kind.columns)
        self._detail = self.columns.index("detail") if "detail" in self.columns else None
        self.stored = (*self.columns, *([] if self._detail is None else [DETAIL_CRC]), CRC)
        self.short = tuple(DETAIL_CRC if c == "detail" else c for c in (*self.columns, CRC))
        self._starts = [f"\x1e{column}\x1f" for column in self.columns]
        self._item = self.columns.index("item_id")
        self._iteration = self.columns.index("iteration")

    def sealed(self, row: Sequence[Any]) -> tuple[Any, ...]:
        """The columns of a row and its checksums, as they are stored.

        Raises:
            ValueError: It holds what no column of ours does.
            UnicodeEncodeError: A text holds half of a character.
        """
        if self._detail is None:
            return (*row, self._sum(row))
        short = self._shortened(row)
        return (*row, short[self._detail], self._sum(short))

    def opened(self, row: Sequence[Any]) -> Sequence[Any]:
        """The columns of a row that was read as it is `stored`.

        Raises:
            DamagedRow: They are not those that were written.
        """
        if self._detail is None:
            return self._checked(row)
        *columns, detail_crc, crc = row
        short = [*columns, crc]
        short[self._detail] = detail_crc
        self._checked(short)
        if crc is not None and _crc(columns[self._detail]) != detail_crc:
            self._damaged(row, "its detail does not fit its checksum")
        if crc is None and (wrong := wrong_type(self.name, self.columns, columns)):
            self._damaged(row, wrong)
        return columns

    def opened_short(self, row: Sequence[Any]) -> Sequence[Any]:
        """The columns of a row that was read as `short`, with a number in place of the detail.

        Raises:
            DamagedRow: They are not those that were written.
        """
        return self._checked(row)

    def _shortened(self, row: Sequence[Any]) -> list[Any]:
        short = list(row)
        if self._detail is not None:
            short[self._detail] = _crc(short[self._detail])
        return short

    def _checked(self, row: Sequence[Any]) -> Sequence[Any]:
        row, crc = row[:-1], row[-1]
        if crc is not None:
            wrong = None if self._sum_or_none(row) == crc else "does not fit its checksum"
        else:
            wrong = wrong_type(self.name, self.columns, row, skipping=self._detail)
        if wrong:
            self._damaged(row, wrong)
        return row

    def _damaged(self, row: Sequence[Any], wrong: str) -> NoReturn:
        place = f"item {row[self._item]!r:.60}, iteration {row[self._iteration]!r:.20}"
        raise DamagedRow(f"a {self.name} of {place}: {wrong}")

    def _sum(self, row: Sequence[Any]) -> int:
        """The same for what is written and for what SQLite makes of it."""
        parts: list[str] = []
        for start, value in zip(self._starts, row, strict=True):
            if isinstance(value, str):
                parts += (start, value)
            elif value is not None and value == value:  # SQLite takes NaN for NULL
                parts += (start, _digits(value))
        return crc32("".join(parts).encode())

    def _sum_or_none(self, row: Sequence[Any]) -> int | None:
        try:
            return self._sum(row)
        except ValueError:
            return None

    def add_functions(self, database: sqlite3.Connection) -> None:
        """Let SQL make the checksums of rows, as `sums` writes it."""
        for n, name in enumerate(self.stored[len(self.columns) :], len(self.columns)):
            function = partial(self._column, n)
            database.create_function(f"{self.table}_{name}", -1, function)

    def sums(self, columns: str) -> str:
        """The SQL that gives the checksums of a row from its columns."""
        names = self.stored[len(self.columns) :]
        return ", ".join(f"{self.table}_{name}({columns})" for name in names)

    def _column(self, n: int, *row: Any) -> Any:
        return self.sealed(row)[n]


def _crc(text: Any) -> int | None:
    return crc32(text.encode()) if isinstance(text, str) else None


def _digits(value: Any) -> str:
    """A number as text, alike for what SQLite takes for the same."""
    if isinstance(value, int) and abs(value) < 2**53:
        return str(int(value))
    value = float(value) if isinstance(value, int) else value
    if not isinstance(value, float):
        raise ValueError(f"{type(value).__name__} is nothing that is stored")
    return str(int(value)) if value.is_integer() else repr(value)


def wrong_type(
    name: str, columns: Sequence[str], row: Sequence[Any], *, skipping: int | None = None
) -> str | None:
    """What is wrong with the types of a row and of the JSON in it, if anything.

    Args:
        name: Of its kind.
        columns: Those that are there.
        row: Their values.
        skipping: The place of one that is not looked at.
    """
    if skipping is not None:
        columns = (*columns[:skipping], *columns[skipping + 1 :])
        row = (*row[:skipping], *row[skipping + 1 :])
    types = tuple(map(type, row))
    if message := _wrong_types(name, tuple(columns), types):
        return message
    kind = KINDS[name]
    for column, value in zip(columns, row, strict=True):
        if (
            column in kind.json
            and value is not None
            and (message := _wrong_json(name, column, value))
        ):
            return f'"{column}" {message}'
    return None


@cache
def _wrong_types(name: str, columns: Sequence[str], types: Sequence[type]) -> str | None:
    for column, found in zip(columns, types, strict=True):
        is_right = (
            KINDS[name].columns[column](None) is None
            if found is NoneType
            else (issubclass(found, _type_of(column)))
        )
        if not is_right:
            return f'"{column}" is {found.__name__}'
    return None


def _type_of(column: str) -> type | tuple[type, ...]:
    if column in _NUMBERS:
        return (int, float)
    return int if column in _WHOLE else str


@lru_cache(maxsize=256)  # flags and graders are much alike
def _wrong_json(name: str, column: str, text: str) -> str | None:
    try:
        return KINDS[name].columns[column](json.loads(text))
    except (ValueError, RecursionError) as error:
        return f"is not JSON: {error}"


CALLS, GRADES, COMPARISONS = (Checked(name) for name in ("call", "grade", "comparison"))
CHECKED: Mapping[str, Checked] = {checked.name: checked for checked in (CALLS, GRADES, COMPARISONS)}
