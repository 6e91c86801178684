"""Paired differences, their test, and Holm's adjustment on cases with a known answer."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eibench.core.statistics.wild import wild_bootstrap
from eibench.statistics import holm, paired_difference, standard_error

# Halves, as judges give them: sums of them are exact.
GRADES = st.integers(0, 40).map(lambda n: n / 2)
ROWS = st.lists(st.tuples(GRADES, GRADES, st.integers(0, 11)), min_size=2, max_size=40)
quick = settings(max_examples=60, deadline=None)


def test_a_difference_by_hand() -> None:
    """Gaps 2, 1, 0, -1 and an incomplete pair: mean 1/2, half higher, a quarter equal."""
    found = paired_difference([5, 5, 5, 5, math.nan], [3, 4, 5, 6, 1])
    assert found.mean == 0.5
    assert (found.n, found.n_clusters) == (4, 4)
    assert (found.share_higher, found.share_equal) == (0.5, 0.25)
    # Standard deviation sqrt(5/3), over sqrt(4).
    assert found.standard_error == pytest.approx(math.sqrt(5 / 3) / 2)
    assert (found.p, found.interval) == (None, None)


def test_test_and_error_are_those_of_the_gaps() -> None:
    """Over the same clusters, with the same draws."""
    one, two = np.random.default_rng(1).normal(size=(2, 30))
    clusters = np.arange(30) // 2
    found = paired_difference(one, two, clusters, seed=5)
    tested = wild_bootstrap(one - two, clusters, rng=np.random.default_rng(5))
    assert (found.p, found.interval) == tested
    assert found.standard_error == standard_error(one - two, clusters)


def test_nothing_in_common_has_no_difference() -> None:
    """No value anywhere, and no NaN."""
    found = paired_difference([1, math.nan], [math.nan, 2])
    assert found == (None, None, None, None, 0, 0, None, None)


def test_one_family_has_a_difference_without_interval() -> None:
    """The mean is there; what is about other families is not."""
    found = paired_difference([3, 5], [1, 1], ["x", "x"])
    assert found[:6] == (3.0, None, None, None, 2, 1)


def test_series_of_two_lengths_are_refused() -> None:
    """They cannot be pairs."""
    with pytest.raises(ValueError, match="one length"):
        paired_difference([1, 2], [1])


@quick
@given(ROWS)
def test_a_series_against_itself_differs_by_nothing(rows: list[tuple[float, float, int]]) -> None:
    """Mean, error and interval are 0, and no p is below 1."""
    one, _, clusters = zip(*rows, strict=True)
    found = paired_difference(one, one, clusters, turns=50)
    assert (found.mean, found.share_higher, found.share_equal) == (0, 0, 1)
    assert found.interval in (None, (0, 0))
    assert found.standard_error in (None, 0)
    assert found.p in (None, 1)


@quick
@given(ROWS)
def test_swapping_the_series_turns_the_signs(rows: list[tuple[float, float, int]]) -> None:
    """A - B is -(B - A), interval ends change places, p and error stay."""
    one, two, clusters = zip(*rows, strict=True)
    there = paired_difference(one, two, clusters, turns=50)
    back = paired_difference(two, one, clusters, turns=50)
    assert there.mean == pytest.approx(-(back.mean or 0), abs=1e-12)
    assert (there.p, there.standard_error) == pytest.approx((back.p, back.standard_error))
    if there.interval and back.interval:
        turned = (-back.interval[1], -back.interval[0])
        assert there.interval == pytest.approx(turned, abs=1e-9)
    assert there.share_higher == pytest.approx(
        1 - (back.share_higher or 0) - (back.share_equal or 0), abs=1e-12
    )


@quick
@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_pairs_does_not_matter(
    rows: list[tuple[float, float, int]], shuffler: random.Random
) -> None:
    """The same numbers."""
    one, two, clusters = zip(*rows, strict=True)
    mixed = list(rows)
    shuffler.shuffle(mixed)
    again = zip(*mixed, strict=True)
    found = paired_difference(one, two, clusters, turns=50)
    other = paired_difference(*again, turns=50)
    for one_s, other_s in zip(found, other, strict=True):
        assert one_s == pytest.approx(other_s, abs=1e-12)


@quick
@given(ROWS, st.integers(-20, 20))
def test_what_both_gain_changes_nothing(rows: list[tuple[float, float, int]], gain: int) -> None:
    """Only differences count."""
    one, two, clusters = (np.array(column) for column in zip(*rows, strict=True))
    found = paired_difference(one, two, clusters, turns=50)
    assert found == paired_difference(one + gain, two + gain, clusters, turns=50)


def test_holm_by_hand() -> None:
    """0.005 x 4, 0.01 x 3, 0.03 x 2, and 0.04 x 1, which may not be below the one before."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_holm_counts_only_what_was_tested() -> None:
    """None stays None, and one test alone is not adjusted."""
    assert holm([None, 0.02, None]) == [None, 0.02, None]
    assert holm([]) == []


@quick
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_lies_between_the_plain_p_and_bonferroni_s(p_values: list[float]) -> None:
    """Never smaller than p, never larger than m p or 1, and in the same order."""
    adjusted = [p for p in holm(p_values) if p is not None]
    for p, made in zip(p_values, adjusted, strict=True):
        assert p <= made <= min(1, len(p_values) * p) or made == pytest.approx(p)
    ordered = [made for _, made in sorted(zip(p_values, adjusted, strict=True))]
    assert ordered == sorted(ordered)
