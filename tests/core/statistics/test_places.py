"""Ranks of scores, the ranks that they may have, and who is tied with whom."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench.core.statistics import places

NONE = math.nan


def placed(
    *scores: tuple[float, float, float], higher: bool = True
) -> "list[tuple[int, int, int, tuple[int, ...]]]":
    """The places of scores with the ends of their intervals."""
    values, lows, highs = zip(*scores, strict=True)
    return list(places(values, lows, highs, higher_is_better=higher))


def test_scores_far_apart_have_ranks_of_their_own() -> None:
    """Nobody is tied."""
    assert placed((10, 9, 11), (50, 48, 52), (30, 28, 32)) == [
        (3, 3, 3, ()), (1, 1, 1, ()), (2, 2, 2, ()),
    ]  # fmt: skip


def test_two_that_overlap_are_not_always_tied() -> None:
    """Halves of 3 and 4 make 5 for the difference, and 5.1 is more, though 7 would be needed."""
    assert placed((50, 47, 53), (44.9, 40.9, 48.9)) == [(1, 1, 1, ()), (2, 2, 2, ())]
    assert placed((50, 47, 53), (45.1, 41.1, 49.1)) == [(1, 1, 2, (1,)), (2, 1, 2, (0,))]


def test_the_ends_that_face_each_other_count() -> None:
    """Of intervals with a long side, that side."""
    assert placed((50, 20, 51), (40, 39, 41))[0] == (1, 1, 2, (1,))
    assert placed((50, 49, 90), (40, 39, 41))[0] == (1, 1, 1, ())


def test_the_lower_may_be_the_better() -> None:
    """Such as a distance."""
    assert placed((1, 0.9, 1.1), (3, 2.9, 3.1), higher=False) == [(1, 1, 1, ()), (2, 2, 2, ())]


def test_a_score_without_an_interval_is_told_apart_from_nobody() -> None:
    """It has a rank, which may be any."""
    assert placed((90, NONE, NONE), (50, 49, 51), (10, 9, 11)) == [
        (1, 1, 3, (1, 2)), (2, 1, 2, (0,)), (3, 2, 3, (0,)),
    ]  # fmt: skip


def test_equal_scores_share_a_rank() -> None:
    """The next one is after all of them."""
    assert [p[0] for p in placed((5, 4, 6), (5, 4, 6), (1, 0, 2))] == [1, 1, 3]
    assert [p[0] for p in placed((0.1 + 0.2, 0, 1), (0.3, 0, 1))] == [1, 1]


def test_no_score_has_no_place() -> None:
    """An empty board."""
    assert places([], [], [], higher_is_better=True) == []


scored = st.tuples(
    st.floats(-100, 100), st.floats(0, 50), st.floats(0, 50)
).map(lambda s: (s[0], s[0] - s[1], s[0] + s[2]))  # fmt: skip


@given(st.lists(scored, min_size=1, max_size=12))
def test_places_are_consistent(scores: list[tuple[float, float, float]]) -> None:
    """A rank is within what it may be, being tied is mutual, and the order of rows is nothing."""
    found = placed(*scores)
    n = len(scores)
    for i, (rank, low, high, tied) in enumerate(found):
        assert 1 <= low <= rank <= high <= n
        assert high - low == len(tied)
        assert all(i in found[j][3] for j in tied)
    order = np.random.default_rng(len(scores)).permutation(n)
    again = placed(*[scores[i] for i in order])
    assert [again[list(order).index(i)][:3] for i in range(n)] == [place[:3] for place in found]
    mirrored = placed(*[(-v, -h, -lo) for v, lo, h in scores], higher=False)
    assert mirrored == found


@pytest.mark.parametrize("correlation", [0.0, 0.5])
def test_two_equal_models_are_told_apart_rarely(correlation: float) -> None:
    """At most in one of twenty pairs, and more rarely on items that are hard for both."""
    rng = np.random.default_rng(5)
    cov = [[1, correlation], [correlation, 1]]
    items = rng.multivariate_normal([0, 0], cov, size=(2000, 60))
    means, halves = items.mean(axis=1), 1.96 * items.std(axis=1, ddof=1) / math.sqrt(60)
    wrong = sum(
        not places(m, m - h, m + h, higher_is_better=True)[0].tied
        for m, h in zip(means, halves, strict=True)
    )
    assert wrong / 2000 < (0.06 if correlation == 0 else 0.02)
