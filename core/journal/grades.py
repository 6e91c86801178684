"""The grades of a journal, and why samples have none: to rows, and back."""

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace

from ..benchmark.model import FILTERED
from ..parties.graders import Grader
from ..types import JsonObject, SampleScore, Score
from .file import JournalFile, now
from .records import Failure, GradeCount, GradeRow, RunRecord, as_json, grader_in
from .schema import FAILURES, GRADES
from .tables import DamagedRow, Row, quoted

_ADD = GRADES.adding()
_SELECT_SHORT = f"SELECT run, {quoted(GRADES.short)} FROM grades WHERE run {{of}} AND grader = ?"
_SELECT = (
    f"SELECT {quoted(GRADES.stored)} FROM grades"
    " WHERE run = ? AND grader = ? AND item_id = ? AND iteration = ?"
)
_SELECT_FAILURES = f"SELECT run, {quoted(FAILURES.columns)} FROM failures WHERE run {{of}}"
_REFUSED = f"instr(flags, '\"{FILTERED}\"')"
"""Of grades: a filter refused a request of their sample, so that there may be no reply of it."""
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
    """A grade with its detail, as it is stored.

    Raises:
        DamagedRow: It is not what was written.
    """
    row = GradeRow._make(GRADES.opened(stored))
    item_id, iteration, score = _graded(row)
    return item_id, iteration, replace(score, detail=json.loads(row.detail))


def short_grade_of(stored: Row) -> tuple[str, int, Score]:
    """A grade without its detail, from the columns for that.

    Raises:
        DamagedRow: It is not what was written.
    """
    return _graded(GradeRow._make(GRADES.opened_short(stored)))


def _graded(row: GradeRow) -> tuple[str, int, Score]:
    """What thousands of grades have alike is kept once."""
    numbers = {sys.intern(name): value for name, value in json.loads(row.values).items()}
    marks = () if row.flags == "[]" else tuple(map(sys.intern, json.loads(row.flags)))
    return sys.intern(row.item_id), row.iteration, Score(numbers, row.reason, marks, _NO_DETAIL)


def failure_of(columns: Row) -> Failure:
    """Why a sample has no usable answer.

    Raises:
        DamagedRow: It holds what no failure does.
    """
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

    def refusal(self, run: RunRecord, item_id: str, iteration: int) -> Score | None:
        """The score of a sample that a filter refused, by whichever grader, if it did."""
        sql = (
            f"SELECT {quoted(GRADES.stored)} FROM grades"
            f" WHERE run = ? AND item_id = ? AND iteration = ? AND {_REFUSED} LIMIT 1"
        )
        rows = self._rows(sql, (run.n, item_id, iteration), grade_of, run)
        return next((score for *_, score in rows), None)

    def graders(self, run: RunRecord) -> list[GradeCount]:
        """The graders whose grades a run has, the latest first."""
        sql = (
            "SELECT run, max(graded_by), count(*) FROM grades WHERE run {of}"
            " GROUP BY run, grader ORDER BY run, max(at) DESC, grader"
        )
        return list(self._rows_of(run, sql, (), lambda row: GradeCount(grader_in(row[0]), row[1])))

    def samples_begun(self, run: RunRecord) -> frozenset[tuple[str, int]]:
        """Item and iteration of each sample that has a reply of the model, or never will."""
        sql = (
            "SELECT DISTINCT run, item_id, iteration FROM calls WHERE run {of}"
            " AND phase = 'generate'"
            " UNION SELECT run, item_id, iteration FROM failures WHERE run {of}"
            f" UNION SELECT run, item_id, iteration FROM grades WHERE run {{of}} AND {_REFUSED}"
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
