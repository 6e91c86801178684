"""Answers that wait for something instead of for a time, so that a test races no clock."""

import asyncio
import time
from collections.abc import Callable
from threading import Event

from .wire import ReceivedRequest

_LOOK_EVERY_S = 0.002
_LONGEST_S = 60.0


class Gate:
    """Holds answers back until it opens; a `latency` of `LoopbackServer`.

    Args:
        free: So many requests, in order of arrival, go through.
        holds: Which of the others it holds; all by default.
        opens_at: It opens by itself when it holds so many; ``None``: it does not.
        until: Opens it too, once this is true.

    Attributes:
        waiting: How many it has held so far.
    """

    def __init__(
        self,
        free: int = 0,
        *,
        holds: Callable[[ReceivedRequest], bool] = lambda request: True,
        opens_at: int | None = None,
        until: Callable[[], bool] = lambda: False,
    ) -> None:
        self.waiting = 0
        self._free = free
        self._holds = holds
        self._opens_at = opens_at
        self._until = until
        self._open = Event()

    async def __call__(self, request: ReceivedRequest) -> None:
        """Return when the request may be answered."""
        if request.n < self._free or self._open.is_set() or not self._holds(request):
            return
        self.waiting += 1
        if self.waiting == self._opens_at:
            self.open()
        while not (self._open.is_set() or self._until()):
            await asyncio.sleep(_LOOK_EVERY_S)

    def open(self) -> None:
        """Let all through, those that it holds and those that come later."""
        self._open.set()

    def wait_for(self, count: int) -> None:
        """Return when it has held so many, from any thread but the server's.

        Raises:
            TimeoutError: They did not come within a minute.
        """
        end = time.monotonic() + _LONGEST_S
        while self.waiting < count:
            if time.monotonic() > end:
                raise TimeoutError(f"{self.waiting} of {count} requests came")
            time.sleep(_LOOK_EVERY_S)
