"""Writing to the journal's file and reading from it. All SQL but the schema is here.

Reads use a connection of their own and see every committed group. A text that
Unicode cannot hold (half of a surrogate pair) is stored with U+FFFD in its place.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self, TypeVar

from ..errors import JournalError
from ..types import ChatRequest, ChatResponse, SampleScore, Score
from .ahead import ReadAhead
from .checksums import CALLS, COMPARISONS, GRADES, Checked, DamagedRow
from .kinds import quoted
from .opening import FileId, closed, connect, ensure, is_there, open_checked, reading
from .presence import Presence
from .records import (
    AskedParties,
    CallKey,
    CallTotals,
    Failure,
    Grader,
    RunRecord,
    StoredCall,
    StoredComparison,
    as_json,
)
from .reserve import Reserve
from .rows import (
    RUN_COLUMNS,
    asked_of,
    call_of,
    call_row,
    comparison_of,
    comparison_row,
    document_of,
    failure_of,
    grade_of,
    grade_row,
    object_of,
    run_of,
    short_grade_of,
    storable,
    storable_row,
    totals_of,
)
from .writer import TRY_EVERY_S, GroupWriter

T = TypeVar("T")
FILE = "bench.sqlite"
_WRONG = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
"""What reading a row raises that holds what it cannot hold."""


def _adding(checked: Checked, verb: str = "INSERT OR REPLACE") -> str:
    """The SQL that adds a row with its checksum."""
    marks = ", ".join("?" * (1 + len(checked.stored)))
    return f"{verb} INTO {checked.table} (run, {quoted(checked.stored)}) VALUES ({marks})"


_ADD_CALL, _ADD_GRADE, _ADD_COMPARISON = (
    _adding(CALLS, "INSERT"),
    _adding(GRADES),
    _adding(COMPARISONS),
)
_SELECT_CALLS = f"SELECT {quoted(CALLS.stored)} FROM calls WHERE "
_SELECT_GRADES = f"SELECT run, {quoted(GRADES.short)} FROM grades WHERE run {{of}} AND grader = ?"
_SELECT_GRADE = (
    f"SELECT {quoted(GRADES.stored)} FROM grades"
    " WHERE run = ? AND grader = ? AND item_id = ? AND iteration = ?"
)
_SELECT_COMPARISONS = f"SELECT {quoted(COMPARISONS.stored)} FROM comparisons WHERE "
_ADD_FAILURE = (
    "INSERT OR REPLACE INTO failures (run, item_id, iteration, kind, reason, attempts, at)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)


def now() -> str:
    """The time as it is stored: ISO 8601, UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def has_journal(folder: Path) -> bool:
    """Whether a runs folder has a journal yet.

    Raises:
        JournalError: That cannot be told.
    """
    return is_there(folder / FILE)


def _read_each(rows: Iterable[Any], read: Callable[[Any], T], run: RunRecord | None) -> Iterator[T]:
    for row in rows:
        try:
            made = read(row)
        except _WRONG as error:
            raise DamagedRow(f"{f'run {run.run_id}, ' if run else ''}{error}") from error
        yield made


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
        elif not has_journal(folder):
            raise JournalError(
                f"no runs in {folder}: {FILE} is not there; start one with bench run, "
                "or name another folder with --runs-dir"
            )
        self._writer: GroupWriter | None = None
        self._failed: dict[int, bool] = {}
        self._ahead: ReadAhead | None = None
        self._which: FileId | None
        self._read, self._which = open_checked(self.path)

    @property
    def writer(self) -> GroupWriter:
        """The group writer, started when first used; what was read ahead may be old from now on."""
        self._ahead = None
        if self._writer is None:
            with reading(self.path):
                connection = connect(
                    self.path, timeout=TRY_EVERY_S, isolation_level=None, check_same_thread=False
                )
            assert self._which is not None
            with reading(self.path):
                self._presence = Presence(self.path, self._which)
            self._writer = GroupWriter(connection, self.path)
            self._writer.look = self._look
            self._writing = connection
        return self._writer

    def _look(self) -> JournalError | None:
        """What is wrong with the files, if anything; called on the writer's thread.

        Raises:
            JournalError: Nothing can be written any more.
        """
        wrong = self._presence.look()
        if wrong and self._presence.is_cut:
            raise JournalError(wrong)
        return JournalError(f"{wrong}; nothing more is sent") if wrong else None

    def _add(self, sql: str, values: Sequence[Any]) -> None:
        self.writer.add(sql, storable_row(values))

    def close(self, *, at_once: bool = False) -> None:
        """Write what is left and close the file.

        Args:
            at_once: Wait for no other program's lock.

        Raises:
            JournalError: The file is not the one that was written to; says where all that was
                written is.
        """
        message = self._end_writing(at_once=at_once) if self._writer is not None else None
        self._read.close()
        if message:
            self._presence.close()
        if self._which is not None:
            closed(self._which)
            self._which = None
        if message:
            raise JournalError(message)

    def _end_writing(self, *, at_once: bool) -> str | None:
        """What to tell the user when the files are no longer the journal's."""
        writer, self._writer = self.writer, None
        writer.close(at_once=at_once)
        if writer.reserve is not None:
            writer.reserve.release()
        wrong = self._presence.look()
        if wrong is None:
            self._presence.close()  # so that the log is brought into the file by the last
            self._writing.close()
            return None
        saved = self._presence.save(self._writing, self._read)
        self._writing.close()
        return f"{wrong}. {saved}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *exc: object) -> None:
        self.close(at_once=kind is not None and not issubclass(kind, Exception))

    def _rows(
        self,
        sql: str,
        values: tuple[Any, ...],
        read: Callable[[Any], T],
        run: RunRecord | None = None,
    ) -> Iterator[T]:
        """What SQL finds, read; `run` is named where a row is damaged."""
        with reading(self.path):
            yield from _read_each(self._read.execute(sql, values), read, run)

    @contextmanager
    def ahead(self, runs: Iterable[RunRecord]) -> Iterator[None]:
        """While the block lasts, read about many of these runs at once, in this order.

        What is written meanwhile ends it: from then on each run is read by itself again.
        """
        before, here = self._ahead, ReadAhead([run.n for run in runs])
        self._ahead = here
        try:
            yield
        finally:
            self._ahead = before if self._ahead is here else None

    def _rows_of(
        self, run: RunRecord, sql: str, values: tuple[Any, ...], read: Callable[[Any], T]
    ) -> Iterator[T]:
        """Rows about a run, whose number comes first; ``{of}`` stands where runs are chosen."""

        def read_rest(row: Any) -> T:
            return read(row[1:])

        if self._ahead is None:
            return self._rows(sql.format(of=f"= {run.n}"), values, read_rest, run)
        with reading(self.path):
            rows = self._ahead.rows(run.n, sql, values, self._read.execute)
        return self._read_ahead(rows, read_rest, run)

    def _read_ahead(
        self, rows: Iterable[Any], read: Callable[[Any], T], run: RunRecord
    ) -> Iterator[T]:
        with reading(self.path):
            yield from _read_each(rows, read, run)

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

    def runs_of(self, benchmark: str, model: str, name: str, pack_sha256: str) -> list[RunRecord]:
        """The runs of a model on a pack, under a name, the latest first."""
        sql = (
            f"SELECT {RUN_COLUMNS} FROM runs WHERE benchmark = ? AND model = ? AND name = ?"
            " AND pack_sha256 = ? ORDER BY n DESC"
        )
        return list(self._rows(sql, (benchmark, model, name, pack_sha256), run_of))

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
        label = f"{run.model} at {run.endpoint}" if run.endpoint else run.model
        self.add_asked(run, AskedParties(run.run_id, "model", label))
        return run

    def prepare_to_send(self, run: RunRecord, concurrency: int) -> None:
        """Make sure that replies can be kept, before any is paid for.

        Args:
            run: Is under way from here on.
            concurrency: Most calls in flight.

        Raises:
            JournalError: There is no room for them, or nothing can be written.
        """
        if self.writer.reserve is None:
            self.writer.reserve = Reserve(self.folder, run.run_id, concurrency)
        self._add("UPDATE runs SET status = 'running' WHERE n = ?", (run.n,))
        self.writer.flush()

    @property
    def trouble(self) -> JournalError | None:
        """Why nothing more should be sent, if so; what was sent can still be stored."""
        return self._writer.trouble if self._writer else None

    def end_run(
        self,
        run: RunRecord,
        status: str,
        *,
        seconds: float,
        finished: bool | None,
        document: Mapping[str, Any] | None = None,
    ) -> None:
        """Store how a command on a run ended, and its result if it has one.

        Args:
            run: The run.
            status: Its status from here on.
            seconds: How long the command has worked.
            finished: Whether it has gone through all samples; ``None`` to leave that as it is.
            document: The run's own result.
        """
        ended = "finished_at" if finished is None else "?"
        at = [] if finished is None else [now() if finished else None]
        self._add(
            f"UPDATE runs SET status = ?, elapsed_s = elapsed_s + ?, finished_at = {ended},"
            " document = coalesce(?, document) WHERE n = ?",
            (status, seconds, *at, document and as_json(document), run.n),
        )
        self.writer.flush()

    def add_view(self, run: RunRecord, name: str, document: Mapping[str, Any]) -> None:
        """Store a result beside the run's own, in place of one of the same name."""
        self._add(
            "INSERT OR REPLACE INTO views (run, name, document, at) VALUES (?, ?, ?, ?)",
            (run.n, name, as_json(document), now()),
        )
        self.writer.flush()

    def views(self, run: RunRecord) -> dict[str, dict[str, Any]]:
        """The results beside the run's own by name, the latest last."""
        sql = "SELECT name, document FROM views WHERE run = ? ORDER BY at, name"
        found = self._rows(sql, (run.n,), lambda row: (str(row[0]), document_of(row[1])), run)
        return dict(found)

    def asked(self, run: RunRecord | None = None, party: str | None = None) -> list[AskedParties]:
        """Whom a run, or all runs, have asked, those first that were asked first."""
        sql = (
            "SELECT r.run_id, p.party, p.label, p.endpoint, p.entry FROM parties AS p"
            " JOIN runs AS r ON r.n = p.run WHERE (?1 IS NULL OR p.run = ?1)"
            " AND (?2 IS NULL OR p.party = ?2) ORDER BY p.n"
        )
        return list(self._rows(sql, (run and run.n, party), asked_of))

    def add_asked(self, run: RunRecord, asked: AskedParties) -> None:
        """Store whom a run asks; what is known of a label already stays."""
        self._add(
            "INSERT INTO parties (run, party, label, endpoint, entry) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (run, party, label) DO UPDATE SET"
            " endpoint = coalesce(endpoint, excluded.endpoint),"
            " entry = coalesce(entry, excluded.entry)",
            (run.n, *asked[1:4], asked.entry and as_json(asked.entry)),
        )

    def name_asked(self, run: RunRecord, asked: AskedParties) -> None:
        """Store what bench.toml calls an endpoint that a run has asked, if it had no name."""
        self._add(
            "UPDATE parties SET endpoint = ? WHERE run = ? AND party = ? AND label = ?"
            " AND endpoint IS NULL",
            (asked.endpoint, run.n, asked.party, asked.label),
        )

    def document(self, run: RunRecord) -> dict[str, Any] | None:
        """The run's last result document, if it has one."""
        sql = "SELECT document FROM runs WHERE n = ? AND document IS NOT NULL"
        return next(self._rows(sql, (run.n,), lambda row: document_of(row[0]), run), None)

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
        address: str | None = None,
    ) -> ChatResponse:
        """Store an answered call; returns when it is on the disk.

        Args:
            run: Whose call it is.
            item_id: Of the sample.
            iteration: Of the sample.
            key: What the call is known by within its sample.
            model: Label of the model or judge that was asked.
            request: What was asked.
            response: What was answered.
            address: Host and port that answered; ``None`` for the provider's own host.

        Returns:
            The response as it will be read back, which is what the plugin must see: what it
            asks next has to be the same after a stop.
        """
        kept = storable(response)
        row = call_row(item_id, iteration, key, model, request, kept, now(), address)
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
        return self._rows(sql, tuple(values), call_of, run)

    def replies(self, run: RunRecord, item_id: str, iteration: int) -> dict[CallKey, ChatResponse]:
        """What a sample's calls were answered, those of comparisons left out."""
        where = "run = ? AND item_id = ? AND iteration = ? AND phase != 'compare'"
        rows = self._rows(_SELECT_CALLS + where, (run.n, item_id, iteration), call_of, run)
        return {call.key: call.response for call in rows}

    def reply(
        self, run: RunRecord, item_id: str, iteration: int, key: CallKey
    ) -> ChatResponse | None:
        """What one call was answered, if it was."""
        where = "run = ? AND item_id = ? AND iteration = ?"
        where += " AND phase = ? AND digest = ? AND occurrence = ?"
        rows = self._rows(_SELECT_CALLS + where, (run.n, item_id, iteration, *key), call_of, run)
        return next((call.response for call in rows), None)

    def parameters_sent(self, run: RunRecord) -> frozenset[str]:
        """The names of all parameters that the model was sent in any of its calls."""
        sql = "SELECT DISTINCT run, sent FROM calls WHERE run {of} AND phase = 'generate'"
        rows = self._rows_of(run, sql, (), lambda row: object_of(row[0]))
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
            "SELECT run, item_id, iteration, phase, count(*), sum(attempts),"
            " sum(finish = 'length'), sum(input_tokens), sum(cached_tokens),"
            " sum(cache_write_tokens), sum(output_tokens), sum(reasoning_tokens),"
            " CASE WHEN count(cost_usd) = count(*) THEN sum(cost_usd) END"
            " FROM calls WHERE run {of} AND (phase = 'generate' OR model = ?)"
            " GROUP BY run, item_id, iteration, phase"
        )
        return self._rows_of(run, sql, (judge,), totals_of)

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
        self.writer.add(_ADD_GRADE, (run.n, *row))
        if self._has_failures(run):
            sql = "DELETE FROM failures WHERE run = ? AND item_id = ? AND iteration = ?"
            self._add(sql, (run.n, item_id, iteration))

    def _has_failures(self, run: RunRecord) -> bool:
        """Whether a run may have failures; asked of the file once, as most have none."""
        if run.n not in self._failed:
            self._failed[run.n] = next(self.failures(run), None) is not None
        return self._failed[run.n]

    def grades(
        self, run: RunRecord, grader: str, clusters: Mapping[str, str]
    ) -> Iterator[SampleScore]:
        """A run's scores without their detail, by one grader, for the items in `clusters`."""
        rows = self._rows_of(run, _SELECT_GRADES, (grader,), short_grade_of)
        for item_id, iteration, score in rows:
            if item_id in clusters:
                yield SampleScore(item_id, clusters[item_id], iteration, score)

    def samples_graded(self, run: RunRecord, grader: str) -> list[tuple[str, int]]:
        """Item and iteration of each sample that a grader has graded."""
        sql = "SELECT item_id, iteration FROM grades WHERE run = ? AND grader = ?"
        return list(self._rows(sql, (run.n, grader), lambda row: (row[0], row[1])))

    def move_grade(
        self,
        run: RunRecord,
        old: str,
        new: str,
        graded_by: Mapping[str, Any],
        sample: tuple[str, int],
    ) -> None:
        """Put one sample's grade under another grader, unless that has one of its own."""
        where = "run = ? AND grader = ? AND item_id = ? AND iteration = ?"
        at = self._rows(f"SELECT at FROM grades WHERE {where}", (run.n, old, *sample), tuple)
        score = self.score_of(run, old, *sample)
        if score is None or self.score_of(run, new, *sample) is not None:
            return
        row = grade_row(new, *sample, score, graded_by, next(at)[0])
        self._add(_ADD_GRADE, (run.n, *row))
        self._add(f"DELETE FROM grades WHERE {where}", (run.n, old, *sample))

    def left_over(self, run: RunRecord, grader: str) -> int | None:
        """How many older grades are not a grader's own; ``None`` where none were tried."""
        sql = "SELECT left_over FROM refilings WHERE run = ? AND grader = ?"
        return next(self._rows(sql, (run.n, grader), lambda row: int(row[0])), None)

    def set_left_over(self, run: RunRecord, grader: str, left: int) -> None:
        """Remember that, so that they are not tried again."""
        sql = "INSERT OR REPLACE INTO refilings (run, grader, left_over) VALUES (?, ?, ?)"
        self._add(sql, (run.n, grader, left))

    def score_of(self, run: RunRecord, grader: str, item_id: str, iteration: int) -> Score | None:
        """One sample's score with its detail, if it is graded."""
        rows = self._rows(_SELECT_GRADE, (run.n, grader, item_id, iteration), grade_of, run)
        return next((score for *_, score in rows), None)

    def graders(self, run: RunRecord) -> list[Grader]:
        """The graders whose grades a run has, the latest first."""
        sql = (
            "SELECT run, grader, max(graded_by), count(*) FROM grades WHERE run {of}"
            " GROUP BY run, grader ORDER BY run, max(at) DESC, grader"
        )
        return list(
            self._rows_of(run, sql, (), lambda r: Grader(r[0], object_of(r[1] or "{}"), r[2]))
        )

    def samples_begun(self, run: RunRecord) -> frozenset[tuple[str, int]]:
        """Item and iteration of each sample that has a reply of the model, or has failed."""
        sql = (
            "SELECT DISTINCT run, item_id, iteration FROM calls WHERE run {of}"
            " AND phase = 'generate'"
            " UNION SELECT run, item_id, iteration FROM failures WHERE run {of}"
        )
        return frozenset(self._rows_of(run, sql, (), lambda row: (row[0], row[1])))

    def samples_done(self, run: RunRecord) -> frozenset[tuple[str, int]]:
        """Item and iteration of each sample that has a grade, by whomever, or has failed."""
        sql = (
            "SELECT run, item_id, iteration FROM grades WHERE run {of}"
            " UNION SELECT run, item_id, iteration FROM failures WHERE run {of}"
        )
        return frozenset(self._rows_of(run, sql, (), lambda row: (row[0], row[1])))

    def add_comparison(self, run: RunRecord, comparison: StoredComparison) -> None:
        """Store a comparison, planned or done; it is on the disk with the next group."""
        self.writer.add(_ADD_COMPARISON, (run.n, *comparison_row(comparison, now())))

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
            f"{_SELECT_COMPARISONS}{' AND '.join(where)}"
            " ORDER BY batch, pool, run_a, run_b, item_id, iteration, first"
        )
        return self._rows(sql, tuple(values), comparison_of)

    def pools(self, benchmark: str) -> list[tuple[RunRecord, str, str]]:
        """The pools that a benchmark's comparisons are in, by the run that asked and the judge."""
        columns = ", ".join(f"r.{name.strip()}" for name in RUN_COLUMNS.split(","))
        sql = (
            f"SELECT c.pool, c.judge, {columns} FROM"
            " (SELECT DISTINCT run, pool, judge FROM comparisons) AS c"
            " JOIN runs AS r ON r.n = c.run WHERE r.benchmark = ? ORDER BY r.n, c.pool"
        )
        return list(self._rows(sql, (benchmark,), lambda row: (run_of(row[2:]), row[0], row[1])))

    def compared_by(self, run: RunRecord) -> list[str]:
        """The names of models whose runs have had a comparison with a run read."""
        sql = "SELECT DISTINCT a FROM comparisons WHERE run_b = ? AND status = 'read' ORDER BY a"
        return list(self._rows(sql, (run.run_id,), lambda row: str(row[0])))

    def comparisons_but(self, pool: str, grader: str) -> Iterator[StoredComparison]:
        """The comparisons of a pool that were made, and are another grader's."""
        where = "pool = ? AND status != 'planned' AND grader IS NOT ?"
        return self._rows(_SELECT_COMPARISONS + where, (pool, grader), comparison_of)

    def add_failure(self, run: RunRecord, failure: Failure) -> None:
        """Store why a sample has no usable answer."""
        self._failed[run.n] = True
        self._add(_ADD_FAILURE, (run.n, *failure, now()))

    def failures(self, run: RunRecord) -> Iterator[Failure]:
        """Samples without a usable answer."""
        sql = "SELECT run, item_id, iteration, kind, reason, attempts FROM failures WHERE run {of}"
        return self._rows_of(run, sql, (), failure_of)
