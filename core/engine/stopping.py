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
        interrupts: How often the user has asked for it.
    """

    def __init__(self) -> None:
        self.reason: BenchError | None = None
        self.interrupts = 0
        self._at_once: Callable[[], None] = lambda: None
        self._no_more = asyncio.Event()

    @property
    def asked(self) -> bool:
        """Whether the run shall end before its time."""
        return self.reason is not None

    def ask(self, reason: BenchError) -> None:
        """Send nothing more; the first reason counts."""
        self.reason = self.reason or reason
        self.send_no_more()

    def begin(self) -> None:
        """Let calls be sent, unless the run shall end before its time."""
        if not self.asked:
            self._no_more.clear()

    def send_no_more(self) -> None:
        """Let what is in flight be the last; waits between attempts end now."""
        self._no_more.set()

    async def sleep(self, seconds: float) -> None:
        """Wait, but no longer than until nothing more shall be sent."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._no_more.wait(), seconds)

    def check(self) -> None:
        """Raise `Interrupted` when nothing more shall be sent."""
        if self._no_more.is_set():
            raise Interrupted("stopped before this was sent")

    def when_at_once(self, action: Callable[[], None]) -> None:
        """What to do when the user does not want to wait."""
        self._at_once = action

    def interrupt(self) -> None:
        """The user asks to stop: the first time gently, then at once."""
        self.interrupts += 1
        if self.interrupts > 1:
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
        if not stop.interrupts:
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
