"""Time-outs: a queue in the server costs no samples, and what no waiting can mend is final.

Time here is the loop's own and passes only when everything waits, so each run is the same.
"""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from functools import partial
from itertools import chain, pairwise, repeat
from random import Random
from typing import Any, NamedTuple, TypeVar, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eibench.core.benchmark import Benchmark
from eibench.core.clients.caller import Caller
from eibench.core.clients.limits import Limits
from eibench.core.errors import ErrorKind, ProviderError
from eibench.core.parties.providers import CallContext
from eibench.core.spending.budget import Budget, Meter
from eibench.core.spending.prices import Price, upper_bound
from eibench.core.types import ChatRequest, ChatResponse, Item, Message, Sampling, Usage

T = TypeVar("T")
CALL = CallContext(cast(Benchmark, None), Item("1"), 1, "generate")
NEVER = float("inf")


class TimelessLoop(asyncio.SelectorEventLoop):
    """A loop whose time jumps to whatever comes next."""

    def __init__(self) -> None:
        self.now = 0.0
        super().__init__(_Jump(self))

    def time(self) -> float:
        """Seconds since the beginning."""
        return self.now


class _Jump(selectors.SelectSelector):
    def __init__(self, loop: TimelessLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> Any:
        """What is ready; if nothing is, the time of the wait is over."""
        ready = super().select(0)
        if not ready:
            assert timeout is not None, "everything waits for ever"
            self._loop.now += timeout
        return ready


def timeless(main: Coroutine[Any, Any, T]) -> T:
    """What a coroutine returns, run in a loop without real time."""
    with asyncio.Runner(loop_factory=TimelessLoop) as runner:
        return runner.run(main)


class Queue:
    """A server with few places; what does not find one waits in line.

    Args:
        places: Answers that it writes at a time.
        seconds: That an answer takes, by its prompt.
        notices: Whether it drops a request whose client has left; else it goes on with it.
    """

    host = "host.test"

    def __init__(
        self, places: int, seconds: Callable[[str], float], *, notices: bool = True
    ) -> None:
        self._places = asyncio.Semaphore(places)
        self._seconds = seconds
        self._notices = notices
        self._working: set[asyncio.Task[None]] = set()
        self.asked: list[str] = []
        self.asked_at: list[float] = []

    async def complete(self, request: ChatRequest, call: CallContext) -> ChatResponse:
        """An answer, in its turn."""
        prompt = request.messages[0].content
        self.asked.append(prompt)
        self.asked_at.append(asyncio.get_running_loop().time())
        work = asyncio.create_task(self._work(self._seconds(prompt)))
        self._working.add(work)
        await (work if self._notices else asyncio.shield(work))
        return ChatResponse("OK", usage=Usage(input=1, output=1))

    async def _work(self, seconds: float) -> None:
        async with self._places:
            await asyncio.sleep(seconds)

    async def close(self) -> None:
        """Stop working."""
        for work in self._working:
            work.cancel()


class Outcome(NamedTuple):
    """What became of some calls."""

    answered: int
    failed: list[ProviderError]
    seconds: float
    asked: list[str]
    caller: Caller
    asked_at: list[float]


def ask_all(
    calls: int, server: Callable[[], Queue], meter: Meter | None = None, **limits: Any
) -> Outcome:
    """Make so many calls, as many at a time as the limits allow."""

    async def main() -> Outcome:
        loop, client = asyncio.get_running_loop(), server()
        caller = Caller(client, Limits(**limits), clock=loop.time, meter=meter)
        prompts, failed = iter(map(str, range(calls))), []

        async def worker() -> None:
            for prompt in prompts:
                request = ChatRequest((Message("user", prompt),), Sampling(max_tokens=10))
                try:
                    await caller.send(request, CALL)
                except ProviderError as error:
                    failed.append(error)

        await asyncio.gather(*(worker() for _ in range(caller.limits.concurrency)))
        ended = loop.time()
        await client.close()
        return Outcome(calls - len(failed), failed, ended, client.asked, caller, client.asked_at)

    return timeless(main())


@pytest.mark.parametrize("notices", [True, False])
def test_a_queue_in_the_server_costs_no_samples(notices: bool) -> None:
    """One place, 1 s an answer, 10 s of patience, 32 at a time: all 60 are answered.

    Also by a server that goes on with what nobody waits for, which fills its line.
    """
    done = ask_all(60, lambda: Queue(1, lambda _: 1.0, notices=notices), timeout_s=10.0)
    assert done.answered == 60
    assert max(done.asked.count(str(n)) for n in range(60)) <= 4


@given(
    places=st.integers(1, 8),
    seconds=st.floats(0.05, 1.0),
    concurrency=st.integers(1, 64),
    notices=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_whatever_the_queue(places: int, seconds: float, concurrency: int, notices: bool) -> None:
    """With ten times an answer's time for each attempt, no call is lost to the line before it."""
    done = ask_all(
        100,
        lambda: Queue(places, lambda _: seconds, notices=notices),
        timeout_s=10.0,
        concurrency=concurrency,
    )
    assert done.answered == 100


def test_alone_it_is_final() -> None:
    """A call that waited with nobody beside it is not sent again, and says what may help."""
    done = ask_all(1, lambda: Queue(1, lambda _: NEVER), timeout_s=10.0)
    (error,) = done.failed
    assert (error.kind, error.attempts, done.seconds) == (ErrorKind.TIMEOUT, 1, 10.0)
    assert "the endpoint gave no complete answer within 10 s" in str(error)
    assert "--timeout" in str(error) and "--concurrency" in str(error)


def test_one_that_began_alone_was_not_alone() -> None:
    """Others that were sent while it waited count, though they were answered long before."""
    done = ask_all(
        2, lambda: Queue(2, lambda p: 8.0 if p == "1" else 12.0), timeout_s=10.0, rpm=30.0
    )
    assert done.answered == 1 and done.failed[0].attempts == 2


def test_three_more_attempts_at_most() -> None:
    """A model that thinks too long is left after four attempts, while others are answered."""
    done = ask_all(
        400,
        lambda: Queue(8, lambda p: NEVER if p == "7" else 1.0),
        timeout_s=10.0,
        concurrency=8,
    )
    (error,) = done.failed
    assert done.answered == 399 and error.attempts == 4 and done.asked.count("7") == 4


@pytest.mark.parametrize(("calls", "lowest", "highest"), [(8, 1.0, 5.0), (400, 16.0, 16.0)])
def test_fewer_at_a_time_and_then_more_again(calls: int, lowest: float, highest: float) -> None:
    """Time-outs shrink the concurrency, and answers let it grow back."""
    seconds = chain([NEVER] * 8, repeat(1.0))
    done = ask_all(
        calls, lambda: Queue(16, lambda _: next(seconds)), timeout_s=10.0, concurrency=16
    )
    assert done.answered == calls
    assert lowest <= done.caller.slots.limit <= highest


def timed_out(done: Outcome) -> int:
    """Attempts that timed out."""
    return done.caller.retried["timeout"] + len(done.failed)


def test_a_server_with_one_place_is_asked_one_at_a_time() -> None:
    """6 s an answer, 10 s of patience, abandoned calls computed all the same: two tell enough."""
    server = partial(Queue, 1, lambda _: 6.0, notices=False)
    done = ask_all(150, server, timeout_s=10.0, ramps=True)
    assert done.answered == 150 and timed_out(done) <= 2
    assert done.seconds <= 1.05 * 150 * 6.0  # one after the other


def test_one_place_and_room_for_two_in_the_time() -> None:
    """Where two would still be in time, the second gains nothing, and nothing is lost to it."""
    done = ask_all(60, partial(Queue, 1, lambda _: 2.5, notices=False), timeout_s=6.0, ramps=True)
    assert (done.answered, timed_out(done), done.seconds) == (60, 0, 150.0)


def test_parties_at_one_server_wait_in_one_line() -> None:
    """A model and its judge behind one place: neither takes the other's call for its own."""

    async def main() -> int:
        loop = asyncio.get_running_loop()
        client = Queue(1, lambda _: 6.0, notices=False)
        limits = Limits(timeout_s=10.0, ramps=True)
        model = Caller(client, limits, clock=loop.time)
        judge = Caller(client, limits, clock=loop.time, line=model.line)
        request = ChatRequest((Message("user", "Hi"),), Sampling(max_tokens=10))
        sent = [caller.send(request, CALL) for _ in range(20) for caller in (model, judge)]
        made = await asyncio.gather(*sent)
        await client.close()
        assert model.retries + judge.retries <= 2
        return len(made)

    assert timeless(main()) == 40


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("places", [1, 2, 4, 8, 128])
def test_a_server_is_asked_what_it_can_do(places: int, seed: int) -> None:
    """Beginning with one at a time costs little at a server of any number of places."""
    took = {}
    for ramps in (False, True):
        rng = Random(seed)
        server = partial(Queue, places, lambda _: rng.uniform(0.8, 1.2))  # noqa: B023 - used at once
        done = ask_all(600, server, timeout_s=600.0, ramps=ramps)
        took[ramps] = done.seconds
        assert done.answered == 600
    assert took[True] <= 1.5 * took[False]


def test_a_fast_server_is_asked_all_at_once_soon() -> None:
    """600 requests at 128 places: a quarter more time than with all 32 from the first on."""
    done = ask_all(600, lambda: Queue(128, lambda _: 0.2), ramps=True)
    assert done.caller.slots.limit == 32.0
    assert done.seconds <= 1.35 * 600 / 32 * 0.2
    assert sorted(done.asked_at)[1] == 0.2  # the second waits for the first


def test_after_a_time_out_it_does_not_swing_back() -> None:
    """32 at a time were stated for one place: once that is known, hardly any waits in vain."""
    done = ask_all(400, partial(Queue, 1, lambda _: 2.5, notices=False), timeout_s=6.0)
    assert done.answered == 400
    later = [t for t in done.asked_at if t > 200.0]
    assert len(later) <= 1.1 * (done.seconds - 200.0) / 2.5


def test_a_server_that_is_dead_is_left_soon() -> None:
    """Where nothing ever answers, one alone shows that fewer at a time do not help."""
    done = ask_all(60, lambda: Queue(1, lambda _: NEVER), timeout_s=600.0)
    assert done.answered == 0 and {str(e.kind) for e in done.failed} == {"timeout"}
    assert done.seconds <= 8 * 600.0  # one after the other would be 60 x 600


@pytest.mark.parametrize(
    ("timeout_s", "all_in_all"), [(10.0, 1800.0), (600.0, 1800.0), (900, 2700)]
)
def test_the_time_of_a_call(timeout_s: float, all_in_all: float) -> None:
    """All attempts and waits end after half an hour, or three times the time of an attempt."""
    assert Limits(timeout_s=timeout_s).call_s == all_in_all


def test_no_attempt_outlasts_the_call() -> None:
    """The last attempt gets what is left of the call's time."""
    done = ask_all(2, lambda: Queue(1, lambda _: NEVER), timeout_s=700.0, concurrency=2)
    assert done.seconds == 2100.0
    waits = {str(error).split(";")[0].split()[-2] for error in done.failed}
    assert waits == {"700"}


def test_who_waits_for_the_first_answer_keeps_to_the_rates() -> None:
    """When the first call of a party has been answered, the others do not go all at once."""
    meter, seconds = Meter(Price(1.0, 1.0), Budget(1.0)), chain([60.0], repeat(1.0))
    done = ask_all(20, lambda: Queue(9, lambda _: next(seconds)), meter, rpm=60.0)
    gaps = [later - sooner for sooner, later in pairwise(done.asked_at)]
    assert done.answered == 20 and gaps[0] == 60.0 and min(gaps) >= 1.0 - 1e-9


def test_a_limit_is_not_used_up_by_silence() -> None:
    """With a budget the first calls go alone: three that all time out are enough, exit code 4."""
    meter = Meter(Price(1.0, 1.0), Budget(1.0))
    done = ask_all(32, lambda: Queue(1, lambda _: NEVER), meter, timeout_s=600.0)
    assert [error.fatal for error in done.failed[:3]] == [False, False, True]
    without = ask_all(32, lambda: Queue(1, lambda _: NEVER), timeout_s=600.0)
    assert not any(error.fatal for error in without.failed)


def test_every_attempt_that_timed_out_counts_as_paid() -> None:
    """The server may have billed each of them, so each is gone from the budget."""
    price, request = Price(1.0, 1.0), ChatRequest((Message("user", "0"),), Sampling(max_tokens=10))
    budget = Budget(1.0)
    seconds = chain([1.0], repeat(NEVER))
    meter = Meter(price, budget)
    done = ask_all(3, lambda: Queue(3, lambda _: next(seconds)), meter, timeout_s=10.0)
    assert len(done.asked) > 3
    assert budget.forfeited == pytest.approx((len(done.asked) - 1) * upper_bound(request, price))
    assert budget.reserved == 0.0
