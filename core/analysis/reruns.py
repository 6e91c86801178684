"""Reruns of models: the rows of a CSV file that name one model, or iterations of its runs.

A rerun is the same benchmark with the same protocol, items, model and endpoint, asked again. An
iteration that misses samples, or that fails the benchmark's validity rule, is no whole
rerun: it is kept with the reason, and does not count.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..benchmark import Pack
from ..errors import DataError, UsageError
from ..guard import guard
from ..journal import Failure, RunRecord
from ..parties.graders import Grader
from ..reports.comparability import RunResult, judge_in, refuse_mixture
from ..reports.hints import bench
from ..runs.finding import MODEL
from ..runs.run_set import RunSet
from ..runs.stored_run import StoredRun
from ..settings.run_config import RunConfig, grader
from ..text import plural
from ..types import JsonObject, SampleScore
from ..types.result_document import ResultDocument
from .csv_tables import CsvTable

HINT = "name runs of one protocol at a time"


@dataclass(frozen=True, slots=True)
class Rerun:
    """One result of a model.

    Attributes:
        source: Where it comes from: a run and an iteration, or a line of a file.
        values: Metrics by name; None where there is no value.
        reason: Why it does not count; None when it does.
    """

    model: str
    demo: bool
    source: JsonObject
    values: Mapping[str, float | None]
    reason: str | None = None


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


# From a file


def reruns_of_csv(file: CsvTable, wanted: Sequence[str]) -> Reruns:
    """A rerun per row; rows with the same first cell are of one model.

    Args:
        file: What was read.
        wanted: Columns that have to be numbers; a column of another kind is no metric.

    Raises:
        DataError: A wanted column holds what is no number, or no column holds any.
    """
    columns, left_out = file.numeric(wanted)
    if not columns:
        raise DataError(file.path, f"has no column of numbers: {'; '.join(left_out)}")
    reruns = [
        Rerun(row.model, False, {"line": row.line}, {n: v[i] for n, v in columns.items()})
        for i, row in enumerate(file.rows)
    ]
    return Reruns(str(file.path), reruns, left_out, "each row is one rerun of its model")


# From runs


def reruns_of_runs(runs: RunSet, dataset: str | None, view: str | None = None) -> Reruns:
    """A rerun per iteration of each run, scored by itself.

    Args:
        runs: At least one; of one benchmark.
        dataset: Where its data is now, if it was moved.
        view: The result of each run whose judge and options count, if not its own.

    Raises:
        UsageError: The runs are no reruns of each other, or one has no result.
        DataError: The data are not there.
    """
    there = list(runs)
    outcomes = [_outcome(run, view) for run in there]
    _refuse_other_benchmarks(runs.records)
    refuse_mixture(outcomes, runs.catalogue.benchmarks.things, HINT)
    _refuse_other_endpoints(runs)
    graded = [_read(run, own.document, dataset) for run, own in zip(there, outcomes, strict=True)]
    _refuse_other_items(graded)
    reruns = [rerun for run in graded for rerun in run.reruns()]
    more = "run it again with --iterations 2, or with --fresh and name both runs"
    judge = judge_in(outcomes[0].document)
    title, by = f"{there[0].benchmark} runs in {runs.journal.folder}", str(judge or "")
    return Reruns(title, reruns, (), more, by or None)


def _outcome(run: StoredRun, view: str | None) -> RunResult:
    document = run.document if view is None else run.view(view)
    if document is None:
        raise UsageError(f"run {run.id}: no result yet")
    return RunResult(run.record, document)


def _refuse_other_benchmarks(runs: Sequence[RunRecord]) -> None:
    names = dict.fromkeys(run.benchmark for run in runs)
    if len(names) > 1:
        raise UsageError(f"these are runs of {' and '.join(names)}; name those of one benchmark")


def _refuse_other_endpoints(runs: RunSet) -> None:
    """Refuse a model's runs at two sites: a server's build and quantisation move scores."""
    names = {a.run_id: a.endpoint for a in runs.journal.asked(role=MODEL)}
    first: dict[str, RunRecord] = {}
    for run in runs.records:
        one = first.setdefault(run.name, run)
        sites = [r.party.site(names.get(r.run_id)) for r in (one, run)]
        if (sites[0], one.model) != (sites[1], run.model):
            message = " and ".join(f"{r.run_id} of {r.model} {_address(r)}" for r in (one, run))
            raise UsageError(f"runs named {run.name!r} are no reruns of one model: {message}")


def _address(run: RunRecord) -> str:
    return f"at {run.endpoint}" if run.endpoint else "at its provider"


def _refuse_other_items(graded: "Sequence[_GradedRun]") -> None:
    one, *others = graded
    for other in others:
        if one.items != other.items:
            counts = f"{len(one.items)} and {len(other.items)}"
            ids = f"{one.run.run_id} and {other.run.run_id}"
            raise UsageError(f"runs {ids} answered different items ({counts} of them)")


@dataclass(frozen=True, slots=True)
class _GradedRun:
    """What the journal knows of a run's samples, by one grader."""

    run: RunRecord
    config: RunConfig
    pack: Pack
    scores: Sequence[SampleScore]
    failures: Sequence[Failure]

    @property
    def _samples(self) -> list[tuple[str, int]]:
        graded = [(s.item_id, s.iteration) for s in self.scores]
        return [*graded, *((f.item_id, f.iteration) for f in self.failures)]

    @property
    def items(self) -> frozenset[str]:
        """The items that were asked in any iteration."""
        return frozenset(item_id for item_id, _ in self._samples)

    def reruns(self) -> list[Rerun]:
        """One per iteration."""
        last = max((iteration for _, iteration in self._samples), default=0)
        return [self._rerun(n) for n in range(1, last + 1)]

    def _rerun(self, iteration: int) -> Rerun:
        scores = [s for s in self.scores if s.iteration == iteration]
        summary = guard(self.config.benchmark).summarise(self.pack, scores, self.config.options)
        values = {name: metric.value for name, metric in summary.metrics.items()}
        source: JsonObject = {"run_id": self.run.run_id, "iteration": iteration}
        missing = len(self.items) - len(scores)
        partial = f"{missing} of {plural(len(self.items), 'sample')} missing" if missing else None
        invalid = f"FAIL: {summary.invalid}" if summary.invalid else None
        return Rerun(self.run.name, self.run.demo, source, values, partial or invalid)


def _read(run: StoredRun, document: ResultDocument, dataset: str | None) -> _GradedRun:
    config = run.config_of(document, dataset)
    pack = run.pack_of(config)
    clusters = pack.clusters
    scores = list(run.grades(_grader(run, config), clusters))
    graded = {(s.item_id, s.iteration) for s in scores}
    failures = [f for f in run.failures if f.item_id in clusters]
    left = [f for f in failures if (f.item_id, f.iteration) not in graded]
    return _GradedRun(run.record, config, pack, scores, left)


def _grader(run: StoredRun, config: RunConfig) -> Grader:
    """The grader of the result: that of the run itself, else that of bench rescore.

    Raises:
        UsageError: Nothing is graded.
        DataError: None of the run's graders is that of its result, or has this version.
    """
    there = {count.grader for count in run.all_graders}
    for by in (grader(config), grader(config, offline=True)):
        if by in there:
            return by
    if not there:
        raise UsageError(f"run {run.id} has no graded replies yet; run its command first")
    message = "its grades are by another judge than its last result, or by another version"
    raise DataError(f"run {run.id}", f"{message}; {bench('rescore', run.id)} grades anew")
