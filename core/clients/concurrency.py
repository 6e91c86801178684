"""How many requests are under way at a time: as many as a server is worth, and who is there.

Concurrency starts at the configured limit, or with a `Ramp` at one. It shrinks by a third on a
rate-limit answer (at most once a second, as one burst is one message), halves on a time-out
beside other calls, on a context that is full, and on the second error of the server among those
in flight, and grows back by one for every limit's worth of answers; after it was halved not to
where that happened, until many more were answered.

A `Ramp` measures what several at a time are worth at a server that nobody has described. A server
with one place answers two requests in twice the time of one, so nothing is gained by sending
both, and a long line ends in time-outs. One that batches answers both in the time of one. The
measure is the time that a reply takes per token, since replies differ in length more than servers
in pace.
"""

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from ..types import ChatResponse

Clock = Callable[[], float]
CHARACTERS_PER_TOKEN = 4
"""For counting tokens that the server has not counted."""
WORTH = 1.25
"""Twice as many at a time are worth it where so many times more gets done."""
_READ_TOKENS = 8
"""Tokens that are read in about the time of one that is written."""
ENOUGH = 6
"""Replies, or as many as there are places, before more at a time are said not to help."""
_KEPT = 32
_ONE_IN = 8
"""Of so many calls one that fails is an accident."""
PATIENCE = 32
"""Answers after a time-out before as many are sent at a time as then; twice as many the next."""
PATIENCE_OF_RAMP = 256
"""The same where nobody stated how many, so that a server with one place is left as it is."""
_TRY_AGAIN = 8
"""Answers for each place before more are tried that were not worth it; likewise."""


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

    def add(self, limit: int, pace: float) -> None:
        """Note the pace of one of so many at a time."""
        self._paces[limit].append(pace)

    def forget(self, limit: int) -> None:
        """Measure anew what so many are worth."""
        self._paces[limit].clear()

    def helps(self, limit: int) -> bool | None:
        """Whether so many get more done than the next fewer; ``None`` while that is not known."""
        paces, fewer = self._paces[limit], self.below(limit)
        if len(paces) < max(2, limit // 2):
            return None
        before = self._paces[fewer]
        if not fewer or median(paces) / limit <= median(before) / fewer / WORTH:
            return True
        return False if len(paces) >= max(ENOUGH, limit) else None

    def below(self, limit: int) -> int:
        """The next fewer at a time that were measured; 0 where there are none."""
        return max((n for n, paces in self._paces.items() if n < limit and paces), default=0)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt among the others.

    Attributes:
        began: When it was sent.
        behind: Others were there before it.
        alongside: How many others waited for an answer then.
        number: Attempts begun up to it, itself included.
        answered: Answers that had come before it began.
        failed: Errors of the server that had come before it began.
    """

    began: float
    behind: bool
    alongside: int
    number: int
    answered: int
    failed: int = 0


class Crowd:
    """The attempts that wait for an answer (`size` of them), and whether one was alone.

    A server with few places answers what it was sent in turn, and may go on with what nobody
    waits for any more. So a call was not alone when others were in flight during any of its time,
    and neither when it began while the server may still have been busy with those that were given
    up: as many as there were, each for the time that an answer took while they waited. A time-out
    of one that was not alone can be the fault of that queue.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.size = 0
        self._clock = clock
        self._begun = self.answers = self._failures = 0
        self._busy_until = float("-inf")
        self._answer_s = 0.0

    def enter(self) -> Attempt:
        """The place of an attempt that is sent now."""
        now = self._clock()
        behind = self.size > 0 or now < self._busy_until
        self._begun += 1
        attempt = Attempt(now, behind, self.size, self._begun, self.answers, self._failures)
        self.size += 1
        return attempt

    def leave(self) -> None:
        """An attempt ended, however it did."""
        self.size -= 1

    def answered(self) -> None:
        """One of the attempts was answered."""
        self.answers += 1
        self._busy_until = max(self._busy_until, self._clock())

    def give_up(self, attempt: Attempt) -> bool:
        """Whether others were there while an attempt waited in vain; nobody waits for it now."""
        if answers := self.answers_since(attempt):
            self._answer_s = (self._clock() - attempt.began) / answers
        self._busy_until = max(self._busy_until, attempt.began) + self._answer_s
        return not self.was_alone(attempt)

    def was_alone(self, attempt: Attempt) -> bool:
        """Whether nobody else was there while an attempt waited."""
        return not attempt.behind and self._begun == attempt.number

    def failed(self, attempt: Attempt) -> bool:
        """Note a server's error; whether the number of those in flight may be the cause.

        It may be when an attempt and another beside it failed, and at least one in eight of all
        that ended meanwhile: some errors are accidents.
        """
        self._failures += 1
        failures = self._failures - attempt.failed
        is_much = failures * _ONE_IN >= failures + self.answers_since(attempt)
        return failures > 1 and is_much and not self.was_alone(attempt)

    def answers_since(self, attempt: Attempt) -> int:
        """How many attempts were answered since one began."""
        return self.answers - attempt.answered


class AdaptiveLimit:
    """At most `limit` holders at a time, first come first served.

    Fractions of the limit are growth on its way to the next whole place. With a `ramp` it begins
    with one, and more are asked at a time while that gets more done.
    """

    def __init__(self, configured: int, clock: Clock, ramp: Ramp | None = None) -> None:
        self.configured = configured
        self.limit = 1.0 if ramp else float(configured)
        self.in_flight = 0
        self._clock = clock
        self._ramp = ramp
        self._ceiling = self.limit
        self._patience = self._patience_at_first = PATIENCE_OF_RAMP if ramp else PATIENCE
        self._uncut: float | None = None  # what it was before cuts that no answer has followed
        self._doubts = 1
        self._wait = 0  # answers to come before more are tried
        self._changed = float("-inf")
        self._last_cut = float("-inf")
        self._again: deque[asyncio.Future[None]] = deque()
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def is_reduced(self) -> bool:
        """Whether fewer go at a time than were asked for, after errors of the server."""
        return self._ramp is None and self.limit < self.configured

    @asynccontextmanager
    async def slot(self, *, again: bool = False) -> AsyncIterator[None]:
        """Hold one place; who held one before goes ahead, as its time is running."""
        await self._enter(again)
        try:
            yield
        finally:
            self.in_flight -= 1
            self._wake()

    async def _enter(self, again: bool) -> None:
        if self.in_flight < int(self.limit) and not (self._again or self._waiting):
            self.in_flight += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        (self._again if again else self._waiting).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.in_flight -= 1
                self._wake()
            raise

    def _wake(self) -> None:
        while (queue := self._again or self._waiting) and self.in_flight < int(self.limit):
            turn = queue.popleft()
            if not turn.done():
                self.in_flight += 1
                turn.set_result(None)

    def shrink(self) -> None:
        """A rate-limit answer came."""
        if self._clock() - self._last_cut >= 1.0:
            self._cut_to(self.limit * 2 / 3)

    def halve(self, began: float, answers: int | None = None) -> None:
        """A request failed as others were there; those sent before the last cut are no news.

        After a time-out, more in flight than are answered in the time of one attempt would all wait
        in vain, so half as many as those `answers` are the most, too.
        """
        if began >= self._last_cut:
            most = self.limit if answers is None else min(self.limit, answers)
            above = most if answers else self.limit // 2
            self._ceiling = max(1.0, min(above, self.configured - 1.0))
            self._uncut = self._uncut or self.limit
            self._wait, self._patience = self._patience, 2 * self._patience
            self._cut_to(min(most / 2, self._ceiling))

    def _cut_to(self, limit: float) -> None:
        self._last_cut = self._changed = self._clock()
        self.limit = max(1.0, limit)

    def undo_cuts(self) -> None:
        """Requests fail alone as they did beside others, with no answer since the first cut."""
        if self._uncut is not None:
            self.limit = self._ceiling = self._uncut
            self._uncut, self._patience, self._wait = None, self._patience_at_first, 0
            self._wake()

    def restore(self) -> None:
        """Requests time out alone: fewer at a time do not help."""
        self.limit = self._ceiling = float(self.configured)
        self._wake()

    def grow(self) -> None:
        """A good answer came."""
        self._uncut = None
        self._wait = max(0, self._wait - 1)
        if not self._wait and self._ceiling < self.configured and self._ramp is None:
            self._ceiling = min(2 * self._ceiling, float(self.configured))
            self._wait = PATIENCE
        self.limit = min(self._ceiling, self.limit + 1 / self.limit)
        self._wake()

    def learn(self, attempt: Attempt, pace: float) -> None:
        """Note how an answer came, in seconds per token, where it tells what so many are worth."""
        limit = int(self.limit)
        is_telling = attempt.began >= self._changed and 2 * (attempt.alongside + 1) > limit
        if self._ramp is None or limit != self._ceiling or not is_telling:
            return
        self._ramp.add(limit, pace)
        helps = self._ramp.helps(limit)
        if helps is False:
            self.limit = self._ceiling = float(self._ramp.below(limit))
            self._changed = self._clock()
            self._wait, self._doubts = _TRY_AGAIN * limit * self._doubts, 2 * self._doubts
        elif helps and not self._wait and limit < self.configured:
            more = min(2 * limit, self.configured)
            self._ramp.forget(more)
            self.limit = self._ceiling = float(more)
            self._changed = self._clock()
            self._wake()


class Line(NamedTuple):
    """The places at a server, and who is there: parties at one server of one's own share them."""

    slots: AdaptiveLimit
    crowd: Crowd
