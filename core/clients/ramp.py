"""What several requests at a time are worth at a server that nobody has described.

A server with one place answers two requests in twice the time of one, so nothing is gained by
sending both, and a long line ends in time-outs. One that batches answers both in the time of one.
The measure is the time that a reply takes per token, since replies differ in length more than
servers in pace.
"""

from collections import defaultdict, deque
from statistics import median

from ..types import ChatResponse

CHARACTERS_PER_TOKEN = 4
"""For counting tokens that the server has not counted."""
WORTH = 1.25
"""Twice as many at a time are worth it where so many times more gets done."""
_READ_TOKENS = 8
"""Tokens that are read in about the time of one that is written."""
ENOUGH = 6
"""Replies, or as many as there are places, before more at a time are said not to help."""
_KEPT = 32


def pace_of(seconds: float, response: ChatResponse) -> float:
    """Seconds per token of a reply, reading counted too."""
    usage = response.usage
    written = usage.output or len(response.text + response.reasoning) / CHARACTERS_PER_TOKEN
    read = max(0, usage.input - usage.cached) / _READ_TOKENS
    return seconds / (1 + written + read)


class Ramp:
    """How fast replies came, by how many were asked for at a time."""

    def __init__(self) -> None:
        self._paces = defaultdict[int, deque[float]](lambda: deque(maxlen=_KEPT))

    def add(self, places: int, pace: float) -> None:
        """Note the pace of one of so many at a time."""
        self._paces[places].append(pace)

    def forget(self, places: int) -> None:
        """Measure anew what so many are worth."""
        self._paces[places].clear()

    def helps(self, places: int) -> bool | None:
        """Whether so many get more done than the next fewer; ``None`` while that is not known."""
        own, fewer = self._paces[places], self.below(places)
        if len(own) < max(2, places // 2):
            return None
        before = self._paces[fewer]
        if not fewer or median(own) / places <= median(before) / fewer / WORTH:
            return True
        return False if len(own) >= max(ENOUGH, places) else None

    def below(self, places: int) -> int:
        """The next fewer at a time that were measured; 0 where there are none."""
        return max((n for n, paces in self._paces.items() if n < places and paces), default=0)
