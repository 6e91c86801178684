"""Numbers that were handed in, against those that are drawn anew."""

import numpy as np
import pytest

from eibench.core.statistics.redrawing import (
    chance_drawn,
    is_outside,
    most_redraws,
    redrawn,
)

RNG = 7


def test_the_same_numbers_show_no_difference() -> None:
    """All relabellings are as far apart: p is 1."""
    one = redrawn([[1, 2], [3, 4], [5, 6]], [[2, 1], [4, 3], [6, 5]], np.random.default_rng(RNG))
    assert (one.items, one.difference, one.p) == (3, 0.0, 1.0)


def test_p_is_the_share_of_relabellings_that_reach_so_far() -> None:
    """Of 2 items with 3 and 3 numbers apart, 2 of 20 x 20 relabellings do: p = .005."""
    one = redrawn([[9, 9, 9], [9, 9, 9]], [[1, 1, 1], [1, 1, 1]], np.random.default_rng(RNG))
    assert one.difference == 8.0
    assert one.p == pytest.approx(2 / 400, abs=0.002)


def test_too_few_numbers_conclude_nothing() -> None:
    """Five items with one number each have 32 relabellings, of which 2 always reach: over 5 %."""
    one = redrawn([[9]] * 5, [[1]] * 5, np.random.default_rng(RNG))
    assert (one.p, one.shows) == (None, None)
    assert redrawn([[9]] * 6, [[1]] * 6, np.random.default_rng(RNG)).p is not None


def test_what_is_shown_shrinks_with_the_root_of_items() -> None:
    """(t(.975, n - 1) + t(.8, n - 1)) sd / sqrt(n): with n = 6, (2.571 + .920) x .447."""
    gaps = [1.0, -1.0] * 3
    one = redrawn([[g] for g in gaps], [[0.0]] * 6, np.random.default_rng(RNG))
    assert one.shows == pytest.approx((2.5706 + 0.9195) * np.std(gaps, ddof=1) / 6**0.5, rel=1e-3)


def test_an_item_without_numbers_is_refused() -> None:
    """Nothing is compared with nothing."""
    with pytest.raises(ValueError, match="each item needs numbers"):
        redrawn([[1], []], [[1], [2]], np.random.default_rng(RNG))


@pytest.mark.parametrize(
    ("number", "anew", "outside"),
    [(5, [], True), (5, [4, 6], False), (5, [5], False), (5, [6, 7], True), (5, [1], True)],
)
def test_a_number_is_outside_of_those_that_are_all_above_or_below(
    number: float, anew: list[float], outside: bool
) -> None:
    """An equal one holds it."""
    assert is_outside(number, anew) is outside


def test_honest_numbers_are_outside_of_so_many_in_5_percent() -> None:
    """Of 7, one of 2 / 280 each: 7 x 2 / (279 + 1) = .05."""
    assert most_redraws(7) == 279
    assert 7 * 2 / (most_redraws(7) + 1) == pytest.approx(0.05)


def test_the_chance_that_a_false_one_is_drawn() -> None:
    """One of 135 in 7: 7 / 135; of more than are left, surely."""
    assert chance_drawn(1, 7, 135) == pytest.approx(7 / 135)
    assert chance_drawn(0, 7, 135) == 0.0
    assert chance_drawn(9, 2, 10) == 1.0


def test_differences_that_do_not_vary_tell_no_smallest_one() -> None:
    """Nothing is known of their spread."""
    alike = [[5.0]] * 8
    assert redrawn(alike, alike, np.random.default_rng(1)).shows is None
