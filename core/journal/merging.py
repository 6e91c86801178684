"""Putting staged runs into a journal: what is new is added, what differs is refused.

The staging database has the journal attached as ``here``; whoever calls holds the runs'
locks and a transaction. docs/storage.md says what counts as the same, and why.
"""

import json
import sqlite3
from typing import NamedTuple

from ..types import Json, canonical
from .records import as_json
from .schema import ASKINGS, CALLS, COMPARISONS, FAILURES, GRADES, LABELS, PARTIES, RUNS, VIEWS
from .tables import TableSchema, field_of, quoted


class Conflict(Exception):
    """A line, by its number, says something else than the journal."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


class Imported(NamedTuple):
    """What became of one run of a file; `calls` to `labels` count the rows that were added."""

    run_id: str
    """Here; it may differ from the one in the file."""
    is_new: bool
    updated: bool
    """The run was there, and its status or result is now that of the file."""
    calls: int
    grades: int
    comparisons: int
    failures: int
    views: int = 0
    labels: int = 0

    @property
    def changed(self) -> bool:
        """Whether the journal holds anything that it did not hold before."""
        return self.is_new or self.updated or any(self[3:])


def run_here(database: sqlite3.Connection, run: sqlite3.Row) -> sqlite3.Row | None:
    """The journal's row of a staged run; a run is known by its identity and ordinal."""
    key = (run["identity"], run["ordinal"])
    rows = _rows(database, "SELECT * FROM here.runs WHERE identity = ? AND ordinal = ?", key)
    return next(iter(rows), None)


def staged_runs(database: sqlite3.Connection) -> list[sqlite3.Row]:
    """The runs of the file, each with its line, in their order."""
    return _rows(database, "SELECT * FROM main.runs ORDER BY line", ())


def merge(database: sqlite3.Connection, run: sqlite3.Row) -> Imported:
    """Add what the journal does not have of a staged run.

    Raises:
        Conflict: Something is there already and says something else.
    """
    here = run_here(database, run)
    updated = False
    if here is None:
        n, run_id = _add_run(database, run), run["run_id"]
    else:
        n, run_id = here["n"], here["run_id"]
        updated = _update_run(database, here, run)
    ids = _RunIds(n, run["run_id"])
    calls, grades = _merge_calls(database, ids), _merge_grades(database, ids)
    comparisons = _merge_comparisons(database, ids)
    failures = _merge_failures(database, ids)  # after the grades, which may take their place
    _merge_parties(database, ids)
    _add_rows(database, ASKINGS, ids)
    added = _merge_views(database, ids, run_id), _merge_labels(database, ids)
    return Imported(run_id, here is None, updated, calls, grades, comparisons, failures, *added)


def _rows(database: sqlite3.Connection, sql: str, values: tuple[Json, ...]) -> list[sqlite3.Row]:
    cursor = database.cursor()
    cursor.row_factory = sqlite3.Row
    return cursor.execute(sql, values).fetchall()


# The run's own row


_SAME = [
    *("benchmark", "benchmark_version", "model", "name", "demo"),
    *("pack_name", "pack_sha256", "endpoint"),
]
#: Settings that are outside a run's identity, so the two machines may differ in them.
_OWN_SETTINGS = frozenset({"all_options", "dataset", "declaration", "notes", "versions"})


def _add_run(database: sqlite3.Connection, run: sqlite3.Row) -> int:
    taken = "SELECT 1 FROM here.runs WHERE run_id = ?"
    if database.execute(taken, (run["run_id"],)).fetchone():
        raise Conflict(
            run["line"], f"run {run['run_id']} is another one here (its identity differs)"
        )
    if run["model"].startswith("demo/") and not run["demo"]:
        raise Conflict(run["line"], f"run {run['run_id']} is of a demo model and does not say so")
    marks, values = ", ".join("?" * len(RUNS.columns)), [run[c] for c in RUNS.columns]
    sql = f"INSERT INTO here.runs ({quoted(RUNS.columns)}) VALUES ({marks})"
    n = database.execute(sql, values).lastrowid
    assert n is not None
    return n


def _update_run(database: sqlite3.Connection, here: sqlite3.Row, run: sqlite3.Row) -> bool:
    """Take over the state of a run that came further elsewhere; whether anything changed."""
    document = _of_run(run["document"], here["run_id"])
    _refuse_another_run(here, run, document)
    state = {
        "created_at": min(here["created_at"], run["created_at"]),
        "elapsed_s": max(here["elapsed_s"], run["elapsed_s"]),
    }
    if _progress(run) > _progress(here):
        state |= {name: run[name] for name in ("status", "finished_at")}
        state["document"] = document or here["document"]
    state = {name: value for name, value in state.items() if value != here[name]}
    if state:
        sets = ", ".join(f"{name} = ?" for name in state)
        values = (*state.values(), here["n"])
        database.execute(f"UPDATE here.runs SET {sets} WHERE n = ?", values)
    return bool(state)


def _of_run(document: str | None, run_id: str) -> str | None:
    """A document with the id that its run has here."""
    if document is None or (value := json.loads(document))["run_id"] == run_id:
        return document
    return as_json({**value, "run_id": run_id})


def _progress(run: sqlite3.Row) -> tuple[str, bool, float]:
    """How far a run came: finished, and when; else whether it has a result, and its seconds."""
    return run["finished_at"] or "", run["document"] is not None, run["elapsed_s"]


def _refuse_another_run(here: sqlite3.Row, run: sqlite3.Row, document: str | None) -> None:
    differs = [name for name in _SAME if here[name] != run[name]]
    if _identifying(here) != _identifying(run):
        differs.append("settings")
    if run["finished_at"] and here["finished_at"] == run["finished_at"]:
        differs += ["status"] if here["status"] != run["status"] else []
        differs += ["document"] if _plain(here["document"]) != _plain(document) else []
    if differs:
        raise Conflict(run["line"], f"run {here['run_id']} differs in {', '.join(differs)}")


def _identifying(run: sqlite3.Row) -> str:
    settings = json.loads(run["settings"])
    return canonical({k: v for k, v in settings.items() if k not in _OWN_SETTINGS})


def _plain(document: str | None) -> str:
    return canonical(json.loads(document or "null"))


# The rows that belong to it


class _RunIds(NamedTuple):
    """What rows of one run are known by: its number in the journal, and its id in the file."""

    n: int
    run: str


def _joined(table: TableSchema) -> str:
    """The staged rows of a run, ``new``, each beside the journal's of the same key, ``old``.

    All columns of ``old`` are NULL where the journal has none.
    """
    keys = " AND ".join(f'old."{column}" = new."{column}"' for column in table.key)
    tables = f"main.{table.name} AS new LEFT JOIN here.{table.name} AS old"
    return f"{tables} ON old.run = :n AND {keys} WHERE new.run = :run"


def _refuse_others(
    database: sqlite3.Connection,
    table: TableSchema,
    ids: _RunIds,
    condition: str = "old.run IS NOT NULL",
) -> None:
    """Refuse the first line that differs from its row in the journal, where a condition holds."""
    columns = [c for c in table.columns if c not in table.key and c not in table.free]
    differing = [f'new."{column}" IS NOT old."{column}"' for column in columns]
    sql = f"SELECT new.line, new.item_id, {', '.join(differing)} FROM {_joined(table)}"
    sql += f" AND {condition} AND ({' OR '.join(differing)}) ORDER BY new.line LIMIT 1"
    if first := database.execute(sql, ids._asdict()).fetchone():
        line, item, *differs = first
        pairs = zip(columns, differs, strict=True)
        fields = ", ".join(field_of(column) for column, different in pairs if different)
        message = f"the {table.kind} of item {item!r:.60} that is here differs in {fields}"
        raise Conflict(line, message)


def _add_rows(
    database: sqlite3.Connection,
    table: TableSchema,
    ids: _RunIds,
    condition: str = "old.run IS NULL",
) -> int:
    """Add a run's lines where a condition holds, in the order of the file; how many."""
    sql = (
        f"INSERT OR REPLACE INTO here.{table.name} (run, {quoted(table.stored)})"
        f" SELECT :n, {table.values('new.')} FROM {_joined(table)}"
        f" AND {condition} ORDER BY new.line"
    )
    return database.execute(sql, ids._asdict()).rowcount


def _merge_calls(database: sqlite3.Connection, ids: _RunIds) -> int:
    """Add the calls that are not there; those that are must be the same; how many came."""
    _refuse_others(database, CALLS, ids)
    return _add_rows(database, CALLS, ids)


def _merge_grades(database: sqlite3.Connection, ids: _RunIds) -> int:
    """Add the grades that are not there; those that are must be the same; how many came."""
    _refuse_others(database, GRADES, ids)
    return _add_rows(database, GRADES, ids)


def _merge_comparisons(database: sqlite3.Connection, ids: _RunIds) -> int:
    """Add the comparisons that are not there, or are only planned there; how many came.

    Two that were made must be the same; where one of two is only planned, they never conflict.
    """
    both_made = "old.run IS NOT NULL AND old.status != 'planned' AND new.status != 'planned'"
    _refuse_others(database, COMPARISONS, ids, both_made)
    news = "(old.run IS NULL OR (old.status = 'planned' AND new.status != 'planned'))"
    return _add_rows(database, COMPARISONS, ids, news)


def _merge_labels(database: sqlite3.Connection, ids: _RunIds) -> int:
    """Add the labels that are not there; those that are must be the same; how many came."""
    _refuse_others(database, LABELS, ids)
    return _add_rows(database, LABELS, ids)


def _merge_failures(database: sqlite3.Connection, ids: _RunIds) -> int:
    """Keep each sample's latest failure, unless a later grade took its place; how many came.

    Two of the same time must be the same. The run's grades are to be there already.
    """
    _refuse_others(database, FAILURES, ids, "old.at = new.at")
    later_grade = (
        "EXISTS (SELECT 1 FROM here.grades AS g WHERE g.run = :n AND g.item_id = {0}.item_id"
        " AND g.iteration = {0}.iteration AND g.at > {0}.at)"
    )
    sql = f"DELETE FROM here.failures AS f WHERE f.run = :n AND {later_grade.format('f')}"
    database.execute(sql, {"n": ids.n})
    newer = f"(old.run IS NULL OR old.at < new.at) AND NOT {later_grade.format('new')}"
    return _add_rows(database, FAILURES, ids, newer)


def _merge_parties(database: sqlite3.Connection, ids: _RunIds) -> None:
    """Add who was asked; what is known here of a server stays, what is not is taken over."""
    columns = quoted(PARTIES.columns)
    sql = (
        f"INSERT INTO here.parties (run, {columns})"
        f" SELECT :n, {columns} FROM main.parties WHERE run = :run"
        " ORDER BY line ON CONFLICT (run, role, party) DO UPDATE SET"
        " addresses = iif(length(excluded.addresses) > length(parties.addresses),"
        " excluded.addresses, parties.addresses),"
        " entry = coalesce(parties.entry, excluded.entry)"
    )
    database.execute(sql, ids._asdict())


def _merge_views(database: sqlite3.Connection, ids: _RunIds, run_id: str) -> int:
    """Keep the later of two views of one name; how many came."""
    sql = f"SELECT new.name, new.document, new.at FROM {_joined(VIEWS)}"
    sql += " AND (old.run IS NULL OR old.at < new.at)"
    newer = database.execute(sql, ids._asdict()).fetchall()
    database.executemany(
        "INSERT OR REPLACE INTO here.views (run, name, document, at) VALUES (?, ?, ?, ?)",
        [(ids.n, name, _of_run(document, run_id), at) for name, document, at in newer],
    )
    return len(newer)
