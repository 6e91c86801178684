"""Tables of scores as CSV: models in rows, benchmarks or metrics in columns.

Reading is strict: the first row names the columns, the first column names the models, every row
has as many cells as the first, and a cell is a number or one of a few ways to say that there
is none. Writing makes no cell that a spreadsheet would take for a formula.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ..errors import DataError
from ..journal.archives import write_lines
from ..reading.formats import read_text
from ..text import line, plural

ABSENT = frozenset({"", "-", "–", "—", "na", "n/a", "nan", "null", "none"})
"""What a cell without a number may say, in any case."""
MOST = 1e100
"""Numbers from here on are no scores, and their squares would overflow."""
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
# What spreadsheets begin a formula with, in the wide forms of East Asian keyboards too.
_FORMULA = re.compile(r"[=+\-@＝＋－＠]")


class CsvRow(NamedTuple):
    """One row below the heading.

    Attributes:
        line: Its number in the file; of several, the last.
        cells: As many as the file has columns.
    """

    line: int
    cells: tuple[str, ...]

    @property
    def model(self) -> str:
        """The first cell."""
        return self.cells[0]


@dataclass(frozen=True, slots=True)
class CsvTable:
    """A file of scores.

    Attributes:
        columns: Names of all columns but the first.
        rows: In the order of the file.
    """

    path: Path
    columns: tuple[str, ...]
    rows: tuple[CsvRow, ...]

    def numbers(self, column: str) -> list[float | None]:
        """A column's numbers in the order of the rows, None where there is none.

        Raises:
            DataError: A cell is no number; the message names its line.
        """
        place = self.columns.index(column) + 1
        return [self._number(column, row, row.cells[place]) for row in self.rows]

    def numeric(self, wanted: Sequence[str]) -> "tuple[dict[str, list[float | None]], list[str]]":
        """The columns of numbers by name, and why the others are left out.

        Args:
            wanted: Columns that have to be numbers.

        Raises:
            DataError: A wanted column holds what is no number.
        """
        columns, left_out = {}, []
        for name in self.columns:
            try:
                columns[name] = self.numbers(name)
            except DataError as error:
                if name in wanted:
                    raise
                left_out.append(f"column {name!r}: {error}")
        return columns, left_out

    def _number(self, column: str, row: CsvRow, cell: str) -> float | None:
        if cell.lower() in ABSENT:
            return None
        if _NUMBER.fullmatch(cell) and abs(value := float(cell)) < MOST:
            return value
        message = f"{cell[:40]!r} in column {column!r} is no number"
        hint = "; leave the cell empty where there is none"
        raise DataError(self.path, message + hint, f"line {row.line}")


def read_csv(path: Path) -> CsvTable:
    """A file of scores.

    Raises:
        DataError: It is missing or no such table; the message names the line.
    """
    (first, header), *rest = _records(path)
    _check_header(path, first, header)
    for row in rest:
        if len(row.cells) != len(header):
            message = f"has {plural(len(row.cells), 'cell')} where the heading has {len(header)}"
            raise DataError(path, message, f"line {row.line}")
        if not row.model:
            raise DataError(path, "the first cell, which names the model, is empty", _place(row))
    return CsvTable(path, header[1:], tuple(rest))


def _place(row: CsvRow) -> str:
    return f"line {row.line}"


def _records(path: Path) -> list[CsvRow]:
    """All rows that hold anything, the heading first.

    Raises:
        DataError: There is none, or a quotation is broken.
    """
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    rows: list[CsvRow] = []
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append(CsvRow(reader.line_num, tuple(cell.strip() for cell in cells)))
    except csv.Error as error:
        raise DataError(path, f"not CSV: {error}", f"line {reader.line_num}") from None
    if not rows:
        raise DataError(path, "is empty; the first line must name the columns")
    return rows


def _check_header(path: Path, number: int, header: Sequence[str]) -> None:
    place = f"line {number}"
    if len(header) < 2:
        message = f"names one column, {header[0][:40]!r}; cells are divided by commas"
        raise DataError(path, message, place)
    if not all(header):
        raise DataError(path, f"column {header.index('') + 1} has no name", place)
    if twice := next((name for name in header if header.count(name) > 1), None):
        raise DataError(path, f"two columns are named {twice!r}", place)


def write_csv(path: Path, rows: Iterable[Sequence[str | float | None]]) -> None:
    """Put rows into a file, whole or not at all; a cell that is None is empty.

    A text that a spreadsheet would take for a formula gets an apostrophe before it, and
    control characters are shown instead of obeyed. Numbers stay numbers.

    Raises:
        DataError: It cannot be written.
    """
    write_lines(path, _lines(rows))


def csv_text(rows: Iterable[Sequence[str | float | None]]) -> str:
    """Rows as a text, its cells as `write_csv` makes them."""
    return b"".join(_lines(rows)).decode()


def _lines(rows: Iterable[Sequence[str | float | None]]) -> Iterator[bytes]:
    for row in rows:
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="\n").writerow([_cell(value) for value in row])
        yield text.getvalue().encode()


def _cell(value: str | float | None) -> str:
    if isinstance(value, str):
        shown = line(value)
        return f"'{shown}" if _FORMULA.match(shown) else shown
    return "" if value is None else repr(value).removesuffix(".0")
