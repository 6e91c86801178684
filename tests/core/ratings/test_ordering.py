"""How likely one model is the better one, and how far distances of ratings are kept."""

import numpy as np
import pytest

from eibench.core.ratings.intervals import Scale, SolvedRatings, measure_spread
from eibench.core.ratings.ordering import differences, order_models, shares_kept
from eibench.core.statistics.joint import tell_apart
from eibench.core.statistics.student import cdf


def solved(theta: list[float], noise: float, seed: int = 0) -> SolvedRatings:
    """An estimate with replicates of 26 families that vary by so much."""
    n = len(theta)
    replicates = np.array(theta) + noise * np.random.default_rng(seed).normal(size=(26, n))
    whole = np.full(n, 26)
    return SolvedRatings(
        np.array(theta), np.ones(n), whole, whole * 1.0, np.zeros(n, dtype=np.int64), replicates
    )


def test_distances_are_kept_as_far_as_they_are_more_than_noise() -> None:
    """1 - (5 - 3)/(5 - 1) * mean(error^2 / 2) / variance, worked out pair by pair."""
    estimate = solved([0.4, 0.2, 0.0, -0.1, -0.5], 0.02)
    given = differences(estimate, measure_spread(estimate, Scale()))
    pairs = given.error[np.triu_indices(5, 1)]
    variance = np.var([0.4, 0.2, 0.0, -0.1, -0.5], ddof=1)
    expected = 1 - 2 / 4 * (pairs**2).mean() / 2 / variance
    assert 0.5 < expected < 1
    assert shares_kept(estimate, given).tolist() == pytest.approx([expected] * 5)


@pytest.mark.parametrize(("theta", "kept"), [([0.1, 0.0, -0.1], 1.0), ([0.0] * 4, 0.0)])
def test_three_models_keep_all_and_equals_nothing(theta: list[float], kept: float) -> None:
    """The two ends of what can be kept."""
    estimate = solved(theta, 0.02)
    given = differences(estimate, measure_spread(estimate, Scale()))
    assert set(shares_kept(estimate, given)) == {kept}


def test_the_probability_is_students_of_what_is_kept() -> None:
    """T(sqrt(B) t), and both ways round make one."""
    estimate = solved([0.4, 0.2, 0.0, -0.1, -0.5], 0.03)
    spread = measure_spread(estimate, Scale())
    given = differences(estimate, spread)
    found = order_models(estimate, spread, tell_apart(given))
    t = given.gap[0, 1] / given.error[0, 1]
    assert found.above[0, 1] == pytest.approx(cdf(found.kept[0] ** 0.5 * t, 25))
    assert found.above + found.above.T == pytest.approx(np.ones((5, 5)))


def test_who_differs_by_nothing_is_as_likely_the_better_one() -> None:
    """One half, also where nothing is kept of distances."""
    estimate = solved([0.0] * 4, 0.02)
    spread = measure_spread(estimate, Scale())
    found = order_models(estimate, spread, tell_apart(differences(estimate, spread)))
    assert found.above == pytest.approx(np.full((4, 4), 0.5))
