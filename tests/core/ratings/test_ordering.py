"""How likely one model is the better one, and how far distances of ratings are kept."""

import numpy as np
import pytest

from eibench.core.ratings.intervals import Scale, SolvedRatings, measure_spread
from eibench.core.ratings.ordering import differences, order_models, shares_kept
from eibench.core.statistics.joint import tell_apart
from eibench.core.statistics.student import cdf

EIGHT = [0.4, 0.3, 0.2, 0.1, 0.0, -0.1, -0.2, -0.5]


def solved(theta: list[float], noise: float, seed: int = 0) -> SolvedRatings:
    """An estimate with replicates of 26 families that vary by so much."""
    n = len(theta)
    replicates = np.array(theta) + noise * np.random.default_rng(seed).normal(size=(26, n))
    whole = np.full(n, 26)
    return SolvedRatings(
        np.array(theta), np.ones(n), whole, whole * 1.0, np.zeros(n, dtype=np.int64), replicates
    )


def test_distances_are_kept_as_far_as_they_are_more_than_noise() -> None:
    """1 - (8 - 3)/(8 - 1) * mean(error^2 / 2) / variance, worked out pair by pair."""
    estimate = solved(EIGHT, 0.02)
    given = differences(estimate, measure_spread(estimate, Scale()))
    pairs = given.error[np.triu_indices(8, 1)]
    expected = 1 - 5 / 7 * (pairs**2).mean() / 2 / np.var(EIGHT, ddof=1)
    assert 0.5 < expected < 1
    assert shares_kept(estimate, given).tolist() == pytest.approx([expected] * 8)


def test_nothing_is_kept_of_equals() -> None:
    """Eight models that differ by nothing."""
    estimate = solved([0.0] * 8, 0.02)
    given = differences(estimate, measure_spread(estimate, Scale()))
    assert set(shares_kept(estimate, given)) == {0.0}


def test_of_seven_models_nothing_is_said() -> None:
    """How much noise adds to their distances is told too badly."""
    estimate = solved(EIGHT[:7], 0.02)
    spread = measure_spread(estimate, Scale())
    found = order_models(estimate, spread, tell_apart(differences(estimate, spread)))
    assert np.isnan(found.kept).all()
    assert np.isnan(found.above).all()


def test_the_probability_is_students_of_what_is_kept() -> None:
    """T(sqrt(B) t), and both ways round make one."""
    estimate = solved(EIGHT, 0.03)
    spread = measure_spread(estimate, Scale())
    given = differences(estimate, spread)
    found = order_models(estimate, spread, tell_apart(given))
    t = given.gap[0, 1] / given.error[0, 1]
    assert found.above[0, 1] == pytest.approx(cdf(found.kept[0] ** 0.5 * t, 25))
    assert found.above + found.above.T == pytest.approx(np.ones((8, 8)))


def test_who_differs_by_nothing_is_as_likely_the_better_one() -> None:
    """One half, also where nothing is kept of distances."""
    estimate = solved([0.0] * 8, 0.02)
    spread = measure_spread(estimate, Scale())
    found = order_models(estimate, spread, tell_apart(differences(estimate, spread)))
    assert found.above == pytest.approx(np.full((8, 8), 0.5))
