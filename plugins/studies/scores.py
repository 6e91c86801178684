"""A table of scores: models in rows, benchmarks in columns, from a CSV file or from runs.

A benchmark's runs stand in one column only if they were made with one protocol. Of several runs
of one model the latest whole one counts, and the others are told. A result that fails its
benchmark's validity rule is no score; a partial one counts and is flagged. What cannot stand in
the table is left out, and `left_out` says so with the reason.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from eibench import DataError, ResultDocument, RunSet, StoredRun, UsageError, is_partial, judge_in
from eibench.text import plural

from .csv_tables import CsvTable


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Scores of models.

    Attributes:
        source: Where they come from, for people.
        models: A name per row.
        columns: By name, a score per row; None where there is none.
        flags: By row, what a reader must know, such as ``DEMO``.
        left_out: What could not stand here, and why.
        warnings: What a reader must know of the whole, one line each.
        judges: By column, who judged; ``None`` where nobody did.
    """

    source: str
    models: tuple[str, ...]
    columns: Mapping[str, Sequence[float | None]]
    flags: tuple[tuple[str, ...], ...]
    left_out: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    judges: Mapping[str, str | None] = field(default_factory=dict)

    def without(self, models: Collection[str]) -> "ScoreTable":
        """The table without some models."""
        kept = [n for n, model in enumerate(self.models) if model not in models]
        return replace(
            self,
            models=tuple(self.models[n] for n in kept),
            columns={name: [values[n] for n in kept] for name, values in self.columns.items()},
            flags=tuple(self.flags[n] for n in kept),
        )


def table_of_csv(file: CsvTable, required: Sequence[str]) -> ScoreTable:
    """The scores of a file.

    Raises:
        DataError: A model has two rows, or a required column holds what is no number.
    """
    models = file.models()
    columns, left_out = file.numeric(required)
    return ScoreTable(str(file.path), models, columns, ((),) * len(models), tuple(left_out))


class ScoreColumn(NamedTuple):
    """A column made of runs.

    Attributes:
        name: ``BENCHMARK`` or ``BENCHMARK:METRIC``.
        metric: None for the benchmark's main one.
    """

    name: str
    benchmark: str
    metric: str | None

    @classmethod
    def parse(cls, word: str) -> "ScoreColumn":
        """The column that a word asks for."""
        benchmark, colon, metric = word.partition(":")
        return cls(word, benchmark, metric if colon else None)


_LEAST_DIGITS = 6
"""Of a digest, for a pack to be meant."""


@dataclass(frozen=True, slots=True)
class RunSelection:
    """Which runs count.

    Attributes:
        runs: Only these; None for all.
        datasets: By benchmark, and with an empty name for all others: only of packs of this name,
            or whose SHA-256 begins so (six digits or more).
        judge: Of judged runs, only results by the judge of this spec.
        without: Models that are left out before anything is set beside anything.
    """

    runs: Sequence[StoredRun] | None = None
    datasets: Mapping[str, str] = field(default_factory=dict)
    judge: str | None = None
    without: Collection[str] = ()

    def among(self, runs: RunSet) -> list[StoredRun]:
        """Those of a journal's runs that are looked at."""
        return [run for run in self.runs or runs if run.name not in self.without]

    def benchmarks(self, runs: RunSet) -> list[str]:
        """The benchmarks that they are of, in the order of the runs."""
        return list(dict.fromkeys(run.benchmark for run in self.among(runs)))

    def takes(self, result: "_Result") -> bool:
        """Whether a result counts."""
        pack = result.document["dataset"]
        name = self.datasets.get(result.run.benchmark, self.datasets.get(""))
        is_named = name in (None, pack["name"])
        digits = name if name and len(name) >= _LEAST_DIGITS else "none"
        return (is_named or pack["sha256"].startswith(digits)) and self.is_by(result.document)

    def is_by(self, document: ResultDocument) -> bool:
        """Whether a result is by the judge that is asked for, or by none."""
        judge = judge_in(document)
        return self.judge is None or judge is None or self.judge in judge.names


class _Result(NamedTuple):
    """A run with the result of it that counts."""

    run: StoredRun
    document: ResultDocument

    def __str__(self) -> str:
        return f"run {self.run.id} ({self.run.benchmark}, {self.run.name})"


def table_of_runs(
    runs: RunSet, columns: Sequence[ScoreColumn], selection: RunSelection
) -> ScoreTable:
    """The scores of a journal's runs.

    Raises:
        UsageError: Results of one benchmark never mix, or a metric is not there.
    """
    return _RunTable(runs, selection).table(columns)


class _RunTable:
    """The results that count, and what is told beside the table."""

    def __init__(self, runs: RunSet, selection: RunSelection) -> None:
        self.runs, self.selection = runs, selection
        self.left_out: list[str] = []
        self.warnings: list[str] = []

    def table(self, columns: Sequence[ScoreColumn]) -> ScoreTable:
        names = dict.fromkeys(column.benchmark for column in columns)
        results = {name: self._results(name) for name in names}
        models = list(dict.fromkeys(model for column in results.values() for model in column))
        values = {c.name: self._values(c, results[c.benchmark]) for c in columns}
        return ScoreTable(
            f"runs in {self.runs.journal.folder}",
            tuple(models),
            {name: [by_model.get(model) for model in models] for name, by_model in values.items()},
            tuple(_flags([r[model] for r in results.values() if model in r]) for model in models),
            tuple(self.left_out),
            tuple(self.warnings),
            {c.name: _judge(results[c.benchmark].values()) for c in columns},
        )

    def _results(self, benchmark: str) -> dict[str, _Result]:
        """The results of a benchmark that count, by the model's name."""
        runs = [run for run in self.selection.among(self.runs) if run.benchmark == benchmark]
        results = [result for run in runs for result in self._result(run)]
        taken = [result for result in results if self.selection.takes(result)]
        if len(taken) < len(results):
            of = f"{len(results) - len(taken)} of {plural(len(results), 'result')}"
            self.left_out.append(f"{benchmark}: {of}, of another pack or judge")
        valid = [result for result in taken if not result.document["invalid"]]
        invalid = [result for result in taken if result.document["invalid"]]
        self.left_out += [f"{result}: FAIL: {result.document['invalid']}" for result in invalid]
        self.runs.of(result.run for result in valid).refuse_mixture(
            "choose with --dataset, --judge or --run", {r.run.id: r.document for r in valid}
        )
        return self._one_per_model(valid)

    def _result(self, run: StoredRun) -> Iterator[_Result]:
        """A run's own result, or the one by the judge that is asked for, made from the journal."""
        if run.document is None:
            self.left_out.append(f"run {run.id} ({run.benchmark}, {run.name}): no result yet")
        elif self.selection.is_by(run.document):
            yield _Result(run, run.document)
        else:
            yield _Result(run, self._by_judge(run, str(self.selection.judge)) or run.document)

    def _by_judge(self, run: StoredRun, judge: str) -> ResultDocument | None:
        """A run's result by a judge; ``None`` where that one has not graded it."""
        if not any(g.judge and judge in g.judge.names for g, _ in run.all_graders):
            return None
        try:
            return run.result(judge)
        except DataError as error:
            self.left_out.append(f"run {run.id} ({run.benchmark}, {run.name}): {error}")
            return None

    def _one_per_model(self, results: Iterable[_Result]) -> dict[str, _Result]:
        """The latest whole result of each model, or its latest partial one."""
        by_model: dict[str, list[_Result]] = {}
        for result in results:
            by_model.setdefault(result.run.name, []).append(result)
        chosen = {}
        for model, several in by_model.items():
            taken = max(several, key=lambda r: (not is_partial(r.document), r.run.record.n))
            chosen[model] = taken
            if others := ", ".join(r.run.id for r in several if r is not taken):
                message = f"{taken.run.benchmark} of {model}: run {taken.run.id} counts, not"
                self.warnings.append(f"{message} {others}; choose with --run")
        return chosen

    def _values(
        self, column: ScoreColumn, results: Mapping[str, _Result]
    ) -> dict[str, float | None]:
        values: dict[str, float | None] = {}
        for model, result in results.items():
            metrics = result.document["metrics"]
            name = next(iter(metrics), "") if column.metric is None else column.metric
            if name not in metrics:
                names = ", ".join(metrics) or "none"
                message = f"{column.benchmark} has no metric {name!r}; there are: {names}"
                raise UsageError(message)
            values[model] = metrics[name]["value"]
            if values[model] is None:
                self.left_out.append(f"{result}: {name} has no value")
            elif metrics[name]["higher_is_better"] is False:
                message = f"{column.name}: the lower {name} the better"
                self.warnings += [message] if message not in self.warnings else []
        return values


def _judge(results: Iterable[_Result]) -> str | None:
    """The judge of a column; there is one at most, as judges never mix."""
    judge = next((judge_in(result.document) for result in results), None)
    return judge.label if judge else None


def _flags(results: Sequence[_Result]) -> tuple[str, ...]:
    demo = ["DEMO"] if any(result.run.demo for result in results) else []
    return (*demo, *(_partial(result) for result in results if is_partial(result.document)))


def _partial(result: _Result) -> str:
    """How much of a result is there; unscored samples are there, only without a number."""
    counts, document = result.document["items"], result.document
    whole = document["dataset"]["n_items"] * document["iterations"]
    done = counts["scored"] + counts["unscored"]
    return f"{result.run.benchmark} partial ({done} of {plural(whole, 'sample')})"
