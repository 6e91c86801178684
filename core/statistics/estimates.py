"""A number with its interval, or with the reason why there is none."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..text import plural
from .bootstrap import Floats, cluster_bootstrap, cluster_ids
from .estimate import Estimate
from .few_families import NO_SPREAD, why_no_interval

MIN_PAIRS = 3
"""Two pairs always lie on a line."""
#: A part of a sum that is smaller than this share of it is rounding.
ROUNDING = 1e-12
#: Numbers that a statistic holds at once.
CHUNK = 1_000_000
Statistic = Callable[[Floats], Floats]


class RatedPairs(NamedTuple):
    """Pairs of which both numbers are known, and whether each of all the pairs is among these."""

    first: Floats
    second: Floats
    clusters: npt.NDArray[np.generic]
    known: npt.NDArray[np.bool_]


def rated_pairs(
    first: npt.ArrayLike, second: npt.ArrayLike, clusters: npt.ArrayLike | None
) -> RatedPairs:
    """The pairs of two series without those in which a number is NaN.

    Raises:
        ValueError: The series differ in shape.
    """
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.ndim != 1 or one.shape != two.shape:
        raise ValueError(f"need two series of one length, got {one.shape} and {two.shape}")
    known = ~(np.isnan(one) | np.isnan(two))
    return RatedPairs(one[known], two[known], cluster_ids(clusters, one.size)[known], known)


def too_few(n: int) -> Estimate | None:
    """No value, as there are fewer than three pairs; None when there are enough."""
    message = f"{plural(n, 'pair')} that both rated; {MIN_PAIRS} are needed"
    return Estimate(None, None, message) if n < MIN_PAIRS else None


def estimates(
    sums: Floats, statistic: Statistic, undefined: str, *, seed: int, replicates: int
) -> list[Estimate]:
    """The statistics of all clusters together, with intervals from resamples of them.

    `sums` is what each cluster adds to each total, shape (n_clusters, n_totals). `undefined` is the
    reason to give where a statistic has no value.
    """
    values = np.ravel(statistic(sums.sum(axis=0, keepdims=True)))
    rng = np.random.default_rng(seed)
    intervals = cluster_bootstrap(sums, statistic, rng=rng, replicates=replicates)
    lacking = why_no_interval(len(sums)) or NO_SPREAD
    return [
        Estimate(None, None, undefined)
        if np.isnan(value)
        else Estimate(float(value), interval, None if interval else lacking)
        for value, interval in zip(values, intervals, strict=True)
    ]


def in_parts(rows: Floats, width: int, work: Statistic) -> Floats:
    """What `work` makes of each row, some rows at a time where each needs `width` numbers."""
    parts = np.array_split(rows, max(1, -(-len(rows) * width // CHUNK)))
    return np.concatenate([work(part) for part in parts if len(part)])


def over_root(together: Floats, squares: Floats) -> Floats:
    """`together` over the root of `squares`; NaN where that is zero."""
    empty = np.full_like(together, np.nan)
    return np.divide(together, np.sqrt(squares), out=empty, where=squares > 0)
