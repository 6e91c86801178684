"""The rows of a declared benchmark's files, and the items that they become."""

from collections.abc import Callable, Iterator
from math import inf
from pathlib import Path
from typing import NamedTuple

from eibench import DataError, Item, Options, PackSource, read_csv_rows, read_json, read_jsonl

from .fields import MISSING, Fields, names_with_places, special_names
from .reading import Declaration
from .schema import near
from .templates import Values, shown

MOST_ROWS, MOST_BYTES = 100_000, 2**24
"""Of a file: each row is a call to a model or more."""
FEWER = "each row is at least one call to a model, so write those that are to be asked to a file"


class DataRow(NamedTuple):
    """A row, and where it is."""

    path: Path
    where: str
    columns: Values

    def refuse(self, message: str) -> DataError:
        """The error that something about it is wrong."""
        return DataError(self.path, message, self.where)


_SHEETS = (".xlsx", ".xls", ".ods", ".numbers")


def read_rows_of(path: Path) -> Iterator[DataRow]:
    """The rows of a JSON-lines, JSON, CSV or TSV file, by the name's ending.

    Raises:
        DataError: It is larger than can be meant, or broken; the message names the line.
    """
    if path.is_file() and path.stat().st_size > MOST_BYTES:
        raise DataError(path, f"has more than {MOST_BYTES:,} bytes; {FEWER}")
    count = 0
    for where, columns in _read(path):
        if count == MOST_ROWS:
            raise DataError(path, f"has more than {MOST_ROWS:,} rows; {FEWER}", where)
        if not isinstance(columns, dict):
            raise DataError(path, f"must be an object, not {columns!r:.40}", where)
        yield DataRow(path, where, columns)
        count += 1
    if not count:
        raise DataError(path, "holds no rows; write one for each item")


def _read(path: Path) -> Iterator[tuple[str, object]]:
    ending = path.suffix.lower()
    if ending in _SHEETS:
        raise DataError(path, "is a spreadsheet; save it as .csv, in UTF-8")
    if ending == ".json":
        whole = read_json(path)
        if not isinstance(whole, list):
            raise DataError(path, "must be a list of objects")
        yield from ((f"row {n}", row) for n, row in enumerate(whole, start=1))
    elif ending in (".csv", ".tsv"):
        yield from ((f"line {n}", row) for n, row in read_csv_rows(path))
    else:
        yield from ((f"line {n}", row) for n, row in read_jsonl(path))


def items_of(
    declaration: Declaration,
    source: PackSource,
    options: Options,
    check: Callable[[DataRow, Fields], object],
) -> list[Item[Values]]:
    """The items that the rows of a pack become, in their order.

    Args:
        declaration: Says which rows, and what they are called.
        source: Has the files.
        options: Of the run.
        check: Refuses a row that cannot be asked or graded.

    Raises:
        DataError: A row has no id, or that of another; or a template names what no row has.
    """
    by_file = {name: list(read_rows_of(path)) for name, path in source.files.items()}
    every = (row for rows in by_file.values() for row in rows)
    _refuse_unknown(declaration, {name for row in every for name in row.columns})
    items: dict[str, Item[Values]] = {}
    taken = _taken(declaration, source, options)
    for row in (row for name in taken for row in by_file[name]):
        fields = Fields(declaration, row.columns, options, f"{row.path}, {row.where}")
        if not _is_wanted(declaration, fields):
            continue
        item = _item(declaration, row, fields)
        if item.id in items:
            to_do = "give one row another, or [data] an id of several columns"
            raise row.refuse(f"the id {item.id!r} stands twice; {to_do}")
        check(row, fields)
        items[item.id] = item
    if not items:
        raise declaration.refuse(("data", "where"), "no row has these values")
    return list(items.values())


def _refuse_unknown(declaration: Declaration, columns: set[str]) -> None:
    """Refuse a name in a template that is no column, option or text."""
    values = declaration.values
    for name, where in names_with_places(values):
        known = {*columns, *values["options"], *values["texts"], *special_names(values, where)}
        if name not in known:
            declaration.report(
                where, f"{name!r} is no column of the rows{near(name, sorted(known))}"
            )
    declaration.raise_wrong()


def _taken(declaration: Declaration, source: PackSource, options: Options) -> list[str]:
    """The names of the files that these options mean; of a pack of other files, all."""
    take, names = declaration.values["data"]["take"], list(source.files)
    name = Fields(declaration, {}, options).fill(take) if take is not None else ""
    if take is not None and name not in names and source.name != "custom":
        raise declaration.refuse(("data", "take"), f"{name!r} is no file{near(name, names)}")
    return [name] if name in names else names


def _is_wanted(declaration: Declaration, fields: Fields) -> bool:
    where = declaration.values["data"]["where"]
    return all(
        fields.column(column) in [fields.fill(value) for value in values]
        for column, values in where.items()
    )


def _item(declaration: Declaration, row: DataRow, fields: Fields) -> Item[Values]:
    data = declaration.values["data"]
    if data["id"] is None and row.columns.get("id") in MISSING:
        raise row.refuse('has no "id"; give [data] an id, such as id = "{number}"')
    name = fields.fill(data["id"]) if data["id"] else shown(row.columns["id"])
    family = fields.fill(data["family"]) if data["family"] else ""
    tags = {}
    for tag, columns in data["tags"].items():
        if value := next(filter(None, map(fields.column, columns)), None):
            tags[tag] = value
    for tag in filter(None, (declaration.values["report"]["macro"], data["limit_over"])):
        if tag not in tags:
            raise row.refuse(f"has no tag {tag!r}, which each row needs")
    return Item(name, row.columns, family, tags, _weight(row, data["weight"]))


def _weight(row: DataRow, column: str | None) -> float:
    """What a row counts in means."""
    try:
        weight = float(row.columns[column]) if column else 1.0
    except (KeyError, TypeError, ValueError):
        weight = 0.0
    if not 0 < weight < inf:
        shown_weight = row.columns.get(column or "")
        raise row.refuse(f"{column!r} must be a number above 0, not {shown_weight!r:.40}")
    return weight
