"""Position and length by likelihood: planted in a simulated judge, and what cannot be known."""

from math import exp, log, pi, sqrt

import pytest

from eibench import Comparison, Comparisons, RatingSettings
from eibench.core.ratings import fractional_logit
from eibench.core.ratings.auditing.terms import estimate_terms, per_doubling, pluses
from eibench.core.ratings.intervals import Q
from eibench.core.statistics.student import quantile
from eibench.testing import Noise, Tournament

from .conftest import Table
from .test_orders import ALIKE, EQUAL, mean_margin, spread


def length_truth(noise: Noise) -> float:
    """The log-odds of e times the length that the likelihood finds with endless data.

    It solves E[(y - expit(g d)) d] = 0 for d ~ N(0, 2 * 0.25^2), the difference of logarithms of
    lengths of equal models. By Stein's lemma E[m d] = length * var(d) * B, where m is the
    margin and B its mean slope: margins jump by 2 at 0 and by 1 at -4..-1 and 1..4, so B is
    the sum over k = 0..4 of 2 f(k), f the density of what the judge sees. Likewise
    E[expit(g d) d] = g var(d) E[expit'(g d)], with expit'(x) = 1/4 - x^2/16 + O(x^4).
    """
    variance = 2 * 0.25**2
    sd = sqrt(spread(noise) ** 2 + noise.length**2 * variance)
    slope = sum(2 * exp(-((k / sd) ** 2) / 2) / (sd * sqrt(2 * pi)) for k in range(5))
    found = 0.0
    for _ in range(50):
        found = noise.length * slope / 10 / (1 / 4 - found**2 * variance / 16)
    return found


@pytest.mark.parametrize("orders", ["one", "both"])
@pytest.mark.parametrize("planted", [0.0, 0.5, -1.0])
def test_the_planted_length_slope_is_in_its_interval(planted: float, orders: str) -> None:
    """With one order or both; without one planted the interval holds 0, with one it does not."""
    noise = Noise(position=0, length=planted)
    played = Tournament(EQUAL, seed=7, noise=noise, log_length=ALIKE, iterations=2)
    found = estimate_terms(played.judge(played.random_calls(2000, orders=orders)))  # type: ignore[arg-type]
    ends = found.length.log_odds.ci95
    assert ends is not None
    assert ends[0] < length_truth(noise) < ends[1]
    assert (ends[0] < 0 < ends[1]) == (planted == 0)


@pytest.mark.parametrize("planted", [0.0, 0.25, -0.6])
def test_the_planted_position_bias_is_found_in_one_order(planted: float) -> None:
    """The mean margin of the first of two equal models, as the likelihood turns it to log-odds."""
    noise = Noise(position=planted, length=0)
    played = Tournament(EQUAL, seed=3, noise=noise, log_length=ALIKE)
    found = estimate_terms(played.judge(played.random_calls(1000, orders="one")))
    ends = found.position.margin.ci95
    assert ends is not None
    assert ends[0] < mean_margin(planted, spread(noise)) < ends[1]
    assert (ends[0] < 0 < ends[1]) == (planted == 0)
    assert found.lean == found.position.margin.value


def test_log_odds_are_told_in_pluses() -> None:
    """E = 1/2 + D/10: log-odds ln 3 are a score of 3/4, D = 2.5; nothing is nothing."""
    assert pluses(log(3)) == pytest.approx(2.5)
    # 2^(ln 3 / ln 2) = 3, so this slope is log-odds of ln 3 for a doubling.
    assert per_doubling(log(3) / log(2)) == pytest.approx(2.5)
    assert pluses(0) == per_doubling(0) == 0


def test_harm_is_in_standard_errors_of_a_difference(table: Table) -> None:
    """Of two models whose log lengths differ by ln 2 on the mean: they lie ln 2 / sqrt 2 about it.

    The difference without a term for length has the error of its jackknife over families.
    """
    margins = [1, 2, 1, 3, 2, 1, 2, 4]
    for item, margin in enumerate(margins):
        longer = 400.0 if item % 2 else 100.0  # 4 x and 1 x the other's, 2 x on the mean
        table.both("x", "y", margin, item=item, len_a=longer, len_b=100.0)
    comparisons = table.read()
    made = estimate_terms(comparisons).length
    rows = [row._asdict() for row in table.rows]
    without = Comparisons.of(Comparison(**{**row, "len_a": None, "len_b": None}) for row in rows)
    half = fractional_logit.rate(without, RatingSettings()).pair_half_width
    assert half is not None
    error = float(half[0, 1]) / (Q * quantile(0.975, len(margins) - 1))
    unit = log(2) / sqrt(2) / error
    assert made.log_odds.value is not None and made.harm.ci95 is not None
    assert made.harm.value == pytest.approx(made.log_odds.value * unit, rel=1e-6)
    assert made.log_odds.ci95 is not None
    assert made.harm.ci95 == pytest.approx([end * unit for end in made.log_odds.ci95], rel=1e-6)


def test_models_of_one_length_are_not_harmed() -> None:
    """However much the judge likes length."""
    noise = Noise(position=0, length=2)
    played = Tournament(EQUAL, seed=7, noise=noise, log_length=ALIKE)
    found = estimate_terms(played.judge(played.random_calls(600))).length
    assert found.log_odds.value is not None and found.log_odds.value > 0.3
    assert found.harm.value is not None and abs(found.harm.value) < 1


def test_without_lengths_there_is_no_slope(table: Table) -> None:
    """None, or some; position is known all the same."""
    for item in range(8):
        table.both("x", "y", 1, item=item)
    found = estimate_terms(table.read())
    assert (found.length.log_odds.value, found.length.log_odds.reason) == (
        None,
        "no lengths are known",
    )
    assert found.position.log_odds.value == pytest.approx(0, abs=1e-9)
    table.add("x", "y", 1, item=9, len_a=1.0, len_b=2.0)
    assert estimate_terms(table.read()).length.log_odds.reason == "some comparisons have no lengths"


def test_a_place_that_is_a_model_s_own_is_not_told_from_strength(table: Table) -> None:
    """The stronger model was always first."""
    for item in range(9):
        table.add("x", "y", 1, item=item)
    found = estimate_terms(table.read())
    message = "what position is worth cannot be told from strength here"
    assert (found.position.log_odds.value, found.position.log_odds.reason, found.lean) == (
        None,
        message,
        0,
    )


def test_lengths_that_are_a_model_s_own_are_not_told_from_strength(table: Table) -> None:
    """Each model writes as much each time."""
    for item in range(9):
        table.both("x", "y", 1, item=item, len_a=200.0, len_b=100.0)
    found = estimate_terms(table.read())
    message = "what length is worth cannot be told from strength here"
    assert (found.length.log_odds.value, found.length.log_odds.reason) == (None, message)
