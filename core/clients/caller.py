"""One endpoint's callers: limits, retries and the total timeout around a client.

`timeout_s` bounds a call from its first attempt on, waits between attempts
included. Time spent waiting for a free place or for the rate limits before the
first attempt is not counted, as it says nothing about the endpoint. An endpoint
that for some time refused or dropped every connection is down: then the error
is fatal.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from ..errors import ErrorKind, ProviderError
from ..spending.meter import Meter
from ..types import ChatRequest, ChatResponse
from .base import CallContext, Client
from .limits import AdaptiveLimit, Clock, Rate, reserved_tokens
from .notices import Notices
from .retry import RetryPolicy

NO_ACCIDENT_S = 1.0
"""An endpoint that could not be reached for so long is told of; some drops are an accident."""
_LOOK_AGAIN_S = 1.0  # tokens may have been given back


@dataclass
class Limits:
    """What the user allows one endpoint."""

    concurrency: int = 32
    rpm: float | None = None
    tpm: float | None = None
    timeout_s: float = 600.0
    retry: RetryPolicy = field(default_factory=RetryPolicy)


class Caller:
    """Sends requests to one endpoint until they are answered or given up.

    Attributes:
        retries: Attempts beyond the first of all calls so far, failed ones too.
        before_sending: Called before each attempt; raises when nothing more shall be sent.
        slots: The adaptive concurrency; its `in_flight` and `limit` are for display.
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
    ) -> None:
        self.client = client
        self.limits = limits
        self.retries = 0
        self.slots = AdaptiveLimit(limits.concurrency, clock)
        self._rpm = Rate(limits.rpm, clock)
        self._tpm = Rate(limits.tpm, clock)
        self._clock = clock
        self._sleep = sleep
        self._draw = draw
        self._before_sending = before_sending
        self._meter = meter or Meter()
        self._notices = notices or Notices()
        self._host = getattr(client, "host", "the endpoint")
        self._gate = asyncio.Lock()
        self._down_since: float | None = None
        self._refusals = 0
        self._asking = 0

    async def send(self, request: ChatRequest, call: CallContext) -> ChatResponse:
        """The reply to a request.

        Raises:
            ProviderError: The last attempt's error; `attempts` says how many there were.
            BudgetReached: Another attempt might exceed the spending limit.
        """
        deadline: float | None = None
        last: ProviderError | None = None
        for attempt in range(1, self.limits.retry.attempts + 1):
            async with self.slots.slot(again=attempt > 1):
                self._before_sending()
                await self._keep_to_rates(request, call)
                began = self._clock()
                if last is not None and deadline is not None and began >= deadline:
                    raise last
                try:
                    async with self._meter.attempt(request) as reservation:
                        self._before_sending()  # waiting for others' money may have taken long
                        began = self._clock()
                        deadline = deadline or began + self.limits.timeout_s
                        response = await self._attempt(request, call, deadline, attempt)
                        return self._meter.priced(response, reservation)
                except ProviderError as error:
                    last, error.attempts = error, attempt
                    wait = self._after_error(error, attempt, began)
                    if wait is None or self._clock() + wait >= (deadline or 0.0):
                        raise
            await self._sleep(wait)
        raise AssertionError("the retry policy ends the loop")

    async def _attempt(
        self, request: ChatRequest, call: CallContext, deadline: float, attempt: int
    ) -> ChatResponse:
        started = self._clock()
        self.retries += attempt > 1
        self._asking += 1
        try:
            async with asyncio.timeout(deadline - started):
                response = await self.client.complete(request, call)
        except BaseException as error:
            self._tpm.give_back(reserved_tokens(request))
            if isinstance(error, TimeoutError):
                raise self._timed_out() from None
            raise
        finally:
            self._asking -= 1
        self._endpoint_answered()
        self.slots.grow()
        if used := response.usage.input + response.usage.output:
            self._tpm.give_back(reserved_tokens(request) - used)
        return replace(response, latency_s=self._clock() - started, attempts=attempt)

    def _timed_out(self) -> ProviderError:
        limit = f"--timeout {self.limits.timeout_s:g} s"
        return ProviderError(
            ErrorKind.TIMEOUT,
            f"{self._host} gave no complete answer within {limit}; a longer one may help",
        )

    async def _keep_to_rates(self, request: ChatRequest, call: CallContext) -> None:
        """Wait for this request's turn and take its share of the rates.

        One at a time: who waits has taken nothing yet, so what others give back counts at once.
        """
        if self.limits.rpm is None and self.limits.tpm is None:
            return
        tokens, tpm = reserved_tokens(request), self.limits.tpm
        if tpm is not None and tokens > tpm:
            self._notices.beyond_tpm(request, tpm, self._host, call.phase)
        async with self._gate:
            while (wait := max(self._rpm.delay, self._tpm.delay)) > 0:
                await self._sleep(min(wait, _LOOK_AGAIN_S))
                self._before_sending()
            self._rpm.take()
            self._tpm.take(tokens)

    def _after_error(self, error: ProviderError, attempt: int, began: float) -> float | None:
        """Note what an error says of the endpoint; seconds to wait, or None to give up."""
        if error.kind == ErrorKind.CONNECTION:
            self._connection_failed(error, began)
        elif error.kind != ErrorKind.TIMEOUT:
            self._endpoint_answered()
        if error.kind == ErrorKind.RATE_LIMIT:
            self.slots.shrink()
        return self.limits.retry.wait(error, attempt, self._draw)

    def _endpoint_answered(self) -> None:
        self._down_since, self._refusals = None, 0

    def _connection_failed(self, error: ProviderError, began: float) -> None:
        """Say that the endpoint is down, and make the error fatal when it was so for long enough.

        One call that fails while others wait for slow answers is no outage, hence the
        comparison with the number of requests that wait for an answer.
        """
        self._refusals += 1
        if self._down_since is None:
            self._down_since = began
        if self._refusals < max(3, self._asking):
            return
        seconds = self._clock() - self._down_since
        left = self.limits.retry.down_after_s - seconds
        if left <= 0:
            error.fatal = True
        elif seconds >= NO_ACCIDENT_S:
            self._notices.unreachable(error, self._host, left)

    async def close(self) -> None:
        """Close the client."""
        await self.client.close()
