"""A session on the command line: keys approved, shown while it works, ended gently, its result."""

import asyncio
import contextlib
import sys
from collections.abc import Iterator, Sequence

import click

from .. import console
from ..benchmark import Pack
from ..clients.approvals import Approvals
from ..clients.keys import process_environment
from ..errors import BenchError, ConfigError, Interrupted
from ..guard import Called, call
from ..plugins import installed
from ..reports.panels import panel_table
from ..result_document import ResultDocument
from ..results import Result
from ..run.connect import Pricing
from ..run.session import Session
from ..sample.workers import on_signals
from ..sections import Table
from ..settings.file import FILE
from ..settings.run_config import Endpoint, RunConfig, judges_of
from ..settings.targets import Target
from ..text import as_text, line, plural
from ..work import open_session, run_session
from .options import wants_details
from .settings import current


def allow(target: Target) -> Endpoint:
    """The target's endpoint, once the user has approved what the file does with a key.

    Asks on a terminal; nothing but an answer there counts as a yes, ``--yes`` does not.

    Raises:
        ConfigError: It is not approved, or the approvals cannot be read.
    """
    sending = target.sending
    if sending is None or sending in (approvals := Approvals()):
        return target.endpoint
    message = f"{current().path or FILE} sends the key in {sending.variable} to {sending.place}"
    if "://" in sending.place:
        message += ", not encrypted, so that anyone on the way can read it"
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise ConfigError(f"{message}; that is not approved on this machine: {target.way_out}")
    if not click.confirm(line(f"{message}. Allow that on this machine?"), default=False, err=True):
        raise ConfigError(f"not approved: {sending.place} gets no key; {target.way_out}")
    approvals.add(sending)
    return target.endpoint


def tell(text: str) -> None:
    """Say something on standard error; what prints it is imported only then."""
    console.output.tell(text)


def make_session(config: RunConfig, money: Pricing, *, dry: bool) -> Session:
    """A session for a run that can be.

    Args:
        config: What is asked for.
        money: Prices and limits.
        dry: Only the plan is wanted, so that no key is needed.

    Raises:
        BenchError: It cannot be.
    """
    environment = process_environment()
    try:
        return open_session(config, money=money, environment=environment, say=tell)
    except ConfigError as error:
        if not dry:
            raise
        tell(f"note: {error}")
        return Session(config, installed(), environment, say=tell, money=money)


async def work(session: Session, pack: Pack, place: str = "") -> Result:
    """Do what is left of a run, with a live display; a signal ends it gently.

    Args:
        session: Of the run.
        pack: Its data.
        place: Which of several runs it is.

    Raises:
        BenchError: The run ended early for another reason than the user's wish.
    """
    title = f"{session.config.benchmark.name} {session.config.display_name}{place}"
    with _stoppable(session):
        judge = ", ".join(party.label for party in judges_of(session.config))
        async with console.live.displayed(session.progress, title, console.output.err(), judge):
            return await run_session(session, pack)


@contextlib.contextmanager
def _stoppable(session: Session) -> Iterator[None]:
    """Ask for a stop on signals and when standard error is closed, while the block runs."""
    loop, stop = asyncio.get_running_loop(), session.stop

    def closed() -> None:  # on whatever thread has said something
        loop.call_soon_threadsafe(stop.ask, Interrupted("standard error was closed"))

    with on_signals(stop, lambda: _announce_stop(session)), console.output.err().watched(closed):
        yield


def _announce_stop(session: Session) -> None:
    waiting = f"waiting for {plural(session.progress.in_flight, 'call')} in flight"
    tell(f"stopping: {waiting}; press Ctrl-C again to stop at once")


EXIT = {"complete": 0, "fail": 1, "incomplete": 1, "budget": 5, "interrupted": 130}


def print_result(
    document: ResultDocument,
    *,
    json_output: bool = False,
    another: str = "",
    later: str = "",
    messages: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> None:
    """Print a result document: as it is, or for people, whose last line is the result.

    ``--details`` prints all numbers, with the sections of plugins.

    Args:
        document: The result.
        json_output: As it is.
        another: The command that asks another model the same.
        later: What became of the rating after the result, where it has none.
        messages: What is said on standard error above the last line.
        notes: What is printed there.
    """
    if json_output:
        click.echo(as_text(document))
        return

    if wants_details():
        shown = console.tables.details(document, sections(document), another, later)
    else:
        shown = console.short.short(document, another, later)
    console.output.show(shown)
    for note in notes:
        click.echo(line(f"note: {note}"))
    for message in messages:
        console.output.tell(message)
    console.output.show_line(console.short.last(document))


def sections(document: ResultDocument) -> list[Table]:
    """A panel's section and those of plugins; one that fails is named and left out."""
    found = [table] if (table := panel_table(document)) else []
    for section in installed().report_sections:
        if section.benchmark != document["benchmark"]:
            continue
        called = Called(section, "build")
        try:
            table = call(called, section.build, document)
            if table is not None and not isinstance(table, Table):
                called.refuse(f"returned {type(table).__name__}, not a Table")
        except BenchError as error:  # the result must be seen all the same
            click.echo(line(f"warning: {error}"), err=True)
            continue
        found += [table] if table else []
    return found
