"""Which comparisons are bought next; benchmarks/placement.py says what that saves."""

import math
import re
from collections import Counter
from dataclasses import replace
from itertools import cycle, pairwise
from random import Random
from typing import Any

import numpy as np
import pytest

from benchmarks.simulated_placements import Placed, place, pool_of
from eibench import Comparisons, Ratings, RatingSettings, UsageError
from eibench.core.matchmaking.adaptive import Adviser
from eibench.core.matchmaking.calls import (
    FIRST,
    SCHEDULES,
    Call,
    Orders,
    Schedule,
    default_orders,
    default_schedule,
)
from eibench.core.matchmaking.goals import Batch, Goal, NoMoreCalls, PairSlot, TranscriptPool
from eibench.core.matchmaking.latent import Blocks, expected_luck, solve
from eibench.core.matchmaking.matchmaker import Matchmaker
from eibench.core.matchmaking.observing import Observer
from eibench.core.matchmaking.outlook import scale_at
from eibench.core.matchmaking.staged import (
    Position,
    Turns,
    asked_items,
    neighbours,
    plan_staged,
    sparse_places,
)
from eibench.core.ratings import fractional_logit, glicko2
from eibench.core.ratings.mixed_model import (
    Observations,
    Variances,
    estimate_variances,
    logit_margins,
)
from eibench.plugins.creative_writing import v3
from eibench.plugins.kit.simulator import Noise
from eibench.testing import Tournament

NEW = "model-07"
each_schedule = pytest.mark.parametrize("schedule", SCHEDULES)


@pytest.fixture(scope="module")
def world() -> Tournament:
    """Fourteen models a third of a unit apart."""
    return Tournament([-2 + i / 3 for i in range(14)], seed=11)


@pytest.fixture(scope="module")
def ladder(world: Tournament) -> list[Call]:
    """A random round of all but one of them."""
    calls = world.random_calls(1500, orders="one")
    return [call for call in calls if NEW not in (call.a, call.b)]


def run(
    world: Tournament, ladder: list[Call], schedule: Schedule, model: str = NEW, **goal: Any
) -> Placed:
    """A placement."""
    goal = {"rate": fractional_logit.rate, "steps": False, **goal}
    return place(world, model, ladder, schedule, **goal)


def goal_of(world: Tournament, **changes: Any) -> Goal:
    """The placement of the one that is not on the ladder."""
    return replace(Goal(NEW, pool_of(world), fractional_logit.rate, orders="one"), **changes)


def calls_of(placed: Placed) -> list[Call]:
    """All calls, in order."""
    return [call for batch in placed.batches for call in batch.calls]


@pytest.mark.parametrize(("n_models", "schedule"), [(1, "all"), (7, "all"), (8, "adaptive")])
def test_the_default_is_adaptive_from_eight_models_on(n_models: int, schedule: str) -> None:
    """Below that there is not enough to choose from."""
    assert default_schedule(n_models) == schedule


@each_schedule
def test_no_call_is_asked_twice(world: Tournament, ladder: list[Call], schedule: Schedule) -> None:
    """Neither are those whose reply could not be read asked again."""
    calls = calls_of(run(world, ladder, schedule, max_comparisons=150))
    assert len(calls) > 60
    assert len(set(calls)) == len(calls)
    assert len({(call.item, call.b) for call in calls}) == len(calls)
    assert {call.a for call in calls} == {NEW}


@each_schedule
@pytest.mark.parametrize("orders", ["one", "mixed"])
def test_a_stop_changes_nothing(
    world: Tournament, ladder: list[Call], schedule: Schedule, orders: Orders
) -> None:
    """A new matchmaker with what was known after some batches plans the very next one."""
    whole = run(world, ladder, schedule, max_comparisons=40, orders=orders)
    before = list(world.rows(ladder))
    goal = goal_of(world, max_comparisons=40, orders=orders)
    for n in range(len(whole.batches)):
        history = whole.batches[:n]
        rows = before + list(world.rows([c for batch in history for c in batch.calls]))
        again = Matchmaker(goal, Comparisons.of(before), schedule)
        assert again.next_batch(Comparisons.of(reversed(rows)), history) == whole.batches[n]


@each_schedule
def test_the_order_of_transcripts_does_not_matter(
    world: Tournament, ladder: list[Call], schedule: Schedule
) -> None:
    """A pool is what it holds, not how it was filled."""
    known = world.judge(ladder)
    pool = pool_of(world)
    turned = TranscriptPool(
        dict(reversed(list(pool.transcripts.items()))), dict(reversed(list(pool.families.items())))
    )
    one, two = (
        Matchmaker(goal_of(world, pool=each), known, schedule).next_batch(known, ())
        for each in (pool, turned)
    )
    assert one == two


@each_schedule
def test_both_orders_are_bought_in_pairs(
    world: Tournament, ladder: list[Call], schedule: Schedule
) -> None:
    """And a budget that is odd is not exceeded, nor half an item bought."""
    placed = run(world, ladder, schedule, orders="both", rate=glicko2.rate, max_comparisons=51)
    calls = calls_of(placed)
    assert len(calls) == 50
    assert placed.stop is not None
    assert placed.stop.kind == "budget"
    for forward, back in zip(calls[::2], calls[1::2], strict=True):
        assert (forward.first, back.first) == ("a", "b")
        assert forward._replace(first="b") == back


@pytest.mark.parametrize(
    ("allowed", "made", "message"),
    [
        (6, 6, "6 comparisons were allowed, 6 made"),
        (7, 6, "7 comparisons were allowed, 6 made; the one left is no whole pair of orders"),
        (1, 0, "1 comparison was allowed, 0 made; the one left is no whole pair of orders"),
        (4, 6, "4 comparisons were allowed, 6 made"),
    ],
)
def test_an_exhausted_budget_says_what_was_allowed(
    world: Tournament, allowed: int, made: int, message: str
) -> None:
    """And what of it is left over; a limit may be lower than an earlier one."""
    goal = goal_of(world, orders="both", max_comparisons=allowed)
    known = Comparisons.of(())
    maker = Matchmaker(goal, known, "all")
    calls = tuple(Call(str(n // 2), 1, NEW, "model-01", FIRST[n % 2]) for n in range(made))
    history = [Batch("all", None, calls)] if calls else []
    assert maker.next_batch(known, history) == NoMoreCalls("budget", message)


@each_schedule
def test_one_order_takes_turns(world: Tournament, ladder: list[Call], schedule: Schedule) -> None:
    """The new model is first in every other call."""
    calls = calls_of(run(world, ladder, schedule, max_comparisons=60))
    assert all(one.first != other.first for one, other in pairwise(calls))


@each_schedule
def test_mixed_orders_have_a_tenth_in_both_and_the_rest_balanced(
    world: Tournament, ladder: list[Call], schedule: Schedule
) -> None:
    """Whatever the batches, and not by turns."""
    placed = run(world, ladder, schedule, orders="mixed", rate=glicko2.rate, max_comparisons=120)
    orders: dict[tuple[str, str], list[str]] = {}
    for call in calls_of(placed):
        orders.setdefault((call.b, call.item), []).append(call.first)
    items = list(orders.values())
    assert [sum(len(each) == 2 for each in items[n : n + 10]) for n in range(0, 100, 10)] == [
        1
    ] * 10
    single = [each[0] for each in items if len(each) == 1]
    assert abs(single.count("a") - single.count("b")) <= 1
    assert any(one == other for one, other in pairwise(single))


def test_the_order_of_a_pair_hangs_on_the_comparison() -> None:
    """Of one opponent's items about half are in either order, each time the same."""
    goal = Goal(NEW, TranscriptPool({}), glicko2.rate, orders="mixed")
    drawn = [Turns(goal, ()).take(PairSlot("x", (f"item-{n}", 1))) for n in range(200)]
    assert drawn == [Turns(goal, ()).take(PairSlot("x", (f"item-{n}", 1))) for n in range(200)]
    first = [orders[0] for orders in drawn if len(orders) == 1]
    assert 70 < first.count("a") < 130


@pytest.mark.parametrize("allowed", [1, 10, 11, 12])
def test_mixed_orders_use_a_budget_up(world: Tournament, ladder: list[Call], allowed: int) -> None:
    """The last of it buys one order where two would be too many."""
    placed = run(world, ladder, "adaptive", orders="mixed", rate=glicko2.rate,
                 max_comparisons=allowed)  # fmt: skip
    assert len(calls_of(placed)) == allowed


@pytest.mark.parametrize(
    ("schedule", "orders"), [("adaptive", "mixed"), ("staged", "both"), ("all", "both")]
)
def test_the_default_orders_are_those_of_the_schedule(schedule: Schedule, orders: str) -> None:
    """`both`, as published, for all but `adaptive`."""
    assert default_orders(schedule) == orders


@each_schedule
def test_scenarios_are_spread_from_the_first_batch_on(
    world: Tournament, ladder: list[Call], schedule: Schedule
) -> None:
    """No two calls of the first batch are on one scenario, or on one family of scenarios."""
    known = world.judge(ladder)
    batch = Matchmaker(goal_of(world), known, schedule).next_batch(known, ())
    assert isinstance(batch, Batch)
    items = [call.item for call in batch.calls]
    assert len(items) >= 7
    assert len(set(items)) == len(items)
    assert len({world.families[item] for item in items}) == len(items)


def published_walk(size: int, own: int) -> list[int]:
    """Places from the lowest, as core/matchup_selection.py of EQ-bench/eqbench3 walks them."""
    step = max(1, math.ceil(size / 10))
    start = (size - 1) // 2 + Random(42).randint(-step // 2, step // 2)
    start = min(max(0, start), size - 1)
    places, offset = [start], step
    while len(places) < 10 and (start - offset >= 0 or start + offset < size):
        places += [place for place in (start - offset, start + offset) if 0 <= place < size]
        offset += step
    return sorted(place for place in places[:10] if place != own)


def test_the_first_opponents_are_those_of_the_published_walk() -> None:
    """On ladders of any length, the new model in the middle of them."""
    for n in range(1, 120):
        own = n // 2
        lowest_first = [place if place < own else place - 1 for place in published_walk(n + 1, own)]
        assert sparse_places(n) == sorted(n - 1 - place for place in lowest_first)


@pytest.mark.parametrize(
    ("rank", "wanted", "places"),
    [
        # 20 opponents, the best first; of the third reach the lowest alone where 4 // 4 are wanted.
        (8, 4, {5: 2, 6: 1, 7: 1, 8: 2, 9: 3}),
        (8, 8, {4: 3, 5: 2, 6: 1, 7: 1, 8: 2, 9: 3}),
        (8, 24, {4: 3, 5: 2, 6: 1, 7: 1, 8: 2, 9: 3}),
        (8, None, {4: 3, 5: 2, 6: 1, 7: 1, 8: 2, 9: 3}),
        (1, 4, {0: 1, 1: 2, 2: 3}),
        (21, 4, {19: 1, 18: 2}),
        (21, 8, {19: 1, 18: 2, 17: 3}),
    ],
)
def test_neighbours_are_the_published_ones(
    rank: int, wanted: int | None, places: dict[int, int]
) -> None:
    """Worked out by hand from `_pick_matchups` of core/matchup_selection.py."""
    assert dict(neighbours(rank, 20, wanted)) == places


def test_staged_goes_through_its_stages(world: Tournament, ladder: list[Call]) -> None:
    """A few over the ladder, four zooms, then all with the neighbours; loops are few."""
    placed = run(world, ladder, "staged")
    stages = [batch.stage for batch in placed.batches]
    assert stages[0] == "sparse"
    assert len(placed.batches[0].calls) == len(sparse_places(13))
    assert placed.batches[0].rank is None
    names = [stage.split()[0] for stage in stages]
    order = ["sparse", "zoom-4", "zoom-8", "zoom-16", "zoom-24", "comprehensive"]
    assert names == sorted(names, key=order.index)
    assert max(Counter(names).values()) <= 4
    assert placed.stop == NoMoreCalls("settled", "the rank is stable")
    last = Counter(call.b for batch in placed.batches for call in batch.calls)
    assert last.most_common(1)[0][1] == 45


def test_staged_goes_through_the_stages_of_a_benchmark(
    world: Tournament, ladder: list[Call]
) -> None:
    """Of Creative Writing: 4, 8, 16 and 48 items, and it is through."""
    placed = run(world, ladder, "staged", settings=RatingSettings(scheme=v3.SCHEME))
    names = dict.fromkeys(batch.stage.split()[0] for batch in placed.batches)
    assert list(names) == ["sparse", "zoom-4", "zoom-8", "zoom-16", "zoom-48"]
    assert placed.stop == NoMoreCalls("settled", "the rank is stable")


def test_a_zoom_brings_each_neighbour_to_its_number(world: Tournament, ladder: list[Call]) -> None:
    """Items of earlier batches count towards it: 4, 2 and 1 in the first."""
    batches = run(world, ladder, "staged").batches
    asked = {call.b for call in batches[1].calls}
    met = Counter(call.b for batch in batches[:2] for call in batch.calls)
    assert sorted(met[opponent] for opponent in asked) == [1, 2, 2, 4, 4]


def test_staged_ends_when_the_rank_is_stable(world: Tournament, ladder: list[Call]) -> None:
    """The last batch of a stage was planned at the rank that came out of it, or was the fourth."""
    batches = run(world, ladder, "staged").batches
    for one, other in pairwise(batches):
        name, _, loop = one.stage.partition(" ")
        if loop and other.stage.split()[0] != name:
            assert one.rank == other.rank or loop == "4"


def test_staged_goes_on_though_the_rank_is_never_stable(world: Tournament) -> None:
    """Where each batch moves it, all stages but the first come four times."""
    goal, history = goal_of(world), list[Batch]()
    ladder = tuple(name for name in goal.pool.transcripts if name != NEW)
    for rank in cycle((5, 6)):
        stage, items = plan_staged(goal, Position(ladder, rank), history)
        if not items:
            break
        history.append(Batch(stage, rank, ()))
    stages = Counter(batch.stage.split()[0] for batch in history)
    assert list(stages.values()) == [1, 4, 4, 4, 4, 4]


def test_all_gives_each_opponent_the_same() -> None:
    """In every batch each once; in the end every item with each."""
    small = Tournament([-2 + i / 3 for i in range(14)], seed=11, family_sizes=[1] * 9)
    ladder = [call for call in small.random_calls(300) if NEW not in (call.a, call.b)]
    placed = run(small, ladder, "all")
    assert placed.stop is not None
    assert placed.stop.kind == "exhausted"
    for batch in placed.batches:
        assert len({call.b for call in batch.calls}) == 13
    assert Counter(Counter(call.b for call in calls_of(placed)).values()) == {9: 13}
    assert len(placed.batches) == 9


def test_adaptive_prefers_near_opponents(world: Tournament, ladder: list[Call]) -> None:
    """Far ones saturate: the last forty calls go to models within 1.4 units on average."""
    calls = calls_of(run(world, ladder, "adaptive", max_comparisons=80))[40:]
    place_of = {name: i for i, name in enumerate(world.models)}
    ability = world.abilities
    gaps = [abs(ability[place_of[call.b]] - ability[7]) for call in calls]
    usual = [abs(ability[i] - ability[7]) for i in range(14) if i != 7]
    assert np.mean(gaps) < 0.85 * np.mean(usual)


def test_adaptive_stops_when_most_of_the_error_is_that_of_the_transcripts(
    world: Tournament, ladder: list[Call]
) -> None:
    """As soon as the expected error is within 1.2 times what they leave."""
    placed = run(world, ladder, "adaptive", orders="mixed", rate=glicko2.rate)
    assert placed.stop is not None
    assert placed.stop.kind == "floor"
    adviser, calls = Adviser(goal_of(world), world.judge(ladder)), calls_of(placed)
    ends = [calls[: -len(placed.batches[-1].calls)], calls]
    errors = [adviser.state(world.judge(each)).sums.error() for each in ends]
    assert errors[0] > 1.2**2 * adviser.floor >= errors[1]


def test_the_stop_says_what_would_help_more(world: Tournament, ladder: list[Call]) -> None:
    """As many comparisons again, or another iteration, which the opponents do not have."""
    goal = goal_of(world, orders="mixed", rate=glicko2.rate, iteration_calls=118)
    placed = run(world, ladder, "adaptive", orders="mixed", rate=glicko2.rate)
    known = world.judge([*ladder, *calls_of(placed)])
    maker = Matchmaker(goal, world.judge(ladder), "adaptive")
    planned = maker.next_batch(known, placed.batches)
    assert isinstance(planned, NoMoreCalls)
    stop = maker.advise(planned, known, placed.batches)
    assert stop.message == f"{planned.message}; {stop.advice}"
    message = re.fullmatch(
        r"(\d+) more comparisons would take the half-width from (\d+) to (\d+), with another "
        r"iteration of it \(118 calls to the model\) and of its opponents to (\d+)",
        stop.advice,
    )
    assert message, stop.advice
    n, now, more, iteration = map(int, message.groups())
    assert n == pytest.approx(len(calls_of(placed)), abs=2)
    assert now == round(placed.steps[-1].half_width or 0)
    assert now > more > iteration
    ahead = replace(goal, pool=replace(goal.pool, ahead=frozenset(goal.pool.opponents(NEW))))
    stop = Matchmaker(ahead, world.judge(ladder), "adaptive").advise(planned, known, placed.batches)
    assert "with another iteration of it (118 calls to the model) to" in stop.advice


def test_a_plan_says_what_the_placement_comes_to(world: Tournament, ladder: list[Call]) -> None:
    """The calls within a fifth, before the first of them; and no more than are allowed."""
    known = world.judge(ladder)
    placed = run(world, ladder, "adaptive", orders="mixed", rate=glicko2.rate)
    goal = goal_of(world, orders="mixed", rate=glicko2.rate)
    expected = Matchmaker(goal, known, "adaptive").expect(known, ())
    assert expected is not None
    assert expected.calls == pytest.approx(len(calls_of(placed)), rel=0.2)
    few = Matchmaker(replace(goal, max_comparisons=40), known, "adaptive").expect(known, ())
    assert few is not None
    assert 36 <= few.calls <= 40
    assert few.half_width is not None and expected.half_width is not None
    assert few.half_width > expected.half_width
    assert Matchmaker(goal, known, "staged").expect(known, ()) is None


def test_a_target_that_can_be_met_is_gone_on_for(world: Tournament, ladder: list[Call]) -> None:
    """Beyond what is usually enough; one that everything would not meet ends there as usual."""
    usual = run(world, ladder, "adaptive", orders="mixed", rate=glicko2.rate)
    width = usual.steps[-1].half_width
    assert width is not None
    met, never = (
        run(world, ladder, "adaptive", orders="mixed", rate=glicko2.rate, target_ci=target)
        for target in (25.5, 0.2 * width)
    )
    assert met.stop is not None and never.stop is not None
    assert met.stop.kind == "precise"
    assert len(calls_of(met)) > len(calls_of(usual))
    assert (never.stop.kind, calls_of(never)) == ("floor", calls_of(usual))


@pytest.mark.parametrize("unread", [0.0, 1.0])
def test_adaptive_without_a_floor_goes_on_to_the_end(unread: float) -> None:
    """Also where far opponents would only add noise, and where nothing can be read."""
    noise = Noise(unread=unread)
    world = Tournament([0, 0.1, 9, 9.1], seed=3, family_sizes=(1,) * 9, noise=noise)
    ladder = [call for call in world.random_calls(54) if "model-0" not in (call.a, call.b)]
    placed = run(world, ladder, "adaptive", "model-0", orders="one", floor=0.0, enough=0.0)
    assert placed.stop is not None
    assert placed.stop.kind == "exhausted"
    assert len(calls_of(placed)) == 27


@each_schedule
def test_a_target_is_met_before_it_stops(
    world: Tournament, ladder: list[Call], schedule: Schedule
) -> None:
    """The interval that the engine prints is within it, and not by buying everything."""
    placed = run(world, ladder, schedule, target_ci=60.0)
    assert placed.stop is not None
    assert placed.stop.kind == "precise"
    last = placed.steps[-1]
    assert last.half_width is not None
    assert last.half_width <= 60
    assert last.calls < 13 * 45


def test_adaptive_does_not_stop_for_an_interval_that_is_small_by_chance(
    world: Tournament, ladder: list[Call]
) -> None:
    """That of the expected error has to be within the target too, widened by 15 %."""

    def sure(comparisons: Comparisons, settings: RatingSettings) -> Ratings:
        made = fractional_logit.rate(comparisons, settings)
        rows = (row._replace(ci95=(row.rating, row.rating)) for row in made.rows)
        return replace(made, rows=tuple(rows))

    assert len(run(world, ladder, "staged", rate=sure, target_ci=60.0).batches) == 1
    placed = run(world, ladder, "adaptive", rate=sure, target_ci=60.0)
    assert placed.stop is not None
    assert placed.stop.kind == "precise"
    adviser, before = Adviser(goal_of(world), world.judge(ladder)), calls_of(placed)
    widths = []
    for calls in (before[: -len(placed.batches[-1].calls)], before):
        rated = fractional_logit.rate(world.judge([*ladder, *calls]), RatingSettings())
        state = adviser.state(world.judge(calls))
        scale = scale_at(state.strength, adviser.strengths(), rated, goal_of(world))
        assert scale is not None
        widths.append(1.96 * 1.15 * state.sums.error() ** 0.5 * scale.unit)
    assert widths[0] > 60 >= widths[1]


def test_adaptive_does_not_stop_while_it_hears_new_transcripts(
    world: Tournament, ladder: list[Call]
) -> None:
    """However little the calls on them are worth."""
    placed = run(world, ladder, "adaptive", floor=1.0)
    assert placed.stop is not None
    assert placed.stop.kind == "floor"
    assert len({call.item for call in calls_of(placed)}) > 35


def test_only_shared_transcripts_are_compared(world: Tournament, ladder: list[Call]) -> None:
    """An opponent without an item, or without any, is not asked on it."""
    pool = pool_of(world)
    few = frozenset(sorted(pool.transcripts[NEW])[:5])
    some = {**pool.transcripts, "model-00": few, "model-01": frozenset()}
    goal = goal_of(world, pool=TranscriptPool(some, pool.families))
    known = world.judge(ladder)
    assert goal.pool.opponents(NEW) == tuple(sorted({*some} - {NEW, "model-01"}))
    for schedule in SCHEDULES:
        maker = Matchmaker(goal, known, schedule)
        history: list[Batch] = []
        for _ in range(12):
            batch = maker.next_batch(known, history)
            if isinstance(batch, NoMoreCalls):
                break
            history.append(batch)
        for item in asked_items(goal, history):
            assert item.slot in some[item.opponent]


def test_nobody_to_compare_with_is_told(world: Tournament) -> None:
    """The first model alone."""
    goal = goal_of(world, pool=TranscriptPool({NEW: frozenset(world.slots)}))
    with pytest.raises(UsageError, match="run another model first"):
        Matchmaker(goal, Comparisons.of([]), "all")


@each_schedule
def test_a_ladder_without_comparisons_is_no_obstacle(world: Tournament, schedule: Schedule) -> None:
    """Every schedule begins with what it has."""
    nothing = Comparisons.of([])
    batch = Matchmaker(goal_of(world), nothing, schedule).next_batch(nothing, ())
    assert isinstance(batch, Batch)
    assert batch.rank is None


def test_a_batch_names_items_once() -> None:
    """Both orders of a call are one item."""
    calls = tuple(Call("1", 1, "x", "y", first) for first in ("a", "b"))
    goal = Goal("x", TranscriptPool({}), glicko2.rate, RatingSettings())
    assert asked_items(goal, [Batch("all 1", None, calls)]) == [PairSlot("y", ("1", 1))]


# The mixed model


def random_state(seed: int = 0) -> tuple[Blocks, Observations, Variances]:
    """Five models on three slots, and some items seen."""
    rng = np.random.default_rng(seed)
    pairs = np.array([rng.permutation(5)[:2] for _ in range(25)])
    seen = Observations(
        pairs[:, 0], pairs[:, 1], rng.integers(0, 3, 25), rng.normal(size=25),
        rng.integers(0, 2, 25).astype(float),
    )  # fmt: skip
    variances = Variances(0.8, 0.5, 0.4)
    return Blocks.sum(seen, variances, 3, 5), seen, variances


PRIOR = (np.array([0.0, 0, 0, 0, 0.3]), np.array([0.1, 0.1, 0.1, 0.1, 0.5]))


def whole_regression(seen: Observations, variances: Variances) -> tuple[Any, Any]:
    """Mean and covariance of strengths and all lucks, as unknowns of one large regression."""
    n = len(seen.z)
    design = np.zeros((n, 5 + 15))
    rows = np.arange(n)
    for end, sign in ((seen.i, 1.0), (seen.j, -1.0)):
        design[rows, end] += sign
        design[rows, 5 + 5 * seen.slot + end] += sign
    precision = np.diag(np.append(PRIOR[1], np.full(15, 1 / variances.tau2)))
    weight = 1 / variances.of(seen)
    covariance = np.linalg.inv(precision + design.T @ (weight[:, None] * design))
    known = np.append(PRIOR[0] * PRIOR[1], np.zeros(15))
    return covariance @ (design.T @ (weight * seen.z) + known), covariance


def test_the_posterior_is_that_of_the_whole_normal_model() -> None:
    """Against one large regression with strengths and all lucks as unknowns."""
    blocks, seen, variances = random_state()
    found = solve(blocks, variances.tau2, *PRIOR)
    mean, covariance = whole_regression(seen, variances)
    assert found.mean == pytest.approx(mean[:5], abs=1e-10)
    assert found.covariance == pytest.approx(covariance[:5, :5], abs=1e-10)


def test_the_expected_luck_is_that_of_the_whole_normal_model() -> None:
    """Of every transcript, against the same regression."""
    blocks, seen, variances = random_state()
    found = expected_luck(blocks, solve(blocks, variances.tau2, *PRIOR))
    mean, _ = whole_regression(seen, variances)
    assert found == pytest.approx(mean[5:].reshape(3, 5), abs=1e-10)


def test_variances_are_recovered() -> None:
    """Of 3,000 items drawn from the model: within a fifth, the luck's within a third."""
    rng = np.random.default_rng(2)
    n, n_models, n_slots, tau2, item, call = 3000, 20, 45, 0.5, 0.6, 0.3
    pairs = np.array([rng.permutation(n_models)[:2] for _ in range(n)])
    slot = rng.integers(0, n_slots, n)
    luck = rng.normal(0, tau2**0.5, (n_slots, n_models))
    strength = rng.normal(0, 1, n_models)
    i, j = pairs.T
    both = rng.integers(0, 2, n).astype(float)
    noise = np.where(both > 0, item + call / 2, item + call)
    z = strength[i] - strength[j] + luck[slot, i] - luck[slot, j]
    z = z + rng.normal(size=n) * np.sqrt(noise)
    halves = rng.normal(0, (call / 2) ** 0.5, 1500)
    found = estimate_variances(Observations(i, j, slot, z, both), halves, n_models)
    assert found.one == pytest.approx(item + call, rel=0.2)
    assert found.both == pytest.approx(item + call / 2, rel=0.2)
    assert found.tau2 == pytest.approx(tau2, rel=0.33)


def test_what_the_judge_likes_of_a_place_is_taken_off() -> None:
    """Models that are all alike, by a judge who likes the first by a whole unit."""
    alike = Tournament([0.0] * 6, seed=3, noise=Noise(position=1.0, length=0.0))
    ladder = alike.judge(alike.random_calls(500, orders="one"))
    observer = Observer("new", alike.models, alike.slots, ladder)
    seen, _ = observer.observe(ladder)
    raw = logit_margins(ladder)
    gaps = [z[ladder.a_first].mean() - z[~ladder.a_first].mean() for z in (raw, seen.z)]
    assert gaps[0] > 0.5
    assert abs(gaps[1]) < 0.2 * gaps[0]


def test_luck_is_learnt_from_near_models_where_margins_saturate() -> None:
    """The same luck, on a ladder that goes on far to both sides: the floor hardly moves."""
    near = [-0.6 + i / 10 for i in range(14)]
    floors = []
    for abilities in (near, [*near[:-6], 4.0, 5.0, 6.0, -4.0, -5.0, -6.0]):
        world = Tournament(abilities, seed=5)
        ladder = [c for c in world.random_calls(2500, orders="one") if NEW not in (c.a, c.b)]
        floors.append(Adviser(goal_of(world), world.judge(ladder)).floor ** 0.5)
    assert floors[1] == pytest.approx(floors[0], rel=0.2)


def test_a_third_iteration_lowers_what_is_left(world: Tournament, ladder: list[Call]) -> None:
    """Where the opponents have it too; transcripts meet within one iteration."""
    thrice = replace(world, iterations=3)
    calls = thrice.random_calls(1500, orders="one")
    known = thrice.judge([call for call in calls if NEW not in (call.a, call.b)])
    one = Adviser(goal_of(world), world.judge(ladder))
    three = Adviser(goal_of(thrice), known)
    assert three.floor < 0.75 * one.floor
    batch = Matchmaker(goal_of(thrice), known, "adaptive").next_batch(known, ())
    assert isinstance(batch, Batch)
    assert {call.iteration for call in batch.calls} <= {1, 2, 3}
