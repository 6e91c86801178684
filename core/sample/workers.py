"""Many samples at a time, until all are done or the run is stopped.

Workers pull from one iterator, so memory does not grow with the number of samples. Asked to stop
once, a run finishes what is in flight; asked twice, it ends at once.
"""

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from ..errors import BenchError, ErrorKind, Interrupted, ProviderError
from ..guard.calls import BLOCKED_S, waiting
from ..types import ChatResponse
from .signals import ending_signals, handling

if TYPE_CHECKING:
    from .context import RunContext

T = TypeVar("T")
UNHEARD = 3
"""How many requests to stop a loop may leave unheard."""
GRACE_S = 5.0
"""How long calls in flight may go on once their endpoint is known to be down; others may end."""
IDLE_S = 5.0
"""How long a plugin may go on once the run is to stop and no call is in flight."""
LOOK_S = 1.0
"""How often that is looked at."""


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

    async def or_event(self, event: asyncio.Event) -> None:
        """Wait for the event, or until nothing more shall be sent."""
        waits = [asyncio.create_task(one.wait()) for one in (event, self._no_more)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

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


async def run_workers(
    context: "RunContext",
    jobs: Iterator[T],
    workers: int,
    work: "Callable[[RunContext, T], Awaitable[None]]",
) -> None:
    """Work on all jobs, `workers` at a time (at least 1); `work` raises only what ends the run.

    Raises:
        BenchError: What ended the run early, after calls in flight were saved.
    """
    context.stop.begin()
    tasks = {asyncio.create_task(_worker(context, jobs, work)) for _ in range(workers)}
    context.stop.when_at_once(lambda: _cancel(tasks | context.under_way.keys()))
    watcher = asyncio.create_task(tell_of_waiting(context, tasks))
    try:
        await _until_done(context, tasks)
    finally:
        everything = tasks | context.under_way.keys() | {watcher}
        _cancel(everything)
        await asyncio.gather(*everything, return_exceptions=True)  # pyright: ignore[reportCallIssue, reportArgumentType]
    if context.stop.reason:
        raise context.stop.reason


async def _worker(
    context: "RunContext", jobs: Iterator[T], work: "Callable[[RunContext, T], Awaitable[None]]"
) -> None:
    for job in jobs:
        if context.stop.asked:
            return
        try:
            await work(context, job)
        except BenchError as error:
            context.stop.ask(error)
            return


async def tell_of_waiting(
    context: "RunContext", workers: "Collection[asyncio.Task[None]]", after_s: float = BLOCKED_S
) -> None:
    """Tell the user once of each plugin that waits for ever while nothing is asked."""
    before, told_of = None, set[str]()
    while True:
        progress = context.progress
        now = None if context.under_way else (progress.calls, progress.replayed, progress.done)
        if now is not None and now == before:
            waits = dict.fromkeys(waiting(worker) for worker in workers)
            for message in [m for m in waits if m and m not in told_of]:
                told_of.add(message)
                context.say(f"nothing was asked for {after_s:g} s: {message} (Ctrl-C ends the run)")
        before = now
        await asyncio.sleep(after_s)


async def _until_done(context: "RunContext", workers: "set[asyncio.Task[None]]") -> None:
    """Wait for the workers, then for calls that nobody waits for any more."""
    working, idle_s = set(workers), 0.0
    while working and not _is_endpoint_down(context.stop) and idle_s < IDLE_S:
        done, working = await asyncio.wait(
            working, timeout=LOOK_S, return_when=asyncio.FIRST_COMPLETED
        )
        idle = context.stop.asked and not done and not context.under_way
        idle_s = idle_s + LOOK_S if idle else 0.0
        for task in done:
            if not task.cancelled():
                task.result()
    context.stop.send_no_more()
    if idle_s >= IDLE_S:
        return  # a plugin waits for something that is no call
    if left := working | context.under_way.keys():
        await asyncio.wait(left, timeout=GRACE_S if _is_endpoint_down(context.stop) else None)
    if left := {call for call, caller in context.under_way.items() if not caller.is_down}:
        await asyncio.wait(left)


def _is_endpoint_down(stop: Stop) -> bool:
    return isinstance(stop.reason, ProviderError) and stop.reason.kind == ErrorKind.CONNECTION


def _cancel(tasks: "Iterable[asyncio.Task[None] | asyncio.Task[ChatResponse]]") -> None:
    for task in tasks:
        task.cancel()
