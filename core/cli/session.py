"""A session on the command line: made, shown while it works, and ended gently."""

import asyncio
import contextlib
from collections.abc import Iterator

from .. import console
from ..benchmark import Pack
from ..clients.keys import process_environment
from ..errors import ConfigError, Interrupted
from ..plugins import installed
from ..results import Result
from ..run.parties import Pricing
from ..run.session import Session
from ..sample.stopping import on_signals
from ..settings.run_config import RunConfig
from ..text import plural
from ..work import open_session, run_session


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
        async with console.live.displayed(session.progress, title, console.output.err()):
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
