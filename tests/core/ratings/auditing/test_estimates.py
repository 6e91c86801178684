"""Intervals over families: by hand, at the edges, and as often right as they say."""

import numpy as np
import pytest

from eibench.core.ratings.auditing.estimates import mean, share, unknown
from eibench.core.statistics.student import quantile

EIGHT = np.repeat(np.arange(8), 2)


def test_the_interval_of_a_mean_is_the_jackknife_s() -> None:
    """With equal families that is the standard error of the families' means.

    Means 0..7 of 8 families: variance 6 (n - 1), so the error is sqrt(6 / 8) = 0.8660254.
    """
    found = mean(np.repeat(np.arange(8.0), 2), EIGHT)
    half = quantile(0.975, 7) * 0.8660254037844386
    assert (found.value, found.n, found.families) == (3.5, 16, 8)
    assert found.ci95 == pytest.approx((3.5 - half, 3.5 + half), rel=1e-12)


def test_a_share_without_clusters_has_wilson_s_interval() -> None:
    """Half of 16 calls, one hit in each family: no family differs, so all 16 count.

    With t = 2.364624 (7 degrees of freedom): sqrt(1/64 + t^2/1024) t / (1 + t^2/16) = 0.254443.
    """
    found = share(np.tile([True, False], 8), EIGHT)
    assert found.value == 0.5
    assert found.ci95 == pytest.approx((0.5 - 0.254443, 0.5 + 0.254443), abs=1e-6)


def test_a_share_of_whole_families_counts_families() -> None:
    """Where both calls of a family are alike, there are 8 x 7/8 draws, not 16.

    p = 1/2: the jackknife's variance is 1/4 / 7, so 7 independent draws would have it.
    """
    found = share(np.repeat([True, False] * 4, 2), EIGHT)
    t = quantile(0.975, 7)
    half = t * (1 / 28 + t * t / 196) ** 0.5 / (1 + t * t / 7)
    assert found.ci95 == pytest.approx((0.5 - half, 0.5 + half), rel=1e-9)


def test_none_at_all_leaves_room_for_some() -> None:
    """No hit in 8 families: up to t^2 / (8 + t^2) = 0.411395 of them may have some."""
    found = share(np.zeros(16, dtype=np.bool_), EIGHT)
    assert found.value == 0
    assert found.ci95 == pytest.approx((0, 0.411395), abs=1e-6)


def test_few_families_have_a_value_and_a_reason() -> None:
    """Seven are too few for an interval; nothing at all has no value."""
    family = np.arange(7)
    for found in (mean(np.arange(7.0), family), share(family > 3, family)):
        assert found.value is not None
        assert (found.ci95, found.families) == (None, 7)
        assert found.reason == "an interval needs items with 8 different texts, here are 7"
    none = np.zeros(0, dtype=np.int64)
    assert mean(np.zeros(0), none) == unknown("no comparisons") == share(none > 0, none)


@pytest.mark.parametrize("rate", [0.05, 0.3])
def test_intervals_of_shares_hold_the_truth(rate: float) -> None:
    """In 93 to 99 % of 600 draws of 26 unequal families, each with a rate of its own (beta)."""
    rng = np.random.default_rng(5)
    family = np.repeat(np.arange(26), [40] * 3 + [20] * 11 + [10] * 12)
    held = 0
    for _ in range(600):
        own = rng.beta(rate * 10, (1 - rate) * 10, 26)
        found = share(rng.random(len(family)) < own[family], family)
        assert found.ci95 is not None
        held += found.ci95[0] <= rate <= found.ci95[1]
    assert 0.93 <= held / 600 <= 0.99


def test_a_rising_function_takes_the_interval_with_it() -> None:
    """Both ends; what is unknown stays so."""
    found = mean(np.repeat(np.arange(8.0), 2), EIGHT)
    assert found.ci95 is not None
    doubled = found.mapped(lambda x: 2 * x)
    assert doubled.value == 7
    assert doubled.ci95 == (2 * found.ci95[0], 2 * found.ci95[1])
    assert unknown("why").mapped(abs) == unknown("why")
