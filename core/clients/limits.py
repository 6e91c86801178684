"""How fast requests may go: concurrency that adapts, requests and tokens per minute.

Concurrency starts at the configured limit, or with a `Ramp` at one. It shrinks by a third on a
rate-limit answer (at most once a second, as one burst is one message), halves on a time-out
beside other calls, and grows back by one for every limit's worth of answers; after a time-out not
to where that happened, until many more were answered. The rates spread a minute's allowance
evenly over the minute: a request of n units is followed by n units' time.

`Notices` says what the user is told while requests wait, each thing once.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import NamedTuple

from ..errors import ProviderError
from ..parties.providers import AskedParty
from ..types import ChatRequest
from .ramp import CHARACTERS_PER_TOKEN, Ramp


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt among the others.

    Attributes:
        began: When it was sent.
        behind: Others were there before it.
        beside: How many others waited for an answer then.
        number: Attempts begun up to it, itself included.
        answered: Answers that had come before it began.
    """

    began: float
    behind: bool
    beside: int
    number: int
    answered: int


class Crowd:
    """The attempts that one endpoint has at the same time, and whether one was alone.

    A server with few places answers what it was sent in turn, and may go on with what nobody
    waits for any more. So a call was not alone when others were in flight during any of its time,
    and neither when it began while the server may still have been busy with those that were given
    up: as many as there were, each for the time that an answer took while they waited. A time-out
    of one that was not alone can be the fault of that queue.

    Attributes:
        size: Attempts that wait for an answer.
        answers: How many have been answered.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.size = 0
        self._clock = clock
        self._begun = self.answers = 0
        self._busy_until = float("-inf")
        self._answer_s = 0.0

    def enter(self) -> Attempt:
        """The place of an attempt that is sent now."""
        now = self._clock()
        behind = self.size > 0 or now < self._busy_until
        self._begun += 1
        place = Attempt(now, behind, self.size, self._begun, self.answers)
        self.size += 1
        return place

    def leave(self) -> None:
        """An attempt ended, however it did."""
        self.size -= 1

    def answered(self) -> None:
        """One of the attempts was answered."""
        self.answers += 1
        self._busy_until = max(self._busy_until, self._clock())

    def give_up(self, place: Attempt) -> bool:
        """Whether others were there while an attempt waited in vain; nobody waits for it now."""
        if answers := self.answers_since(place):
            self._answer_s = (self._clock() - place.began) / answers
        self._busy_until = max(self._busy_until, place.began) + self._answer_s
        return place.behind or self._begun > place.number

    def answers_since(self, place: Attempt) -> int:
        """How many attempts were answered since one began."""
        return self.answers - place.answered


Clock = Callable[[], float]


def text_tokens(request: ChatRequest) -> int:
    """Tokens of a request's text, about."""
    return sum(len(m.content) for m in request.messages) // CHARACTERS_PER_TOKEN


def reserved_tokens(request: ChatRequest) -> int:
    """The share of a per-minute limit that a request takes before it is sent."""
    return text_tokens(request) + (request.sampling.max_tokens or 0)


PATIENCE = 32
"""Answers after a time-out before as many are sent at a time as then; twice as many the next."""
PATIENCE_OF_RAMP = 256
"""The same where nobody stated how many, so that a server with one place is left as it is."""
_TRY_AGAIN = 8
"""Answers for each place before more are tried that were not worth it; likewise."""


class AdaptiveLimit:
    """At most `limit` holders at a time, first come first served.

    Args:
        configured: The most.
        clock: Tells the time.
        ramp: Begin with one, and ask more at a time while that gets more done.

    Attributes:
        limit: Right now; fractions are growth on its way to the next whole place.
        in_flight: Holders right now.
    """

    def __init__(self, configured: int, clock: Clock, ramp: Ramp | None = None) -> None:
        self.configured = configured
        self.limit = 1.0 if ramp else float(configured)
        self.in_flight = 0
        self._clock = clock
        self._ramp = ramp
        self._ceiling = self.limit
        self._patience = PATIENCE_OF_RAMP if ramp else PATIENCE
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
        """Hold one place.

        Args:
            again: Whoever held one before goes ahead of those that wait for their first, as
                its time is running.
        """
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
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        (self._again if again else self._waiting).append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self.in_flight -= 1
                self._wake()
            raise

    def _wake(self) -> None:
        while (queue := self._again or self._waiting) and self.in_flight < int(self.limit):
            place = queue.popleft()
            if not place.done():
                self.in_flight += 1
                place.set_result(None)

    def shrink(self) -> None:
        """A rate-limit answer came."""
        if self._clock() - self._last_cut >= 1.0:
            self._cut_to(self.limit * 2 / 3)

    def halve(self, began: float, answers: int) -> None:
        """A request timed out while others were there; those sent before the last cut are no news.

        More in flight than are answered in the time of one attempt would all wait in vain, so
        half as many as those are the most, too.

        Args:
            began: When it was sent.
            answers: How many others were answered while it waited.
        """
        if began >= self._last_cut:
            most = min(self.limit, answers)
            self._ceiling = max(1.0, min(most or self.limit // 2, self.configured - 1.0))
            self._wait, self._patience = self._patience, 2 * self._patience
            self._cut_to(most / 2)

    def _cut_to(self, limit: float) -> None:
        self._last_cut = self._changed = self._clock()
        self.limit = max(1.0, limit)

    def restore(self) -> None:
        """Requests time out alone: fewer at a time do not help."""
        self.limit = self._ceiling = float(self.configured)
        self._wake()

    def grow(self) -> None:
        """A good answer came."""
        self._wait = max(0, self._wait - 1)
        if not self._wait and self._ceiling < self.configured and self._ramp is None:
            self._ceiling = min(2 * self._ceiling, float(self.configured))
            self._wait = PATIENCE
        self.limit = min(self._ceiling, self.limit + 1 / self.limit)
        self._wake()

    def learn(self, place: Attempt, pace: float) -> None:
        """Note how an answer came, where it tells what so many at a time are worth.

        Args:
            place: Of the attempt that was answered.
            pace: Seconds per token.
        """
        places = int(self.limit)
        is_telling = place.began >= self._changed and 2 * (place.beside + 1) > places
        if self._ramp is None or places != self._ceiling or not is_telling:
            return
        self._ramp.add(places, pace)
        helps = self._ramp.helps(places)
        if helps is False:
            self.limit = self._ceiling = float(self._ramp.below(places))
            self._changed = self._clock()
            self._wait, self._doubts = _TRY_AGAIN * places * self._doubts, 2 * self._doubts
        elif helps and not self._wait and places < self.configured:
            self._try(min(2 * places, self.configured), self._ramp)

    def _try(self, places: int, ramp: Ramp) -> None:
        """See what more at a time are worth."""
        ramp.forget(places)
        self.limit = self._ceiling = float(places)
        self._changed = self._clock()
        self._wake()


class Line(NamedTuple):
    """The places at a server, and who is there: parties at one server of one's own share them.

    Attributes:
        slots: How many may be there at a time.
        crowd: Who is.
    """

    slots: AdaptiveLimit
    crowd: Crowd


class Rate:
    """At most `per_minute` units a minute, spread evenly; ``None`` means no limit."""

    def __init__(self, per_minute: float | None, clock: Clock) -> None:
        self._per_second = per_minute / 60 if per_minute else None
        self._clock = clock
        self._free_at = clock()

    @property
    def delay(self) -> float:
        """Seconds until the next request may go; 0 when it may go now."""
        return 0.0 if self._per_second is None else max(0.0, self._free_at - self._clock())

    def take(self, units: float = 1.0) -> None:
        """Count `units` as used from now on."""
        if self._per_second is not None:
            self._free_at = max(self._clock(), self._free_at) + units / self._per_second

    def give_back(self, units: float) -> None:
        """Of what was taken, `units` were not used (or more were, when negative)."""
        if self._per_second is not None:
            self._free_at -= units / self._per_second


class Notices:
    """Says each thing once; the callers of a run share one.

    Args:
        say: Tells the user.
    """

    def __init__(self, say: Callable[[str], None] = lambda text: None) -> None:
        self._say = say
        self._said: set[object] = set()

    def _once(self, about: object, text: str) -> None:
        if about not in self._said:
            self._said.add(about)
            self._say(text)

    def closing(self, error: Exception) -> None:
        """A client could not be closed, which costs no result."""
        self._once(str(error), f"warning: {error}")

    def beyond_tpm(self, request: ChatRequest, tpm: float, asked: AskedParty) -> None:
        """A request reserves more tokens than a minute allows.

        It is sent all the same, as the server may count fewer; but those after it wait.
        """
        tokens, text = reserved_tokens(request), text_tokens(request)
        room = tokens - text
        shorter = " or a smaller --max-tokens" if text <= tpm and asked.options.sampling else ""
        self._once(
            asked.name,
            f"a request to {asked.name} reserves {tokens:,} tokens "
            f"({text:,} for its text, {room:,} for the reply), more than the {tpm:,.15g} of --tpm: "
            f"after each, the next waits up to {tokens / tpm * 60:,.0f} s, less when fewer are "
            f"used; give a larger --tpm{shorter}",
        )

    def no_token_limit(self, asked: AskedParty) -> None:
        """A server takes none."""
        self._once(
            ("no token limit", asked.name),
            f"{asked.name} refuses a token limit, so replies are as long as the model likes",
        )

    def unreachable(self, error: ProviderError, asked: AskedParty, seconds: float) -> None:
        """An endpoint refuses or drops every connection; once for each reason.

        Args:
            error: Of the last attempt; it holds the reason and what to do.
            asked: Whose endpoint it is.
            seconds: Until the run ends, unless it answers meanwhile.
        """
        todo = f"trying again for up to {seconds:.0f} s before the run ends"
        self._once((asked.name, str(error)), f"{error}; {todo}")
