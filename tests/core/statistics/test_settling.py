"""How many more items or iterations tell two runs apart."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eibench.core.statistics.differences import paired_difference
from eibench.core.statistics.few_families import why_no_interval
from eibench.core.statistics.settling import (
    ALIKE,
    NO_DIFFERENCE,
    NO_USUAL_NUMBER,
    ONE_ITERATION,
    POWER,
    Settling,
    Values,
    more_items,
    settling,
    smallest_difference,
    spread_plan,
)
from eibench.core.statistics.student import power_of, root_chi_square

N_ITEMS = 40


def runs(
    n: int = N_ITEMS,
    iterations: int = 3,
    *,
    between: float = 1.0,
    rerun: float = 1.0,
    mean: float = 0.0,
) -> tuple[Values, Values]:
    """Two runs whose differences have exactly these standard deviations and this mean.

    Those of items are normal scores, so they are spread evenly; `between` is of items' own means
    and `rerun` of iterations within them.
    """
    rng = np.random.default_rng(5)
    items = rng.standard_normal(n)
    items = between * (items - items.mean()) / items.std(ddof=1)
    noise = rng.standard_normal((n, iterations))
    noise -= noise.mean(axis=1, keepdims=True)
    scale = np.sqrt((noise**2).sum() / (n * max(1, iterations - 1)))
    noise *= rerun / scale if iterations > 1 else 0.0
    keys = [(f"item-{i}", j + 1) for i in range(n) for j in range(iterations)]
    gaps = (items[:, None] + noise + mean).ravel().tolist()
    return dict(zip(keys, gaps, strict=True)), dict.fromkeys(keys, 0.0)


def alone(values: Values) -> dict[str, str]:
    """Each item as a family of its own."""
    return {item: item for item, _ in values}


def plan(
    difference: float | None, n: int = N_ITEMS, iterations: int = 3, **more: float
) -> Settling:
    """The plan for two runs of items without families."""
    first, second = runs(n, iterations, **more)
    return settling(first, second, alone(first), difference=difference)


def numbers(found: Settling) -> tuple[int | None, int | None]:
    """How many items, and how many iterations."""
    return found.more_items, found.iterations


@pytest.mark.parametrize(
    ("noncentrality", "df", "power"),
    [
        (2.8, 7, 0.6722126613),
        (2.8, 19, 0.7568782008),
        (2.8, 19.9, 0.7589321400),
        (1.0, 44, 0.1647794051),
        (3.5, 200, 0.9361432381),
        (0.0, 12, 0.05),
    ],
)
def test_power_is_that_of_noncentral_t(noncentrality: float, df: float, power: float) -> None:
    """By `scipy.stats.nct` 1.17: sf(q) + cdf(-q) at the 97.5 % quantile of t."""
    assert power_of(np.array([noncentrality]), df)[0] == pytest.approx(power, abs=2e-5)


@pytest.mark.parametrize("df", [7, 19.9, 400])
def test_a_root_of_chi_square_has_its_moments(df: float) -> None:
    """Its square has a mean of 1 and a variance of 2 / df."""
    root, weight = root_chi_square(df)
    assert weight @ root**2 == pytest.approx(1, abs=1e-9)
    assert weight @ (root**2 - 1) ** 2 == pytest.approx(2 / df, abs=1e-9)


@pytest.mark.parametrize(
    ("n", "between", "difference", "more"), [(40, 2**0.5, 0.4, 65), (10, 1.0, 0.6, 19)]
)
def test_more_items_are_the_fewest_that_do(
    n: int, between: float, difference: float, more: int
) -> None:
    """The first with a mean power of .80 over 2,000 quantiles of chi-square, by scipy 1.17."""
    assert plan(difference, n, 1, between=between).more_items == more


def test_the_observed_difference_is_planned_for_unless_another_is_stated() -> None:
    """Whichever of the two runs is higher."""
    first, second = runs(mean=0.3)
    found, turned = settling(first, second, alone(first)), settling(second, first, alone(first))
    assert found.difference == pytest.approx(0.3)
    assert numbers(found) == numbers(turned) == numbers(plan(0.3, mean=0.3))


def test_iterations_take_what_reruns_add_and_no_more() -> None:
    """Many of them leave what items differ by: a difference below the floor stays untold."""
    found = plan(0.3, between=0.8, rerun=2.0)
    assert found.error == pytest.approx(0.8 / N_ITEMS**0.5)
    assert found.rerun_error == pytest.approx(2.0 / (3 * N_ITEMS) ** 0.5)
    assert found.iterations is None or found.floor is not None


@pytest.mark.parametrize(("between", "rerun"), [(1.0, 0.2), (1.5, 0.5)])
def test_the_floor_is_near_2_8_standard_errors_of_items(between: float, rerun: float) -> None:
    """Of many families; iterations are planned from it on and not below."""
    found = plan(0.1, 400, between=between, rerun=rerun)
    assert found.floor is not None
    left = (between**2 - rerun**2 / 3) ** 0.5 / 400**0.5
    assert found.floor == pytest.approx(2.81 * left, rel=0.01)
    above, below = (plan(f * found.floor, 400, between=between, rerun=rerun) for f in (1.05, 0.98))
    assert above.iterations is not None
    assert below.iterations is None


def test_families_say_less_than_their_items() -> None:
    """Items of a family that move together need as many more as if each family were one."""
    first, second = runs(20, 1)
    pairs = [(first[f"item-{n}", 1], n) for n in range(20)]
    twice = {(f"{k}-{n}", 1): gap for gap, n in pairs for k in "ab"}
    families = {item: item[2:] for item, _ in twice}
    zero = dict.fromkeys(twice, 0.0)
    found = settling(twice, zero, families, difference=0.4)
    alike = settling(first, second, alone(first), difference=0.4)
    assert found.families == alike.families == 20
    assert found.more_items in (2 * (alike.more_items or 0), 2 * (alike.more_items or 0) - 1)


def test_families_of_unequal_size_say_less() -> None:
    """Items that are alike in all but how they are grouped need more."""
    first, second = runs(24, 1)
    even = {f"item-{n}": str(n // 2) for n in range(24)}
    uneven = {f"item-{n}": str(max(0, n - 12)) for n in range(24)}
    one, two = (settling(first, second, f, difference=0.6).families for f in (even, uneven))
    assert one == 12
    assert two == pytest.approx(24**2 / (13**2 + 11))


def test_the_error_is_that_of_the_difference() -> None:
    """As `paired_difference` has it, in families of unequal size and several iterations."""
    first, second = runs(24, 2, mean=0.4)
    families = {f"item-{n}": str(max(0, n - 12)) for n in range(24)}
    ids = [families[item] for item, _ in first]
    stated = paired_difference(list(first.values()), list(second.values()), ids).standard_error
    assert settling(first, second, families).error == pytest.approx(stated, rel=1e-12)


def test_the_smallest_difference_is_the_one_that_needs_no_more() -> None:
    """With four times the items about half as large; in more iterations no less than the floor."""
    first, second = runs(40, 3, rerun=2.0)
    shown = smallest_difference(first, second, alone(first)) or 0.0
    for times, more in ((1.01, 0), (0.95, 1)):
        found = settling(first, second, alone(first), difference=times * shown).more_items or 0
        assert min(found, 1) == more
    many = smallest_difference(first, second, alone(first), items=160) or 0.0
    assert many == pytest.approx(shown / 2, rel=0.03)
    often = smallest_difference(first, second, alone(first), iterations=12) or 0.0
    assert (settling(first, second, alone(first)).floor or 0.0) < often < shown


def test_no_difference_is_promised_of_too_few_or_too_unequal_texts() -> None:
    """Fewer than eight, and families that say as much as half as many or less."""
    first, second = runs(24, 1)
    assert smallest_difference(first, second, alone(first), items=7) is None
    assert smallest_difference(first, second, alone(first), items=8) is not None
    unequal = {f"item-{n}": str(max(0, n - 12)) for n in range(24)}
    assert smallest_difference(first, second, unequal) is None
    assert settling(first, second, unequal, difference=0.5).more_items is not None


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (plan(0.4, 7), why_no_interval(7)),
        (settling({}, {}, {}), NO_DIFFERENCE),
        (plan(None, between=0.0, rerun=0.0, mean=1.0), ALIKE),
        (plan(0.0), NO_DIFFERENCE),
    ],
)
def test_what_cannot_be_planned_says_why(found: Settling, reason: str | None) -> None:
    """Too few families, no pair, no spread, no difference: all numbers are none."""
    assert found.reason == reason
    assert (found.more_items, found.iterations, found.floor, found.error) == (None,) * 4


def test_of_one_iteration_only_items_are_planned() -> None:
    """Nothing says what a rerun would change."""
    found = plan(0.3, iterations=1)
    assert found.more_items
    assert (found.iterations, found.floor, found.rerun_error) == (None, None, None)
    assert found.reason == ONE_ITERATION


def test_a_hundred_times_as_many_are_no_usual_number() -> None:
    """Neither items nor iterations."""
    found = plan(0.01)
    assert (found.more_items, found.iterations) == (None, None)
    assert (found.share_by_items, found.share_by_iterations) == (None, None)
    assert found.reason == NO_USUAL_NUMBER


def test_a_difference_that_is_already_told_needs_nothing_more() -> None:
    """No more items, and the iterations there are."""
    found = plan(1.0)
    assert (found.more_items, found.iterations) == (0, 3)


def test_iterations_that_cancel_each_other_are_planned_as_they_are() -> None:
    """Reruns that seem to change more than the whole mean varies leave nothing to differ by."""
    keys = [(f"item-{n}", i) for n in range(400) for i in (1, 2)]
    gaps = {(item, i): (9.0 if i == 1 else -9.0) + int(item[5:]) % 2 for item, i in keys}
    found = settling(gaps, dict.fromkeys(keys, 0.0), alone(gaps), difference=0.02)
    assert found.rerun_error is not None
    assert found.error is not None
    assert found.rerun_error > 5 * found.error
    assert found.more_items is not None


def test_what_seems_does_not_promise_what_is_planned() -> None:
    """From an observed difference fewer are told apart than if it were the true one."""
    found = plan(None, mean=0.25, between=0.9, rerun=2.5)
    assert found.share_by_items is not None
    assert 0.6 < found.share_by_items < POWER


spreads = st.floats(0.2, 3.0)
factors = st.floats(1.0, 3.0)
quick = settings(max_examples=12, deadline=None)


@quick
@given(spreads, st.floats(0.1, 2.0), factors)
def test_a_larger_difference_never_needs_more(rerun: float, planned: float, times: float) -> None:
    """Items or iterations; what is no usual number is more than any."""
    small, large = (plan(d, between=1.5, rerun=rerun) for d in (planned, planned * times))
    for one, two in zip(numbers(small), numbers(large), strict=True):
        assert (two or 0) <= (10**9 if one is None else one)
        assert two is not None or one is None


@quick
@given(spreads, factors, st.floats(0.1, 2.0))
def test_more_variance_never_needs_fewer_items(
    between: float, times: float, planned: float
) -> None:
    """Items that differ by more."""
    near, far = (plan(planned, between=between * f).more_items for f in (1.0, times))
    assert far is None or (near is not None and near <= far)


def test_a_difference_with_its_error_alone_is_planned_as_one_of_single_iterations() -> None:
    """As of ratings, whose error is all that is known."""
    first, second = runs(iterations=1, mean=0.3)
    by_pairs = settling(first, second, alone(first))
    assert by_pairs.error is not None
    found = more_items(0.3, by_pairs.error, N_ITEMS, N_ITEMS)
    assert found.more_items == by_pairs.more_items
    assert found.share_by_items == pytest.approx(by_pairs.share_by_items)
    assert more_items(0.0, 1.0, 9, 9).reason == NO_DIFFERENCE
    assert more_items(1.0, 0.0, 9, 9).reason == ALIKE


@pytest.mark.parametrize(
    ("difference", "sd", "needed"), [(3, 37, 1196), (3, 20, 351), (5, 15, 73), (90, 5, 8)]
)
def test_a_stated_spread_is_exact(difference: float, sd: float, needed: int) -> None:
    """By `scipy.stats.nct` the first number of items from eight on with a power of 80 %."""
    assert spread_plan(difference, sd, 26).needed == needed


def test_a_stated_spread_shows_what_it_needs_the_items_for() -> None:
    """The smallest difference of 73 items is the one that needs 73; below eight none is known."""
    assert spread_plan(5, 15, 73).shows == pytest.approx(5, abs=0.02)
    assert spread_plan(5, 15, 7).shows is None
    assert spread_plan(1e-9, 15, 7).needed is None
