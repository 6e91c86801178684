"""Paired differences of two series, with an interval, a test and a correction for many tests.

What is compared was made from the same items, so the pairs are looked at and not the two means:
what makes an item hard for both falls out. Pairs of one cluster stay together everywhere: drawn
together for the interval, turned together for the test.

Nothing here returns NaN: what does not exist is None.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .bootstrap import (
    REPLICATES,
    Floats,
    Interval,
    cluster_index,
    cluster_sums,
    mean_interval,
    standard_error,
)
from .estimates import rated_pairs

TURNS = 10_000
"""Drawn for the test where there are too many clusters to go through all turns."""
EXACT_CLUSTERS = 16
"""Up to so many clusters all turns are gone through: 2^15 of them, as the sign is free."""
# Two totals that are equal but for rounding count as equal.
_ROUNDING = 1e-10
_CHUNK = 1_000_000


class PairedDifference(NamedTuple):
    """How far a first series lies above a second one.

    Attributes:
        mean: Mean of first minus second over the pairs; None without a pair.
        interval: 95 % by default; None with pairs of fewer than two clusters.
        standard_error: None likewise.
        p: Of the sign-turning test; None likewise.
        n: Pairs of which both numbers are known.
        n_clusters: Clusters that these pairs are of.
        share_higher: Of the pairs, those in which the first is higher; None without a pair.
        share_equal: Those in which both are equal; None without a pair.
    """

    mean: float | None
    interval: Interval | None
    standard_error: float | None
    p: float | None
    n: int
    n_clusters: int
    share_higher: float | None
    share_equal: float | None


def paired_difference(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    *,
    seed: int = 0,
    replicates: int = REPLICATES,
) -> PairedDifference:
    """First minus second over the pairs of which both numbers are known.

    Args:
        first: Shape (n,); NaN where there is no number.
        second: Likewise, in the same order.
        clusters: Cluster of each pair, shape (n,); without it each pair is its own.
        seed: Of the draws; the same seed gives the same numbers.
        replicates: How many resamples for the interval.

    Raises:
        ValueError: The series differ in shape.
    """
    pairs = rated_pairs(first, second, clusters)
    ids, gaps = pairs.clusters, pairs.first - pairs.second
    if not gaps.size:
        return PairedDifference(None, None, None, None, 0, 0, None, None)
    return PairedDifference(
        mean=float(gaps.mean()),
        interval=mean_interval(gaps, ids, rng=np.random.default_rng(seed), replicates=replicates),
        standard_error=standard_error(gaps, ids),
        p=sign_turning_p(gaps, ids, rng=np.random.default_rng(seed)),
        n=gaps.size,
        n_clusters=np.unique(ids).size,
        share_higher=float(np.mean(gaps > 0)),
        share_equal=float(np.mean(gaps == 0)),
    )


def sign_turning_p(
    differences: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    *,
    rng: np.random.Generator,
    turns: int = TURNS,
) -> float | None:
    """Two-sided p of no difference: how often turned signs give as large a mean.

    If neither series tends to be higher, then each cluster's differences might as well have
    come out with the opposite sign. The p is the share of all ways to turn the signs of whole
    clusters that give a mean at least as far from zero: Fisher (1935), The Design of
    Experiments, section 21; for clusters Canay, Romano and Shaikh (2017), Econometrica 85,
    1013-1030. It holds for any number of clusters, but with K of them it is never below
    2^(1 - K). Beyond 16 clusters turns are drawn and p = (reached + 1) / (turns + 1): Phipson
    and Smyth (2010), Statistical Applications in Genetics and Molecular Biology 9, 39.

    Args:
        differences: Shape (n,); NaN is left out.
        clusters: Cluster of each, shape (n,); without it each is its own.
        rng: Source of the draws.
        turns: How many are drawn, at least 1.

    Returns:
        None with fewer than two clusters that have a difference.
    """
    array = np.asarray(differences, dtype=np.float64)
    ids = np.arange(array.size) if clusters is None else np.asarray(clusters)
    known = ~np.isnan(array)
    if np.unique(ids[known]).size < 2:
        return None
    sums = cluster_sums(array[known][:, None], cluster_index(ids[known]))[:, 0]
    least = abs(sums.sum()) - _ROUNDING * np.abs(sums).sum()
    if sums.size <= EXACT_CLUSTERS:
        return float(np.mean(np.abs(_all_totals(sums)) >= least))
    drawn = _drawn_totals(sums, turns, rng)
    reached = sum(int(np.count_nonzero(np.abs(totals) >= least)) for totals in drawn)
    return (reached + 1) / (turns + 1)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """The p-values adjusted so that one wrong finding among all of them is rare.

    Step-down: the smallest of m is multiplied by m, the next by m - 1, and so on; none may be
    below one before it, or above 1 (Holm 1979, Scandinavian Journal of Statistics 6, 65-70).
    It holds whatever the dependence between the tests.

    Args:
        p_values: None where there was no test; it stays None and does not count.
    """
    tested = [(p, place) for place, p in enumerate(p_values) if p is not None]
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, place) in enumerate(sorted(tested)):
        highest = min(1.0, max(highest, (len(tested) - rank) * p))
        adjusted[place] = highest
    return adjusted


def _all_totals(sums: Floats) -> Floats:
    """The totals of all ways to turn signs; the first is held, as turning all changes no size."""
    totals = sums[:1]
    for size in sums[1:]:
        totals = np.concatenate([totals + size, totals - size])
    return totals


def _drawn_totals(sums: Floats, turns: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Yield the totals of drawn turns, some at a time."""
    rows = max(1, _CHUNK // sums.size)
    for done in range(0, turns, rows):
        size = (min(rows, turns - done), sums.size)
        yield (2.0 * rng.integers(0, 2, size=size) - 1.0) @ sums
