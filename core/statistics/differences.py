"""Paired differences of two series, with an interval, a test and a correction for many tests.

What is compared was made from the same items, so the pairs are looked at and not the two means:
what makes an item hard for both falls out. Pairs of one cluster stay together.

Test and interval are those of a wild bootstrap (`wild`), which hold under skewness.

Nothing here returns NaN: what does not exist is None.
"""

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .bootstrap import Interval, standard_error
from .estimates import rated_pairs
from .wild import TURNS, wild_bootstrap


class PairedDifference(NamedTuple):
    """How far a first series lies above a second one.

    Attributes:
        mean: Mean of first minus second over the pairs; None without a pair.
        interval: 95 %, by the wild bootstrap; None with pairs of fewer than eight clusters, and
            where all clusters differ alike and nothing says by how much they may.
        standard_error: None with pairs of fewer than two clusters.
        p: Of no difference, by the wild bootstrap; None with pairs of fewer than eight clusters.
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
    turns: int = TURNS,
    reach: float = inf,
    equal: float = inf,
) -> PairedDifference:
    """First minus second over the pairs of which both numbers are known.

    Args:
        first: Shape (n,); NaN where there is no number.
        second: Likewise, in the same order.
        clusters: Cluster of each pair, shape (n,); without it each pair is its own.
        seed: Of the draws; the same seed gives the same numbers.
        turns: How many ways to turn signs are drawn where there are too many to try all.
        reach: The largest that a difference can be, such as 1 of two shares.
        equal: As `wild_bootstrap` has it.

    Raises:
        ValueError: The series differ in shape.
    """
    pairs = rated_pairs(first, second, clusters)
    ids, gaps = pairs.clusters, pairs.first - pairs.second
    if not gaps.size:
        return PairedDifference(None, None, None, None, 0, 0, None, None)
    tested = wild_bootstrap(
        gaps, ids, rng=np.random.default_rng(seed), turns=turns, reach=reach, equal=equal
    )
    return PairedDifference(
        mean=float(gaps.mean()),
        interval=tested.interval,
        standard_error=standard_error(gaps, ids),
        p=tested.p,
        n=gaps.size,
        n_clusters=np.unique(ids).size,
        share_higher=float(np.mean(gaps > 0)),
        share_equal=float(np.mean(gaps == 0)),
    )


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """The p-values adjusted so that one wrong finding among all of them is rare.

    Step-down: the smallest of m is multiplied by m, the next by m - 1, and so on; none may be
    below one before it, or above 1 (Holm 1979, Scandinavian Journal of Statistics 6, 65-70).
    It holds whatever the dependence between the tests.

    Args:
        p_values: None where there was no test; it stays None and does not count.
    """
    tested = [(p, position) for position, p in enumerate(p_values) if p is not None]
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, position) in enumerate(sorted(tested)):
        highest = min(1.0, max(highest, (len(tested) - rank) * p))
        adjusted[position] = highest
    return adjusted
