"""Stopping a run: asked once, what is in flight is finished; asked twice, at once."""

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterator

from ..errors import BenchError, Interrupted
from ..signals import ending_signals, handling

UNHEARD = 3
"""How many requests to stop a loop may leave unheard."""


class Stop:
    """Whether the run shall stop, and why.

    Attributes:
        reason: The error that ends the run; ``None`` while it goes on.
        interrupts: How often the user has asked for it.
        hurried: Whether the user does not want to wait for anything. A signal sets it at once,
            also while the event loop is held up.
    """

    def __init__(self) -> None:
        self.reason: BenchError | None = None
        self.interrupts = 0
        self.hurried = False
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
            self.hurried = True
            self._at_once()
        self.ask(Interrupted("interrupted"))


@contextlib.contextmanager
def on_signals(stop: Stop, announce: Callable[[], None]) -> Iterator[None]:
    """Let Ctrl-C, SIGTERM and SIGHUP ask for a stop while the block runs.

    A lost terminal may send SIGHUP twice, and before SIGTERM: it never counts as the second
    request. One that is ignored, as by ``nohup``, stays ignored. Outside the main thread, where
    there are no signals, nothing is handled. A loop that has not heard of the first by the third
    is blocked, and is ended there.

    Args:
        stop: Is asked.
        announce: Called when it is asked first.
    """
    loop = asyncio.get_running_loop()
    seen: list[int] = []

    def ask(*, hung_up: bool) -> None:
        if not stop.interrupts and not (hung_up and stop.asked):
            announce()
        if hung_up:
            stop.ask(Interrupted("interrupted"))
        else:
            stop.interrupt()

    def handle(number: int, frame: object) -> None:
        hung_up = number == getattr(signal, "SIGHUP", None)
        seen.extend([number] * (not hung_up))
        stop.hurried = stop.hurried or len(seen) > 1
        if len(seen) >= UNHEARD and not stop.interrupts:
            raise KeyboardInterrupt  # a plugin keeps the loop, which would never hear of it
        loop.call_soon_threadsafe(lambda: ask(hung_up=hung_up))

    with handling([signal.SIGINT, *ending_signals()], handle):
        yield
