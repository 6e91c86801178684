"""`bench rescore`: parse and score again, from the journal."""

import asyncio
from pathlib import Path

import click

from .. import console
from ..errors import UsageError
from ..guard import no_exit
from ..journal import Journal
from ..plugins import installed
from ..run.rescore import regrade, rescore
from ..run.rescore_all import CheckedRun, check_all
from ..runs import run_set
from ..runs.selectors import place_of
from ..runs.views import write_document
from ..text import as_text
from ..types.result_document import ResultDocument
from . import options
from .command import Command
from .completion import run_ids
from .selectors import data_option, find_one, grades_option, model_and_benchmark, selector
from .session import EXIT, print_result
from .values import pairs

_RESCORE_EXAMPLES = (
    "\b\nExamples:\n  bench rescore 7a3c --set parser=reference\n  bench rescore --all --dry-run\n"
)


@click.command("rescore", cls=Command, epilog=_RESCORE_EXAMPLES)
@click.argument("run", required=False, shell_complete=run_ids)
@model_and_benchmark
@click.option("--all", "every", is_flag=True, help="All runs whose numbers would change.")
@click.option("--dry-run", is_flag=True, help="Say what would change, and store nothing.")
@click.option("--set", "changes", multiple=True, metavar="NAME=VALUE",
              help="Another value of a grading option, such as parser=reference.")  # fmt: skip
@grades_option("By the replies of this judge, where several have graded it.")
@data_option
@options.place_options
@options.output_options
def rescore_command(
    run: str | None,
    every: bool,
    dry_run: bool,
    changes: tuple[str, ...],
    runs_dir: Path,
    json_output: bool,
) -> int:
    """Score a run's replies again, without a single request.

    With --set the result is kept as a view beside the run's own. --all takes every stored result
    that this version would compute otherwise, such as after an update.
    """
    chosen = selector()
    if every == (run is not None or any(chosen)):
        raise UsageError("name a RUN, or --all for those whose numbers would be others today")
    if every:
        if changes:
            raise UsageError("--set is for one RUN, not for --all")
        return _all(runs_dir, dry=dry_run, json_output=json_output)
    with run_set.runs(runs_dir) as kept:
        stored = find_one(kept, run)
        given = pairs(changes, "--set")
        config = stored.config(given, judge=chosen.judge, dataset=place_of(chosen.dataset))
        pack = stored.pack_of(config)
        document: ResultDocument
        with no_exit():
            if dry_run:
                document = asyncio.run(regrade(stored, config, pack)).document
            else:
                document = asyncio.run(rescore(stored, config, pack))
    if not dry_run:
        write_document(runs_dir, document)
    print_result(document, json_output=json_output)
    return EXIT[document["status"]]


def _all(runs_dir: Path, *, dry: bool, json_output: bool) -> int:
    checked: list[CheckedRun] = []
    with Journal(runs_dir, create=False) as journal, no_exit():
        for one in check_all(journal, installed(), dry=dry):
            if one.rescored is not None:
                write_document(runs_dir, one.rescored)
            checked.append(one)
    if json_output:
        rows = [one.as_json() for one in checked if one.changes or one.reason]
        click.echo(as_text({"dry_run": dry, "checked": len(checked), "runs": rows}))
        return 0

    console.output.show(console.regraded.regraded(checked, dry=dry))
    return 0
