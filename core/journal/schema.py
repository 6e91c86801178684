"""The journal's tables, and what brings a file to them.

`CREATE` makes a new file as it is today; a file's `user_version` is 1 for the tables of version
1.0, and one more for each of `MIGRATIONS` since. To change the schema, change the row and add a
migration that makes the same of an older file; never change one that has been released.
"""

import sqlite3
from collections.abc import Iterator, Mapping

from ..errors import JournalError
from .records import (
    AskedParties,
    CallRow,
    DocumentOrNone,
    Failure,
    GradeRow,
    PartyAsking,
    PersonLabel,
    RunRecord,
    StoredComparison,
    Time,
    ViewRow,
)
from .tables import Checked, TableSchema

APPLICATION_ID = 0x65694A31  # "eiJ1": tells our files from any other SQLite file
UNRELEASED_ID = 0x65694231
"""The application id of journals made before version 1.0 of the file, which are not read."""

_SAMPLE = ("item_id", "iteration")
RUNS = TableSchema("run", "runs", RunRecord, document=DocumentOrNone)
CALLS = Checked(
    "call",
    "calls",
    CallRow,
    key=(*_SAMPLE, "phase", "digest", "occurrence"),
    free=("latency_s", "at", "address", "provider"),
    later=("provider",),
    is_numbered=True,
)
GRADES = Checked("grade", "grades", GradeRow, key=("grader", *_SAMPLE), free=("at",))
COMPARISONS = Checked(
    "comparison",
    "comparisons",
    StoredComparison,
    key=("pool", *_SAMPLE, "run_b", "first"),
    free=("at", "batch", "stage", "rank", "grader"),
    at=Time,
)
FAILURES = TableSchema("failure", "failures", Failure, key=_SAMPLE, at=Time)
PARTIES = TableSchema(
    "party",
    "parties",
    AskedParties,
    key=("role", "party"),
    free=("endpoint", "entry"),
    is_numbered=True,
)
ASKINGS = TableSchema("asking", "askings", PartyAsking, key=("phase", "party", "otherwise"))
VIEWS = TableSchema("view", "views", ViewRow, key=("name",), free=("document", "at"))
LABELS = Checked(
    "label",
    "labels",
    PersonLabel,
    key=("label_set", "entry", "person"),
    free=("at",),
    at=Time,
)

TABLES: Mapping[str, TableSchema] = {
    table.kind: table
    for table in (RUNS, CALLS, GRADES, COMPARISONS, FAILURES, PARTIES, ASKINGS, VIEWS, LABELS)
}
"""By what a line of a file calls their rows, in the order of the lines."""
CHECKED = (CALLS, GRADES, COMPARISONS, LABELS)


_BATCHES = """
    CREATE TABLE batches (  -- sent or about to be, until all that came of it is in calls
        attempt TEXT PRIMARY KEY,
        run INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
        party TEXT NOT NULL,  -- who is asked
        keys TEXT NOT NULL,  -- custom_ids, parted by blanks
        id TEXT,  -- the provider's; null until it is known
        at TEXT NOT NULL
    );
"""
_INDEXES = """
    CREATE INDEX calls_of_trials ON calls (digest) WHERE phase = 'trial';  -- few of very many
    CREATE INDEX comparisons_by_run_a ON comparisons (run_a);
    CREATE INDEX comparisons_by_run_b ON comparisons (run_b);
"""
ODD_OPENING = "substr(ltrim(text, char(9, 10, 13, 32)), 1, 1) IN ('<', '[', '◁')"
"""Of replies that begin as marks of thinking do; an index has them, as all texts are long."""
_OPENINGS = f"""
    CREATE INDEX calls_with_odd_openings ON calls (run) WHERE {ODD_OPENING};
"""


def _forgetting(table: str, number: str) -> str:
    """Triggers that delete what was computed from a run when a row about it changes."""
    changed = {"INSERT": ["NEW"], "DELETE": ["OLD"], "UPDATE": ["OLD", "NEW"]}
    return "".join(
        f"CREATE TRIGGER {table}_{change} AFTER {change} ON {table} BEGIN\n"
        + "".join(f"DELETE FROM board_cache WHERE run = {row}.{number};\n" for row in rows)
        + "END;\n"
        for change, rows in changed.items()
    )


CREATE = (
    "".join(table.creating() for table in TABLES.values())
    + """
    CREATE UNIQUE INDEX runs_by_id ON runs (run_id);
    CREATE INDEX runs_by_identity ON runs (identity, ordinal);
    CREATE INDEX comparisons_by_pool ON comparisons (pool);
    CREATE TABLE board_cache (  -- results of boards; a row may go at any time
        run INTEGER PRIMARY KEY REFERENCES runs (n) ON DELETE CASCADE,
        key TEXT NOT NULL,  -- digest of all that it depends on beside the run's rows
        result TEXT NOT NULL,  -- JSON
        crc INTEGER NOT NULL  -- CRC-32 of key and result
    );
    """
    + _BATCHES
    + _INDEXES
    + _OPENINGS
    + _forgetting("runs", "n")
    + "".join(_forgetting(table, "run") for table in ("calls", "grades", "failures", "askings"))
)
MIGRATIONS: tuple[str, ...] = (
    LABELS.creating(),
    _BATCHES,
    _INDEXES,
    ASKINGS.creating() + _forgetting("askings", "run"),
    f"ALTER TABLE calls ADD COLUMN provider TEXT;{_OPENINGS}",
)
"""Scripts that bring a file from one version of the schema to the next, in their order."""


def newest() -> int:
    """The version of the schema that this program reads and writes."""
    return 1 + len(MIGRATIONS)


def migrate(connection: sqlite3.Connection, path: object) -> None:
    """Bring an open file to the newest schema, one transaction a step.

    Raises:
        JournalError: A newer program wrote the file.
    """
    refuse_newer(connection, path)
    while (done := version_of(connection)) < newest():
        script, reached = (MIGRATIONS[done - 1], done + 1) if done else (CREATE, newest())
        _take_step(connection, done, script, reached)


def refuse_newer(connection: sqlite3.Connection, path: object) -> None:
    """Check, without writing, that this program knows the file's schema.

    Raises:
        JournalError: A newer program wrote the file.
    """
    if (version := version_of(connection)) > newest():
        raise JournalError(
            f"{path} was written by a newer eibench (schema {version}, this one knows "
            f"{newest()}); upgrade eibench, or use another --runs-dir"
        )


def version_of(connection: sqlite3.Connection) -> int:
    """How many steps an open file has been through."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def _take_step(connection: sqlite3.Connection, done: int, script: str, reached: int) -> None:
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        if version_of(connection) != done:
            return  # another process has just taken it
        for statement in _statements(script):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {reached}")


def _statements(script: str) -> Iterator[str]:
    """A script's statements; `executescript` would commit each on its own."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
