"""`bench repeat`: what reruns do to a score, from runs or from a CSV file."""

from pathlib import Path

import click

import eibench
from eibench import UsageError, check_name, left_out_of, run_selector

from .csv_tables import read_csv
from .repeat_tables import show_repeatability
from .repeatability import build_repeatability
from .reruns import Reruns, reruns_of_csv, reruns_of_runs

_EXAMPLES = "\b\nExamples:\n  bench repeat 7a3c --change first_pass revised\n"


@click.command("repeat", cls=eibench.Command, epilog=_EXAMPLES)
@click.argument("sources", metavar="RUN...|FILE.csv", nargs=-1,
                shell_complete=eibench.completion("runs"))  # fmt: skip
@eibench.run_options("model", "benchmark", "judge")
@click.option("--metric", "metrics", multiple=True, metavar="NAME", help="Only this metric.")
@click.option("--change", nargs=2, metavar="BEFORE AFTER",
              help="Compare two metrics, such as first_pass revised.")  # fmt: skip
@click.option("--without", multiple=True, metavar="MODEL", help="Leave this model out.")
@click.option(
    "--view", metavar="NAME", help="Grade as this view of each run, not as its own result."
)
@eibench.run_options("dataset")
@eibench.shared_options("runs_dir")
@eibench.json_option
def repeat_command(
    sources: tuple[str, ...],
    metrics: tuple[str, ...],
    change: tuple[str, str] | None,
    without: tuple[str, ...],
    view: str | None,
    runs_dir: Path,
    json_output: bool,
) -> None:
    """Say how far reruns of a model differ: iterations of runs, or rows of a CSV file.

    Each iteration is scored by itself. In FILE.csv the first column names the model.
    """
    if any(source.lower().endswith(".csv") for source in sources):
        reruns = _from_file(sources, (*metrics, *(change or ())), view)
    else:
        reruns = _from_runs(sources, view, runs_dir)
    left_out = left_out_of(dict.fromkeys(rerun.model for rerun in reruns.reruns), without)
    reruns = reruns._replace(reruns=[r for r in reruns.reruns if r.model not in left_out])
    document = build_repeatability(reruns, metrics, change or ())
    if json_output:
        eibench.show_json(document)
    else:
        show_repeatability(document)


def _from_file(sources: tuple[str, ...], metrics: tuple[str, ...], view: str | None) -> Reruns:
    source, *more = sources
    if any(run_selector()):
        raise UsageError(f"{run_selector()} is for runs; a file of scores has none")
    if more:
        raise UsageError("name one file, or runs; not more than one file, and not both")
    if view:
        raise UsageError("--view is for runs; a file of scores has no views")
    file = read_csv(Path(source))
    for name in metrics:
        check_name(name, file.columns, f"{file.path} has no column {name!r}", "its columns")
    return reruns_of_csv(file, metrics)


def _from_runs(sources: tuple[str, ...], view: str | None, runs_dir: Path) -> Reruns:
    if not (sources or any(run_selector())):
        raise UsageError("Missing argument 'RUN...|FILE.csv'.")
    with eibench.runs(runs_dir) as stored:
        runs = eibench.chosen_runs(stored, sources)
        return reruns_of_runs(runs, run_selector().data_path, view)
