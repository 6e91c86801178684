"""`bench rejudge`: another judge's verdicts on a run's transcripts."""

from collections.abc import Mapping
from dataclasses import replace

import click

from ..errors import UsageError
from ..parties.providers import OF_JUDGE, ModelSpec
from ..run.rejudge import rejudge_task
from ..run.task import Regrade
from ..runs import run_set
from ..runs.selectors import place_of
from ..settings.resolve import judge_spec
from ..settings.run_settings import RunSettings
from ..settings.targets import find_target
from ..types import Json
from . import options
from .command import Command
from .completion import run_ids
from .run import planned, start
from .selectors import check_named, data_option, find_one, model_and_benchmark, selector
from .session import allow, begin
from .stored import as_given
from .values import pairs

_REJUDGE_EXAMPLES = "\b\nExamples:\n  bench rejudge 7a3c --judge openai/gpt-4.1 --dry-run\n"


@click.command("rejudge", cls=Command, epilog=_REJUDGE_EXAMPLES)
@click.argument("run", required=False, shell_complete=run_ids)
@model_and_benchmark
@options.judge_options
@click.option("--set", "changes", multiple=True, metavar="NAME=VALUE",
              help="Another value of a grading option.")  # fmt: skip
@data_option
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

    The model is not asked again, and the result is kept as a view of the run. --price is the
    judge's.
    """
    settings = options.run_settings(params)
    if not settings.judges:
        raise UsageError("--judge SPEC is missing: who judges?")
    given = pairs(changes, "--set")
    return judge_again(run, settings, given, sure=yes, dry=dry_run, json_output=json_output)


def judge_again(
    run: str | None,
    settings: RunSettings,
    changes: Mapping[str, str],
    *,
    sure: bool,
    dry: bool,
    json_output: bool,
) -> int:
    """Have a stored run's transcripts judged by the judge of the settings; the exit code.

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
    task = _task(run, settings, spec, changes)
    runs = [planned(task, begin(settings), dry=dry)]
    sure = sure or settings.by_user("max_cost")
    return start(runs, sure=sure, dry=dry, json_output=json_output)


def _task(
    name: str | None, settings: RunSettings, spec: ModelSpec, changes: Mapping[str, str]
) -> Regrade:
    judge = find_target(settings, spec, OF_JUDGE)
    check_named(name)
    dataset = selector().dataset or as_given("dataset", settings.dataset)
    with run_set.runs(settings.runs_dir) as stored:
        return rejudge_task(
            find_one(stored, name),
            allow(judge),
            changes=changes,
            dataset=place_of(dataset),
            transfer=settings.transfer,
        )
