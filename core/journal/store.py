"""Writing to the journal's file and reading from it. All SQL but the schema is here.

Reads use a connection of their own and see every committed group. A text that
Unicode cannot hold (half of a surrogate pair) is stored with U+FFFD in its place.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from ..errors import JournalError
from ..types import ChatRequest, ChatResponse, SampleScore, Score
from .migrations import migrate
from .opening import check_file, connect, ensure, reading
from .records import (
    CallKey,
    CallTotals,
    Failure,
    Grader,
    RunRecord,
    StoredCall,
    StoredComparison,
    as_json,
)
from .rows import (
    RUN_COLUMNS,
    call_of,
    call_row,
    comparison_of,
    grade_row,
    graded_of,
    run_of,
    storable,
    storable_row,
    totals_of,
)
from .writer import GroupWriter

T = TypeVar("T")
FILE = "bench.sqlite"
_ADD_CALL = (
    "INSERT INTO calls (run, item_id, iteration, phase, digest, occurrence, model, messages,"
    " sent, text, reasoning, finish, finish_raw, returned_model, fingerprint, request_id,"
    " input_tokens, cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens,"
    " latency_s, attempts, cost_usd, price_source, at) VALUES (" + ", ".join("?" * 26) + ")"
)
_SELECT_CALLS = (
    "SELECT item_id, iteration, phase, digest, occurrence, model, messages, text,"
    " reasoning, finish, finish_raw, returned_model, fingerprint, request_id,"
    " input_tokens, cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens,"
    " latency_s, attempts, sent, cost_usd, price_source FROM calls WHERE "
)
_ADD_GRADE = (
    'INSERT OR REPLACE INTO grades (run, grader, item_id, iteration, "values", reason, flags,'
    " detail, at, graded_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_COMPARISON_COLUMNS = ", ".join(StoredComparison._fields)
_ADD_COMPARISON = (
    f"INSERT OR REPLACE INTO comparisons (run, {_COMPARISON_COLUMNS}, at) VALUES ("
    + ", ".join("?" * (len(StoredComparison._fields) + 2))
    + ")"
)
_ADD_FAILURE = (
    "INSERT OR REPLACE INTO failures (run, item_id, iteration, kind, reason, attempts, at)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)


def now() -> str:
    """The time as it is stored: ISO 8601, UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


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
            ensure(self.path)
        elif not self.path.exists():
            raise JournalError(
                f"no runs in {folder}: {FILE} is not there; start one with bench run, "
                "or name another folder with --runs-dir"
            )
        check_file(self.path)
        self._writer: GroupWriter | None = None
        with reading(self.path):
            self._read = connect(self.path)
            try:
                migrate(self._read, self.path)
            except BaseException:
                self._read.close()
                raise

    @property
    def writer(self) -> GroupWriter:
        """The group writer, started when first used."""
        if self._writer is None:
            with reading(self.path):
                connection = connect(self.path, isolation_level=None, check_same_thread=False)
            self._writer = GroupWriter(connection, self.path)
            self._writing = connection
        return self._writer

    def _add(self, sql: str, values: Sequence[Any]) -> None:
        self.writer.add(sql, storable_row(values))

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

    def _rows(self, sql: str, values: tuple[Any, ...], read: Callable[[Any], T]) -> Iterator[T]:
        with reading(self.path):
            for row in self._read.execute(sql, values):
                yield read(row)

    # Runs

    def find_run(self, run_id: str) -> RunRecord | None:
        """The run of that id, if it is there."""
        sql = f"SELECT {RUN_COLUMNS} FROM runs WHERE run_id = ?"
        return next(self._rows(sql, (run_id,), run_of), None)

    def runs_like(self, start: str) -> list[RunRecord]:
        """The runs whose id begins so."""
        sql = f"SELECT {RUN_COLUMNS} FROM runs WHERE substr(run_id, 1, ?) = ? ORDER BY n"
        return list(self._rows(sql, (len(start), start), run_of))

    def newest_run(self, identity: str) -> RunRecord | None:
        """The latest run of that identity, if there is one."""
        sql = f"SELECT {RUN_COLUMNS} FROM runs WHERE identity = ? ORDER BY ordinal DESC LIMIT 1"
        return next(self._rows(sql, (identity,), run_of), None)

    def runs(self) -> list[RunRecord]:
        """All runs, oldest first."""
        return list(self._rows(f"SELECT {RUN_COLUMNS} FROM runs ORDER BY n", (), run_of))

    def add_run(self, **columns: Any) -> RunRecord:
        """Add a run.

        Args:
            **columns: As in `RunRecord`, without ``n``, times and status.
        """
        columns |= {"settings": json.dumps(columns["settings"]), "demo": int(columns["demo"])}
        columns |= {"created_at": now(), "status": "running"}
        names, marks = ", ".join(columns), ", ".join("?" * len(columns))
        self._add(f"INSERT INTO runs ({names}) VALUES ({marks})", tuple(columns.values()))
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
        self._add(
            "UPDATE runs SET status = ?, elapsed_s = elapsed_s + ?, finished_at = ?,"
            " document = coalesce(?, document) WHERE n = ?",
            (status, seconds, now() if finished else None, document and as_json(document), run.n),
        )
        self.writer.flush()

    def document(self, run: RunRecord) -> dict[str, Any] | None:
        """The run's last result document, if it has one."""
        sql = "SELECT document FROM runs WHERE n = ? AND document IS NOT NULL"
        return next(self._rows(sql, (run.n,), lambda row: dict(json.loads(row[0]))), None)

    def delete_run(self, run: RunRecord) -> None:
        """Forget a run with all its calls and grades, and the comparisons with it."""
        self._add("DELETE FROM runs WHERE n = ?", (run.n,))
        self._add("DELETE FROM comparisons WHERE run_b = ?", (run.run_id,))
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
    ) -> ChatResponse:
        """Store an answered call; returns when it is on the disk.

        Returns:
            The response as it will be read back, which is what the plugin must see: what it
            asks next has to be the same after a stop.
        """
        kept = storable(response)
        row = call_row(item_id, iteration, key, model, request, kept, now())
        await self.writer.write(_ADD_CALL, (run.n, *row))
        return kept

    def calls(
        self, run: RunRecord, item_id: str | None = None, iteration: int | None = None
    ) -> Iterator[StoredCall]:
        """The answered calls of a run, of one item or of one sample, in the order they came."""
        where, values = ["run = ?"], [run.n]
        for name, value in (("item_id", item_id), ("iteration", iteration)):
            if value is not None:
                where.append(f"{name} = ?")
                values.append(value)  # type: ignore[arg-type]
        sql = f"{_SELECT_CALLS}{' AND '.join(where)} ORDER BY n"
        return self._rows(sql, tuple(values), call_of)

    def replies(self, run: RunRecord, item_id: str, iteration: int) -> dict[CallKey, ChatResponse]:
        """What a sample's calls were answered, those of comparisons left out."""
        where = "run = ? AND item_id = ? AND iteration = ? AND phase != 'compare'"
        rows = self._rows(_SELECT_CALLS + where, (run.n, item_id, iteration), call_of)
        return {call.key: call.response for call in rows}

    def reply(
        self, run: RunRecord, item_id: str, iteration: int, key: CallKey
    ) -> ChatResponse | None:
        """What one call was answered, if it was."""
        where = "run = ? AND item_id = ? AND iteration = ?"
        where += " AND phase = ? AND digest = ? AND occurrence = ?"
        rows = self._rows(_SELECT_CALLS + where, (run.n, item_id, iteration, *key), call_of)
        return next((call.response for call in rows), None)

    def parameters_sent(self, run: RunRecord) -> frozenset[str]:
        """The names of all parameters that the model was sent in any of its calls."""
        sql = "SELECT DISTINCT sent FROM calls WHERE run = ? AND phase = 'generate'"
        rows = self._rows(sql, (run.n,), lambda row: json.loads(row[0]))
        return frozenset(name for sent in rows for name in sent)

    def judges(self, run: RunRecord) -> list[str]:
        """The labels of the judges that have replied, the latest first."""
        sql = (
            "SELECT model FROM calls WHERE run = ? AND phase = 'judge'"
            " GROUP BY model ORDER BY max(n) DESC"
        )
        return list(self._rows(sql, (run.n,), lambda row: str(row[0])))

    def count_calls(self, run: RunRecord) -> int:
        """How many answered calls a run has."""
        sql = "SELECT count(*) FROM calls WHERE run = ?"
        return next(self._rows(sql, (run.n,), lambda row: int(row[0])))

    def call_totals(self, run: RunRecord, judge: str | None = None) -> Iterator[CallTotals]:
        """Calls added up by sample and phase; of several judges' calls only one judge's."""
        sql = (
            "SELECT item_id, iteration, phase, count(*), sum(attempts), sum(finish = 'length'),"
            " sum(input_tokens), sum(cached_tokens), sum(cache_write_tokens),"
            " sum(output_tokens), sum(reasoning_tokens),"
            " CASE WHEN count(cost_usd) = count(*) THEN sum(cost_usd) END"
            " FROM calls WHERE run = ? AND (phase = 'generate' OR model = ?)"
            " GROUP BY item_id, iteration, phase"
        )
        return self._rows(sql, (run.n, judge), totals_of)

    # Grades and failures

    def add_grade(
        self,
        run: RunRecord,
        grader: str,
        item_id: str,
        iteration: int,
        score: Score,
        graded_by: Mapping[str, Any] | None = None,
    ) -> None:
        """Store a sample's score; it is on the disk with the next group.

        Args:
            run: Whose sample it is.
            grader: Digest of what graded it.
            item_id: Of the sample.
            iteration: Of the sample.
            score: What came of it.
            graded_by: What the digest is made of, so that graders can be told apart.

        Raises:
            TypeError, ValueError: It holds what JSON cannot.
        """
        row = grade_row(grader, item_id, iteration, score, graded_by, now())
        self._add(_ADD_GRADE, (run.n, *row))
        self._add(
            "DELETE FROM failures WHERE run = ? AND item_id = ? AND iteration = ?",
            (run.n, item_id, iteration),
        )

    def grades(
        self, run: RunRecord, grader: str, clusters: Mapping[str, str]
    ) -> Iterator[SampleScore]:
        """A run's scores without their detail, by one grader, for the items in `clusters`."""
        sql = (
            'SELECT item_id, iteration, "values", reason, flags FROM grades'
            " WHERE run = ? AND grader = ?"
        )
        for item_id, iteration, score in self._rows(sql, (run.n, grader), graded_of):
            if item_id in clusters:
                yield SampleScore(item_id, clusters[item_id], iteration, score)

    def score_of(self, run: RunRecord, grader: str, item_id: str, iteration: int) -> Score | None:
        """One sample's score with its detail, if it is graded."""
        sql = (
            'SELECT item_id, iteration, "values", reason, flags, detail FROM grades'
            " WHERE run = ? AND grader = ? AND item_id = ? AND iteration = ?"
        )
        rows = self._rows(sql, (run.n, grader, item_id, iteration), graded_of)
        return next((score for *_, score in rows), None)

    def graders(self, run: RunRecord) -> list[Grader]:
        """The graders whose grades a run has, the latest first."""
        sql = (
            "SELECT grader, max(graded_by), count(*) FROM grades WHERE run = ?"
            " GROUP BY grader ORDER BY max(at) DESC, grader"
        )
        return list(
            self._rows(sql, (run.n,), lambda r: Grader(r[0], json.loads(r[1] or "{}"), r[2]))
        )

    def samples_done(self, run: RunRecord) -> frozenset[tuple[str, int]]:
        """Item and iteration of each sample that has a grade, by whomever, or has failed."""
        sql = (
            "SELECT item_id, iteration FROM grades WHERE run = ?"
            " UNION SELECT item_id, iteration FROM failures WHERE run = ?"
        )
        return frozenset(self._rows(sql, (run.n, run.n), lambda row: (row[0], row[1])))

    def add_comparison(self, run: RunRecord, comparison: StoredComparison) -> None:
        """Store a comparison, planned or done; it is on the disk with the next group."""
        row = list(comparison)
        for column in ("margins", "flags"):
            row[comparison._fields.index(column)] = as_json(getattr(comparison, column))
        self._add(_ADD_COMPARISON, (run.n, *row, now()))

    def comparisons(
        self, pool: str | None = None, run: RunRecord | None = None
    ) -> Iterator[StoredComparison]:
        """The comparisons of a pool, of a run, or all, in an order that their contents give."""
        where, values = ["TRUE"], list[Any]()
        for name, value in (("pool", pool), ("run", run and run.n)):
            if value is not None:
                where.append(f"{name} = ?")
                values.append(value)
        sql = (
            f"SELECT {_COMPARISON_COLUMNS} FROM comparisons WHERE {' AND '.join(where)}"
            " ORDER BY batch, pool, run_a, run_b, item_id, iteration, first"
        )
        return self._rows(sql, tuple(values), comparison_of)

    def add_failure(self, run: RunRecord, failure: Failure) -> None:
        """Store why a sample has no usable answer."""
        self._add(_ADD_FAILURE, (run.n, *failure, now()))

    def failures(self, run: RunRecord) -> Iterator[Failure]:
        """Samples without a usable answer."""
        sql = "SELECT item_id, iteration, kind, reason, attempts FROM failures WHERE run = ?"
        return self._rows(sql, (run.n,), lambda row: Failure(*row))
