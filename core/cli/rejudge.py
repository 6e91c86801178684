"""`bench rescore` and `bench rejudge`: a run's replies graded again, by whoever that may be."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import click

from .. import console
from ..errors import UsageError
from ..guard import no_exit
from ..parties.providers import ModelSpec, of_judge
from ..run.rejudge import rejudge_task
from ..run.rescore import regrade, rescore
from ..run.rescore_all import CheckedRun, check_all
from ..run.task import Regrade
from ..runs.results import write_document
from ..runs.selectors import place_of
from ..settings.resolve import batching_of, judge_spec
from ..settings.run_settings import RunSettings
from ..settings.targets import find_target
from ..text import as_text
from ..types import Json
from ..types.result_document import ResultDocument
from . import options, selectors
from .command import command
from .options import run_ids
from .run import planned, start
from .session import EXIT, allow, begin, print_result
from .settings import pairs
from .show import compared_later


@command("rescore", "bench rescore 7a3c --set parser=reference", "bench rescore --all --dry-run")
@click.argument("run", required=False, shell_complete=run_ids)
@selectors.model_and_benchmark
@options.flag("--all", "every", help="All runs whose numbers would change.")
@options.flag("--dry-run", help="Say what would change, and store nothing.")
@click.option("--set", "changes", multiple=True, metavar="NAME=VALUE",
              help="Another value of a grading option, such as parser=reference.")  # fmt: skip
@selectors.grades_option("By the replies of this judge, where several have graded it.")
@selectors.data_option
@options.demo_option
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

    With --set the run's own result stays as it is. --all takes every stored result that this
    version would compute otherwise, such as after an update.
    """
    chosen = selectors.selector()
    if every == (run is not None or any(chosen)):
        raise UsageError("name a RUN, or --all for those whose numbers would be others today")
    if every:
        if changes:
            raise UsageError("--set is for one RUN, not for --all")
        return _all(runs_dir, dry=dry_run, json_output=json_output)
    with selectors.open_runs(runs_dir, run) as kept:
        stored = selectors.find(kept, run)
        values = pairs(changes, "--set")
        config = stored.config(values, judge=chosen.judge, dataset=place_of(chosen.dataset))
        pack = stored.pack_of(config)
        document: ResultDocument
        with no_exit():
            if dry_run:
                document = asyncio.run(regrade(stored, config, pack)).document
            else:
                document = asyncio.run(rescore(stored, config, pack))
        is_own = not (document["ratings"] or changes or chosen.judge)
        later = compared_later(stored) if is_own else ""
        if not dry_run:
            write_document(kept.journal.folder, document)
    print_result(document, json_output=json_output, later=later)
    return EXIT[document["status"]]


def _all(runs_dir: Path, *, dry: bool, json_output: bool) -> int:
    checked: list[CheckedRun] = []
    with selectors.open_runs(runs_dir) as stored, no_exit():
        for one in check_all(stored.journal, stored.catalogue, dry=dry):
            if one.rescored is not None:
                write_document(stored.journal.folder, one.rescored)
            checked.append(one)
    if json_output:
        rows = [one.as_json() for one in checked if one.changes or one.reason]
        click.echo(as_text({"dry_run": dry, "checked": len(checked), "runs": rows}))
        return 0

    console.output.show(console.differences.regraded(checked, dry=dry))
    return 0


@command("rejudge", "bench rejudge 7a3c --judge openai/gpt-4.1 --dry-run")
@click.argument("run", required=False, shell_complete=run_ids)
@selectors.model_and_benchmark
@options.judge_options
@click.option("--set", "changes", multiple=True, metavar="NAME=VALUE",
              help="Another value of a grading option.")  # fmt: skip
@selectors.data_option
@options.limit_options
@options.money_options
@options.place_options
@options.dry_run_option
@options.output_options
def rejudge_command(
    run: str | None,
    *,
    changes: tuple[str, ...],
    dry_run: bool,
    yes: bool,
    json_output: bool,
    **params: Json,
) -> int:
    """Judge a run's transcripts with another judge.

    The model is not asked again, and the run's own result stays as it is. --price is the judge's.
    """
    settings = options.run_settings(params)
    if not settings.judges:
        raise UsageError("--judge SPEC is missing: who judges?")
    values = pairs(changes, "--set")
    return judge_again(run, settings, values, sure=yes, dry=dry_run, json_output=json_output)


def judge_again(
    run: str | None,
    settings: RunSettings,
    changes: Mapping[str, str],
    *,
    sure: bool,
    dry: bool,
    json_output: bool,
    anew: bool = True,
) -> int:
    """Have a stored run's transcripts judged by the judge of the settings; the exit code.

    What that judge could not be read in before is asked `anew`.

    Raises:
        UsageError: There are several.
    """
    spec, *others = map(judge_spec, settings.judges)
    if others:
        message = "bench rejudge takes one judge at a time"
        raise UsageError(f"{message}; bench run with each --judge makes a panel of what is there")
    if settings.price:  # no other model is asked
        priced = {**settings.prices, str(spec): settings.price}
        settings = replace(settings, prices=priced, price=None)
    task = replace(_task(run, settings, spec, changes), anew=anew)
    runs = [planned(task, begin(settings), dry=dry)]
    sure = sure or settings.by_user("max_cost")
    return start(runs, sure=sure, dry=dry, json_output=json_output)


def _task(
    name: str | None, settings: RunSettings, spec: ModelSpec, changes: Mapping[str, str]
) -> Regrade:
    judge = find_target(settings, spec, of_judge(str(spec)))
    selectors.check_named(name)
    dataset = selectors.selector().dataset or selectors.as_given("dataset", settings.dataset)
    with selectors.open_runs(settings.runs_dir, name) as stored:
        return rejudge_task(
            selectors.find(stored, name, sure=True),
            allow(judge),
            changes=changes,
            dataset=place_of(dataset),
            max_reply=settings.max_reply,
            batching=lambda benchmark: batching_of(benchmark, settings, of_judge=True),
        )
