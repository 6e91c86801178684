"""A journal's runs as tidy tables: a row is one thing, a column one fact (docs/storage.md).

Rows are named tuples of plain values, so `pandas.DataFrame(rows)` or `polars.DataFrame(rows)`
takes them as they are.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..journal import Journal, RunRecord
from ..parties.imported import is_imported


class TidyRun(NamedTuple):
    """A run. `elsewhere`: whether it was answered elsewhere."""

    run_id: str
    benchmark: str
    benchmark_version: str
    model: str
    name: str
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


def load(runs_dir: str | Path = "runs") -> TidyTables:
    """All runs of a folder as typed rows.

    Raises:
        JournalError: There is no journal, or it cannot be read.
    """
    with Journal(Path(runs_dir), create=False) as journal:
        return tables_of(journal, journal.runs())


def tables_of(journal: Journal, runs: Sequence[RunRecord]) -> TidyTables:
    """The tables of some runs.

    Raises:
        JournalError: The journal cannot be read.
    """
    made = TidyTables([], [], [], [], [])
    for run in runs:
        _add_result(journal, run, made)
        made.samples.extend(_samples(journal, run))
        made.grades.extend(_grades(journal, run))
        made.comparisons.extend(_comparisons(journal, run))
    return made


def _add_result(journal: Journal, run: RunRecord, made: TidyTables) -> None:
    found: Any = journal.document(run) or {}
    facts: tuple[Any, ...] = (run.run_id, run.benchmark, run.benchmark_version, run.model, run.name)
    facts += (found.get("judge"), run.pack_name, run.pack_sha256, run.demo, is_imported(run.model))
    facts += (run.status, run.created_at, run.finished_at, run.elapsed_s, found.get("cost_usd"))
    made.runs.append(TidyRun(*facts))
    for name, metric in found.get("metrics", {}).items():
        low, high = metric["ci95"] or (None, None)
        better = metric["higher_is_better"]
        row = TidyMetric(run.run_id, name, metric["value"], low, high, metric["n"], better)
        made.metrics.append(row)


def _samples(journal: Journal, run: RunRecord) -> Iterator[TidySample]:
    failed = {(f.item_id, f.iteration): f.reason for f in journal.failures(run)}
    totals = {
        (c.item_id, c.iteration): c for c in journal.call_totals(run) if c.phase == "generate"
    }
    for item_id, iteration in sorted({*failed, *totals}):
        reason, calls = failed.get((item_id, iteration)), totals.get((item_id, iteration))
        known = (calls.calls, calls.attempts, calls.truncated) if calls else (0, 0, 0)
        used: tuple[Any, ...] = (None, None, None)
        if calls and not is_imported(run.model):
            used = (calls.usage.input, calls.usage.output, calls.cost_usd)
        about = (run.run_id, item_id, iteration, reason is not None, reason)
        yield TidySample(*about, *known, *used)


def _grades(journal: Journal, run: RunRecord) -> Iterator[TidyGrade]:
    every = {item_id: "" for item_id, _ in journal.samples_done(run)}
    for grader in journal.graders(run):
        by = (run.run_id, grader.digest, grader.graded_by.get("judge"))
        for item_id, _, iteration, score in journal.grades(run, grader.digest, every):
            values: Mapping[Any, Any] = score.values or {None: None}
            for name, value in values.items():
                found: tuple[Any, ...] = (name, value, score.reason, " ".join(score.flags))
                yield TidyGrade(*by, item_id, iteration, *found)


def _comparisons(journal: Journal, run: RunRecord) -> Iterator[TidyComparison]:
    for one in journal.comparisons(run=run):
        about = (one.run_a, one.run_b, one.a, one.b, one.item_id, one.iteration)
        asked = (one.judge, one.first, one.status)
        margins: Mapping[Any, Any] = one.margins or {None: None}
        for criterion, margin in margins.items():
            yield TidyComparison(*about, *asked, criterion, margin, one.reason)
