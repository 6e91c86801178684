"""Reliability, places in a population, and the test that a correlation is zero."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench.core.statistics.correlation import pearson
from eibench.plugins.seceu.psychometrics import (
    cronbach_alpha,
    lognormal_share_below,
    normal_share_below,
    p_of_zero_correlation,
)

# Four people, three items. Variances with n - 1: items 5/3, 11/12, 11/12, together 7/2; sums
# 6, 8, 11, 13, variance 29/3. alpha = 3/2 * (1 - (7/2) / (29/3)) = 3/2 * 37/58 = 111/116.
PEOPLE = [[1, 2, 3], [2, 3, 3], [3, 4, 4], [4, 4, 5]]


def test_alpha_of_a_table_by_hand() -> None:
    """Cronbach's formula, worked by hand above."""
    assert cronbach_alpha(PEOPLE) == pytest.approx(111 / 116)


def test_alpha_of_items_that_measure_one_thing_is_one() -> None:
    """The same number in each item: variance of the sums is k^2 times that of one item."""
    assert cronbach_alpha([[1, 1, 1], [2, 2, 2], [5, 5, 5]]) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "scores", [[[1, 2]], [[1], [2]], [[1, 2], [2, 1]], [[0.1, 0.2], [0.2, 0.1]]], ids=str
)
def test_alpha_does_not_exist_without_people_items_or_variance(scores: list[list[float]]) -> None:
    """One person, one item, or one sum for all."""
    assert cronbach_alpha(scores) is None


@pytest.mark.parametrize("scores", [[1, 2], [[1, math.nan], [2, 3]]], ids=["row", "nan"])
def test_alpha_refuses_what_is_no_table(scores: list[float]) -> None:
    """A single row, or a hole in the table."""
    with pytest.raises(ValueError, match="people x items"):
        cronbach_alpha(scores)


@pytest.mark.parametrize(
    ("z", "share"),
    [(0, 0.5), (1.0, 0.8413447461), (1.959963985, 0.975), (-1.644853627, 0.05), (-6, 9.8659e-10)],
)
def test_normal_shares_are_those_of_the_table(z: float, share: float) -> None:
    """The usual table of the standard normal distribution, on another scale; tails too."""
    assert normal_share_below(100 + 15 * z, mean=100, sd=15) == pytest.approx(share, rel=1e-4)


def test_lognormal_has_the_mean_and_the_sd_that_it_is_given() -> None:
    """Integrated over its own density: not those of the logarithms."""
    grid = np.linspace(0, 40, 80_001)
    below = [lognormal_share_below(x, mean=2.79, sd=0.822) for x in grid]
    mass, middle = np.diff(below), (grid[1:] + grid[:-1]) / 2
    mean = float(mass @ middle)
    assert mean == pytest.approx(2.79, abs=1e-4)
    assert math.sqrt(mass @ (middle - mean) ** 2) == pytest.approx(0.822, abs=1e-4)


def test_lognormal_has_nothing_at_zero_and_below() -> None:
    """A distance of 0 has everybody above it."""
    assert [lognormal_share_below(x, mean=2.79, sd=0.822) for x in (-1, 0)] == [0.0, 0.0]


# Two-sided 5 % and 1 % points of Student's t (any table), as r = t / sqrt(t^2 + n - 2).
@pytest.mark.parametrize(
    ("t", "degrees", "p"),
    [
        (12.7062047, 1, 0.05),
        (4.3026527, 2, 0.05),
        (3.1824463, 3, 0.05),
        (2.7764451, 4, 0.05),
        (2.0261925, 37, 0.05),
        (2.0243942, 38, 0.05),
        (2.7115576, 38, 0.01),
        (2.6258905, 100, 0.01),
    ],
)
def test_p_values_are_those_of_the_t_table(t: float, degrees: int, p: float) -> None:
    """Even and odd degrees of freedom, down to one."""
    r = t / math.sqrt(t * t + degrees)
    assert p_of_zero_correlation(r, degrees + 2) == pytest.approx(p, abs=1e-7)
    assert p_of_zero_correlation(-r, degrees + 2) == pytest.approx(p, abs=1e-7)


@given(st.integers(3, 200), st.floats(-1, 1))
def test_p_value_is_a_probability(n: int, r: float) -> None:
    """1 at r = 0, falling with |r|, 0 at 1; never outside 0..1."""
    p = p_of_zero_correlation(r, n)
    assert 0 <= p <= 1
    assert p_of_zero_correlation(0, n) == 1
    assert p_of_zero_correlation(1, n) == pytest.approx(0, abs=1e-12)
    assert p <= p_of_zero_correlation(r / 2, n) + 1e-12


def test_p_value_is_how_often_chance_does_as_well() -> None:
    """Of 4,000 unrelated samples of 12 pairs, about 5 % have a p below 0.05."""
    rng = np.random.default_rng(3)
    found = [pearson(*rng.normal(size=(2, 12))).value for _ in range(4000)]
    share = np.mean([p_of_zero_correlation(r, 12) < 0.05 for r in found if r is not None])
    # Binomial standard error: sqrt(.05 * .95 / 4000) = .0034; four of them.
    assert abs(share - 0.05) < 0.014
