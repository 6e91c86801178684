"""A table of scores made of runs: models in rows by their name, benchmarks in columns.

A benchmark's runs stand in one column only if they were made with one protocol. Of several
runs of one model the latest whole one counts, and the others are told. A result that fails its
benchmark's validity rule is no score; a partial one counts and is flagged.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ..errors import DataError, UsageError
from ..journal import RunRecord
from ..parties.graders import is_meant
from ..reports.choosing import is_pack
from ..reports.comparability import (
    RunResult,
    is_partial,
    judge_in,
    refuse_mixture,
)
from ..runs.run_set import RunSet
from ..runs.stored_run import StoredRun
from ..text import plural
from ..types.result_document import MetricRow, ResultDocument
from .score_tables import ScoreTable

HINT = "choose with --dataset, --judge or --run"


class ScoreColumn(NamedTuple):
    """A column made of runs.

    Attributes:
        name: As it was asked for: ``BENCHMARK`` or ``BENCHMARK:METRIC``.
        metric: None for the benchmark's main one.
    """

    name: str
    benchmark: str
    metric: str | None

    @classmethod
    def parse(cls, asked: str) -> "ScoreColumn":
        """The column that a word asks for."""
        benchmark, colon, metric = asked.partition(":")
        return cls(asked, benchmark, metric if colon else None)

    def metric_of(self, outcome: RunResult) -> tuple[str, MetricRow]:
        """The metric's name and what a result says of it.

        Raises:
            UsageError: The benchmark has no metric of that name.
        """
        metrics = outcome.document["metrics"]
        name = next(iter(metrics), "") if self.metric is None else self.metric
        if name not in metrics:
            there = ", ".join(metrics) or "none"
            raise UsageError(f"{self.benchmark} has no metric {name!r}; there are: {there}")
        return name, metrics[name]


@dataclass(frozen=True, slots=True)
class RunSelection:
    """Which runs count.

    Attributes:
        runs: Only these; None for all.
        datasets: By benchmark, and with an empty name for all others: only of packs of this name,
            or whose SHA-256 begins so (six digits or more).
        judge: Of judged runs, only results by the judge of this spec.
        without: Models that are left out before anything is set beside anything.
        mixed: Let demo models and real ones stand in one table.
    """

    runs: Sequence[StoredRun] | None = None
    datasets: Mapping[str, str] = field(default_factory=dict)
    judge: str | None = None
    without: Collection[str] = ()
    mixed: bool = False

    def among(self, runs: RunSet) -> list[StoredRun]:
        """Those of a journal's runs that are looked at."""
        wanted = runs if self.runs is None else self.runs
        return [run for run in wanted if run.name not in self.without]

    def of_one_kind(
        self, runs: RunSet, benchmarks: Collection[str]
    ) -> tuple["RunSelection", list[str]]:
        """The choice without demo models where there are real ones, and which it leaves out.

        Runs that are named are taken as they are.
        """
        there = [run for run in self.among(runs) if run.benchmark in benchmarks]
        demos = list(dict.fromkeys(run.name for run in there if run.demo))
        if self.mixed or self.runs is not None or all(run.demo for run in there):
            return self, []
        return replace(self, without=(*self.without, *demos)), demos

    def takes(self, outcome: RunResult) -> bool:
        """Whether a result counts."""
        pack, name = outcome.document["dataset"], outcome.run.benchmark
        wanted = self.datasets.get(name, self.datasets.get(""))
        return self.is_by(outcome.document) and is_pack(pack["name"], pack["sha256"], wanted)

    def is_by(self, document: ResultDocument) -> bool:
        """Whether a result is by the judge that is wanted, or by none."""
        judge = judge_in(document)
        return self.judge is None or judge is None or judge.goes_by(self.judge)


@dataclass(slots=True)
class _Notes:
    """What is told beside the table."""

    left_out: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def benchmarks_with_runs(runs: RunSet, choice: RunSelection) -> list[str]:
    """The benchmarks that have runs among those that count, by name, in the order of the runs."""
    return list(dict.fromkeys(run.benchmark for run in choice.among(runs)))


def table_of_runs(runs: RunSet, wanted: Sequence[ScoreColumn], choice: RunSelection) -> ScoreTable:
    """The scores of a journal's runs.

    Args:
        runs: A journal's.
        wanted: The columns.
        choice: Which of them count.

    Raises:
        UsageError: Results of one benchmark never mix, or a metric is not there.
    """
    notes = _Notes()
    names = dict.fromkeys(column.benchmark for column in wanted)
    choice, demos = choice.of_one_kind(runs, names)
    notes.left_out += [f"demo models: {', '.join(demos)}; --demo takes them in"] if demos else []
    found = {name: _outcomes(runs, name, choice, notes) for name in names}
    models = list(dict.fromkeys(model for outcomes in found.values() for model in outcomes))
    flags = [_flags(model, found) for model in models]
    columns = {c.name: _values(c, found[c.benchmark], models, notes) for c in wanted}
    return ScoreTable(
        f"runs in {runs.journal.folder}",
        tuple(models),
        columns,
        tuple(flags),
        tuple(notes.left_out),
        tuple(notes.warnings),
        {c.name: _judge(found[c.benchmark].values()) for c in wanted},
    )


def _judge(outcomes: Iterable[RunResult]) -> str | None:
    """The judge of a column; there is one at most, as judges never mix."""
    judge = next((judge_in(outcome.document) for outcome in outcomes), None)
    return judge.label if judge else None


def _outcomes(
    runs: RunSet, benchmark: str, choice: RunSelection, notes: _Notes
) -> dict[str, RunResult]:
    """The results of a benchmark that count, by the model's name."""
    own = [run for run in choice.among(runs) if run.benchmark == benchmark]
    made = [_outcome(run, choice, notes) for run in own]
    known = [outcome for outcome in made if outcome is not None]
    taken = [outcome for outcome in known if choice.takes(outcome)]
    if len(taken) < len(known):
        message = (
            f"{len(known) - len(taken)} of {plural(len(known), 'result')}, of another pack or judge"
        )
        notes.left_out.append(f"{benchmark}: {message}")
    valid = [outcome for outcome in taken if not outcome.document["invalid"]]
    failed = [outcome for outcome in taken if outcome.document["invalid"]]
    notes.left_out += [f"{_named(o.run)}: FAIL: {o.document['invalid']}" for o in failed]
    refuse_mixture(valid, runs.catalogue.benchmarks.things, HINT)
    return _one_per_model(valid, notes)


def _outcome(run: StoredRun, choice: RunSelection, notes: _Notes) -> RunResult | None:
    """A run's own result, or the one by the judge that is wanted, made from the journal."""
    document = run.document
    if document is not None and not choice.is_by(document):
        document = _by_judge(run, str(choice.judge), notes) or document
    if document is None:
        notes.left_out.append(f"{_named(run.record)}: no result yet")
        return None
    return RunResult(run.record, document)


def _by_judge(run: StoredRun, judge: str, notes: _Notes) -> ResultDocument | None:
    """A run's result by a judge; ``None`` where that one has not graded it."""
    if not any(is_meant(grader.judge, judge) for grader, _ in run.all_graders):
        return None
    try:
        return run.result(judge)
    except DataError as error:
        notes.left_out.append(f"{_named(run.record)}: {error}")
        return None


def _named(run: RunRecord) -> str:
    return f"run {run.run_id} ({run.benchmark}, {run.name})"


def _one_per_model(outcomes: Iterable[RunResult], notes: _Notes) -> dict[str, RunResult]:
    """The latest whole result of each model, or its latest partial one."""
    by_model: dict[str, list[RunResult]] = {}
    for outcome in outcomes:
        by_model.setdefault(outcome.run.name, []).append(outcome)
    chosen = {}
    for model, several in by_model.items():
        taken = max(several, key=lambda o: (not is_partial(o.document), o.run.n))
        chosen[model] = taken
        if len(several) > 1:
            others = ", ".join(o.run.run_id for o in several if o is not taken)
            message = (
                f"{taken.run.benchmark} of {model}: run {taken.run.run_id} counts, not {others}"
            )
            notes.warnings.append(f"{message}; choose with --run")
    return chosen


def _flags(model: str, found: Mapping[str, Mapping[str, RunResult]]) -> tuple[str, ...]:
    own = [outcomes[model] for outcomes in found.values() if model in outcomes]
    demo = ["DEMO"] if any(o.run.demo for o in own) else []
    return (*demo, *(_partial(o) for o in own if is_partial(o.document)))


def _partial(outcome: RunResult) -> str:
    """How much of a result is there; unscored samples are there, only without a number."""
    counts, document = outcome.document["items"], outcome.document
    whole = document["dataset"]["n_items"] * document["iterations"]
    done = counts["scored"] + counts["unscored"]
    return f"{outcome.run.benchmark} partial ({done} of {plural(whole, 'sample')})"


def _values(
    column: ScoreColumn, outcomes: Mapping[str, RunResult], models: Sequence[str], notes: _Notes
) -> list[float | None]:
    values: dict[str, float | None] = {}
    for model, outcome in outcomes.items():
        name, metric = column.metric_of(outcome)
        values[model] = metric["value"]
        if metric["value"] is None:
            notes.left_out.append(f"{_named(outcome.run)}: {name} has no value")
        elif metric["higher_is_better"] is False:
            message = f"{column.name}: the lower {name} the better"
            notes.warnings += [message] if message not in notes.warnings else []
    return [values.get(model) for model in models]
