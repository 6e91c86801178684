"""A table of scores made of runs: models in rows by their name, benchmarks in columns.

A benchmark's runs stand in one column only if they were made with one protocol. Of several
runs of one model the latest whole one counts, and the others are told. A result that fails its
benchmark's validity rule is no score; a partial one counts and is flagged.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..benchmark import Benchmark
from ..errors import UsageError
from ..journal import Journal, RunRecord
from .gradings import is_pack
from .protocols import Outcome, judge_of, refuse_mixture, what_is_missing
from .score_tables import ScoreTable

HINT = "choose with --dataset, --judge or --run"


class Column(NamedTuple):
    """A column made of runs.

    Attributes:
        name: As it was asked for: ``BENCHMARK`` or ``BENCHMARK:METRIC``.
        metric: None for the benchmark's main one.
    """

    name: str
    benchmark: str
    metric: str | None

    @classmethod
    def parse(cls, asked: str) -> "Column":
        """The column that a word asks for."""
        benchmark, colon, metric = asked.partition(":")
        return cls(asked, benchmark, metric if colon else None)

    def metric_of(self, outcome: Outcome) -> tuple[str, Mapping[str, Any]]:
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
class Choice:
    """Which runs count.

    Attributes:
        runs: Only these; None for all.
        dataset: Only of packs of this name, or whose SHA-256 begins so (six digits or more).
        judge: Of judged results, only those by the judge of this spec.
    """

    runs: Sequence[RunRecord] | None = None
    dataset: str | None = None
    judge: str | None = None

    def takes(self, outcome: Outcome) -> bool:
        """Whether a result counts."""
        judges = (outcome.document["judge"], judge_of(outcome))
        of_judge = None in (self.judge, judges[0]) or self.judge in judges
        pack = outcome.document["dataset"]
        return of_judge and is_pack(pack["name"], pack["sha256"], self.dataset)


@dataclass(slots=True)
class _Notes:
    """What is told beside the table."""

    left_out: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def benchmarks_with_runs(journal: Journal, choice: Choice) -> list[str]:
    """The benchmarks that have runs among those that count, by name, in the order of the runs."""
    runs = journal.runs() if choice.runs is None else choice.runs
    return list(dict.fromkeys(run.benchmark for run in runs))


def table_of_runs(
    journal: Journal,
    wanted: Sequence[Column],
    choice: Choice,
    benchmarks: Mapping[str, Benchmark],
) -> ScoreTable:
    """The scores of a journal's runs.

    Args:
        journal: Holds the runs.
        wanted: The columns.
        choice: Which runs count.
        benchmarks: Those that are installed, by name.

    Raises:
        UsageError: Results of one benchmark never mix, or a metric is not there.
    """
    notes = _Notes()
    found = {
        name: _outcomes(journal, name, choice, benchmarks, notes)
        for name in dict.fromkeys(column.benchmark for column in wanted)
    }
    models = list(dict.fromkeys(model for outcomes in found.values() for model in outcomes))
    flags = [_flags(model, found) for model in models]
    columns = {c.name: _values(c, found[c.benchmark], models, notes) for c in wanted}
    return ScoreTable(
        f"runs in {journal.folder}",
        tuple(models),
        columns,
        tuple(flags),
        tuple(notes.left_out),
        tuple(notes.warnings),
    )


def _outcomes(
    journal: Journal,
    benchmark: str,
    choice: Choice,
    benchmarks: Mapping[str, Benchmark],
    notes: _Notes,
) -> dict[str, Outcome]:
    """The results of a benchmark that count, by the model's name."""
    runs = journal.runs() if choice.runs is None else choice.runs
    made = [_outcome(journal, run, notes) for run in runs if run.benchmark == benchmark]
    known = [outcome for outcome in made if outcome is not None]
    taken = [outcome for outcome in known if choice.takes(outcome)]
    if len(taken) < len(known):
        told = f"{len(known) - len(taken)} of {len(known)} results, of another pack or judge"
        notes.left_out.append(f"{benchmark}: {told}")
    valid = [outcome for outcome in taken if not outcome.document["invalid"]]
    failed = [outcome for outcome in taken if outcome.document["invalid"]]
    notes.left_out += [f"{_named(o.run)}: FAIL: {o.document['invalid']}" for o in failed]
    refuse_mixture(valid, benchmarks, HINT)
    return _one_per_model(valid, notes)


def _outcome(journal: Journal, run: RunRecord, notes: _Notes) -> Outcome | None:
    document = journal.document(run)
    missing = "no result yet" if document is None else what_is_missing(document)
    if document is None or missing:
        notes.left_out.append(f"{_named(run)}: {missing}")
        return None
    return Outcome(run, document)


def _named(run: RunRecord) -> str:
    return f"run {run.run_id} ({run.benchmark}, {run.name})"


def _one_per_model(outcomes: Iterable[Outcome], notes: _Notes) -> dict[str, Outcome]:
    """The latest whole result of each model, or its latest partial one."""
    by_model: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        by_model.setdefault(outcome.run.name, []).append(outcome)
    chosen = {}
    for model, several in by_model.items():
        taken = max(several, key=lambda o: (not is_partial(o.document), o.run.n))
        chosen[model] = taken
        if len(several) > 1:
            others = ", ".join(o.run.run_id for o in several if o is not taken)
            told = f"{taken.run.benchmark} of {model}: run {taken.run.run_id} counts, not {others}"
            notes.warnings.append(f"{told}; choose with --run")
    return chosen


def is_partial(document: Mapping[str, Any]) -> bool:
    """Whether samples are missing, or were never asked for."""
    counts, whole = document["items"], document["dataset"]["n_items"] * document["iterations"]
    return bool(counts["failed"] or counts["pending"] or counts["total"] < whole)


def _flags(model: str, found: Mapping[str, Mapping[str, Outcome]]) -> tuple[str, ...]:
    own = [outcomes[model] for outcomes in found.values() if model in outcomes]
    demo = ["DEMO"] if any(o.run.demo for o in own) else []
    return (*demo, *(_partial(o) for o in own if is_partial(o.document)))


def _partial(outcome: Outcome) -> str:
    """How much of a result is there; unscored samples are there, only without a number."""
    counts, document = outcome.document["items"], outcome.document
    whole = document["dataset"]["n_items"] * document["iterations"]
    done = counts["scored"] + counts["unscored"]
    return f"{outcome.run.benchmark} partial ({done} of {whole} samples)"


def _values(
    column: Column, outcomes: Mapping[str, Outcome], models: Sequence[str], notes: _Notes
) -> list[float | None]:
    values: dict[str, float | None] = {}
    for model, outcome in outcomes.items():
        name, metric = column.metric_of(outcome)
        values[model] = metric["value"]
        if metric["value"] is None:
            notes.left_out.append(f"{_named(outcome.run)}: {name} has no value")
        elif metric["higher_is_better"] is False:
            told = f"{column.name}: the lower {name} the better"
            notes.warnings += [told] if told not in notes.warnings else []
    return [values.get(model) for model in models]
