"""--max-cost: many calls at a time, and never a cent more."""

import asyncio
from collections import Counter
from collections.abc import Coroutine
from itertools import pairwise
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eibench.core.clients.openai import OpenAIClient
from eibench.core.errors import BudgetReached, ErrorKind, Interrupted, ProviderError
from eibench.core.parties.providers import CallContext, ClientConfig, ModelSpec
from eibench.core.spending.budget import Budget, Reservation
from eibench.core.spending.prices import Price, known_cost, upper_bound
from eibench.core.types import ChatRequest, Item, Message, Sampling
from eibench.testing import Answer, LoopbackServer, ReceivedRequest

LIMITED = ProviderError(ErrorKind.RATE_LIMIT, "slow down")
BROKEN = ProviderError(ErrorKind.SERVER, "broken")


async def _waits(reserving: "asyncio.Task[Reservation]") -> bool:
    for _ in range(5):
        await asyncio.sleep(0)
    return not reserving.done()


async def test_what_fits_is_granted_and_settled() -> None:
    """A reservation is held until it is settled, then only the cost is gone."""
    budget = Budget(1.0)
    reservation = await budget.reserve(0.6)
    assert (budget.spent, budget.reserved) == (0.0, 0.6)
    budget.settle(reservation, 0.1)
    assert (budget.spent, budget.reserved) == (0.1, 0.0)


async def test_the_whole_limit_can_be_used() -> None:
    """Ten calls at a tenth of the limit fit exactly: adding leaves no rest."""
    budget = Budget(0.7)
    for _ in range(10):
        budget.settle(await budget.reserve(0.07), 0.07)
    assert budget.spent == 0.7
    with pytest.raises(BudgetReached):
        await budget.reserve(1e-9)


async def test_a_call_waits_for_others_that_may_turn_out_cheaper() -> None:
    """What does not fit beside a call under way is sent when that has cost less."""
    budget = Budget(1.0)
    first = await budget.reserve(0.8)
    second = asyncio.create_task(budget.reserve(0.8))
    assert await _waits(second)
    budget.settle(first, 0.2)
    budget.release(await asyncio.wait_for(second, 60))
    assert budget.spent == 0.2


async def test_a_call_that_no_longer_can_fit_ends_its_wait() -> None:
    """A waiting call is refused as soon as what is spent leaves no room for it."""
    budget = Budget(1.0)
    first = await budget.reserve(0.8)
    second = asyncio.create_task(budget.reserve(0.8))
    assert await _waits(second)
    budget.settle(first, 0.21)
    with pytest.raises(BudgetReached):
        await asyncio.wait_for(second, 60)


async def test_a_call_that_can_never_fit_does_not_wait() -> None:
    """With more than the rest of the limit, waiting is pointless even if others are under way."""
    budget = Budget(1.0)
    budget.settle(await budget.reserve(0.5), 0.5)
    await budget.reserve(0.4)
    with pytest.raises(BudgetReached):
        await budget.reserve(0.6)


async def test_a_small_call_passes_a_large_one_that_waits() -> None:
    """Who fits is not held up by who does not."""
    budget = Budget(1.0)
    first = await budget.reserve(0.5)
    large = asyncio.create_task(budget.reserve(0.9))
    assert await _waits(large)
    small = await asyncio.wait_for(budget.reserve(0.1), 60)
    budget.release(small)
    budget.release(first)
    await asyncio.wait_for(large, 60)


async def test_one_end_lets_all_who_now_fit_go() -> None:
    """A large call that gives back its amount makes room for several."""
    budget = Budget(1.0)
    large = await budget.reserve(1.0)
    small = [asyncio.create_task(budget.reserve(0.3)) for _ in range(4)]
    assert await _waits(small[0])
    budget.release(large)
    assert sum([await _waits(call) for call in small]) == 1
    done = [call for call in small if call.done()]
    budget.release(done[0].result())
    await asyncio.wait_for(asyncio.gather(*small), 60)


async def test_a_cancelled_wait_leaves_nothing_behind() -> None:
    """A call that is stopped while it waits reserves nothing and is not woken."""
    budget = Budget(1.0)
    first = await budget.reserve(1.0)
    second = asyncio.create_task(budget.reserve(1.0))
    assert await _waits(second)
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(second, 60)
    budget.release(first)
    assert budget.reserved == 0.0


async def test_a_cost_beyond_its_bound_counts() -> None:
    """If a server bills more than the bound, all of it is spent, and nothing more is sent."""
    budget = Budget(1.0)
    budget.settle(await budget.reserve(0.5), 1.2)
    assert budget.spent == 1.2
    with pytest.raises(BudgetReached):
        await budget.reserve(0.0)


async def test_nothing_follows_a_cost_beyond_its_bound() -> None:
    """Who waits is refused, though there is room; the message says who billed what."""
    budget = Budget(10.0)
    first = await budget.reserve(6.0, "model")
    second = asyncio.create_task(budget.reserve(6.0, "judge"))
    assert await _waits(second)
    first.most, first.counted = "90 and 10", "90 tokens in and 400 out"
    budget.settle(first, 7.0)
    with pytest.raises(BudgetReached) as caught:
        await asyncio.wait_for(second, 60)
    assert str(caught.value) == budget.excess
    assert budget.excess == (
        "model billed $7.00 for a reply that was to cost $6.00 at most (90 tokens in and 400 out, "
        "where 90 and 10 were the most), so --max-cost cannot hold there: nothing more is sent; "
        "$7.00 of $10.00 is spent. Look at what it bills; the same command without --max-cost "
        "goes on"
    )


@given(st.floats(1e-9, 1e6))
def test_a_cost_that_is_its_bound_is_none_beyond_it(amount: float) -> None:
    """Rounding is no excess."""
    budget = Budget(1e7)

    async def spend() -> None:
        reservation = await budget.reserve(amount, "model")
        budget.settle(reservation, amount * (1 + 1e-16))

    asyncio.run(spend())
    assert not budget.excess


async def test_a_party_s_first_attempt_goes_alone() -> None:
    """Others of the party wait for its answer, whatever room there is; other parties do not."""
    budget = Budget(100.0)
    async with budget.attempt(1.0, "model") as first:
        waiting = [asyncio.create_task(budget.reserve(1.0, "model")) for _ in range(3)]
        assert await _waits(waiting[0])
        async with asyncio.timeout(60):
            await budget.reserve(1.0, "judge")
        first.cost = 0.5
    await asyncio.wait_for(asyncio.gather(*waiting), 60)


@pytest.mark.parametrize("error", [LIMITED, BROKEN, asyncio.CancelledError()])
async def test_one_that_failed_shows_nothing(error: BaseException) -> None:
    """After a failure the next one goes alone again, until one is answered."""
    budget = Budget(100.0)
    with pytest.raises(type(error)):
        async with budget.attempt(1.0, "model"):
            raise error
    async with budget.attempt(1.0, "model"):
        waiting = asyncio.create_task(budget.reserve(1.0, "model"))
        assert await _waits(waiting)
    await asyncio.wait_for(waiting, 60)


async def test_a_reservation_ends_once() -> None:
    """Ending it again is an error in the program, not money that comes back twice."""
    budget = Budget(1.0)
    reservation = await budget.reserve(0.5)
    budget.release(reservation)
    with pytest.raises(ValueError, match="ended before"):
        budget.release(reservation)
    assert budget.reserved == 0.0


@pytest.mark.parametrize("amount", [-0.1, float("nan"), float("inf")])
async def test_what_is_no_amount_is_refused(amount: float) -> None:
    """Limits, reservations and costs are finite numbers from 0 on."""
    with pytest.raises(ValueError, match="amount of money"):
        Budget(amount)
    budget = Budget(1.0)
    with pytest.raises(ValueError, match="amount of money"):
        await budget.reserve(amount)


async def test_a_limit_of_zero_allows_what_is_free() -> None:
    """--max-cost 0 sends only calls that cost nothing."""
    budget = Budget(0.0)
    budget.settle(await budget.reserve(0.0), 0.0)
    with pytest.raises(BudgetReached, match="does not allow a single call"):
        await budget.reserve(0.001)


async def _attempt(budget: Budget, outcome: BaseException | float | None) -> None:
    async with budget.attempt(0.5) as reservation:
        if isinstance(outcome, BaseException):
            raise outcome
        reservation.cost = outcome


@pytest.mark.parametrize(
    ("outcome", "spent", "forfeited"),
    [
        (0.1, 0.1, 0.0),
        (None, 0.5, 0.5),  # a reply whose tokens nobody counted
        (LIMITED, 0.0, 0.0),
        (Interrupted("stopped"), 0.0, 0.0),
        (BROKEN, 0.5, 0.5),
        (ProviderError(ErrorKind.TIMEOUT, "late"), 0.5, 0.5),
        (asyncio.CancelledError(), 0.5, 0.5),
    ],
)
async def test_an_attempt_is_accounted_for_by_how_it_ended(
    outcome: BaseException | float | None, spent: float, forfeited: float
) -> None:
    """A known cost counts, what surely was free does not, and all else counts in full."""
    budget = Budget(1.0)
    attempt = _attempt(budget, outcome)
    if isinstance(outcome, BaseException):
        with pytest.raises(type(outcome)):
            await attempt
    else:
        await attempt
    assert (budget.spent, budget.forfeited, budget.reserved) == (spent, forfeited, 0.0)


async def test_the_error_says_what_to_do() -> None:
    """Exit code 5; the limit, what is spent, by what, and that the command can go on."""
    budget = Budget(1.0)
    with pytest.raises(BudgetReached, match=r"\$1\.00 does not allow a single call.*\$2\.00"):
        await budget.reserve(2.0)
    await _attempt(budget, 0.3)
    with pytest.raises(ProviderError):
        await _attempt(budget, BROKEN)
    with pytest.raises(BudgetReached) as caught:
        await budget.reserve(0.4)
    assert caught.value.exit_code == 5
    assert str(caught.value) == (
        "--max-cost $1.00 is reached: $0.8000 spent, $0.5000 of it for attempts of unknown cost, "
        "and the next call may cost up to $0.40; the same command with a larger --max-cost goes on"
    )


def test_one_budget_serves_several_loops() -> None:
    """One command runs its models one after the other, each in a loop of its own."""
    budget = Budget(1.0)

    async def crowd() -> None:
        await asyncio.gather(*(_attempt(budget, 0.02) for _ in range(4)))

    for _ in range(3):
        asyncio.run(crowd())
    assert budget.spent == pytest.approx(0.24)


class Call(NamedTuple):
    """What one simulated call does; amounts in thousandths of a dollar."""

    bound: int
    share: float  # of the bound: what it costs, if it is answered
    outcome: str
    steps: int  # turns of the loop until it ends
    cancelled_after: int | None
    party: str | None = None


CALLS = st.builds(
    Call,
    st.integers(0, 400),
    st.floats(0, 1),
    st.sampled_from(["answered", "uncounted", "unbilled", "billed"]),
    st.integers(0, 4),
    st.none() | st.integers(0, 6),
    st.sampled_from([None, "model", "judge"]),
)


class Simulation:
    """Calls against a budget, with a bill that knows what the server charged at most."""

    def __init__(self, limit: int) -> None:
        self.budget = Budget(limit / 1000)
        self.limit = limit / 1000
        self.bill = 0.0
        self.reached = 0
        self.answered: set[str | None] = {None}
        self.asking: Counter[str | None] = Counter()

    async def run(self, call: Call) -> None:
        """One call to its end, whatever that is."""
        bound = call.bound / 1000
        try:
            async with self.budget.attempt(bound, call.party) as reservation:
                await self._serve(call, bound, reservation)
                self.answered.add(call.party)
        except BudgetReached:
            assert self.budget.spent + bound > self.limit - 1e-9
            self.reached += 1
        except ProviderError:
            pass

    async def _serve(self, call: Call, bound: float, reservation: Reservation) -> None:
        self.asking[call.party] += 1
        assert call.party in self.answered or self.asking[call.party] == 1
        try:
            await self._work(call, bound, reservation)
        finally:
            self.asking[call.party] -= 1

    async def _work(self, call: Call, bound: float, reservation: Reservation) -> None:
        if call.outcome == "unbilled":
            await self._steps(call.steps)
            raise LIMITED
        cost = bound * (call.share if call.outcome == "answered" else 1)
        self.bill += cost  # the server starts to work: from here on it will charge
        assert self.bill <= self.limit + 1e-9
        await self._steps(call.steps)
        if call.outcome == "billed":
            raise BROKEN
        reservation.cost = cost if call.outcome == "answered" else None

    async def _steps(self, steps: int) -> None:
        for _ in range(steps):
            self.check()
            await asyncio.sleep(0)

    def check(self) -> None:
        """The law of the budget."""
        assert self.budget.spent + self.budget.reserved <= self.limit + 1e-9


async def _cancelled_after(turns: int, running: Coroutine[Any, Any, None]) -> None:
    task = asyncio.create_task(running)
    for _ in range(turns):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled():
        task.result()


@given(limit=st.integers(0, 1000), calls=st.lists(CALLS, max_size=40))
@settings(max_examples=200, deadline=None)
def test_no_interleaving_exceeds_the_limit(limit: int, calls: list[Call]) -> None:
    """Whatever ends when and how, the bill stays within the limit, and nobody waits forever."""

    async def simulate() -> None:
        simulation = Simulation(limit)
        running = [
            simulation.run(call)
            if call.cancelled_after is None
            else _cancelled_after(call.cancelled_after, simulation.run(call))
            for call in calls
        ]
        async with asyncio.timeout(60):
            await asyncio.gather(*running)
        simulation.check()
        assert simulation.budget.reserved == 0.0
        assert simulation.bill <= simulation.budget.spent + 1e-9

    asyncio.run(simulate())


async def test_sixty_four_at_a_time_use_the_limit_up_and_no_more() -> None:
    """A crowd that asks until the limit is reached leaves less than one call's bound unused."""
    simulation = Simulation(limit=1000)
    call = Call(bound=20, share=0.1, outcome="answered", steps=3, cancelled_after=None)

    async def worker() -> None:
        while not simulation.reached:
            await simulation.run(call)

    async with asyncio.timeout(60):
        await asyncio.gather(*(worker() for _ in range(64)))
    assert simulation.bill <= 1.0 + 1e-9
    assert 1.0 - simulation.bill < 0.020 + 1e-9


PRICE = Price(2.0, 8.0, cached_input=0.5)
MAX_COST = 0.05


class Meter:
    """What the server bills: all it worked for, whether or not the answer arrived."""

    def __init__(self) -> None:
        self.dollars = 0.0
        self.highest: list[float] = [0.0]

    def __call__(self, request: ReceivedRequest, outcome: str) -> None:
        """Count one chat request."""
        if not outcome.startswith(("429", "400")):
            self.dollars += (30 * 2.0 + 40 * 8.0) / 1e6
            self.highest.append(self.dollars)


async def test_a_real_server_is_never_asked_for_more_than_the_limit() -> None:
    """64 at a time over HTTP, with failures of every sort: the server's own count stays below."""
    meter = Meter()
    faults = {"429": 0.1, "500": 0.03, "drop": 0.02, "drop-mid": 0.02, "truncated": 0.02}
    answer = Answer("fine", input_tokens=30, output_tokens=40)
    budget = Budget(MAX_COST)
    with LoopbackServer(lambda request: answer, faults=faults, on_outcome=meter) as server:
        client = OpenAIClient(
            ClientConfig(ModelSpec("openai", "m"), server.base_url, concurrency=64)
        )
        try:
            async with asyncio.timeout(60):
                await asyncio.gather(*(_ask_on(client, budget) for _ in range(64)))
        finally:
            await client.close()
    assert 0.4 * MAX_COST < meter.dollars <= MAX_COST
    assert meter.dollars <= budget.spent + 1e-9 <= MAX_COST + 2e-9
    assert all(a <= b for a, b in pairwise(meter.highest))


async def _ask_on(client: OpenAIClient, budget: Budget) -> None:
    request = ChatRequest((Message("user", "How do you feel?"),), Sampling(max_tokens=60))
    context = CallContext(None, Item("1"), 1, "generate")  # type: ignore[arg-type]
    while True:
        try:
            async with budget.attempt(upper_bound(request, PRICE)) as reservation:
                response = await client.complete(request, context)
                reservation.cost = known_cost(response, PRICE)
        except ProviderError:
            continue
        except BudgetReached:
            return
