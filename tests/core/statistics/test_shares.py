"""Intervals of shares: published numbers, cases by hand, and laws."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eibench.core.statistics.shares import wilson
from eibench.core.statistics.student import quantile
from eibench.statistics import share_interval


# Newcombe (1998), Statistics in Medicine 17, 857-872, table I, method 3.
@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_is_as_published(successes: int, n: int, low: float, high: float) -> None:
    """To the four digits that are printed; mirrored for failures."""
    normal = quantile(0.975, math.inf)
    assert wilson(successes / n, n, normal) == pytest.approx((low, high), abs=5e-5)
    assert wilson(1 - successes / n, n, normal) == pytest.approx((1 - high, 1 - low), abs=5e-5)


def test_single_trials_are_worth_one_less_than_there_are() -> None:
    """The jackknife divides by n - 1: 6 of 20 by hand with n = 19 and t of 19 degrees."""
    expected = wilson(0.3, 19, quantile(0.975, 19))
    assert share_interval([1] * 6 + [0] * 14) == pytest.approx(expected)


def test_clusters_that_agree_within_count_once() -> None:
    """Each trial four times in its cluster: as once."""
    hits = [1] * 6 + [0] * 14
    copied = share_interval(np.repeat(hits, 4), np.repeat(np.arange(20), 4))
    assert copied == pytest.approx(share_interval(hits))


def test_trials_that_vary_within_clusters_count_each() -> None:
    """One hit and one miss in every cluster: n at most, not more."""
    found = share_interval([1, 0] * 20, np.repeat(np.arange(20), 2))
    assert found == pytest.approx(wilson(0.5, 40, quantile(0.975, 19)))


@pytest.mark.parametrize("share", [0, 1])
def test_a_share_of_none_or_all_has_an_interval(share: int) -> None:
    """Of 30 trials in 10 clusters: ten trials' worth."""
    found = share_interval([share] * 30, np.arange(30) // 3)
    assert found == pytest.approx(wilson(share, 10, quantile(0.975, 9)))
    assert found is not None
    assert found[1] - found[0] > 0.3


def test_seven_clusters_have_no_interval() -> None:
    """However many trials; NaN is none."""
    assert share_interval([1, 0] * 7, np.repeat(np.arange(7), 2)) is None
    assert share_interval([1, 0, 1, 0, 1, 0, 1, math.nan]) is None
    assert share_interval([]) is None


def test_what_is_no_share_is_refused() -> None:
    """Percentages are not shares."""
    with pytest.raises(ValueError, match="from 0 to 1"):
        share_interval([50.0] * 9)


def test_the_interval_holds_the_share_as_often_as_it_says() -> None:
    """Of 800 sets of 20 clusters of three, chances spread from 0 to 1: 95 % within 3 SD."""
    draws = np.random.default_rng(6)
    chances = draws.beta(1, 1, size=(800, 20)).repeat(3, axis=1)
    clusters = np.repeat(np.arange(20), 3)
    found = [share_interval(row, clusters) for row in draws.random(chances.shape) < chances]
    held = sum(i is not None and i[0] <= 0.5 <= i[1] for i in found)
    assert abs(held - 760) < 3 * 6.2


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 12)), min_size=8, max_size=60))
def test_the_interval_lies_within_0_and_1_and_holds_the_share(
    rows: list[tuple[bool, int]],
) -> None:
    """Whatever the clusters; failures mirror it."""
    hits, clusters = zip(*rows, strict=True)
    found = share_interval(hits, clusters)
    misses = share_interval([not hit for hit in hits], clusters)
    if found is None or misses is None:
        assert len(set(clusters)) < 8
        return
    share = sum(hits) / len(hits)
    assert 0 <= found[0] <= share + 1e-12
    assert share - 1e-12 <= found[1] <= 1
    assert (found[0], found[1]) == pytest.approx((1 - misses[1], 1 - misses[0]))
