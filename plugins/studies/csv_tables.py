"""Tables of scores as CSV: models in rows, benchmarks or metrics in columns.

Reading is strict: the first row names the columns, the first column names the models, every row
has as many cells as the first, and a cell is a number, true or false, which are 1 and 0, or one
of a few ways to say that there is none.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from eibench import DataError, read_csv
from eibench.text import csv_cell, plural

ABSENT = frozenset({"", "-", "–", "—", "na", "n/a", "nan", "null", "none"})
"""What a cell without a number may say, in any case."""
_TRUTH = {"true": 1.0, "false": 0.0}
MOST = 1e100
"""Numbers from here on are no scores, and their squares would overflow."""
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)


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
    """A file of scores; `columns` names all but the first."""

    path: Path
    columns: tuple[str, ...]
    rows: tuple[CsvRow, ...]

    def models(self) -> tuple[str, ...]:
        """The model of each row; `DataError` where one has two."""
        lines: dict[str, int] = {}
        for row in self.rows:
            if row.model in lines:
                message = f"{row.model!r} stands on line {lines[row.model]} already"
                raise DataError(self.path, f"{message}; a model has one row", f"line {row.line}")
            lines[row.model] = row.line
        return tuple(lines)

    def numeric(self, required: Sequence[str]) -> tuple[dict[str, list[float | None]], list[str]]:
        """The columns of numbers by name, and why others are left out.

        Raises:
            DataError: A required column holds what is no number; the message names its line.
        """
        columns, left_out = {}, []
        for n, name in enumerate(self.columns, start=1):
            try:
                columns[name] = [self._number(name, row, row.cells[n]) for row in self.rows]
            except DataError as error:
                if name in required:
                    raise
                left_out.append(f"column {name!r}: {error}")
        return columns, left_out

    def _number(self, column: str, row: CsvRow, cell: str) -> float | None:
        if cell.lower() in ABSENT:
            return None
        if cell.lower() in _TRUTH:
            return _TRUTH[cell.lower()]
        if _NUMBER.fullmatch(cell) and abs(value := float(cell)) < MOST:
            return value
        message = f"{cell[:40]!r} in column {column!r} is no number"
        hint = "; leave the cell empty where there is none"
        raise DataError(self.path, message + hint, f"line {row.line}")


def read_table(path: Path) -> CsvTable:
    """A file of scores.

    Raises:
        DataError: It is missing or no such table; the message names the line.
    """
    (first, header), *rest = _records(path)
    _check_header(path, f"line {first}", header)
    for row in rest:
        if len(row.cells) != len(header):
            message = f"has {plural(len(row.cells), 'cell')} where the heading has {len(header)}"
            raise DataError(path, message, f"line {row.line}")
        if not row.model:
            message = "the first cell, which names the model, is empty"
            raise DataError(path, message, f"line {row.line}")
    return CsvTable(path, header[1:], tuple(rest))


def _plain(cell: str) -> str:
    """A cell without blanks around it, and without an apostrophe that makes it no formula."""
    cell = cell.strip()
    return cell[1:] if csv_cell(cell[1:]) == cell else cell


def _records(path: Path) -> list[CsvRow]:
    """All rows that hold anything, the heading first.

    Raises:
        DataError: There is none, or a quotation is broken.
    """
    stripped = ((line, tuple(map(_plain, cells))) for line, cells in read_csv(path))
    rows = [CsvRow(line, cells) for line, cells in stripped if any(cells)]
    if not rows:
        raise DataError(path, "is empty; the first line must name the columns")
    return rows


def _check_header(path: Path, line: str, header: Sequence[str]) -> None:
    if len(header) < 2:
        message = f"names one column, {header[0][:40]!r}; cells are divided by commas"
        raise DataError(path, message, line)
    if not all(header[1:]):  # the first is of the models, which a data frame's index has unnamed
        raise DataError(path, f"column {header.index('', 1) + 1} has no name", line)
    if twice := next((name for name in header if header.count(name) > 1), None):
        raise DataError(path, f"two columns are named {twice!r}", line)
