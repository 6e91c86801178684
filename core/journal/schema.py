"""The journal's tables, and what makes a file of them.

`CREATE` makes a new file; a file's `user_version` is the `FORM` of what is in it. To change a
table, or what a column holds, change it here and raise the number.
"""

import sqlite3
from collections.abc import Mapping

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
)
from .tables import Checked, TableSchema

APPLICATION_ID = 0x65694A31  # "eiJ1": tells our files from any other SQLite file
FORM = 7
"""Of the tables and of the lines of an exported file; no other is read."""

_SAMPLE = ("item_id", "iteration")
RUNS = TableSchema("run", "runs", RunRecord, document=DocumentOrNone)
CALLS = Checked(
    "call",
    "calls",
    CallRow,
    key=(*_SAMPLE, "phase", "digest", "occurrence"),
    free=("latency_s", "at", "address", "provider"),
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
    free=("addresses", "entry"),
    is_numbered=True,
)
ASKINGS = TableSchema("asking", "askings", PartyAsking, key=("phase", "party", "otherwise"))
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
    for table in (RUNS, CALLS, GRADES, COMPARISONS, FAILURES, PARTIES, ASKINGS, LABELS)
}
"""By what a line of a file calls their rows, in the order of the lines."""
CHECKED = (CALLS, GRADES, COMPARISONS, LABELS)


_FURTHER = """
    CREATE TABLE batches (  -- sent or about to be, until all that came of it is in calls
        attempt TEXT PRIMARY KEY,
        run INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
        party TEXT NOT NULL,  -- who is asked
        keys TEXT NOT NULL,  -- custom_ids, parted by blanks
        id TEXT,  -- the provider's; null until it is known
        at TEXT NOT NULL
    );
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
    CREATE TABLE board_cache (  -- results that were computed; a row may go at any time
        run INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
        reader TEXT NOT NULL,  -- a board, or who looks at a run by a judge
        key TEXT NOT NULL,  -- digest of all that it depends on beside the run's rows
        result TEXT NOT NULL,  -- JSON
        crc INTEGER NOT NULL,  -- CRC-32 of key and result
        PRIMARY KEY (run, reader)
    );
    """
    + _FURTHER
    + _OPENINGS
    + _forgetting("runs", "n")
    + "".join(_forgetting(table, "run") for table in ("calls", "grades", "failures", "askings"))
)


def create(connection: sqlite3.Connection) -> None:
    """Make the tables of an empty file, which is ours and of this form from then on."""
    connection.executescript(CREATE)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {FORM}")


def other_form(form: int) -> str | None:
    """Why something of another form is not read; ``None`` for that of this program."""
    if form > FORM:
        return (
            f"was written by a newer eibench (form {form}; this one reads {FORM}): upgrade eibench"
        )
    if form < FORM:
        return (
            f"was written by an eibench before its first release (form {form}; this one reads "
            f"{FORM}), and only that one reads it"
        )
    return None
