"""A run that ends gently: on a signal, or when nobody reads any more what is said of it."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator

from ..errors import Interrupted
from ..sample.stopping import Stop, on_signals


@contextlib.contextmanager
def stoppable(stop: Stop, announce: Callable[[], None]) -> Iterator[None]:
    """Ask for a stop on signals and when standard error is closed, while the block runs.

    Args:
        stop: Is asked.
        announce: Called at the first signal.
    """
    from ..console.output import err

    loop = asyncio.get_running_loop()

    def closed() -> None:  # on whatever thread has said something
        loop.call_soon_threadsafe(stop.ask, Interrupted("standard error was closed"))

    with on_signals(stop, announce), err().watched(closed):
        yield
