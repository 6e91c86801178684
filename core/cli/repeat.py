"""`bench repeat`: what reruns do to a score, from runs or from a CSV file."""

from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from .. import analysis, console
from ..analysis.csv_tables import read_csv
from ..analysis.reruns import reruns_of_csv, reruns_of_runs
from ..errors import UsageError
from ..reading.names import check_name, check_without
from ..runs import run_set
from ..runs.run_set import place_of
from ..text import as_text
from . import options
from .command import Command
from .completion import run_ids
from .selectors import all_but_data, data_option, find_all, selector

if TYPE_CHECKING:
    from ..analysis.reruns import Reruns


class RepeatParams(TypedDict):
    """Which reruns count, and how the document is printed."""

    without: tuple[str, ...]
    view: str | None
    runs_dir: Path
    json_output: bool


_REPEAT_EXAMPLES = "\b\nExamples:\n  bench repeat 7a3c --change first_pass revised\n"


@click.command("repeat", cls=Command, epilog=_REPEAT_EXAMPLES)
@click.argument("sources", metavar="RUN...|FILE.csv", nargs=-1,
                shell_complete=run_ids)  # fmt: skip
@all_but_data
@click.option("--metric", "metrics", multiple=True, metavar="NAME", help="Only this metric.")
@click.option("--change", nargs=2, metavar="BEFORE AFTER",
              help="Compare two metrics, such as first_pass revised.")  # fmt: skip
@click.option("--without", multiple=True, metavar="MODEL", help="Leave this model out.")
@click.option(
    "--view", metavar="NAME", help="Grade as this view of each run, not as its own result."
)
@data_option
@options.place_options
@options.json_option
def repeat_command(
    sources: tuple[str, ...],
    metrics: tuple[str, ...],
    change: tuple[str, str] | None,
    **params: Unpack[RepeatParams],
) -> None:
    """Say how far reruns of a model differ: iterations of runs, or rows of a CSV file.

    Each iteration is scored by itself. In FILE.csv the first column names the model.
    """
    if any(source.lower().endswith(".csv") for source in sources):
        reruns = _from_file(sources, (*metrics, *(change or ())), params)
    else:
        reruns = _from_runs(sources, params)
    reruns = _without(reruns, params["without"])
    document = analysis.repeatability.build_repeatability(reruns, metrics, change or ())
    if params["json_output"]:
        click.echo(as_text(document))
        return

    console.output.show(console.repeatability.repeatability(document))


def _without(reruns: "Reruns", models: tuple[str, ...]) -> "Reruns":
    names = list(dict.fromkeys(rerun.model for rerun in reruns.reruns))
    check_without(models, names)
    return reruns._replace(reruns=[r for r in reruns.reruns if r.model not in models])


def _from_file(
    sources: tuple[str, ...], metrics: tuple[str, ...], params: RepeatParams
) -> "Reruns":
    source, *more = sources
    if any(selector()):
        raise UsageError(f"{selector()} is for runs; a file of scores has none")
    if more:
        raise UsageError("name one file, or runs; not more than one file, and not both")
    if params["view"]:
        raise UsageError("--view is for runs; a file of scores has no views")
    file = read_csv(Path(source))
    for name in metrics:
        check_name(name, file.columns, f"{file.path} has no column {name!r}", "its columns")
    return reruns_of_csv(file, metrics)


def _from_runs(sources: tuple[str, ...], params: RepeatParams) -> "Reruns":
    chosen = selector()
    if not (sources or any(chosen)):
        raise UsageError("Missing argument 'RUN...|FILE.csv'.")
    with run_set.runs(params["runs_dir"]) as stored:
        found = find_all(stored, sources)
        return reruns_of_runs(found, place_of(chosen.dataset), params["view"])
