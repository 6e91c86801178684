"""`bench run`: one or more benchmarks, or those of a suite, each on one or more models."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import click

from .. import console
from ..benchmark import Benchmark
from ..errors import BenchError, Interrupted, UsageError
from ..guard import guard, no_exit
from ..reports.comparability import unlike_published
from ..reports.document import judge_warnings
from ..reports.replies import broker_warnings
from ..reports.result import Result
from ..reports.suggestions import bench
from ..run.against import find_bases, set_against
from ..run.checks import shared_addresses
from ..run.overall import Member, Overall
from ..run.plan import make_plan, refuse_too_little
from ..run.session import Session
from ..run.task import Task
from ..settings.resolve import run_configs
from ..settings.rules import own_options
from ..settings.run_config import RunConfig
from ..settings.run_settings import RunSettings, option_of
from ..settings.set_options import texts_about
from ..text import as_text
from ..types import Json
from ..types.result_document import ResultDocument
from . import options, plans, session
from .advice import asks_on, finish
from .command import BENCHMARKS, RESULTS, BenchmarkCommand, BenchmarkName, command
from .data import get_data, tell_pack
from .errors import error_of, kind_of
from .serve import Served, at_server, closing, served_by
from .settings import config_option, given_by_user
from .summary import NO_ENDING, Ending, FailedRun, comes_to, read_limit, summary


def choose_benchmarks(benchmarks: Sequence[Benchmark], suite: str | None) -> list[Benchmark]:
    """The benchmarks that are named, or those of the suite.

    Raises:
        UsageError: Neither is given, or both, or a benchmark twice.
    """
    if suite and benchmarks:
        raise UsageError(f"--suite {suite} names its benchmarks; leave the others out")
    if twice := next((b.name for b in benchmarks if list(benchmarks).count(b) > 1), None):
        raise UsageError(f"{twice} is given twice")
    chosen = list(benchmarks) or list(click.get_current_context().meta[BENCHMARKS])
    if not chosen:
        raise UsageError(f"name a benchmark, or --suite NAME; {bench('list')} lists benchmarks")
    return chosen


_OF_JUDGES = ("judges", "judge_base_url", "judge_api_key_env", "judge_set", "panel", "quorum",
              "exclude_kin", "overlap")  # fmt: skip
_OF_ROLES = ("roles", "role_base_url", "role_api_key_env")


def fitting(settings: RunSettings, benchmark: Benchmark, of: int) -> RunSettings:
    """The settings for one of several benchmarks: without what is only for others of them."""
    if of == 1:
        return settings
    names = {name for role in benchmark.roles for name in (role.name, role.group)} - {""}
    changes: dict[str, Any] = {
        option: {name: one for name, one in getattr(settings, option).items() if name in names}
        for option in _OF_ROLES
    }
    changes["role_set"] = texts_about(settings.role_set, names) if names else ()
    compares = guard(benchmark).compares(own_options(benchmark, settings.options))
    others: tuple[str, ...] = () if compares else ("without",)
    others += () if benchmark.judged else _OF_JUDGES
    changes |= {name: getattr(RunSettings(), name) for name in others}  # as if nobody gave them
    unset = set(map(option_of, others))
    sources = {name: one for name, one in settings.sources.items() if name not in unset}
    return replace(settings, sources=sources, **changes)


def say_what_fits_some(benchmarks: Sequence[Benchmark]) -> None:
    """Name the options of the command line that are not for all of several benchmarks."""
    having: dict[str, list[str]] = {}
    for benchmark in benchmarks:
        for option in benchmark.options:
            having.setdefault(option.name, []).append(benchmark.name)
    for name, names in having.items():
        if len(names) < len(benchmarks) and given_by_user(name):
            session.tell(f"note: --{name.replace('_', '-')} is for {', '.join(names)} alone")


@command(
    "run",
    "bench run eqbench-v1 --model openai/NAME --base-url http://127.0.0.1:8000/v1",
    "bench run eqbench3 --model openai/NAME --judge anthropic/NAME --max-cost 5",
    "bench run eqbench-v1 --iterations 3 --dry-run",
    "bench run eqbench-v1 seceu --model openai/A --model openai/B --fail-under score=60",
    cls=BenchmarkCommand,
)
@click.argument("benchmarks", nargs=-1, metavar="BENCHMARK...", type=BenchmarkName())
@options.endpoint_options
@options.data_options
@options.sampling_options
@options.limit_options
@options.money_options
@options.run_options
@options.dry_run_option
@options.option("--serve", metavar="CMD",
                help="Start the server of the model by this command, and end it afterwards; "
                     "{port}, {model}, {name} and {path} (--checkpoint) stand for these.",
                )  # fmt: skip
@options.option("--suite", metavar="NAME", help="Run what [suite.NAME] of the settings file says.")
@options.option("--fail-under", "fail_under", metavar="[METRIC=]N", multiple=True,
                help="End with exit code 1 where a result is worse; the main metric if none "
                     "is named.")  # fmt: skip
@options.option("--fail-if-worse", is_flag=True,
                help="End with exit code 1 where one is worse than --against.")  # fmt: skip
@options.output_options
@config_option
def run_command(
    benchmarks: tuple[Benchmark, ...],
    *,
    dry_run: bool,
    yes: bool,
    json_output: bool,
    serve: str | None,
    suite: str | None,
    fail_under: tuple[str, ...],
    fail_if_worse: bool,
    **params: Json,
) -> int:
    """Run a benchmark, or several; the same command again resumes it."""
    limits = [read_limit(text) for text in fail_under]
    chosen = choose_benchmarks(benchmarks, suite)
    settings = {
        benchmark.name: fitting(options.run_settings(params, benchmark), benchmark, len(chosen))
        for benchmark in chosen
    }
    served = served_by(serve, settings[chosen[0].name])
    settings = {name: at_server(one, served) for name, one in settings.items()}
    shared = session.begin(settings[chosen[0].name])
    tasks = [
        Task(config)
        for benchmark in chosen
        for config in run_configs(benchmark, settings[benchmark.name], session.allow)
    ]
    say_what_fits_some(chosen)
    runs = [planned(task, shared.for_next_run(), dry=dry_run) for task in tasks]
    first = settings[chosen[0].name]
    if fail_if_worse and not first.against:
        raise UsageError("--fail-if-worse needs --against RUN|MODEL")
    bases = find_bases(tasks, session.tell, strict=fail_if_worse or first.by_user("against"))
    sure = yes or first.by_user("max_cost")  # a file cannot say yes for the user
    ending = Ending(limits, bases, fail_if_worse)
    with closing(served):
        return start(
            runs, sure=sure, dry=dry_run, json_output=json_output, ending=ending, served=served
        )


def start(
    runs: list[session.PlannedRun],
    *,
    sure: bool,
    dry: bool,
    json_output: bool,
    ending: Ending = NO_ENDING,
    served: Served | None = None,
) -> int:
    """Say the plans, ask if they cost money and nobody is `sure`, and run them; the exit code.

    If `dry`, only the plans are said. Results are held to what `ending` says.

    Raises:
        BenchError: The only run ended early, or nobody reads what is printed.
    """
    _tell_plans(runs)
    budget = runs[0].session.pricing.budget
    refuse_too_little([run.plan for run in runs], budget.limit if budget else None)
    if dry:
        if json_output:
            each = list(map(plans.plan_as_json, runs))
            click.echo(as_text({"dry_run": True, "runs": each, "total": plans.total_as_json(runs)}))
        return 0
    plans.ask_to_spend(runs, sure=sure)
    try:
        return _run_all(runs, json_output=json_output, ending=ending, served=served)
    except BrokenPipeError:
        raise Interrupted("standard output was closed; what was answered is saved") from None


def _tell_plans(runs: list[session.PlannedRun]) -> None:
    """Say what runs will do, and what to know of them before; what is the same of several once."""
    if len(runs) > 1:
        plans.tell_plans(runs)
    else:
        console.output.tell_wrapped(plans.describe_plan(runs[0]))
    for message in dict.fromkeys(message for run in runs for message in _warnings(run.config)):
        session.tell(message)
    for config in {run.config.benchmark.name: run.config for run in runs}.values():
        tell_pack(config)


def _warnings(config: RunConfig) -> Iterator[str]:
    yield from shared_addresses(config)
    if not config.demo and (differing := unlike_published(config)):
        yield differing
    for warning in (*judge_warnings(config), *broker_warnings(config)):
        yield f"warning: {warning}"


def planned(task: Task, shared: Session, *, dry: bool) -> session.PlannedRun:
    """A run with its plan, ready to begin."""
    session.check(task, shared, dry=dry)
    get_data(task.config)
    return session.PlannedRun(task, shared, make_plan(task, shared))


def _work(
    run: session.PlannedRun, position: str, served: Served | None, overall: Overall | None
) -> tuple[session.PlannedRun, Result]:
    """Work on a run until it ends; again where its server died and is up once more."""
    while True:
        server = served.start() if served and run.plan.left else None
        try:
            work = session.work(run.task, run.session, position, server, overall)
            return run, asyncio.run(work)
        except BenchError:
            if served is None or not served.restart():
                raise
            run = run._replace(session=run.session.for_next_run())


def _run_all(
    runs: list[session.PlannedRun], *, json_output: bool, ending: Ending, served: Served | None
) -> int:
    """Run one after the other; one that cannot go on does not stop the next."""
    results: dict[Task, ResultDocument] = {}
    failed: list[FailedRun] = []
    code, alone, ended = 0, len(runs) == 1, 0

    def members() -> list[Member]:
        return [Member(r.plan, r.session.progress, i < ended) for i, r in enumerate(runs)]

    overall = Overall(members, runs[0].session.progresses)
    for n, run in enumerate(runs, 1):
        task, position = run.task, "" if alone else f" ({n} of {len(runs)})"
        try:
            with no_exit():
                run, result = _work(run, position, served, None if alone else overall)
                if asks_on(run, result.document, alone=alone):
                    run, result = _work(run.resumed(), position, served, None)
        except BenchError as error:
            if alone:
                raise
            failed.append(FailedRun(run, error))
            session.tell(f"Error: {' '.join(run.names.values())}: {error}")
            code = max(code, error.exit_code)
            continue
        finally:
            ended = n
        if alone:
            (document,) = set_against({task: result.document}, ending.bases)
            result = replace(result, document=document)
        same = [other for other in runs[n:] if other.config.benchmark is run.config.benchmark]
        finish(result, run, json_output=json_output, following=len(same), alone=alone)
        results[task] = result.document
        code = max(code, session.EXIT[result.status])
        stopped = type(run.session.stop.reason) is Interrupted  # perhaps at the very end of the run
        if runs[n:] and (stopped or result.status == "budget"):
            code = max(code, Interrupted.exit_code * stopped)
            failed += [FailedRun(other, None) for other in runs[n:]]
            break
    documents = list(results.values()) if alone else set_against(results, ending.bases)
    click.get_current_context().meta[RESULTS] = documents
    if not alone:
        _sum_up(documents, failed, overall, json_output=json_output)
    elif json_output:
        click.echo(as_text(documents[0]))
    short = ending.shortcomings(documents)
    for message in short:
        session.tell(f"fail: {message}")
    return code or int(bool(short))


def _sum_up(
    documents: list[ResultDocument],
    failed: list[FailedRun],
    overall: Overall,
    *,
    json_output: bool,
) -> None:
    """The end of several runs: a table, or one document."""
    if json_output:
        errors = [error_of(kind_of(e), str(e), e.exit_code, **r.names) for r, e in failed if e]
        more = {"errors": errors, "not_begun": [run.names for run, e in failed if not e]}
        more = {name: rows for name, rows in more.items() if rows}
        click.echo(as_text({"runs": documents, "total": overall.as_json(), **more}))
        return
    table = console.screen.ScreenPart(console.fitted.Fitted(summary(documents, failed)), 1, "run")
    end = console.short.bold(f"{comes_to(documents, failed)}; {overall.describe_end()}")
    console.screen.show([table], end, bench("runs", demo=any(d["demo"] for d in documents)))
    for row in (row for document in documents if (row := document.get("against"))):
        console.output.show_line(console.short.bold(row["statement"]))
