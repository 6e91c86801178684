"""The grades and comparisons of a journal, and why samples have no grade: to rows, and back."""

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace

from ..parties.graders import Grader, Judge
from ..types import JsonObject, SampleScore, Score
from .file import JournalFile, now
from .records import (
    Failure,
    GradeCount,
    GradeRow,
    RunRecord,
    StoredComparison,
    as_json,
    grader_in,
    judge_in,
)
from .runs import RUN_COLUMNS, run_of
from .schema import COMPARISONS, FAILURES, GRADES
from .tables import DamagedRow, Row, quoted

_ADD_COMPARISON = COMPARISONS.adding()
_SELECT_COMPARISON = f"SELECT {quoted(COMPARISONS.stored)} FROM comparisons WHERE "
_COMPARISON_ORDER = " ORDER BY batch, pool, run_a, run_b, item_id, iteration, first"
_PLACE = ("run", *COMPARISONS.key)
"""The primary key."""
_SELECT_KEPT = f"SELECT {', '.join(_PLACE)}, {quoted(COMPARISONS.stored)} FROM comparisons WHERE "
_ONE_BY_ONE = 200
"""So many changed rows are read one by one; more of them with all the others."""
_Place = tuple[object, ...]
_Kept = tuple[object, StoredComparison]
"""A checksum, and the row that has it."""


def comparison_row(comparison: StoredComparison, at: str) -> tuple[object, ...]:
    """The columns of a comparison with its checksum, but for its run."""
    values = comparison._asdict()
    values |= {"margins": as_json(comparison.margins), "flags": as_json(comparison.flags)}
    values["judge"] = as_json(comparison.judge.as_json())
    return COMPARISONS.sealed((*values.values(), at))


def comparison_of(stored: Row) -> StoredComparison:
    """A comparison, planned or done, from all columns and the checksum."""
    *columns, _ = COMPARISONS.opened(stored)
    values = dict(zip(COMPARISONS.columns, columns, strict=False))
    values |= {"margins": json.loads(values["margins"]), "judge": judge_in(values["judge"])}
    return StoredComparison(**values | {"flags": tuple(json.loads(values["flags"]))})


def _pool_of(row: Row) -> tuple[RunRecord, str, Judge]:
    pool, judge, *run = row
    return run_of(tuple(run)), pool, judge_in(judge)


def _kept_of(row: Row) -> tuple[_Place, _Kept]:
    key, stored = row[: len(_PLACE)], row[len(_PLACE) :]
    return key, (stored[-1], comparison_of(stored))


class ComparisonStore(JournalFile):
    """The journal's comparisons."""

    _kept: dict[str, dict[_Place, _Kept]] | None = None

    def add_comparison(self, run: RunRecord, comparison: StoredComparison) -> None:
        """Store a comparison, planned or done; it is on the disk with the next group."""
        self.writer.add(_ADD_COMPARISON, (run.n, *comparison_row(comparison, now())))

    def keep_comparisons(self) -> None:
        """Read each comparison of a pool once from here on, and again only when it has changed.

        So what other processes write is seen as ever, and a long placement does not read all
        comparisons for each of its batches.
        """
        self._kept = {}

    def comparisons(
        self, pool: str | None = None, run: RunRecord | None = None
    ) -> Iterator[StoredComparison]:
        """The comparisons of a pool, of a run, or all, in an order that their contents give."""
        where, values = ["TRUE"], list[object]()
        for name, value in (("pool", pool), ("run", run and run.n)):
            if value is not None:
                where.append(f"{name} = ?")
                values.append(value)
        chosen, arguments = " AND ".join(where), tuple(values)
        if self._kept is None or pool is None:
            return self._rows(
                f"{_SELECT_COMPARISON}{chosen}{_COMPARISON_ORDER}", arguments, comparison_of
            )
        return self._changed_read(self._kept.setdefault(pool, {}), chosen, arguments)

    def _changed_read(
        self, kept: "dict[_Place, _Kept]", where: str, values: tuple[object, ...]
    ) -> Iterator[StoredComparison]:
        sql = f"SELECT {', '.join(_PLACE)}, crc FROM comparisons WHERE {where}{_COMPARISON_ORDER}"
        present = list(self._rows(sql, values, lambda row: (row[:-1], row[-1])))
        changed = [key for key, crc in present if kept.get(key, (None,))[0] != crc]
        if len(changed) > _ONE_BY_ONE:
            kept.update(self._rows(f"{_SELECT_KEPT}{where}", values, _kept_of))
        else:
            one = " AND ".join(f"{name} = ?" for name in _PLACE)
            for key in changed:
                kept.update(self._rows(f"{_SELECT_KEPT}{one}", key, _kept_of))
        return (kept[key][1] for key, _ in present if key in kept)

    def pools(self, benchmark: str) -> list[tuple[RunRecord, str, Judge]]:
        """The pools that a benchmark's comparisons are in, by the run that asked and the judge."""
        sql = (
            f"SELECT c.pool, c.judge, {quoted(RUN_COLUMNS, 'r.')} FROM"
            " (SELECT DISTINCT run, pool, judge FROM comparisons) AS c"
            " JOIN runs AS r ON r.n = c.run WHERE r.benchmark = ? ORDER BY r.n, c.pool"
        )
        return list(self._rows(sql, (benchmark,), _pool_of))

    def compared_by(self, run: RunRecord) -> list[str]:
        """The names of models whose runs have had a comparison with a run read."""
        sql = "SELECT DISTINCT a FROM comparisons WHERE run_b = ? AND status = 'read' ORDER BY a"
        return list(self._rows(sql, (run.run_id,), lambda row: str(row[0])))

    def comparisons_about(self, run_id: str, item_id: str) -> Iterator[StoredComparison]:
        """The comparisons of an item that a run is one side of, whoever asked for them."""
        where = "item_id = ? AND (run_a = ? OR run_b = ?)"
        return self._rows(
            _SELECT_COMPARISON + where + _COMPARISON_ORDER, (item_id, run_id, run_id), comparison_of
        )

    def comparisons_but(self, pool: str, grader: str) -> Iterator[StoredComparison]:
        """The comparisons of a pool that were made, and are another grader's."""
        where = "pool = ? AND status != 'planned' AND grader != ?"
        return self._rows(_SELECT_COMPARISON + where, (pool, grader), comparison_of)


_ADD = GRADES.adding()
_SELECT_SHORT = f"SELECT run, {quoted(GRADES.short)} FROM grades WHERE run {{of}} AND grader = ?"
_SELECT = (
    f"SELECT {quoted(GRADES.stored)} FROM grades"
    " WHERE run = ? AND grader = ? AND item_id = ? AND iteration = ?"
)
_SELECT_FAILURES = f"SELECT run, {quoted(FAILURES.columns)} FROM failures WHERE run {{of}}"
_NO_DETAIL: JsonObject = {}


def grade_row(
    grader: Grader, item_id: str, iteration: int, score: Score, at: str
) -> tuple[object, ...]:
    """The columns of a grade with its checksum, but for its run."""
    row = GradeRow(
        grader=grader.digest,
        item_id=item_id,
        iteration=iteration,
        values=as_json(score.values),
        reason=score.reason,
        flags=as_json(score.flags),
        detail=as_json(score.detail),
        at=at,
        graded_by=grader.text,
    )
    return GRADES.sealed(row)


def grade_of(stored: Row) -> tuple[str, int, Score]:
    """A grade with its detail, as it is stored."""
    row = GradeRow._make(GRADES.opened(stored))
    item_id, iteration, score = _graded(row)
    return item_id, iteration, replace(score, detail=json.loads(row.detail))


def short_grade_of(stored: Row) -> tuple[str, int, Score]:
    """A grade without its detail, from the columns for that."""
    return _graded(GradeRow._make(GRADES.opened_short(stored)))


def _graded(row: GradeRow) -> tuple[str, int, Score]:
    """What thousands of grades have alike is kept once."""
    numbers = {sys.intern(name): value for name, value in json.loads(row.values).items()}
    marks = () if row.flags == "[]" else tuple(map(sys.intern, json.loads(row.flags)))
    return sys.intern(row.item_id), row.iteration, Score(numbers, row.reason, marks, _NO_DETAIL)


def failure_of(columns: Row) -> Failure:
    """Why a sample has no usable answer."""
    if wrong := FAILURES.wrong_type(FAILURES.columns, columns):
        raise DamagedRow(f"a failure of item {columns[0]!r:.60}: {wrong}")
    return Failure._make(columns[:-1])


class GradeStore(JournalFile):
    """The journal's grades and failures."""

    def add_grade(
        self, run: RunRecord, grader: Grader, item_id: str, iteration: int, score: Score
    ) -> None:
        """Store a sample's score; it is on the disk with the next group."""
        row = grade_row(grader, item_id, iteration, score, now())
        self.writer.add(_ADD, (run.n, *row))
        if self._has_failures(run):
            sql = "DELETE FROM failures WHERE run = ? AND item_id = ? AND iteration = ?"
            self._add(sql, (run.n, item_id, iteration))

    def _has_failures(self, run: RunRecord) -> bool:
        """Whether a run may have failures; asked of the file once, as most have none."""
        if run.n not in self._failed:
            self._failed[run.n] = next(self.failures(run), None) is not None
        return self._failed[run.n]

    def grades(
        self, run: RunRecord, grader: Grader, clusters: Mapping[str, str]
    ) -> Iterator[SampleScore]:
        """A run's scores without their detail, by one grader, for the items in `clusters`."""
        rows = self._rows_of(run, _SELECT_SHORT, (grader.digest,), short_grade_of)
        for item_id, iteration, score in rows:
            if item_id in clusters:
                yield SampleScore(item_id, clusters[item_id], iteration, score)

    def samples_graded(self, run: RunRecord, grader: Grader) -> list[tuple[str, int]]:
        """Item and iteration of each sample that a grader has graded."""
        sql = "SELECT item_id, iteration FROM grades WHERE run = ? AND grader = ?"
        return list(self._rows(sql, (run.n, grader.digest), tuple))

    def was_scored(self, run: RunRecord) -> bool:
        """Whether any sample of the run's benchmark and model has a score, in whichever run."""
        sql = (
            "SELECT 1 FROM runs AS r JOIN grades AS g ON g.run = r.n"
            " WHERE r.benchmark = ? AND r.model = ? AND g.reason IS NULL LIMIT 1"
        )
        return any(self._rows(sql, (run.benchmark, run.model), tuple))

    def score_of(
        self, run: RunRecord, grader: Grader, item_id: str, iteration: int
    ) -> Score | None:
        """One sample's score with its detail, if it is graded."""
        rows = self._rows(_SELECT, (run.n, grader.digest, item_id, iteration), grade_of, run)
        return next((score for *_, score in rows), None)

    def graders(self, run: RunRecord) -> list[GradeCount]:
        """The graders whose grades a run has, the latest first."""
        sql = (
            "SELECT run, max(graded_by), count(*) FROM grades WHERE run {of}"
            " GROUP BY run, grader ORDER BY run, max(at) DESC, grader"
        )
        return list(self._rows_of(run, sql, (), lambda row: GradeCount(grader_in(row[0]), row[1])))

    def samples_begun(self, run: RunRecord) -> frozenset[tuple[str, int]]:
        """Item and iteration of each sample that has a reply of the model, or has failed."""
        sql = (
            "SELECT DISTINCT run, item_id, iteration FROM calls WHERE run {of}"
            " AND phase = 'generate'"
            " UNION SELECT run, item_id, iteration FROM failures WHERE run {of}"
        )
        return frozenset(self._rows_of(run, sql, (), tuple))

    def samples_done(self, run: RunRecord) -> frozenset[tuple[str, int]]:
        """Item and iteration of each sample that has a grade, by whomever, or has failed."""
        sql = (
            "SELECT run, item_id, iteration FROM grades WHERE run {of}"
            " UNION SELECT run, item_id, iteration FROM failures WHERE run {of}"
        )
        return frozenset(self._rows_of(run, sql, (), tuple))

    def add_failure(self, run: RunRecord, failure: Failure) -> None:
        """Store why a sample has no usable answer."""
        self._failed[run.n] = True
        self._add(FAILURES.adding(), (run.n, *failure, now()))

    def failures(self, run: RunRecord) -> Iterator[Failure]:
        """Samples without a usable answer."""
        return self._rows_of(run, _SELECT_FAILURES, (), failure_of)
