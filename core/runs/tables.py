"""A journal's runs as tidy tables: a row is one thing, a column one fact (docs/storage.md).

Rows are named tuples of plain values, so `pandas.DataFrame(rows)` or `polars.DataFrame(rows)`
takes them as they are.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ..parties.party import is_imported
from .stored_run import StoredRun


class TidyRun(NamedTuple):
    """A run. `endpoint`: where its model is; `elsewhere`: whether it was answered elsewhere."""

    run_id: str
    benchmark: str
    benchmark_version: str
    model: str
    name: str
    endpoint: str | None
    judge: str | None
    pack: str
    pack_sha256: str
    demo: bool
    elsewhere: bool
    status: str
    created_at: str
    finished_at: str | None
    elapsed_s: float
    cost_usd: float | None


class TidyMetric(NamedTuple):
    """A metric of a run's result, with its 95 % interval."""

    run_id: str
    metric: str
    value: float | None
    ci_low: float | None
    ci_high: float | None
    n: int
    higher_is_better: bool | None


class TidySample(NamedTuple):
    """An item in one iteration, with the calls to the model. `reason`: why it failed."""

    run_id: str
    item_id: str
    iteration: int
    failed: bool
    reason: str | None
    calls: int
    attempts: int
    truncated: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None


class TidyGrade(NamedTuple):
    """One value of a sample by one grader; without a value, `reason` says why."""

    run_id: str
    grader: str
    judge: str | None
    item_id: str
    iteration: int
    metric: str | None
    value: float | None
    reason: str | None
    flags: str


class TidyComparison(NamedTuple):
    """A criterion of a comparison; its margin is positive where `a` wins, null if unread."""

    run_a: str
    run_b: str
    a: str
    b: str
    item_id: str
    iteration: int
    judge: str
    first: str
    status: str
    criterion: str | None
    margin: int | None
    reason: str | None


class TidyTables(NamedTuple):
    """All tables of a journal's runs."""

    runs: list[TidyRun]
    metrics: list[TidyMetric]
    samples: list[TidySample]
    grades: list[TidyGrade]
    comparisons: list[TidyComparison]

    @classmethod
    def of(cls, runs: Iterable[StoredRun]) -> "TidyTables":
        """The tables of some runs; a `JournalError` where the journal cannot be read."""
        tables = cls([], [], [], [], [])
        for run in runs:
            tables.runs.append(_run(run))
            tables.metrics.extend(_metrics(run))
            tables.samples.extend(_samples(run))
            tables.grades.extend(_grades(run))
            tables.comparisons.extend(_comparisons(run))
        return tables


def _run(run: StoredRun) -> TidyRun:
    row, document = run.record, run.document
    return TidyRun(
        run.id,
        run.benchmark,
        row.benchmark_version,
        run.model,
        run.name,
        row.endpoint,
        document["judge"] if document else None,
        row.pack_name,
        row.pack_sha256,
        run.demo,
        is_imported(run.model),
        run.status,
        row.created_at,
        row.finished_at,
        row.elapsed_s,
        document["cost_usd"] if document else None,
    )


def _metrics(run: StoredRun) -> Iterator[TidyMetric]:
    for name, metric in run.document["metrics"].items() if run.document else ():
        low, high = metric["ci95"] or (None, None)
        better = metric["higher_is_better"]
        yield TidyMetric(run.id, name, metric["value"], low, high, metric["n"], better)


def _samples(run: StoredRun) -> Iterator[TidySample]:
    failed = {(f.item_id, f.iteration): f.reason for f in run.failures}
    totals = {(c.item_id, c.iteration): c for c in run.calls if c.phase == "generate"}
    for key in sorted({*failed, *totals}):
        reason, calls = failed.get(key), totals.get(key)
        counts = (calls.calls, calls.attempts, calls.truncated) if calls else (0, 0, 0)
        used = calls.usage if calls and not is_imported(run.model) else None
        spent = (used.input, used.output, calls.cost_usd) if calls and used else (None, None, None)
        yield TidySample(run.id, *key, reason is not None, reason, *counts, *spent)


def _grades(run: StoredRun) -> Iterator[TidyGrade]:
    every = {item_id: "" for item_id, _ in run.samples_done}
    for grader, _ in run.all_graders:
        by = (run.id, grader.digest, run.called(grader.judge) if grader.judge else None)
        for item_id, _, iteration, score in run.grades(grader, every):
            flags = " ".join(score.flags)
            values: Mapping[str, float | None] = score.values
            for name, value in values.items() or ((None, None),):
                yield TidyGrade(*by, item_id, iteration, name, value, score.reason, flags)


def _comparisons(run: StoredRun) -> Iterator[TidyComparison]:
    for one in run.comparisons():
        sides = (one.run_a, one.run_b, one.a, one.b, one.item_id, one.iteration)
        asked = (run.called(one.judge), one.first, one.status)
        for criterion, margin in one.margins.items() or ((None, None),):
            yield TidyComparison(*sides, *asked, criterion, margin, one.reason)
