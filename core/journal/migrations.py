"""The journal's schema: the tables as version 1.0 of the file has them, and each change since.

A file's `user_version` is 1 for the tables of `CREATE`, and one more for each of `MIGRATIONS`
that it has been through. To change the schema, add a migration; never change a statement that
has been released. Why a column may be NULL is said beside it.
"""

import sqlite3
from collections.abc import Iterator

from ..errors import JournalError

APPLICATION_ID = 0x65694A31  # "eiJ1": tells our files from any other SQLite file
UNRELEASED_ID = 0x65694231
"""The application id of journals made before version 1.0 of the file, which are not read."""


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
    """
    CREATE TABLE runs (
        n INTEGER PRIMARY KEY,
        run_id TEXT NOT NULL UNIQUE,
        identity TEXT NOT NULL,           -- digest of what makes it this run (docs/runs.md)
        ordinal INTEGER NOT NULL,         -- 2 and more for --fresh
        benchmark TEXT NOT NULL,
        benchmark_version TEXT NOT NULL,
        model TEXT NOT NULL,              -- the spec
        name TEXT NOT NULL,               -- --name, or the spec
        demo INTEGER NOT NULL,
        pack_name TEXT NOT NULL,
        pack_sha256 TEXT NOT NULL,
        endpoint TEXT,                    -- host and port; NULL when nothing leaves the process
        settings TEXT NOT NULL,           -- JSON: options, sampling, system prompt, notes, versions
        created_at TEXT NOT NULL,
        finished_at TEXT,                 -- NULL until a command has gone through all samples
        status TEXT NOT NULL,
        elapsed_s REAL NOT NULL DEFAULT 0, -- of all commands that worked on it
        document TEXT                     -- JSON: the last result; NULL before the first
    );
    CREATE INDEX runs_by_identity ON runs (identity, ordinal);

    CREATE TABLE parties (
        n INTEGER PRIMARY KEY,            -- the lower, the earlier it was asked
        run INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
        role TEXT NOT NULL,               -- model, judge or role:NAME
        party TEXT NOT NULL,              -- JSON: its spec and the host asked first
        endpoint TEXT,                    -- name in bench.toml; NULL when it has none
        entry TEXT                        -- JSON: the server's own words; NULL when not known
    );
    CREATE UNIQUE INDEX parties_by_role ON parties (run, role, party);

    CREATE TABLE calls (
        n INTEGER PRIMARY KEY,
        run INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
        item_id TEXT NOT NULL,
        iteration INTEGER NOT NULL,
        phase TEXT NOT NULL,              -- generate or judge
        digest TEXT NOT NULL,             -- of the request as the plugin meant it
        occurrence INTEGER NOT NULL,      -- n-th time this digest in this sample and phase
        asked TEXT NOT NULL,              -- JSON: the party
        messages TEXT NOT NULL,           -- JSON: [[role, content], ...]
        sent TEXT NOT NULL,               -- JSON: the exact parameters sent
        text TEXT NOT NULL,
        reasoning TEXT NOT NULL,
        finish TEXT NOT NULL,             -- normalised
        finish_raw TEXT,                  -- NULL when the server gave none
        returned_model TEXT,              -- likewise NULL
        fingerprint TEXT,                 -- likewise NULL
        request_id TEXT,                  -- likewise NULL
        input_tokens INTEGER NOT NULL,
        cached_tokens INTEGER NOT NULL,
        cache_write_tokens INTEGER NOT NULL,
        output_tokens INTEGER NOT NULL,
        reasoning_tokens INTEGER NOT NULL,
        latency_s REAL NOT NULL,
        attempts INTEGER NOT NULL,
        cost_usd REAL,                    -- NULL when the price is not known
        price_source TEXT,                -- likewise NULL
        at TEXT NOT NULL,
        address TEXT,                     -- host and port; NULL for the provider's own host
        crc INTEGER NOT NULL              -- CRC-32 of the other columns (tables.py)
    );
    CREATE UNIQUE INDEX calls_by_key
        ON calls (run, item_id, iteration, phase, digest, occurrence);

    CREATE TABLE grades (
        run INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
        grader TEXT NOT NULL,             -- digest of `graded_by`
        item_id TEXT NOT NULL,
        iteration INTEGER NOT NULL,
        "values" TEXT NOT NULL,           -- JSON: the sample's numbers by name
        reason TEXT,                      -- why unscored; NULL when scored
        flags TEXT NOT NULL,              -- JSON
        detail TEXT NOT NULL,             -- JSON
        at TEXT NOT NULL,
        graded_by TEXT NOT NULL,          -- JSON: benchmark version, judge, grading options
        detail_crc INTEGER NOT NULL,      -- CRC-32 of the detail; it counts in `crc`
        crc INTEGER NOT NULL,
        PRIMARY KEY (run, grader, item_id, iteration)
    ) WITHOUT ROWID;

    CREATE TABLE failures (
        run INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
        item_id TEXT NOT NULL,
        iteration INTEGER NOT NULL,
        kind TEXT NOT NULL,
        reason TEXT NOT NULL,
        attempts INTEGER NOT NULL,
        at TEXT NOT NULL,
        PRIMARY KEY (run, item_id, iteration)
    ) WITHOUT ROWID;

    CREATE TABLE comparisons (
        run INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE, -- for whose rating it was asked
        pool TEXT NOT NULL,               -- digest of what must be alike in one rating
        item_id TEXT NOT NULL,
        iteration INTEGER NOT NULL,
        run_a TEXT NOT NULL,              -- run_id of `run`
        run_b TEXT NOT NULL,              -- run_id of the other; it may be on another machine
        a TEXT NOT NULL,                  -- name of the model of run_a
        b TEXT NOT NULL,
        first TEXT NOT NULL,              -- a or b: whose transcript the judge read first
        batch INTEGER NOT NULL,           -- in which the comparison was planned, from 1
        stage TEXT NOT NULL,              -- what the schedule was doing
        rank INTEGER,                     -- where the model stood then; NULL before the first
        status TEXT NOT NULL,             -- planned, read, unread, or known: run_b's own run has it
        judge TEXT NOT NULL,              -- JSON: the judge, or the panel
        family TEXT NOT NULL,
        grader TEXT NOT NULL,             -- digest of what the judge is sent, and how it is read
        margins TEXT NOT NULL,            -- JSON: by criterion, positive where a wins
        reason TEXT,                      -- why unread; else NULL
        flags TEXT NOT NULL,              -- JSON
        transcript_a TEXT,                -- digest; NULL while planned
        transcript_b TEXT,                -- likewise NULL
        len_a INTEGER,                    -- characters that the judge saw; likewise NULL
        len_b INTEGER,                    -- likewise NULL
        at TEXT NOT NULL,
        crc INTEGER NOT NULL,
        PRIMARY KEY (run, pool, item_id, iteration, run_b, first)
    ) WITHOUT ROWID;
    CREATE INDEX comparisons_by_pool ON comparisons (pool);

    CREATE TABLE views (
        run INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
        name TEXT NOT NULL,               -- such as limit-2
        document TEXT NOT NULL,           -- JSON: a result beside that of the whole run
        at TEXT NOT NULL,
        PRIMARY KEY (run, name)
    ) WITHOUT ROWID;

    CREATE TABLE board_cache (            -- results of boards; a row may go at any time
        run INTEGER PRIMARY KEY REFERENCES runs (n) ON DELETE CASCADE,
        key TEXT NOT NULL,                -- digest of all that it depends on beside the run's rows
        result TEXT NOT NULL,             -- JSON
        crc INTEGER NOT NULL              -- CRC-32 of key and result
    );
    """
    + _forgetting("runs", "n")
    + "".join(_forgetting(table, "run") for table in ("calls", "grades", "failures"))
)
MIGRATIONS: tuple[str, ...] = ()
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
    steps = (CREATE, *MIGRATIONS)
    while (done := version_of(connection)) < len(steps):
        _take_step(connection, done, steps[done])


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


def _take_step(connection: sqlite3.Connection, done: int, script: str) -> None:
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        if version_of(connection) != done:
            return  # another process has just taken it
        for statement in _statements(script):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {done + 1}")


def _statements(script: str) -> Iterator[str]:
    """A script's statements; `executescript` would commit each on its own."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
