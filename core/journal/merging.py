"""Putting staged runs into a journal: one is new, is older than what is here, or continues it.

The staging database, which has the tables of a journal, has the journal attached as ``here``;
whoever calls holds the runs' locks and a transaction. docs/storage.md says what continues what.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..types import canonical
from .schema import CALLS, COMPARISONS, GRADES, LABELS, RUNS, TABLES
from .tables import TableSchema, quoted


class Conflict(Exception):
    """A run of the file neither continues what is here nor is continued by it."""


class Imported(NamedTuple):
    """What became of one run of a file.

    Attributes:
        is_new: It was not here.
        changed: The journal holds what it did not hold before.
        added: How many rows came, by the kind of their lines.
    """

    run_id: str
    is_new: bool
    changed: bool
    added: Mapping[str, int]


_ROWS = tuple(table for table in TABLES.values() if table is not RUNS)
_SAME = [
    *("benchmark", "benchmark_version", "model", "name", "demo"),
    *("pack_name", "pack_sha256", "endpoint"),
]
_OWN_SETTINGS = frozenset({"all_options", "dataset", "declaration", "notes", "versions"})
"""Settings that are outside a run's identity, so the two machines may differ in them."""


def staged_runs(database: sqlite3.Connection) -> list[sqlite3.Row]:
    """The runs of the file in their order."""
    return _runs(database, "SELECT * FROM main.runs ORDER BY n", ())


def merge(database: sqlite3.Connection, run: sqlite3.Row) -> Imported:
    """Add a staged run, or what it has more than the journal.

    Raises:
        Conflict: The journal has another run of that id, or what the file has not.
    """
    sql = "SELECT * FROM here.runs WHERE run_id = ? OR (identity = ? AND ordinal = ?)"
    known = _runs(database, sql, (run["run_id"], run["identity"], run["ordinal"]))
    if not known:
        return _copied(database, run, _added(database, run), {})
    here = known[0]
    _refuse_another_run(here, run)
    if not _continues(database, here, run):
        return Imported(run["run_id"], False, False, {})
    before = _counts(database, here["n"])
    for table in _ROWS:
        database.execute(f"DELETE FROM here.{table.name} WHERE run = ?", (here["n"],))
    names = ("status", "finished_at", "elapsed_s", "document")
    sets = ", ".join(f"{name} = ?" for name in names)
    values = (*(run[name] for name in names), here["n"])
    database.execute(f"UPDATE here.runs SET {sets} WHERE n = ?", values)
    return _copied(database, run, here["n"], before)


def _runs(database: sqlite3.Connection, sql: str, values: tuple[object, ...]) -> list[sqlite3.Row]:
    cursor = database.cursor()
    cursor.row_factory = sqlite3.Row
    return cursor.execute(sql, values).fetchall()


def _added(database: sqlite3.Connection, run: sqlite3.Row) -> int:
    if run["model"].startswith("demo/") and not run["demo"]:
        raise Conflict(f"run {run['run_id']} is of a demo model and does not say so")
    marks, values = ", ".join("?" * len(RUNS.columns)), [run[c] for c in RUNS.columns]
    sql = f"INSERT INTO here.runs ({quoted(RUNS.columns)}) VALUES ({marks})"
    n = database.execute(sql, values).lastrowid
    assert n is not None
    return n


def _copied(
    database: sqlite3.Connection, run: sqlite3.Row, n: int, before: Mapping[str, int]
) -> Imported:
    """The rows of a staged run are those of the journal's run of a number, which has none."""
    for table in _ROWS:
        columns = quoted(table.stored)
        database.execute(
            f"INSERT INTO here.{table.name} (run, {columns})"
            f" SELECT ?, {columns} FROM main.{table.name} WHERE run = ? ORDER BY {table.order}",
            (n, run["n"]),
        )
    more = {kind: count - before.get(kind, 0) for kind, count in _counts(database, n).items()}
    return Imported(run["run_id"], not before, True, more)


def _counts(database: sqlite3.Connection, n: int) -> dict[str, int]:
    return {
        table.kind: database.execute(
            f"SELECT count(*) FROM here.{table.name} WHERE run = ?", (n,)
        ).fetchone()[0]
        for table in _ROWS
    }


def _refuse_another_run(here: sqlite3.Row, run: sqlite3.Row) -> None:
    names = ("run_id", "identity", "ordinal")
    if any(here[name] != run[name] for name in names):
        raise Conflict(f"run {run['run_id']} is another one here (its identity differs)")
    differs = [name for name in _SAME if here[name] != run[name]]
    if _identifying(here) != _identifying(run):
        differs.append("settings")
    if differs:
        raise Conflict(f"run {run['run_id']} differs in {', '.join(differs)}")


def _identifying(run: sqlite3.Row) -> str:
    settings = json.loads(run["settings"])
    return canonical({k: v for k, v in settings.items() if k not in _OWN_SETTINGS})


# What continues what


def _continues(database: sqlite3.Connection, here: sqlite3.Row, run: sqlite3.Row) -> bool:
    """Whether a staged run has all that is here, and more, or is of longer work.

    Replies and what people gave never change, and comparisons that were made stay. Grades follow
    from replies, and may be made anew.
    """
    ours, theirs = ("here", here["n"]), ("main", run["n"])
    lacking, more = (
        _first_beyond(database, *pair, (CALLS, LABELS), (COMPARISONS,))
        for pair in ((ours, theirs), (theirs, ours))
    )
    if lacking and more:
        raise Conflict(
            f"run {run['run_id']} went on in two places (only here: {lacking}; only in the file: "
            f"{more}), and halves are not put together"
        )
    if lacking or more or here["elapsed_s"] != run["elapsed_s"]:
        return not lacking and bool(more or run["elapsed_s"] > here["elapsed_s"])
    ungraded, other = (
        _first_beyond(database, *pair, (GRADES, COMPARISONS))
        for pair in ((theirs, ours), (ours, theirs))
    )
    if ungraded and other:
        raise Conflict(f"run {run['run_id']} is here with another {other}")
    return bool(ungraded)


def _first_beyond(
    database: sqlite3.Connection,
    one: tuple[str, int],
    other: tuple[str, int],
    whole: Iterable[TableSchema],
    by_key: Iterable[TableSchema] = (),
) -> str | None:
    """What of a run in one database the other does not have, in words; planned comparisons aside.

    Rows of tables that are `whole` are compared in all columns that are not free.
    """
    columns = {table: [c for c in table.columns if c not in table.free] for table in whole}
    columns |= {table: list(table.key) for table in by_key}
    for table, names in columns.items():
        first = dict.fromkeys(("item_id", "iteration", *names))
        done = " AND status != 'planned'" if table is COMPARISONS else ""
        selects = [
            f"SELECT {quoted(first)} FROM {name}.{table.name} WHERE run = {int(n)}{done}"
            for name, n in (one, other)
        ]
        if row := database.execute(f"{' EXCEPT '.join(selects)} LIMIT 1").fetchone():
            return f"{table.kind} of item {row[0]!r:.60}, iteration {row[1]}"
    return None
