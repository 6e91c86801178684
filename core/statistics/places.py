"""Ranks of scores with what is not sure about them: which scores cannot be told apart."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

# Scores whose difference is so small a share of the largest are equal.
_ROUNDING = 1e-9


class Place(NamedTuple):
    """Where a score stands among others.

    Attributes:
        rank: From 1, the best; equal scores have one rank.
        low: The best rank that it may have: 1 and how many are surely better.
        high: The worst.
        tied: Which others cannot be told apart from it, by their number.
    """

    rank: int
    low: int
    high: int
    tied: tuple[int, ...]


def places(
    values: npt.ArrayLike, lows: npt.ArrayLike, highs: npt.ArrayLike, *, higher_is_better: bool
) -> list[Place]:
    """Where each score stands.

    Two scores are told apart if the interval of their difference lies on one side of 0. It is made
    of their own two intervals: a - b lies above 0 if (a - b)^2 > (a - low_a)^2 + (high_b - b)^2
    (Zou and Donner 2008, Statistics in Medicine 27, 1693-1702, without a correlation). Scores on
    the same items usually rise and fall together, and then this is careful: some are called tied
    that a paired comparison tells apart.

    Args:
        values: Finite, shape (n,).
        lows: Ends of their intervals, NaN where there is none, shape (n,): such a score is told
            apart from no other.
        highs: Likewise.
        higher_is_better: Whether the highest score has rank 1.
    """
    sign = 1.0 if higher_is_better else -1.0
    scores = sign * np.asarray(values, dtype=np.float64)
    ends = sign * np.asarray([lows, highs], dtype=np.float64)
    below, above = scores - ends.min(axis=0), ends.max(axis=0) - scores
    gaps = scores[:, None] - scores[None, :]
    gaps[np.abs(gaps) <= _ROUNDING * np.abs(scores).max(initial=0.0)] = 0.0
    with np.errstate(invalid="ignore"):
        better = (gaps > 0) & (gaps**2 > below[:, None] ** 2 + above[None, :] ** 2)
    apart = better | better.T
    np.fill_diagonal(apart, val=True)
    ranks = 1 + (gaps > 0).sum(axis=0)
    best, worst = 1 + better.sum(axis=0), len(scores) - better.sum(axis=1)
    return [
        Place(int(rank), int(low), int(high), tuple(np.flatnonzero(others).tolist()))
        for rank, low, high, others in zip(ranks, best, worst, ~apart, strict=True)
    ]
