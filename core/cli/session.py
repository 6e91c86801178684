"""A run on the command line: its plan shown and approved, worked on, ended gently, its result."""

import asyncio
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import click

from .. import console
from ..benchmark import Benchmark
from ..benchmark.generators import DataMaker
from ..benchmark.model import JUDGE, MODEL, is_generating, role_in
from ..clients.approvals import Approvals, Sending
from ..clients.keys import process_environment
from ..errors import ConfigError, Interrupted, UsageError
from ..hooks.sections import Part
from ..plugins import installed
from ..reports.plugin_parts import sections_of
from ..reports.result import Result
from ..reports.suggestions import bench, with_options
from ..run.checks import check_task
from ..run.on_server import run_on
from ..run.plan import PartyPlan, Plan
from ..run.session import Pricing, Session
from ..run.task import Task
from ..runs.stored_run import StoredRun
from ..sample.progress import COMPARE, TRIAL
from ..sample.workers import on_signals
from ..served.server import ModelServer
from ..settings.file import FILE
from ..settings.run_config import Endpoint, RunConfig
from ..settings.run_settings import RunSettings
from ..settings.targets import Target
from ..spending.prices import Range, format_range
from ..text import as_text, by_player, line, listed, plural
from ..types import JsonDict
from ..types.result_document import ResultDocument
from . import options
from .settings import current


class PlannedRun(NamedTuple):
    """A run that may begin: its settings are checked and its data read."""

    task: Task
    session: Session
    plan: Plan

    @property
    def unanswered(self) -> int:
        """Calls that were made and given up, which its result does not have."""
        return self.session.progress.unanswered.total()

    @property
    def config(self) -> RunConfig:
        """How it is asked."""
        return self.task.config

    @property
    def names(self) -> dict[str, str]:
        """What it is called in a list of several."""
        return {"benchmark": self.config.benchmark.name, "name": self.config.display_name}

    def resumed(self) -> "PlannedRun":
        """The rest of it, whether replies can be read or not."""
        task = replace(self.task, config=replace(self.config, keep_going=True))
        return self._replace(task=task, session=self.session.for_next_run())


def plan_as_json(run: PlannedRun) -> JsonDict:
    """A plan as plain values."""
    config, plan, source = run.config, run.plan, run.task.pack.source
    budget, (tokens_in, tokens_out) = run.session.pricing.budget, plan.tokens
    judged = (party.calls for party in plan.parties if party.phase in (JUDGE, COMPARE))
    calls = {"model": plan.parties[0].calls, "judge": sum(judged)}
    calls |= {role: party.calls for party in plan.parties if (role := role_in(party.phase))}
    panel = config.panel.label if config.panel else None
    roles = {name: player.label for name, player in config.roles.items()}
    return {
        "benchmark": config.benchmark.name,
        "model": config.model.label,
        "name": config.display_name,
        "judge": panel or next((judge.label for judge in config.judges), None),
        "dataset": {"name": source.name, "sha256": source.sha256},
        "iterations": config.iterations,
        "samples": {"total": plan.total, "left": plan.left},
        "calls": calls,
        "comparisons": plan.comparisons._asdict(),
        "tries_judge": any(party.phase == TRIAL for party in plan.parties),
        **({"roles": roles} if roles else {}),
        "tokens": {"input": _pair(tokens_in), "output": _pair(tokens_out)},
        "cost_usd": None if plan.cost is None else [plan.cost.low, plan.cost.high],
        "max_cost_usd": budget.limit if budget else None,
        **({"shows_difference": plan.shows} if plan.shows else {}),
    }


def _pair(tokens: Range) -> list[int]:
    return [round(tokens.low), round(tokens.high)]


def describe_plan(run: PlannedRun) -> str:
    """A plan as one line."""
    plan, benchmark, pack = run.plan, run.config.benchmark, run.task.pack.source.name
    tokens_in, tokens_out = plan.tokens
    name = f" {run.config.name}" if run.config.name else ""
    message = f"{benchmark.name}{name}: {plural(plan.total, 'sample')} of the {pack} pack"
    if plan.left < plan.total:
        message += f", {plan.total - plan.left} of them done"
    calls = [*_asked(plan, benchmark)]
    if not calls:
        return f"{message}; nothing to ask that the journal does not hold"
    again = benchmark.asks_again and benchmark.most_attempts == 1
    more = ", and more where an answer cannot be read" if again else ""
    message += f"; {' and '.join(calls)}{more}"
    message += f"; about {tokens_in.low:,.0f} tokens in, up to {tokens_out.high:,.0f} out"
    shows = f"; it can show a difference of {plan.shows:.3g} (80 %)" if plan.shows else ""
    return f"{message}; {_cost(plan)}{shows}"


def _asked(plan: Plan, benchmark: Benchmark) -> Iterator[str]:
    """What each party is asked that is asked at all: the model, roles, then judges."""
    parties = [party for party in plan.parties if party.calls]
    players = {role: p for p in parties if (role := role_in(p.phase))}
    others = [party for party in parties if party not in players.values()]
    yield from (_calls_to(p, plan, benchmark) for p in others if p.phase == MODEL)
    alike = by_player({role: (p.endpoint.label, p.calls) for role, p in players.items()})
    for role, (label, calls) in alike.items():
        each = " each" if role not in players else ""
        yield f"at most {plural(calls, 'call')}{each} to {label} as {role}"
    yield from (_calls_to(p, plan, benchmark) for p in others if p.phase != MODEL)


def describe_plans(runs: Sequence[PlannedRun]) -> str:
    """Several plans together as one line: the sums of the least and of the most of each."""
    models = judges = Range(0, 0)
    for run in runs:
        for party in run.plan.parties:
            most = run.config.benchmark.most_attempts if party.phase == MODEL else 1
            calls = Range(party.fewest, party.calls * most)
            if is_generating(party.phase):
                models += calls
            else:
                judges += calls
    message = f"in all {len(runs)} runs; {_span(models, 'call')} to models"
    message += f" and {_span(judges, '')} to judges" if judges.high else ""
    costly, costs = _costs(runs)
    if not costly:
        return f"{message}; free"
    more = " and an unknown price" if len(costs) < costly else ""
    return f"{message}; {format_range(sum(costs, Range(0.0, 0.0)))}{more}"


def _costs(runs: Sequence[PlannedRun]) -> tuple[int, list[Range]]:
    """How many runs cost money, and the costs of those whose price is known."""
    costs = [run.plan.cost for run in runs if run.plan.costs_money]
    return len(costs), [cost for cost in costs if cost is not None]


def _span(calls: Range, noun: str) -> str:
    most = plural(round(calls.high), noun) if noun else f"{calls.high:,.0f}"
    return most if calls.low == calls.high else f"{calls.low:,.0f} to {most}"


def _calls_to(party: PartyPlan, plan: Plan, benchmark: Benchmark) -> str:
    """What a party is asked; where the model may be asked again, how often at most."""
    label, calls, most = party.endpoint.label, plural(party.calls, "call"), benchmark.most_attempts
    if more := party.endpoint.more:
        label += f" and {plural(len(more), 'more server')}"
    if party.phase == COMPARE:
        return f"{_comparisons(plan)} by {label}"
    if party.phase == TRIAL:
        return f"1 call to see that {label} answers"
    if party.phase == MODEL and most > 1:
        return f"{party.calls:,} to {plural(party.calls * most, 'call')} to {label}"
    talks = plan.talks and party.phase == MODEL
    bound = "at least " if isinstance(benchmark, DataMaker) else "at most " if talks else ""
    return f"{bound}{calls} to {label}"


def _comparisons(plan: Plan) -> str:
    """How many, as far as it can be told, and what interval they are expected to give."""
    left = plan.comparisons
    if left.about is None:
        return f"at most {plural(left.most, 'comparison')}"
    message = f"at most {left.most:,}"
    if left.half_width is not None:
        message += f"; half-width of the rating's interval about {left.half_width:.0f} points"
    return f"about {plural(left.about, 'comparison')} ({message})"


def _cost(plan: Plan) -> str:
    """What a plan costs; where a price is not known, whose, and how to give it."""
    if not plan.costs_money:
        return "free"
    if plan.cost is not None:
        return format_range(plan.cost)
    without = [party for party in plan.parties if party.calls and party.price is None]
    specs = dict.fromkeys(str(party.endpoint.spec) for party in without)
    if not specs:
        return "an unknown price"
    option = "--price IN,OUT in dollars per million tokens or "
    option *= any(party.phase == MODEL for party in without)
    prices = " and ".join(f'[prices."{spec}"]' for spec in specs)
    return f"an unknown price (give {option}{prices} in bench.toml)"


def ask_to_spend(runs: Sequence[PlannedRun], *, sure: bool) -> None:
    """Ask on a terminal before money is spent, unless the user is `sure` already.

    Raises:
        click.Abort: The user does not want to.
    """
    costly, costs = _costs(runs)
    if not costly or sure or not on_terminal():
        return
    more = " and more, at an unknown price" if costs and len(costs) < costly else ""
    total = format_range(sum(costs, Range(0.0, 0.0))) if costs else "an amount that is not known"
    if not click.confirm(f"Spend {line(total)}{more}?", default=False, err=True):
        raise UsageError("nothing was sent; --max-cost USD sets a limit, --dry-run only plans")


def on_terminal() -> bool:
    """Whether somebody is there to be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def allow(target: Target) -> Endpoint:
    """The target's endpoint, once the user has approved what the file sends there.

    Asks on a terminal; nothing but an answer there counts as a yes, ``--yes`` does not.

    Raises:
        ConfigError: It is not approved, or the approvals cannot be read.
    """
    for sending in target.sendings:
        _approve(sending, target.way_out(sending))
    return target.endpoint


def _approve(sending: Sending, way_out: str) -> None:
    """Return once the user has approved what is sent."""
    if sending in (approvals := Approvals()):
        return
    message = f"{current().path or FILE} sends {sending.what} to {sending.place}"
    if "://" in sending.place:
        message += ", not encrypted, so that anyone on the way can read it"
    if not on_terminal():
        raise ConfigError(f"{message}; that is not approved on this machine: {way_out}")
    if not click.confirm(line(f"{message}. Allow that on this machine?"), default=False, err=True):
        raise ConfigError(f"not approved: {sending.place} is sent nothing; {way_out}")
    approvals.add(sending)


def tell(text: str, indent: int = 0) -> None:
    """Say something on standard error; what prints it is imported only then."""
    console.output.tell(text, indent)


def begin(settings: RunSettings) -> Session:
    """What the runs of a command share."""
    return Session(process_environment(), Pricing.of(settings), tell)


def check(task: Task, session: Session, *, dry: bool) -> None:
    """Refuse a task that cannot be; where only its plan is wanted, no key is needed."""
    try:
        check_task(task, session)
    except ConfigError as error:
        if not dry:
            raise
        tell(f"note: {error}")


async def work(
    task: Task, session: Session, position: str = "", server: ModelServer | None = None
) -> Result:
    """Do what is left of a task, with a live display; a signal ends it gently.

    So does the end of the server that is asked, where that is one of ours.

    Raises:
        BenchError: The run ended early for another reason than the user's wish.
    """
    config = task.config
    title = f"{config.benchmark.name} {config.display_name}{position}"
    judge = ", ".join(party.label for party in config.judges)
    loop, err, stop = asyncio.get_running_loop(), console.output.err(), session.stop

    def closed() -> None:  # on whatever thread has said something
        loop.call_soon_threadsafe(stop.ask, Interrupted("standard error was closed"))

    def announce() -> None:
        calls = session.progress.in_flight
        waiting = f": waiting for {plural(calls, 'call')} in flight" if calls else ""
        waiting += f" to {listed(who, 2)}" if (who := session.progress.awaited) else ""
        tell(f"stopping{waiting}; press Ctrl-C again to stop at once")

    with on_signals(stop, announce), err.watched(closed):
        async with console.live.displayed(session.progress, title, err, judge):
            return await run_on(server, task, session)


def sections(document: ResultDocument, runs: Sequence[StoredRun] = ()) -> list[Part]:
    """A panel's section and those of plugins; one that fails is named once and left out.

    With runs, that of the document first, those that read them.
    """
    context = click.get_current_context(silent=True)
    failed: set[str] = context.meta.setdefault("eibench.sections", set()) if context else set()

    def tell_once(message: str) -> None:
        if message not in failed:
            failed.add(message)
            tell(f"warning: {message}")

    return sections_of(document, runs, installed(), tell_once)


EXIT = {
    "complete": 0, "fail": 1, "incomplete": 1, "budget": 5, "waiting": 5, "interrupted": 130,
}  # fmt: skip


def print_result(
    document: ResultDocument,
    *,
    json_output: bool = False,
    another: str = "",
    later: str = "",
    messages: Sequence[str] = (),
    notes: Sequence[str] = (),
    tables: Callable[[], Sequence[Part]] = tuple,
    now: bool = False,
    unanswered: int = 0,
) -> None:
    """Print a result document: as it is, or for people, whose last line is the result.

    Args:
        document: The result.
        json_output: Print it as it is.
        another: The command that asks another model the same.
        later: What became of the rating after the result, where it has none.
        messages: What is said on standard error above the last line.
        notes: What is printed above them.
        tables: What `--details` has beside the sections.
        now: A run has made it just now; else it is only shown.
        unanswered: Calls that it made and gave up, which are not in the result.
    """
    if json_output:
        click.echo(as_text(document))
        return

    if details := options.wants_details():
        shown = console.tables.details(document, [*sections(document), *tables()], another, later)
        parts = [console.screen.ScreenPart(shown)]
    else:
        parts = console.short.short(document, another, later)
    parts += [console.screen.sentence(f"note: {note}", 8, "note") for note in notes]
    more = bench("show", document["run_id"], "--details") if now else with_options("--details")
    last = console.short.last(document, now=now, more=unanswered)
    if against := document.get("against"):
        parts, last = (
            [*parts, console.screen.ScreenPart(last)],
            console.short.bold(against["statement"]),
        )
    console.screen.show(parts, last, "" if details else more, messages=messages)
