"""`bench run`: a benchmark on one or more models."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import click

from .. import console
from ..benchmark import Benchmark
from ..errors import BenchError, ErrorKind, Interrupted, Unreadable
from ..guard import guard, no_exit
from ..journal import Journal
from ..reports.document import judge_warnings
from ..reports.hints import another_run, bench, judge_words, pack_of
from ..reports.result import Result
from ..run.affordable import refuse_too_little
from ..run.plan import Plan, make_plan
from ..run.session import Pricing, Session
from ..run.task import Generate, Regrade, Task
from ..sample.progress import TRIAL
from ..settings.resolve import run_configs
from ..settings.run_config import RunConfig
from ..text import as_text, plural
from ..types import Json
from ..types.result_document import ResultDocument
from . import options
from .asking_on import asks_on
from .command import BenchmarkName, BenchmarksCommand
from .data import get_data, tell_pack
from .errors import error_document
from .limits import Limit, lacking, read_limit, shortfalls
from .session import (
    EXIT,
    allow,
    ask_to_spend,
    begin,
    check,
    describe_plan,
    describe_plans,
    plan_as_json,
    print_result,
    tell,
    work,
)
from .settings import config_option
from .several import choose_benchmarks, fitting, say_what_fits_some
from .summary import FailedRun, summary


class Planned(NamedTuple):
    """A run that may begin: its settings are checked and its data read."""

    task: Task
    session: Session
    plan: Plan

    @property
    def config(self) -> RunConfig:
        """How it is asked."""
        return self.task.config

    def resumed(self) -> "Planned":
        """The rest of it, whether replies can be read or not."""
        task = replace(self.task, config=replace(self.config, keep_going=True))
        return self._replace(task=task, session=self.session.for_next_run())


_RUN_EXAMPLES = (
    "\b\nExamples:\n"
    "  bench run eqbench-v1 --model openai/NAME --base-url http://127.0.0.1:8000/v1\n"
    "  bench run eqbench3 --model openai/NAME --judge anthropic/NAME --max-cost 5\n"
    "  bench run eqbench-v1 --iterations 3 --dry-run\n"
    "  bench run eqbench-v1 seceu --model openai/A --model openai/B --fail-under score=60\n"
)


@click.command("run", cls=BenchmarksCommand, epilog=_RUN_EXAMPLES)
@click.argument("benchmarks", nargs=-1, metavar="BENCHMARK...", type=BenchmarkName())
@options.endpoint_options
@options.data_options
@options.sampling_options
@options.limit_options
@options.money_options
@options.run_options
@options.dry_run_option
@options.option("--suite", metavar="NAME",
                help="Run what [suite.NAME] of the settings file says.")  # fmt: skip
@options.option("--fail-under", "fail_under", metavar="[METRIC=]N", multiple=True,
                help="End with exit code 1 where a result is worse; the main metric if none "
                     "is named.")  # fmt: skip
@options.output_options
@config_option
def run_command(
    benchmarks: tuple[Benchmark, ...],
    *,
    dry_run: bool,
    yes: bool,
    json_output: bool,
    suite: str | None,
    fail_under: tuple[str, ...],
    **params: Json,
) -> int:
    """Run a benchmark, or several; the same command again resumes it."""
    limits = [read_limit(text) for text in fail_under]
    chosen = choose_benchmarks(benchmarks, suite)
    settings = {
        benchmark.name: fitting(options.run_settings(params, benchmark), benchmark, len(chosen))
        for benchmark in chosen
    }
    session = begin(settings[chosen[0].name])
    tasks = [
        Generate(config)
        for benchmark in chosen
        for config in run_configs(benchmark, settings[benchmark.name], allow)
    ]
    say_what_fits_some(chosen)
    runs = [planned(task, session.for_next_run(), dry=dry_run) for task in tasks]
    sure = yes or settings[chosen[0].name].by_user("max_cost")  # a file cannot say yes for the user
    return start(runs, sure=sure, dry=dry_run, json_output=json_output, limits=limits)


def start(
    runs: "list[Planned]",
    *,
    sure: bool,
    dry: bool,
    json_output: bool,
    limits: Sequence[Limit] = (),
) -> int:
    """Say the plans, ask if they cost money, and run them; the exit code.

    Args:
        runs: What there is to do.
        sure: The user agreed to spend already.
        dry: Only the plans are wanted.
        json_output: Print JSON.
        limits: What a result may not be worse than.

    Raises:
        BenchError: The only run ended early, or nobody reads what is printed.
    """
    for run in runs:
        console.output.tell_wrapped(describe_plan(run.config, run.plan, run.task.pack.source.name))
        for warning in judge_warnings(run.config):
            tell(f"warning: {warning}")
    if len(runs) > 1:
        tell(describe_plans([run.config for run in runs], [run.plan for run in runs]))
    for benchmark in {run.config.benchmark.name: run.config for run in runs}.values():
        tell_pack(benchmark)
    budget = runs[0].session.money.budget
    refuse_too_little([run.plan for run in runs], budget.limit if budget else None)
    if dry:
        if json_output:
            plans = [
                plan_as_json(run.config, run.session, run.plan, run.task.pack.source)
                for run in runs
            ]
            click.echo(as_text({"dry_run": True, "runs": plans}))
        return 0
    ask_to_spend([run.plan for run in runs], sure=sure)
    try:
        return _run_all(runs, json_output=json_output, limits=limits)
    except BrokenPipeError:
        raise Interrupted("standard output was closed; what was answered is saved") from None


def planned(task: Task, session: Session, *, dry: bool) -> Planned:
    """A run with its plan, ready to begin.

    Args:
        task: What is to be done.
        session: What it needs from outside; the judges that it tries are added.
        dry: Only the plan is wanted, so that no key is needed.

    Raises:
        BenchError: It cannot be.
    """
    check(task, session, dry=dry)
    get_data(task.config)
    plan = make_plan(task, session)
    session.tried.update(p.endpoint.party for p in plan.parties if p.phase == TRIAL)
    return Planned(task, session, plan)


def _run_all(runs: list[Planned], *, json_output: bool, limits: Sequence[Limit] = ()) -> int:
    """Run one after the other; one that cannot go on does not stop the next."""
    documents: list[ResultDocument] = []
    failed: list[FailedRun] = []
    code = 0
    for n, run in enumerate(runs, 1):
        place = f" ({n} of {len(runs)})" if len(runs) > 1 else ""
        try:
            with no_exit():
                result = asyncio.run(work(run.task, run.session, place))
                why, where = run.session.stop.reason, run.config.runs_dir
                if asks_on(why, where, result.document, alone=len(runs) == 1):
                    run = run.resumed()
                    result = asyncio.run(work(run.task, run.session, place))
        except BenchError as error:
            if len(runs) == 1:
                raise
            failed.append(FailedRun(*_named(run), error))
            tell(f"Error: {run.config.benchmark.name} {run.config.display_name}: {error}")
            code = max(code, error.exit_code)
            continue
        same = [left for left in runs[n:] if left.config.benchmark is run.config.benchmark]
        _finish(result, run, json_output=json_output, following=len(same))
        documents.append(result.document)
        code = max(code, EXIT[result.status])
        if result.status in ("interrupted", "budget"):
            failed += [FailedRun(*_named(left), None) for left in runs[n:]]
            break
    short = [message for document in documents for message in shortfalls(document, limits)]
    short += lacking(documents, limits)
    if len(runs) > 1:
        _sum_up(documents, failed, json_output=json_output)
    elif json_output:
        click.echo(as_text(documents[0]))
    for message in short:
        tell(f"fail: {message}")
    return code or int(bool(short))


def _named(run: Planned) -> tuple[str, str]:
    return run.config.benchmark.name, run.config.display_name


def _sum_up(
    documents: list[ResultDocument], failed: list[FailedRun], *, json_output: bool
) -> None:  # fmt: skip
    """The end of several runs: a table, or one document."""
    if json_output:
        errors = [
            error_document(f.error, benchmark=f.benchmark, name=f.name) for f in failed if f.error
        ]
        left = [{"benchmark": f.benchmark, "name": f.name} for f in failed if not f.error]
        more = {"errors": errors, "not_begun": left}
        click.echo(as_text({"runs": documents, **{k: v for k, v in more.items() if v}}))
        return
    console.output.show(console.fitted.Fitted(summary(documents, failed)))


def _finish(result: Result, run: Planned, *, json_output: bool, following: int) -> None:
    """Print a result; so many models of this command are still to run on its benchmark."""
    config = run.config
    special = (
        _beyond(result, run.session.money)
        or _unreadable(result, run.session)
        or _ungraded(result, config)
        or _rejudged(result, run.task)
    )
    advice = f"next: {special or _next(result.document, config)}"
    if json_output:
        tell(advice)
        return
    details = bench("show", result.document["run_id"], "--details")
    saved = f"saved in {result.path}" + ("" if options.wants_details() else f"; all: {details}")
    another = _another(result.document, config)
    later = ""
    if following and result.document["comparisons"]:
        later = f"none yet: {plural(following, 'model')} of this command will be compared with it"
    messages = [saved, advice]
    print_result(result.document, another=another, later=later, messages=messages, now=True)


def _another(document: ResultDocument, config: RunConfig, model: str = "SPEC") -> str:
    """The command for another model; for a real one after a demo model, with a real judge."""
    judges, real = config.judges, model != "SPEC"
    named = judge_words(config.judge, {judge.party: judge.base_url for judge in judges})
    return another_run(
        document,
        config.benchmark,
        {"sampling": config.effective_sampling.sent(), "system": config.system},
        dataset=config.dataset if real else pack_of(document, config.dataset),
        judge=["--judge", "openai/NAME"] if judges and real else named,
        model=model,
    )


def _beyond(result: Result, money: Pricing) -> str | None:
    """What to do when no limit can be kept."""
    if result.status == "budget" and money.budget and money.budget.excess:
        return "the same command without --max-cost goes on from here"
    return None


def _unreadable(result: Result, session: Session) -> str | None:
    """What to do when none of the first replies or verdicts could be read."""
    why = session.stop.reason
    if not isinstance(why, Unreadable):
        return None
    one = f"{_show(result.document, why.item_id or '--items')} shows what could not be read"
    return f"{one}; the same command with --keep-going asks the rest"


def _rejudged(result: Result, task: Task) -> str | None:
    """What to do with a run that two judges have graded by now, the last one in full."""
    if not isinstance(task, Regrade) or result.document["status"] != "complete":
        return None
    run_id = str(result.document["run_id"])
    with Journal(task.config.runs_dir, create=False) as journal:
        run = journal.find_run(run_id)
        if run is None or len(journal.judges(run)) < 2:
            return None
    agreement = bench("agreement", run_id)
    return f"{agreement} says how well its judges agree"


def _ungraded(result: Result, config: RunConfig) -> str | None:
    """How to add verdicts to a complete run that asked for none, though its benchmark has some."""
    document, benchmark = result.document, config.benchmark
    if not benchmark.judged or guard(benchmark).needs_judge(config.options):
        return None
    if document["status"] != "complete":
        return None
    judge = "demo/judge" if document["demo"] else "SPEC"
    words = ("rejudge", document["run_id"], "--judge", judge)
    return f"{bench(*words)} adds a judge's verdicts"


def _next(document: ResultDocument, config: RunConfig) -> str:
    """The most useful thing to do with a result."""
    if document["status"] == "interrupted":
        return "the same command goes on from here; everything answered so far is kept"
    if document["status"] == "budget":
        return "the same command with a larger --max-cost goes on from here"
    to_do = document["comparisons"].get("planned")
    pending = document["items"]["pending"] and document["imported"] is None
    if too_long := _too_long(document):
        return (
            f"a longer context for {plural(too_long, 'sample')}, which else would fail again; the "
            "same command then asks what failed, and keeps the rest"
        )
    if document["items"]["failed"] or pending or to_do:
        return "the same command tries again what failed, and keeps the rest"
    if cut := sum("cut off" in sample["reason"] for sample in document["unscored"]):
        now = config.effective_sampling.max_tokens
        limit = f"more --max-tokens than {now:,}" if now else "a larger --max-tokens"
        return f"{limit}: {plural(cut, 'answer', 'was', 'were')} cut off before they could be read"
    if document["unscored"]:
        item = document["unscored"][0]["item_id"]
        return f"{_show(document, item)} shows an answer that could not be read"
    if document["demo"]:
        command = _another(document, config, "openai/NAME")
        return f"a real model: {command} (with --base-url URL for your own server)"
    return f"{_show(document, '--items')} lists what came of each item"


def _too_long(document: ResultDocument) -> int:
    """How many samples failed for the length of the context, if that is why all did that failed."""
    kinds = [sample.get("kind") for sample in document["failed"]]
    return len(kinds) if set(kinds) == {str(ErrorKind.CONTEXT_TOO_LONG)} else 0


def _show(document: ResultDocument, item: str) -> str:
    return bench("show", document["run_id"], item)
