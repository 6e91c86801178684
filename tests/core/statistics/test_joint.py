"""Limits for many differences at once, and what unequal clusters say."""

import numpy as np
import pytest

from eibench.core.statistics.joint import (
    Differences,
    effective_clusters,
    pair_errors,
    rank_ends,
    tell_apart,
)
from eibench.core.statistics.student import cdf, quantile, student_quantile
from eibench.plugins.kit.simulator import FAMILY_SIZES


def of(replicates: np.ndarray, gap: np.ndarray, df: float | None = None) -> Differences:
    """Differences of estimates that are as far apart as `gap` says."""
    degrees = len(replicates) - 1.0 if df is None else df
    shape = (replicates.shape[1],) * 2
    far = gap[:, None] - gap[None, :]
    return Differences(far, pair_errors(replicates), np.full(shape, degrees), replicates)


def test_unequal_clusters_count_as_fewer_equal_ones() -> None:
    """45 items in families of 4, 4, 3, eleven of 2 and twelve of 1: 45^2 / 97."""
    assert effective_clusters(np.array(FAMILY_SIZES)) == pytest.approx(45**2 / 97)
    assert effective_clusters(np.array([[2, 2, 2], [0, 0, 0]])).tolist() == [3, 0]


@pytest.mark.parametrize("n", [2, 6])
def test_what_holds_for_all_holds_for_one(n: int) -> None:
    """The more pairs, the further apart models have to be; of two models the three are one."""
    replicates = np.random.default_rng(3).normal(size=(26, n))
    error = pair_errors(replicates)[0, 1]

    def least(kind: int) -> float:
        """The smallest |t| of the first two that is told apart."""
        ts = np.linspace(1.9, 4, 43)
        gaps = (np.r_[t * error, np.zeros(n - 1)] for t in ts)
        apart = [tell_apart(of(replicates, gap))[kind][0, 1] for gap in gaps]
        return float(ts[apart.index(1)])

    pair, own, board = map(least, range(3))
    assert pair == pytest.approx(quantile(0.975, 25), abs=0.06)
    assert (pair < own < board) if n > 2 else (pair <= own == board)


def test_fewer_effective_clusters_ask_for_more() -> None:
    """The limit is the same quantile of Student's t of fewer degrees of freedom."""
    replicates = np.random.default_rng(3).normal(size=(26, 4))
    error = pair_errors(replicates)[0, 1]
    gap = np.r_[3.3 * error, np.zeros(3)]
    assert tell_apart(of(replicates, gap)).board[0, 1] == 1
    assert tell_apart(of(replicates, gap, df=5.5)).board[0, 1] == 0
    assert tell_apart(of(replicates, gap, df=np.nan)).pair[0, 1] == 0


def test_rank_ends_count_those_surely_better_and_worse() -> None:
    """Of three the first is above the last alone."""
    apart = np.array([[0, 0, 1], [0, 0, 0], [-1, 0, 0]], dtype=np.int8)
    assert rank_ends(apart, np.ones((3, 3), dtype=np.bool_)).tolist() == [[1, 2], [1, 3], [2, 3]]


@pytest.mark.parametrize(
    ("df", "limit"),
    [(1.25, 8.02795138), (1.5, 6.0166631), (2.5, 3.57465484), (3.5, 2.94008864)],
)
def test_degrees_of_freedom_need_be_no_whole_number(df: float, limit: float) -> None:
    """The quantiles that scipy 1.18.1 gives, and the function that they are of."""
    assert quantile(0.975, df) == pytest.approx(limit, rel=1e-8)
    assert cdf(limit, df) == pytest.approx(0.975, abs=1e-9)


def test_quantiles_fall_with_the_degrees_of_freedom() -> None:
    """Also between whole numbers; of infinitely many they are those of the normal."""
    low, high = quantile(0.975, 7), quantile(0.975, 8)
    assert high < quantile(0.975, 7.5) < low
    assert student_quantile(0.975, np.array([7, 7.5, np.inf])).tolist() == pytest.approx(
        [low, quantile(0.975, 7.5), 1.959963984540054]
    )
    assert cdf(2.3, 7) < cdf(2.3, 7.5) < cdf(2.3, 8)
