"""The tidy tables of runs as files: one for each table (docs/storage.md)."""

import csv
import importlib
import io
from collections.abc import Callable, Iterator, Sequence
from typing import Any, get_type_hints

from eibench import ConfigError, ExportFile, ExportRequest, TidyTables
from eibench.text import csv_cell

TableRow = Any
ROWS = {name: hint.__args__[0] for name, hint in get_type_hints(TidyTables).items()}
"""The class of each table's rows, a named tuple."""


def csv_files(request: ExportRequest) -> Iterator[ExportFile]:
    """One CSV file for each table."""
    for name, row, rows in _tables(request):
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow(row._fields)
        writer.writerows([csv_cell(v) if isinstance(v, str) else v for v in row] for row in rows)
        yield ExportFile(f"{name}.csv", text.getvalue())


def parquet_files(request: ExportRequest) -> Iterator[ExportFile]:
    """One Parquet file for each table.

    Raises:
        ConfigError: pyarrow is not installed.
    """
    packed = _parquet_writer()
    for name, row, rows in _tables(request):
        yield ExportFile(f"{name}.parquet", packed(row, rows))


def _tables(request: ExportRequest) -> Iterator[tuple[str, TableRow, Sequence[Any]]]:
    """Each table by name, with the class of its rows."""
    tables = TidyTables.of(request.runs)
    for name, row in ROWS.items():
        yield name, row, getattr(tables, name)


def _parquet_writer() -> Callable[[TableRow, Sequence[Any]], bytes]:
    try:
        arrow = importlib.import_module("pyarrow")
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError:
        message = "--format parquet needs pyarrow; pip install 'eibench[parquet]' has it"
        raise ConfigError(message) from None
    kinds = {str: arrow.string(), int: arrow.int64(), float: arrow.float64(), bool: arrow.bool_()}

    def packed(row: TableRow, rows: Sequence[object]) -> bytes:
        types = get_type_hints(row)
        schema = arrow.schema([(name, kinds[_plain(types[name])]) for name in row._fields])
        columns = zip(*rows, strict=True) if rows else [[] for _ in row._fields]
        arrays = [arrow.array(list(c), f.type) for c, f in zip(columns, schema, strict=True)]
        out = io.BytesIO()
        parquet.write_table(arrow.Table.from_arrays(arrays, schema=schema), out)
        return out.getvalue()

    return packed


def _plain(hint: object) -> Any:
    """A column's type without None."""
    return next((one for one in getattr(hint, "__args__", ()) if one is not type(None)), hint)
