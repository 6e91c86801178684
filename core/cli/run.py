"""`bench run`: a benchmark on one or more models."""

import asyncio
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click

from ..benchmark import Pack
from ..engine.config import RunConfig
from ..engine.parties import Money
from ..engine.planning import Plan, make_plan
from ..engine.session import Session, choose_items
from ..engine.stopping import on_signals
from ..errors import BenchError, ConfigError
from ..journal import Journal
from ..plugins import installed
from ..reports.document import judge_warnings
from ..reports.files import as_text
from ..results import Result
from ..spending.book import parse_price
from ..work import make_money, open_session, run_session
from . import options, plan
from .benchmark_command import BenchmarkCommand
from .data import get_data, tell_pack
from .results import EXIT, print_result
from .settings import config_option, current, given_by_user


class Planned(NamedTuple):
    """A run that may begin: its settings are checked and its data read."""

    config: RunConfig
    session: Session
    pack: Pack
    plan: Plan


@click.command("run", cls=BenchmarkCommand)
@options.benchmark_argument
@options.endpoint_options
@options.data_options
@options.sampling_options
@options.limit_options
@options.money_options
@options.run_options
@options.option("--dry-run", is_flag=True, help="Print the plan and stop.")
@options.json_option
@config_option
def run_command(**params: Any) -> int:
    """Run a benchmark; the same command again goes on where it stopped."""
    money = _money(params)
    configs = options.configs(params)
    return start([planned(config, money, dry=params["dry_run"]) for config in configs], params)


def start(runs: "list[Planned]", params: Mapping[str, Any]) -> int:
    """Tell the plans, ask if they cost money, and run them; the exit code."""
    for run in runs:
        _tell(plan.describe(run.config, run.plan, run.pack.source.name))
        for warning in judge_warnings(run.config):
            _tell(f"warning: {warning}")
    tell_pack(runs[0].config)
    if params["dry_run"]:
        if params["json_output"]:
            plans = [plan.as_json(r.config, r.session, r.plan, r.pack.source) for r in runs]
            click.echo(as_text({"dry_run": True, "runs": plans}))
        return 0
    sure = params["yes"] or given_by_user("max_cost")  # a file cannot say yes for the user
    plan.ask([run.plan for run in runs], sure=sure)
    return _run_all(runs, json_output=params["json_output"])


def _money(params: Mapping[str, Any]) -> Money:
    """Prices and limits, shared by all runs of the command."""
    given = parse_price(params["price"]) if params["price"] else None
    return make_money(current().prices, given=given, limit=params["max_cost"])


def planned(config: RunConfig, money: Money, *, dry: bool) -> Planned:
    """A run with its plan, ready to begin.

    Args:
        config: What is asked for.
        money: Prices and limits.
        dry: Only the plan is wanted, so that no key is needed.

    Raises:
        BenchError: It cannot be.
    """
    environment = options.environment()
    try:
        session = open_session(config, money=money, environment=environment, say=_tell)
    except ConfigError as error:
        if not dry:
            raise
        _tell(f"note: {error}")  # a plan needs no key
        session = Session(config, installed(), environment, say=_tell, money=money)
    get_data(config)
    pack = session.read_pack()
    made = make_plan(config, pack, choose_items(pack, config), money)
    return Planned(config, session, pack, made)


def _run_all(runs: list[Planned], *, json_output: bool) -> int:
    """Run one after the other; one that cannot go on does not stop the next."""
    documents: list[dict[str, Any]] = []
    code = 0
    for n, run in enumerate(runs, 1):
        place = f" ({n} of {len(runs)})" if len(runs) > 1 else ""
        try:
            result = asyncio.run(_run(run, place))
        except BenchError as error:
            if len(runs) == 1:
                raise
            _tell(f"Error: {run.config.display_name}: {error}")
            code = max(code, error.exit_code)
            continue
        _finish(result, run.config, json_output=json_output)
        documents.append(result.document)
        code = max(code, EXIT[result.status])
        if result.status in ("interrupted", "budget"):
            break
    if json_output and documents:
        click.echo(as_text({"runs": documents} if len(runs) > 1 else documents[0]))
    return code


async def _run(run: Planned, place: str) -> Result:
    from ..console.live import displayed
    from ..console.output import err

    session = run.session
    title = f"{run.config.benchmark.name} {run.config.display_name}{place}"
    with on_signals(session.stop, lambda: _announce_stop(session)):
        async with displayed(session.progress, title, err()):
            return await run_session(session, run.pack)


def _announce_stop(session: Session) -> None:
    waiting = session.progress.in_flight
    _tell(f"stopping: waiting for {waiting} calls in flight; press Ctrl-C again to stop at once")


def _finish(result: Result, config: RunConfig, *, json_output: bool) -> None:
    if not json_output:
        print_result(result.document)
        _tell(f"saved in {result.path}")
    own = config.runs_dir == Path("runs")
    where = "" if own else f" --runs-dir {shlex.quote(str(config.runs_dir))}"
    special = _ungraded(result, config, where) or _rejudged(result, config, where)
    _tell(f"next: {special or _next(result.document, where)}")


def _rejudged(result: Result, config: RunConfig, where: str) -> str | None:
    """What to do with a run that two judges have graded by now, the last one in full."""
    run_id = config.run_id
    if run_id is None or result.document["status"] != "complete":
        return None
    with Journal(config.runs_dir, create=False) as journal:
        run = journal.find_run(run_id)
        if run is None or len(journal.judges(run)) < 2:
            return None
    return f"bench agreement {run_id}{where} says how well its judges agree"


def _ungraded(result: Result, config: RunConfig, where: str) -> str | None:
    """How to add verdicts to a complete run that asked for none, though its benchmark has some."""
    document, benchmark = result.document, config.benchmark
    if not benchmark.judged or benchmark.needs_judge(config.options):
        return None
    if document["status"] != "complete":
        return None
    judge = "demo/judge" if document["demo"] else "SPEC"
    return f"bench rejudge {document['run_id']} --judge {judge}{where} adds a judge's verdicts"


def _next(document: Mapping[str, Any], where: str) -> str:
    """The most useful thing to do with a result; `where` is the ``--runs-dir`` it needs."""
    if document["status"] == "interrupted":
        return "the same command goes on from here; everything answered so far is kept"
    if document["status"] == "budget":
        return "the same command with a larger --max-cost goes on from here"
    to_do = document["comparisons"].get("planned")
    pending = document["items"]["pending"] and document.get("imported") is None
    if document["items"]["failed"] or pending or to_do:
        return "the same command tries again what failed, and keeps the rest"
    if document["unscored"]:
        item = document["unscored"][0]["item_id"]
        return (
            f"bench show {document['run_id']} {item}{where} shows an answer that could not be read"
        )
    if document["demo"]:
        judge = " --judge openai/NAME" if document["judge"] else ""
        return (
            f"a real model: bench run {document['benchmark']} --model openai/NAME{judge} "
            "(with --base-url URL for your own server)"
        )
    return f"bench show {document['run_id']} ITEM{where} shows what was said about an item"


def _tell(text: str) -> None:
    from ..console.output import tell

    tell(text)
