"""A run on the command line: its plan shown and approved, worked on, ended gently, its result."""

import asyncio
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import click

from .. import console
from ..clients.approvals import Approvals, Sending
from ..clients.keys import process_environment
from ..errors import ConfigError, Interrupted
from ..hooks.sections import Part
from ..plugins import installed
from ..reports.plugin_parts import sections_of
from ..reports.result import Result
from ..reports.suggestions import bench, with_options
from ..run.checks import check_task
from ..run.on_server import run_on
from ..run.overall import Overall
from ..run.plan import Plan
from ..run.session import Pricing, Session
from ..run.task import Task
from ..runs.stored_run import StoredRun
from ..sample.workers import on_signals
from ..served.server import ModelServer
from ..settings.file import FILE
from ..settings.run_config import Endpoint, RunConfig
from ..settings.run_settings import RunSettings
from ..settings.targets import Target
from ..text import as_text, line, listed, plural
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
        session.say_once(f"note: {error}")


async def work(
    task: Task,
    session: Session,
    position: str = "",
    server: ModelServer | None = None,
    overall: Overall | None = None,
) -> Result:
    """Do what is left of a task, with a live display; a signal ends it gently.

    So does the end of the server that is asked, where that is one of ours. `overall` is how far
    all runs of the command are.

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
        together = overall.describe if overall else None
        async with console.live.displayed(session.progress, title, err, judge, together):
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
