"""One endpoint's callers: limits, retries and time limits around a client.

`timeout_s` bounds an attempt, and three times it, or half an hour, a call from its first attempt
on, waits between attempts included. Time spent waiting for a free place or for the rate limits
before the first attempt is not counted, as it says nothing about the endpoint. A time-out beside
other calls may be the fault of their number, so it is tried again among fewer (`crowd`); one
alone is final. The same holds for a context that is full. An endpoint that is down, or that says
nothing but one error, ends the run (`health`).
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from copy import copy
from dataclasses import dataclass, replace

from ..errors import ErrorKind, ProviderError
from ..parties.providers import SOMEBODY, AskedParty, CallContext, Client, make_ready
from ..spending.budget import Meter, Reservation
from ..types import ChatRequest, ChatResponse
from .concurrency import AdaptiveLimit, Attempt, Clock, Crowd, Line, Ramp, pace_of
from .health import EndpointHealth
from .limits import Limits, Notices, Rate, reserved_tokens
from .patience import limit_of_attempt
from .server_errors import in_short, is_5xx, is_full, may_pass
from .thinking import unknown_mark

_LOOK_AGAIN_S = 1.0  # tokens may have been given back
SILENT_AT_FIRST = 3
"""With a spending limit, so many calls that time out alone before any answer end the run."""
TOKEN_LIMITS = frozenset({"max_tokens", "max_completion_tokens", "max_output_tokens"})
"""What the token limit is called in `ChatResponse.sent`."""


@dataclass
class _Course:
    """How far a call has come.

    The first attempt sets the `deadline`; `times` counts 5xx that name nothing.
    """

    attempts: int = 0
    timeouts: int = 0
    times: int = 0
    deadline: float | None = None
    last: ProviderError | None = None
    attempt: Attempt | None = None


class Caller:
    """Sends requests to one endpoint until they are answered or given up.

    Attributes:
        retries: Attempts beyond the first of all calls so far, failed ones too.
        retried: The same by what went wrong before: an HTTP status, or ``timeout`` and the like.
    """

    def __init__(
        self,
        client: Client,
        limits: Limits,
        *,
        clock: Clock = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        draw: Callable[[], float] = random.random,
        before_sending: Callable[[], None] = lambda: None,
        meter: Meter | None = None,
        notices: Notices | None = None,
        asked: AskedParty = SOMEBODY,
        absent: set[str] | None = None,
        line: Line | None = None,
    ) -> None:
        self.client = client
        self.limits = limits
        self.retries = 0
        self.retried = Counter[str]()
        ramp = Ramp() if limits.ramps else None
        slots = AdaptiveLimit(limits.concurrency, clock, ramp)
        self.line = line or Line(slots, Crowd(clock))
        self.slots, self._crowd = self.line
        self._rpm = Rate(limits.rpm, clock)
        self._tpm = Rate(limits.tpm, clock)
        self._clock = clock
        self._sleep = sleep
        self._draw = draw
        self._before_sending = before_sending
        self._meter = meter or Meter()
        self._notices = notices or Notices()
        self._asked = asked
        self._gate = asyncio.Lock()
        self._open: list[float] = []
        """When the attempts began that wait for an answer."""
        self._silent = self._failed_alone = 0
        absent = set() if absent is None else absent
        self._health = EndpointHealth(limits.retry, clock, self._notices, asked, absent)

    @property
    def name(self) -> str:
        """What messages call who is asked."""
        return self._asked.name

    @property
    def words(self) -> str:
        """Of the endpoint's last error, such as ``503: Loading model``; empty after an answer."""
        return self._health.words

    @property
    def silent_s(self) -> float:
        """For how long requests wait without any answer; 0 where none waits."""
        began = min(self._open, default=None)
        return 0.0 if began is None else self._clock() - max(began, self._health.heard_at)

    @property
    def is_down(self) -> bool:
        """Whether every connection failed for so long that the run ends."""
        return self._health.is_down

    async def send(
        self,
        request: ChatRequest,
        call: CallContext,
        shape: Callable[[ChatRequest], ChatRequest] = lambda request: request,
    ) -> ChatResponse:
        """The reply to a request, which `shape` makes of it once its turn has come.

        Raises:
            ProviderError: The last attempt's error; `attempts` says how many there were.
            BudgetReached: Another attempt might exceed the spending limit.
        """
        course = _Course()
        await make_ready(self.client)
        while True:
            async with self.slots.slot(again=course.attempts > 0):
                self._before_sending()
                sent = shape(request)
                try:
                    async with self._meter.attempt(sent) as reservation:
                        return await self._attempt(sent, call, course, reservation)
                except ProviderError as error:
                    if self._asked is not SOMEBODY and self._asked.name not in str(error):
                        error.args = (f"{self._asked.name}: {error}",)
                    wait = self._after_error(error, course)
                    if wait is None:
                        await self._health.look_up(error, self.client)
                        raise
            await self._sleep(wait)

    def trying(self, attempts_after: Mapping[ErrorKind, int]) -> "Caller":
        """This caller with less patience for some errors: the same client, limits and money.

        For a trial: the first of its other calls goes alone all the same.
        """
        other = copy(self)
        other._meter = replace(self._meter, trial=True)
        retry = replace(self.limits.retry, attempts_after=attempts_after)
        other.limits = replace(self.limits, retry=retry)
        return other

    async def _attempt(
        self, request: ChatRequest, call: CallContext, course: _Course, reservation: Reservation
    ) -> ChatResponse:
        await self._keep_to_rates(request)
        self._go_on(course, reservation)
        attempt = course.attempt = self._crowd.enter()
        self._open.append(attempt.began)
        course.attempts += 1
        course.deadline = course.deadline or attempt.began + self.limits.call_s
        self.retries += course.attempts > 1
        if course.last is not None:
            self.retried[str(course.last.status or course.last.kind)] += 1
        seconds = min(self.limits.timeout_s, course.deadline - attempt.began)
        try:
            response = await self._complete(request, call, seconds)
        finally:
            self._crowd.leave()
            self._open.remove(attempt.began)
        latency = self._clock() - attempt.began
        self.slots.learn(attempt, pace_of(latency, response))
        self._answered(request, response)
        priced = self._meter.price_of(response, reservation)
        return replace(response, latency_s=latency, attempts=course.attempts, **priced)

    async def _complete(
        self, request: ChatRequest, call: CallContext, seconds: float
    ) -> ChatResponse:
        try:
            async with asyncio.timeout(seconds) as limit:
                limit_of_attempt.set(limit)
                return await self.client.complete(request, call)
        except BaseException as error:
            self._tpm.give_back(reserved_tokens(request))
            if not isinstance(error, TimeoutError):
                raise
            late = ProviderError(
                ErrorKind.TIMEOUT,
                f"{self._asked.name} gave no complete answer within {seconds:g} s; a longer "
                "--timeout may help, or a smaller --concurrency where the server answers few calls "
                "at a time",
            )
            late.elsewhere = bool(getattr(self.client, "has_healthy", False))
            raise late from None

    def _answered(self, request: ChatRequest, response: ChatResponse) -> None:
        """Note what an answer says of the endpoint."""
        if request.sampling.max_tokens and not TOKEN_LIMITS & response.sent.keys():
            self._notices.no_token_limit(self._asked)
        if mark := unknown_mark(response.text, request.messages):
            self._notices.unknown_mark(mark, self._asked)
        self._crowd.answered()
        self._silent = self._failed_alone = 0
        self._health.answered()
        self.slots.grow()
        if used := response.usage.input + response.usage.output:
            self._tpm.give_back(reserved_tokens(request) - used)

    def _go_on(self, course: _Course, reservation: Reservation) -> None:
        """Look again before sending, as waiting for others' money or the rates may take long."""
        self._before_sending()
        if course.last is not None and self._clock() >= (course.deadline or 0.0):
            reservation.cost = 0.0
            raise course.last

    async def _keep_to_rates(self, request: ChatRequest) -> None:
        """Wait for this request's turn and take its share of the rates.

        One at a time: who waits has taken nothing yet, so what others give back counts at once.
        """
        if self.limits.rpm is None and self.limits.tpm is None:
            return
        tokens, tpm = reserved_tokens(request), self.limits.tpm
        if tpm is not None and tokens > tpm:
            self._notices.beyond_tpm(request, tpm, self._asked)
        async with self._gate:
            while (wait := max(self._rpm.delay, self._tpm.delay)) > 0:
                await self._sleep(min(wait, _LOOK_AGAIN_S))
                self._before_sending()
            self._rpm.take()
            self._tpm.take(tokens)

    def _after_error(self, error: ProviderError, course: _Course) -> float | None:
        """Note what an error says of the endpoint; seconds to wait, or None to give up."""
        if error is course.last:
            return None  # there was no time left for another attempt
        course.last, error.attempts = error, course.attempts
        self._health.words = in_short(error)
        if error.kind == ErrorKind.TIMEOUT:
            wait = self._after_timeout(error, course)
        else:
            wait = self._after_answer(error, course)
        is_late = wait is not None and self._clock() + wait >= (course.deadline or 0.0)
        return None if is_late else wait

    def _after_timeout(self, error: ProviderError, course: _Course) -> float | None:
        """Go on among fewer, if it was among others that the attempt waited in vain."""
        attempt = course.attempt
        assert attempt is not None
        course.timeouts += 1
        was_among_others = self._crowd.give_up(attempt)
        if attempt.began + self.limits.timeout_s > (course.deadline or 0.0):
            return None  # cut short by the end of the call's time, which says nothing
        again = 0.0 if course.timeouts <= self.limits.retry.timeouts else None
        if error.elsewhere and not was_among_others:
            return again
        if not was_among_others:
            self._silent += 1
            if self._silent > 1 or not self._crowd.answers:
                self.slots.restore()  # else it may be this request that is special
            # Where the first calls go alone, each further one would take as long and may be billed.
            is_enough = self._silent >= SILENT_AT_FIRST and not self._crowd.answers
            error.fatal = self._meter.limited and is_enough
            return None
        self.slots.halve(attempt.began, self._crowd.answers_since(attempt))
        return again

    def _after_answer(self, error: ProviderError, course: _Course) -> float | None:
        attempt = course.attempt
        if error.kind != ErrorKind.CONNECTION:
            self._health.is_there()
        elif attempt is not None and not error.elsewhere:
            self._health.not_connected(error, attempt.began, self._crowd.size)
        if error.kind == ErrorKind.RATE_LIMIT:
            self.slots.shrink()
        elif attempt is not None and is_full(error):
            return self._after_full(error, attempt, course.attempts)
        elif attempt is not None and error.kind == ErrorKind.SERVER and is_5xx(error):
            self._after_5xx(error, attempt, course)
        left = (course.deadline or 0.0) - self._clock()
        wait = self.limits.retry.wait(error, course.attempts, self._draw, left)
        return 0.0 if error.elsewhere and wait is not None else wait

    def _after_full(self, error: ProviderError, attempt: Attempt, tries: int) -> float | None:
        """Go on among fewer, if others had part of the server's context; alone it is final."""
        if self._crowd.was_alone(attempt):
            return None
        self.slots.halve(attempt.began)
        self._notices.shared_context(error, self._asked)
        return 0.0 if tries < self.limits.retry.attempts else None

    def _after_5xx(self, error: ProviderError, attempt: Attempt, course: _Course) -> None:
        """Note whether it may be the number of calls, and whether it is all the server says."""
        alone = self._crowd.was_alone(attempt)
        may_start = not self._health.has_answered and may_pass(error)
        if self._crowd.failed(attempt) and not may_start:
            self.slots.halve(attempt.began)
        self._failed_alone = self._failed_alone + 1 if alone else 0
        if self._failed_alone > 1 and self._health.has_answered:
            self.slots.undo_cuts()
        course.times += 1
        self._health.failed(error, course.times, alone=alone)

    def answered_by(self, call: CallContext) -> str | None:
        """The address that answered a call; ``None`` where there is only one."""
        ask = getattr(self.client, "answered_by", None)
        return ask(call) if ask else None

    async def close(self) -> None:
        """Close the client."""
        await self.client.close()
