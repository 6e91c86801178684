"""The journal's file: opening it safely, writing to it, reading from it. All SQL is here.

Created under another name and then linked into place, so a file of that name is
always whole; one that is empty or damaged is refused, never replaced. Reads use
a connection of their own and see every committed group.
"""

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..errors import JournalError
from ..types import ChatRequest, ChatResponse, Finish, Message, SampleScore, Score, Usage
from .migrations import APPLICATION_ID, migrate
from .records import CallKey, CallTotals, Failure, RunRecord, StoredCall
from .writer import GroupWriter

FILE = "bench.sqlite"
_CHECKED_UP_TO = 64 * 2**20  # a full check of a larger file would be felt at every start
_RUN_COLUMNS = (
    "n, run_id, identity, ordinal, benchmark, benchmark_version, model, name, demo, pack_name,"
    " pack_sha256, endpoint, settings, created_at, finished_at, status, elapsed_s"
)
_ADD_CALL = (
    "INSERT INTO calls (run, item_id, iteration, phase, digest, occurrence, model, messages,"
    " sent, text, reasoning, finish, finish_raw, returned_model, fingerprint, request_id,"
    " input_tokens, cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens,"
    " latency_s, attempts, cost_usd, price_source, at) VALUES (" + ", ".join("?" * 26) + ")"
)
_ADD_GRADE = (
    'INSERT OR REPLACE INTO grades (run, grader, item_id, iteration, "values", reason, flags,'
    " detail, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_ADD_FAILURE = (
    "INSERT OR REPLACE INTO failures (run, item_id, iteration, kind, reason, attempts, at)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)


def now() -> str:
    """The time as it is stored: ISO 8601, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Journal:
    """The journal of one runs folder.

    Args:
        folder: Is made if it does not exist.
        create: Make the file if there is none; else its absence is an error.

    Raises:
        JournalError: The folder cannot be written to, or the file is damaged, foreign, or of a
            newer program.
    """

    def __init__(self, folder: Path, *, create: bool = True) -> None:
        self.folder = folder
        self.path = folder / FILE
        if create:
            _ensure(self.path)
        elif not self.path.exists():
            raise JournalError(
                f"no runs in {folder}: {FILE} is not there; start one with bench run, "
                "or name another folder with --runs-dir"
            )
        with self._damage_named():
            self._read = _connect(self.path)
            _check(self._read, self.path)
            migrate(self._read, self.path)
        self._writer: GroupWriter | None = None

    @property
    def writer(self) -> GroupWriter:
        """The group writer, started when first used."""
        if self._writer is None:
            connection = _connect(self.path, isolation_level=None, check_same_thread=False)
            self._writer = GroupWriter(connection, self.path)
            self._writing = connection
        return self._writer

    def close(self) -> None:
        """Write what is left and close the file."""
        if self._writer is not None:
            self._writer.close()
            self._writing.close()
            self._writer = None
        self._read.close()

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @contextlib.contextmanager
    def _damage_named(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise JournalError(
                f"{self.path} is damaged or no journal ({error}); nothing was changed. "
                "Restore it from a copy, or use another --runs-dir"
            ) from error

    def _rows(self, sql: str, values: tuple[Any, ...] = ()) -> Iterator[Any]:
        with self._damage_named():
            yield from self._read.execute(sql, values)

    # Runs

    def find_run(self, run_id: str) -> RunRecord | None:
        """The run of that id, if it is there."""
        sql = f"SELECT {_RUN_COLUMNS} FROM runs WHERE run_id = ?"
        return next((_run(row) for row in self._rows(sql, (run_id,))), None)

    def runs_like(self, start: str) -> list[RunRecord]:
        """The runs whose id begins so."""
        sql = f"SELECT {_RUN_COLUMNS} FROM runs WHERE substr(run_id, 1, ?) = ? ORDER BY n"
        return [_run(row) for row in self._rows(sql, (len(start), start))]

    def newest_run(self, identity: str) -> RunRecord | None:
        """The latest run of that identity, if there is one."""
        sql = f"SELECT {_RUN_COLUMNS} FROM runs WHERE identity = ? ORDER BY ordinal DESC LIMIT 1"
        return next((_run(row) for row in self._rows(sql, (identity,))), None)

    def runs(self) -> list[RunRecord]:
        """All runs, oldest first."""
        return [_run(row) for row in self._rows(f"SELECT {_RUN_COLUMNS} FROM runs ORDER BY n")]

    def add_run(self, **columns: Any) -> RunRecord:
        """Add a run.

        Args:
            **columns: As in `RunRecord`, without ``n``, times and status.
        """
        columns |= {"settings": json.dumps(columns["settings"]), "demo": int(columns["demo"])}
        columns |= {"created_at": now(), "status": "running"}
        names, marks = ", ".join(columns), ", ".join("?" * len(columns))
        self.writer.add(f"INSERT INTO runs ({names}) VALUES ({marks})", tuple(columns.values()))
        self.writer.flush()
        run = self.find_run(columns["run_id"])
        assert run is not None
        return run

    def end_run(
        self,
        run: RunRecord,
        status: str,
        *,
        seconds: float,
        finished: bool,
        document: Mapping[str, Any] | None = None,
    ) -> None:
        """Store how a command on a run ended, and its result if it has one."""
        self.writer.add(
            "UPDATE runs SET status = ?, elapsed_s = elapsed_s + ?, finished_at = ?,"
            " document = coalesce(?, document) WHERE n = ?",
            (status, seconds, now() if finished else None, document and _json(document), run.n),
        )
        self.writer.flush()

    def document(self, run: RunRecord) -> dict[str, Any] | None:
        """The run's last result document, if it has one."""
        (row,) = self._rows("SELECT document FROM runs WHERE n = ?", (run.n,))
        return None if row[0] is None else dict(json.loads(row[0]))

    def delete_run(self, run: RunRecord) -> None:
        """Forget a run with all its calls and grades."""
        self.writer.add("DELETE FROM runs WHERE n = ?", (run.n,))
        self.writer.flush()

    # Calls

    async def add_call(
        self,
        run: RunRecord,
        item_id: str,
        iteration: int,
        key: CallKey,
        model: str,
        request: ChatRequest,
        response: ChatResponse,
    ) -> None:
        """Store an answered call; returns when it is on the disk."""
        r, u = response, response.usage
        asked = (run.n, item_id, iteration, *key, model, _json(request.messages), _json(r.sent))
        said = (r.text, r.reasoning, str(r.finish), r.finish_raw, r.model, r.fingerprint)
        used = (r.request_id, u.input, u.cached, u.cache_write, u.output, u.reasoning)
        cost = (r.latency_s, r.attempts, r.cost_usd, r.price_source, now())
        await self.writer.write(_ADD_CALL, (*asked, *said, *used, *cost))

    def calls(
        self, run: RunRecord, item_id: str | None = None, iteration: int | None = None
    ) -> Iterator[StoredCall]:
        """The answered calls of a run, of one item or of one sample, in the order they came."""
        where, values = ["run = ?"], [run.n]
        for name, value in (("item_id", item_id), ("iteration", iteration)):
            if value is not None:
                where.append(f"{name} = ?")
                values.append(value)  # type: ignore[arg-type]
        sql = (
            "SELECT item_id, iteration, phase, digest, occurrence, model, messages, text,"
            " reasoning, finish, finish_raw, returned_model, fingerprint, request_id,"
            " input_tokens, cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens,"
            " latency_s, attempts, sent, cost_usd, price_source"
            f" FROM calls WHERE {' AND '.join(where)} ORDER BY n"
        )
        return map(_call, self._rows(sql, tuple(values)))

    def count_calls(self, run: RunRecord) -> int:
        """How many answered calls a run has."""
        (row,) = self._rows("SELECT count(*) FROM calls WHERE run = ?", (run.n,))
        return int(row[0])

    def call_totals(self, run: RunRecord) -> Iterator[CallTotals]:
        """Calls added up by sample and phase."""
        sql = (
            "SELECT item_id, iteration, phase, count(*), sum(attempts), sum(finish = 'length'),"
            " sum(input_tokens), sum(cached_tokens), sum(cache_write_tokens),"
            " sum(output_tokens), sum(reasoning_tokens),"
            " CASE WHEN count(cost_usd) = count(*) THEN sum(cost_usd) END"
            " FROM calls WHERE run = ? GROUP BY item_id, iteration, phase"
        )
        for row in self._rows(sql, (run.n,)):
            item_id, iteration, phase, calls, attempts, truncated, *used, cost = row
            yield CallTotals(
                item_id, iteration, phase, calls, attempts, truncated, Usage(*used), cost
            )

    # Grades and failures

    def add_grade(
        self, run: RunRecord, grader: str, item_id: str, iteration: int, score: Score
    ) -> None:
        """Store a sample's score; it is on the disk with the next group."""
        self.writer.add(
            "DELETE FROM failures WHERE run = ? AND item_id = ? AND iteration = ?",
            (run.n, item_id, iteration),
        )
        known_as = (run.n, grader, item_id, iteration)
        graded = (_json(score.values), score.reason, _json(score.flags), _json(score.detail))
        self.writer.add(_ADD_GRADE, (*known_as, *graded, now()))

    def grades(
        self, run: RunRecord, grader: str, clusters: Mapping[str, str]
    ) -> Iterator[SampleScore]:
        """A run's scores without their detail, by one grader, for the items in `clusters`."""
        sql = (
            'SELECT item_id, iteration, "values", reason, flags FROM grades'
            " WHERE run = ? AND grader = ?"
        )
        for item_id, iteration, values, reason, flags in self._rows(sql, (run.n, grader)):
            if item_id in clusters:
                score = Score(json.loads(values), reason, tuple(json.loads(flags)))
                yield SampleScore(item_id, clusters[item_id], iteration, score)

    def score_of(self, run: RunRecord, grader: str, item_id: str, iteration: int) -> Score | None:
        """One sample's score with its detail, if it is graded."""
        sql = (
            'SELECT "values", reason, flags, detail FROM grades'
            " WHERE run = ? AND grader = ? AND item_id = ? AND iteration = ?"
        )
        for values, reason, flags, detail in self._rows(sql, (run.n, grader, item_id, iteration)):
            return Score(json.loads(values), reason, tuple(json.loads(flags)), json.loads(detail))
        return None

    def graders(self, run: RunRecord) -> list[str]:
        """The graders whose grades a run has, the latest first."""
        sql = "SELECT grader FROM grades WHERE run = ? GROUP BY grader ORDER BY max(at) DESC"
        return [grader for (grader,) in self._rows(sql, (run.n,))]

    def add_failure(self, run: RunRecord, failure: Failure) -> None:
        """Store why a sample has no usable answer."""
        self.writer.add(_ADD_FAILURE, (run.n, *failure, now()))

    def failures(self, run: RunRecord) -> Iterator[Failure]:
        """Samples without a usable answer."""
        sql = "SELECT item_id, iteration, kind, reason, attempts FROM failures WHERE run = ?"
        return (Failure(*row) for row in self._rows(sql, (run.n,)))


def _connect(path: Path, **options: Any) -> sqlite3.Connection:
    connection: sqlite3.Connection = sqlite3.connect(path, timeout=30, **options)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def _ensure(path: Path) -> None:
    """Make the folder and a whole, empty journal, unless there is a file already."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            return
        fresh = path.with_name(f".{path.name}.{os.getpid()}")
        fresh.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(fresh)) as connection:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            migrate(connection, path)
            connection.execute("PRAGMA journal_mode = WAL")
        with contextlib.suppress(FileExistsError):  # another process was faster
            os.link(fresh, path)
        fresh.unlink()
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise JournalError(
            f"cannot keep runs in {path.parent}: {reason}; name another folder with --runs-dir"
        ) from error


def _check(connection: sqlite3.Connection, path: Path) -> None:
    if path.stat().st_size == 0:
        raise sqlite3.DatabaseError("the file is empty")
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION_ID:
        raise sqlite3.DatabaseError("it is not a file of eibench")
    if path.stat().st_size <= _CHECKED_UP_TO:
        (told,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if told != "ok":
            raise sqlite3.DatabaseError(told)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _run(row: Any) -> RunRecord:
    record = dict(zip(_RUN_COLUMNS.replace(" ", "").split(","), row, strict=True))
    record |= {"settings": json.loads(record["settings"]), "demo": bool(record["demo"])}
    return RunRecord(**record)


def _call(row: Any) -> StoredCall:
    messages = tuple(Message(role, content) for role, content in json.loads(row[6]))
    response = ChatResponse(
        text=row[7],
        reasoning=row[8],
        finish=Finish(row[9]),
        finish_raw=row[10],
        model=row[11],
        fingerprint=row[12],
        request_id=row[13],
        usage=Usage(*row[14:19]),
        latency_s=row[19],
        attempts=row[20],
        sent=json.loads(row[21]),
        cost_usd=row[22],
        price_source=row[23],
    )
    return StoredCall(row[0], row[1], CallKey(*row[2:5]), row[5], messages, response)
