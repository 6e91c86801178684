"""`bench rescore`: parse and score again, from the journal."""

import asyncio
from pathlib import Path
from typing import Any

import click

from ..engine.rescoring import config_of, pack_of, rescore
from ..guard import no_exit
from ..journal import Journal
from ..plugins import installed
from ..reports.files import write_document
from . import options
from .command import Command
from .completion import run_ids
from .results import EXIT, print_result
from .runs import find
from .settings import config_option
from .stored import as_given
from .values import pairs


@click.command("rescore", cls=Command)
@click.argument("run", shell_complete=run_ids)
@click.option("--set", "changes", multiple=True, metavar="NAME=VALUE",
              help="Another value of a grading option, such as parser=reference.")  # fmt: skip
@click.option("--dataset", metavar="PATH", help="Where the run's data is now, if it was moved.")
@options.runs_dir_option
@options.json_option
@config_option
def rescore_command(
    run: str, changes: tuple[str, ...], dataset: str | None, runs_dir: Path, json_output: bool
) -> int:
    """Score a run's replies again, without a single request."""
    with Journal(runs_dir, create=False) as journal:
        record = find(journal, run)
        given = pairs(changes, "--set")
        config = config_of(journal, record, installed(), given, as_given("dataset", dataset))
        pack = pack_of(record, config)
        with no_exit():
            document: dict[str, Any] = asyncio.run(rescore(journal, record, config, pack))
    write_document(runs_dir, document)
    print_result(document, json_output=json_output)
    return EXIT[document["status"]]
