"""Reruns of models: the rows of a CSV file that name one model, or iterations of its runs.

A rerun is the same benchmark with the same protocol, items, model and endpoint, asked again. An
iteration that misses samples, or that fails the benchmark's validity rule, is no whole
rerun: it is kept with the reason, and does not count.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from eibench import (
    DataError,
    JsonObject,
    RunSet,
    StoredRun,
    Summary,
    UsageError,
    judge_in,
)
from eibench.text import plural

from .csv_tables import CsvTable


@dataclass(frozen=True, slots=True)
class Rerun:
    """One result of a model.

    Attributes:
        source: Where it comes from: a run and an iteration, or a line of a file.
        values: Metrics by name; None where there is no value.
        reason: Why it does not count; None when it does.
        note: That it and its like are one text, where they are.
    """

    model: str
    demo: bool
    source: JsonObject
    values: Mapping[str, float | None]
    reason: str | None = None
    note: str = ""


class Reruns(NamedTuple):
    """Reruns of one benchmark.

    Attributes:
        source: Where they come from, for people.
        reruns: Of all models, in the order of the source.
        left_out: What of the source is not among them, and why.
        more: How to get more of them.
        judge: Who judged them; ``None`` where nobody did.
    """

    source: str
    reruns: Sequence[Rerun]
    left_out: Sequence[str]
    more: str
    judge: str | None = None


def reruns_of_csv(file: CsvTable, required: Sequence[str]) -> Reruns:
    """A rerun per row; rows with the same first cell are of one model.

    Raises:
        DataError: A required column holds what is no number, or no column holds any.
    """
    columns, left_out = file.numeric(required)
    if not columns:
        raise DataError(file.path, f"has no column of numbers: {'; '.join(left_out)}")
    reruns = [
        Rerun(row.model, False, {"line": row.line}, {n: v[i] for n, v in columns.items()})
        for i, row in enumerate(file.rows)
    ]
    return Reruns(str(file.path), reruns, left_out, "each row is one rerun of its model")


def reruns_of_runs(runs: RunSet, dataset: str | None, judge: str | None = None) -> Reruns:
    """A rerun per iteration of each run, scored by itself.

    Args:
        runs: At least one.
        dataset: Where their data is now, if it was moved.
        judge: The label or spec of who graded them; by default the judge of each run's own result.

    Raises:
        UsageError: The runs are no reruns of each other, or one has no result.
        DataError: The data are not there.
    """
    documents = {run.id: run.result(judge) for run in runs}
    first, *others = runs
    if len(names := dict.fromkeys(run.benchmark for run in runs)) > 1:
        raise UsageError(f"these are runs of {' and '.join(names)}; choose with --benchmark")
    runs.refuse_mixture("name runs of one protocol at a time", documents)
    runs.refuse_namesakes()
    iterations = {run.id: run.iterations(documents[run.id], dataset=dataset) for run in runs}
    for run in others:
        one, other = (iterations[run_id].items for run_id in (first.id, run.id))
        if one != other:
            counts = f"({len(one)} and {len(other)} of them)"
            raise UsageError(f"runs {first.id} and {run.id} answered different items {counts}")
    reruns = [rerun for run in runs for rerun in _reruns(run, *iterations[run.id])]
    more = "run it again with --iterations 2, or with --fresh and name both runs"
    by = judge_in(documents[first.id])
    title = f"{first.benchmark} runs in {runs.journal.folder}"
    return Reruns(title, reruns, (), more, str(by) if by else None)


def _reruns(
    run: StoredRun, items: Collection[str], summaries: Sequence[Summary], graded: Sequence[int]
) -> Iterator[Rerun]:
    """One per iteration."""
    for n, (summary, count) in enumerate(zip(summaries, graded, strict=True), start=1):
        values = {name: metric.value for name, metric in summary.metrics.items()}
        missing = len(items) - count
        partial = f"{missing} of {plural(len(items), 'sample')} missing" if missing else None
        invalid = f"FAIL: {summary.invalid}" if summary.invalid else None
        source: JsonObject = {"run_id": run.id, "iteration": n}
        yield Rerun(run.name, run.demo, source, values, partial or invalid, run.repeats_note)
