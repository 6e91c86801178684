"""Stopping a run: asked once, what is in flight is finished; asked twice, at once."""

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterator

from ..errors import BenchError, Interrupted


class Stop:
    """Whether the run shall stop, and why.

    Attributes:
        reason: The error that ends the run; ``None`` while it goes on.
    """

    def __init__(self) -> None:
        self.reason: BenchError | None = None
        self._at_once: Callable[[], None] = lambda: None
        self._event = asyncio.Event()

    @property
    def asked(self) -> bool:
        """Whether nothing more shall be sent."""
        return self.reason is not None

    def ask(self, reason: BenchError) -> None:
        """Send nothing more; the first reason counts."""
        self.reason = self.reason or reason
        self._event.set()

    async def sleep(self, seconds: float) -> None:
        """Wait, but no longer than until the run shall stop."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._event.wait(), seconds)

    def check(self) -> None:
        """Raise `Interrupted` when nothing more shall be sent."""
        if self.asked:
            raise Interrupted("stopped before this was sent")

    def when_at_once(self, action: Callable[[], None]) -> None:
        """What to do when the user does not want to wait."""
        self._at_once = action

    def interrupt(self) -> None:
        """The user asked to stop: the first time gently, then at once."""
        if isinstance(self.reason, Interrupted):
            self._at_once()
        self.ask(Interrupted("interrupted"))


@contextlib.contextmanager
def on_signals(stop: Stop, announce: Callable[[], None]) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM ask for a stop while the block runs.

    Args:
        stop: Is asked.
        announce: Called at the first one.
    """
    loop = asyncio.get_running_loop()

    def handle() -> None:
        if not stop.asked:
            announce()
        stop.interrupt()

    handled = []
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, handle)  # not on Windows, not outside the main thread
            handled.append(number)
    try:
        yield
    finally:
        for number in handled:
            loop.remove_signal_handler(number)
