"""`bench repeat`: what reruns do to a score, from runs or from a CSV file."""

from collections.abc import Sequence
from pathlib import Path

import click

import eibench
from eibench import (
    JsonObject,
    Table,
    UsageError,
    check_name,
    left_out_of,
    run_selector,
    steadiness_table,
)
from eibench.statistics import SteadinessRow
from eibench.text import line, number, plural

from .csv_tables import read_table
from .distribution import Spread
from .repeatability import (
    MetricChange,
    ModelSpread,
    OverallSpread,
    Repeatability,
    build_repeatability,
)
from .reruns import Reruns, reruns_of_csv, reruns_of_runs

ONE_TEXT = "one text"
"""What stands in the place of a spread of 0 that nobody measured."""


def show_repeatability(document: Repeatability) -> None:
    """Everything `bench repeat` prints."""
    notes = ["SD with n - 1; CV = SD / mean, for scores that cannot be below zero."]
    notes += [f"judge: {document.judge}"] if document.judge else []
    notes += [f"{model.model}: {model.note}" for model in document.models if model.note]
    if not all(map(_is_one_text, _spreads_of(document))):
        notes += [_overall(*entry) for entry in document.overall.items()]
    notes += [
        f"left out: {model.model}, {_source(rerun)}: {rerun['left_out']}"
        for model in document.models
        for rerun in model.reruns
        if rerun["left_out"]
    ]
    notes += [f"left out: {message}" for message in document.left_out]
    title = f"Reruns, from {document.source}" + "  DEMO" * document.demo
    spreads = _spreads(title, document.models, "\n".join(map(line, notes)))
    parts = [_change(document.change)] if document.change else []
    parts += [steadiness_table(document.steadiness)] if document.steadiness else []
    eibench.show(spreads, *parts)


def _spreads(title: str, models: Sequence[ModelSpread], note: str) -> Table:
    columns = ("model", "metric", "reruns", "mean", "SD", "CV %", "min", "max", "range")
    rows = [
        (model.model, metric, spread.n, spread.mean, *_spread(model, spread))
        for model in models
        for metric, spread in model.metrics.items()
    ]  # fmt: skip
    return Table(title, columns, rows, note=note)


def _spread(model: ModelSpread, spread: Spread) -> tuple[str | float | None, ...]:
    """How far reruns differ; what they say is nothing where they are one text."""
    if _is_one_text((model, spread)):
        return (ONE_TEXT, None, spread.low, spread.high, None)
    return (spread.sd_sample, _percent(spread.cv_sample), spread.low, spread.high, spread.range)


def _is_one_text(spread_of: tuple[ModelSpread, Spread]) -> bool:
    """Whether a model's reruns differ by nothing, and got one text."""
    model, spread = spread_of
    return bool(model.note) and not spread.sd_sample


def _spreads_of(document: Repeatability) -> list[tuple[ModelSpread, Spread]]:
    """The spreads of all models and metrics."""
    return [(model, spread) for model in document.models for spread in model.metrics.values()]


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _overall(metric: str, spread: OverallSpread) -> str:
    mean, median = (number(_percent(cv)) for cv in (spread.mean_cv_sample, spread.median_cv_sample))
    over = plural(spread.models, "model")
    return f"{metric}: over {over} the mean CV is {mean} %, the median {median} %"


def _source(rerun: JsonObject) -> str:
    if "line" in rerun:
        return f"line {rerun['line']}"
    return f"run {rerun['run_id']}, iteration {rerun['iteration']}"


def _change(change: MetricChange) -> Table:
    columns = ("model", "reruns", change.before, change.after, "change", "change %")
    rows = [
        (row.model, row.n, row.before, row.after, row.difference, _percent(row.relative))
        for row in change.models
    ]
    shares = {
        "mean over models": change.mean_over_models,
        "mean over reruns": change.mean_over_reruns,
        "of the means of all reruns": change.of_means,
    }
    averages = ", ".join(f"{name} {number(_percent(share))} %" for name, share in shares.items())
    title = f"From {line(change.before)} to {line(change.after)}"
    return Table(title, columns, rows, note=f"average change: {averages}")


_EXAMPLES = "\b\nExamples:\n  bench repeat 7a3c --change first_pass revised\n"


@click.command("repeat", cls=eibench.Command, epilog=_EXAMPLES)
@click.argument("sources", metavar="RUN|BENCHMARK...|FILE.csv", nargs=-1,
                shell_complete=eibench.completion("runs"))  # fmt: skip
@eibench.run_options("model", "benchmark", "judge")
@click.option("--change", nargs=2, metavar="BEFORE AFTER",
              help="Compare two metrics, such as first_pass revised.")  # fmt: skip
@click.option("--without", multiple=True, metavar="MODEL", help="Leave this model out.")
@eibench.run_options("dataset")
@eibench.shared_options("demo", "runs_dir")
@eibench.json_option
def repeat_command(
    sources: tuple[str, ...],
    change: tuple[str, str] | None,
    without: tuple[str, ...],
    runs_dir: Path,
    json_output: bool,
) -> None:
    """Say how far reruns of a model differ: iterations of runs, or rows of a CSV file.

    Each iteration is scored by itself, with --judge by that judge's grades. In FILE.csv the first
    column names the model.
    """
    steady: list[SteadinessRow] = []
    if any(source.lower().endswith(".csv") for source in sources):
        reruns = _from_file(sources, change or ())
    else:
        reruns, steady = _from_runs(sources, runs_dir)
    left_out = left_out_of(dict.fromkeys(rerun.model for rerun in reruns.reruns), without)
    reruns = reruns._replace(reruns=[r for r in reruns.reruns if r.model not in left_out])
    document = build_repeatability(reruns, change or ())._replace(steadiness=steady)
    if json_output:
        eibench.show_json(document)
    else:
        show_repeatability(document)


def _from_file(sources: tuple[str, ...], metrics: tuple[str, ...]) -> Reruns:
    source, *more = sources
    if any(run_selector()):
        raise UsageError(f"{run_selector()} is for runs; a file of scores has none")
    if more:
        raise UsageError("name one file, or runs; not more than one file, and not both")
    file = read_table(Path(source))
    for name in metrics:
        check_name(name, file.columns, f"{file.path} has no column {name!r}", "its columns")
    return reruns_of_csv(file, metrics)


def _from_runs(sources: tuple[str, ...], runs_dir: Path) -> tuple[Reruns, list[SteadinessRow]]:
    if not (sources or any(run_selector())):
        raise UsageError("Missing argument 'RUN...|FILE.csv'.")
    with eibench.open_runs(runs_dir, *sources) as stored:
        runs = eibench.chosen_runs(stored, sources, every=True)
        path, judge = run_selector().data_path, run_selector().judge
        reruns = reruns_of_runs(runs, path, judge)
        by = {run.id: run.by_judge(judge).judge if judge else None for run in runs}
        return reruns, [row for run in runs for row in run.steadiness(path, by[run.id])]
