"""Concurrency that adapts, and rates."""

import asyncio
from contextlib import suppress
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench.core.clients.concurrency import AdaptiveLimit, Attempt, Ramp
from eibench.core.clients.limits import Rate


class Clock:
    """A time that passes when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """The time."""
        return self.now


def test_shrinks_once_a_second() -> None:
    """A burst of rate-limit answers takes a third away, the next second's another third."""
    clock = Clock()
    limit = AdaptiveLimit(32, clock)
    for _ in range(10):
        limit.shrink()
    assert limit.limit == pytest.approx(32 * 2 / 3)
    clock.now = 0.99
    limit.shrink()
    assert limit.limit == pytest.approx(32 * 2 / 3)
    clock.now = 1.0
    limit.shrink()
    assert limit.limit == pytest.approx(32 * 4 / 9)


def test_one_place_always_stays() -> None:
    """However many rate-limit answers there are, one request at a time may go."""
    clock = Clock()
    limit = AdaptiveLimit(32, clock)
    for clock.now in range(100):
        limit.shrink()
    assert limit.limit == 1.0


def test_grows_back_to_what_was_configured() -> None:
    """A limit's worth of answers is one more place, up to the configured number."""
    clock = Clock()
    limit = AdaptiveLimit(8, clock)
    limit.shrink()
    before = limit.limit
    for _ in range(int(before) + 1):
        limit.grow()
    assert before + 0.9 < limit.limit < before + 1.3
    for _ in range(100):
        limit.grow()
    assert limit.limit == 8.0


def test_a_time_out_among_others_halves_once() -> None:
    """Those that were sent before the last cut say nothing new; those sent since then do."""
    clock = Clock()
    limit = AdaptiveLimit(32, clock)
    clock.now = 10.0
    for _ in range(5):
        limit.halve(began=0.0, answers=100)
    assert limit.limit == 16.0
    limit.halve(began=10.0, answers=100)
    assert limit.limit == 8.0


@pytest.mark.parametrize(("answers", "left"), [(100, 16.0), (10, 5.0), (1, 1.0), (0, 1.0)])
def test_no_more_than_half_of_what_was_answered(answers: int, left: float) -> None:
    """More than a server answers in the time of an attempt would all wait in vain."""
    limit = AdaptiveLimit(32, Clock())
    limit.halve(began=0.0, answers=answers)
    assert limit.limit == left
    limit.restore()
    assert limit.limit == 32.0


async def test_growth_lets_waiters_in() -> None:
    """A place that growth makes goes to who waits, at once."""
    limit = AdaptiveLimit(2, Clock())
    limit.limit = 1.0
    entered = []

    async def hold() -> None:
        async with limit.slot():
            entered.append(1)
            await asyncio.sleep(60)

    tasks = [asyncio.create_task(hold()) for _ in range(2)]
    await asyncio.sleep(0)
    assert len(entered) == 1
    limit.grow()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert len(entered) == 2
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert limit.in_flight == 0


async def test_first_come_first_served_but_for_those_who_come_again() -> None:
    """Waiters go in order; who held a place before goes ahead of new ones."""
    limit = AdaptiveLimit(1, Clock())
    order: list[str] = []

    async def pass_through(name: str, again: bool = False) -> None:
        async with limit.slot(again=again):
            order.append(name)
            await asyncio.sleep(0)

    async with limit.slot():
        async with asyncio.TaskGroup() as group:
            for name in ("a", "b"):
                group.create_task(pass_through(name))
            await asyncio.sleep(0)
            group.create_task(pass_through("retry", again=True))
            group.create_task(pass_through("another", again=True))
            await asyncio.sleep(0)
            limit.in_flight -= 1  # as if the holder left
            limit._wake()
        limit.in_flight += 1
    assert order == ["retry", "another", "a", "b"]


@given(seed=st.integers(0, 2**32), configured=st.integers(1, 6), callers=st.integers(1, 25))
def test_no_place_is_lost_or_given_twice(seed: int, configured: int, callers: int) -> None:
    """Whatever fails, is cancelled, shrinks or grows: never too many, none left out."""

    async def scenario() -> None:
        rng, clock = Random(seed), Clock()
        limit = AdaptiveLimit(configured, clock)
        peak = holding = 0
        served = set()

        async def caller(n: int) -> None:
            nonlocal peak, holding
            for _ in range(rng.randrange(3)):
                await asyncio.sleep(0)
            with suppress(ValueError):
                async with limit.slot(again=rng.random() < 0.3):
                    holding += 1
                    peak = max(peak, holding)
                    try:
                        for _ in range(rng.randrange(3)):
                            await asyncio.sleep(0)
                        clock.now += rng.random()
                        rng.choice((limit.shrink, limit.grow))()
                        if rng.random() < 0.3:
                            raise ValueError("failed")
                    finally:
                        holding -= 1
            served.add(n)

        tasks = [asyncio.create_task(caller(n)) for n in range(callers)]
        for task in rng.sample(tasks, callers // 3):
            for _ in range(rng.randrange(4)):
                await asyncio.sleep(0)
            task.cancel()
        await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 20)
        assert served >= {n for n, task in enumerate(tasks) if not task.cancelled()}
        assert peak <= configured
        assert limit.in_flight == 0

    asyncio.run(scenario())


def test_no_rate_is_no_wait() -> None:
    """Without a rate nothing ever waits."""
    rate = Rate(None, Clock())
    rate.take(1e9)
    rate.give_back(5)
    assert rate.delay == 0.0


def test_a_rate_spreads_requests() -> None:
    """60 a minute is one a second, with no burst at the start or after a pause."""
    clock = Clock()
    rate = Rate(60, clock)
    times = []
    for n in range(10):
        clock.now += 5.0 if n == 5 else 0.0
        clock.now += rate.delay
        times.append(clock.now)
        rate.take()
    gaps = [b - a for a, b in pairwise(times)]
    assert times[0] == 0.0
    assert gaps == pytest.approx([1, 1, 1, 1, 5, 1, 1, 1, 1])


def test_units_that_were_not_used_come_back() -> None:
    """What is given back shortens the wait by its time; what was used on top lengthens it."""
    clock = Clock()
    rate = Rate(600, clock)
    rate.take(100)
    assert rate.delay == pytest.approx(10.0)
    rate.give_back(70)
    assert rate.delay == pytest.approx(3.0)
    rate.give_back(-20)
    assert rate.delay == pytest.approx(5.0)


def test_what_comes_back_late_makes_no_burst() -> None:
    """Credit from the past is not saved up."""
    clock = Clock()
    rate = Rate(60, clock)
    rate.take(10)
    clock.now = 100.0
    rate.give_back(10)
    rate.take(5)
    assert rate.delay == pytest.approx(5.0)


@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(["answer", "late", "refused", "alone"]),
            st.floats(0.01, 10.0),
            st.integers(0, 40),
        ),
        max_size=200,
    ),
    configured=st.integers(1, 40),
    ramps=st.booleans(),
)
def test_always_between_one_and_what_was_configured(
    steps: list[tuple[str, float, int]], configured: int, ramps: bool
) -> None:
    """Whatever is learnt and however often it times out, the limit stays in its bounds."""
    clock = Clock()
    limit = AdaptiveLimit(configured, clock, Ramp() if ramps else None)
    for kind, pace, answers in steps:
        clock.now += pace
        if kind == "answer":
            limit.learn(Attempt(clock.now, False, int(limit.limit) - 1, 1, 0), pace)
            limit.grow()
        elif kind == "late":
            limit.halve(clock.now, answers)
        else:
            (limit.shrink if kind == "refused" else limit.restore)()
        assert 1.0 <= limit.limit <= configured


def test_a_ramp_doubles_while_that_helps() -> None:
    """As long as a reply takes no longer, twice as many are asked; where it does, half as many."""
    limit = AdaptiveLimit(32, Clock(), Ramp())
    seen = []
    for _ in range(200):
        places = int(limit.limit)
        seen.append(places)
        limit.learn(Attempt(0.0, False, places - 1, 1, 0), max(1.0, places / 8))
        limit.grow()
    assert list(dict.fromkeys(seen)) == [1, 2, 4, 8, 16]
    assert seen.count(8) > 100  # tried again, but seldom


def test_a_ramp_that_has_just_begun_is_not_reduced() -> None:
    """Only what errors of the server took away is."""
    assert not AdaptiveLimit(32, Clock(), Ramp()).is_reduced
    limit = AdaptiveLimit(32, Clock())
    assert not limit.is_reduced
    limit.shrink()
    assert limit.is_reduced
