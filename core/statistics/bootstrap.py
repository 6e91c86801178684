"""Seeded cluster bootstrap on per-cluster sums, and the standard error beside it.

The intervals are *expanded percentiles*: plain percentiles of resamples are short for few
clusters, as a resample varies by (K - 1) / K of the variance and a normal quantile stands where
Student's t belongs. So the quantiles are taken further out (Hesterberg 2015, The American
Statistician 69, 371-386, "expanded percentile interval").

Everything a benchmark reports is a function of sums over its samples (a mean is a sum over a
count), so a replicate needs only how often each cluster was drawn: one row of counts times
the matrix of per-cluster sums. Samples of one cluster (a question in all its iterations, a
family of scenarios) stay together. Work goes in chunks of bounded size, so memory does not
grow with the number of totals. Counts that were drawn last are kept: every run of a board is
resampled by the same seed.

Nothing here returns NaN: what does not exist is None.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf, isfinite, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..types import JsonObject
from .few_families import FEWEST_FAMILIES
from .student import cdf, quantile

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.intp] | npt.NDArray[np.uint8]

REPLICATES = 10_000
LEVEL = 0.95
# Draws held at once: small enough for the processor's cache, which is 3 x faster than 10^6.
_CHUNK = 100_000
# Multiplications at once: from here on OpenBLAS starts threads, which cost more than they save.
_PRODUCT = 262_144
# Draws that are kept, and from how many clusters on none are: a byte a count, 2.5 MB each.
_KEPT, _KEPT_CLUSTERS = 4, 256


Interval = tuple[float, float]
"""Its two ends."""
NO_ENDS: Interval = (-inf, inf)
FEW_UNLIKE = 5
"""Whose signs, all the same, have P > 0.05 by chance."""
_ROUNDING = 1e-12  # of the larger end: an interval that is narrower has no width


def cluster_bootstrap(
    sums: npt.ArrayLike,
    statistic: Callable[[Floats], npt.ArrayLike],
    *,
    rng: np.random.Generator,
    replicates: int = REPLICATES,
    level: float = LEVEL,
    stands_on: Sequence[int] | None = None,
    ends: Sequence[Interval] | None = None,
) -> tuple[Interval | None, ...]:
    """Intervals of statistics of totals: expanded percentiles, clusters resampled.

    Efron and Tibshirani (1993), An Introduction to the Bootstrap, sections 8.3 and 13.3, with
    quantiles Phi(-+ t sqrt(K / (K - 1))) for K clusters (Hesterberg 2015).

    Args:
        sums: What each cluster adds to each total, shape (n_clusters, n_totals).
        statistic: From the totals of replicates, shape (n_replicates, n_totals), to shape
            (n_replicates,) or (n_replicates, n_statistics); NaN where a replicate has none.
            Called once per chunk, so it must treat each row by itself.
        rng: Source of the draws; the same state gives the same intervals.
        replicates: How many resamples, at least 1.
        level: Coverage, between 0 and 1.
        stands_on: How many clusters have a part in each statistic; all of them if not given.
        ends: The smallest and the largest that each statistic can be.

    Returns:
        One interval per statistic, as `within` has it. None where it stands on fewer than eight
        clusters, or when more than half of the replicates have no value; otherwise those are left
        out.

    Raises:
        ValueError: `sums` is not a matrix, or holds NaN; `stands_on` has another length.
    """
    matrix = np.asarray(sums, dtype=np.float64)
    if matrix.ndim != 2 or np.isnan(matrix).any():
        raise ValueError(f"need a matrix of sums without NaN, got shape {matrix.shape}")
    if len(matrix) < FEWEST_FAMILIES:
        n_statistics = _as_columns(statistic(matrix.sum(axis=0, keepdims=True))).shape[1]
        return (None,) * int(n_statistics)
    chunks = (_as_columns(statistic(totals)) for totals in _totals(matrix, replicates, rng))
    drawn = np.concatenate(list(chunks))
    clusters = [len(matrix)] * drawn.shape[1] if stands_on is None else stands_on
    scales = [NO_ENDS] * len(clusters) if ends is None else ends
    columns = zip(_percentile_intervals(drawn, clusters, level), scales, clusters, strict=True)
    return tuple(one and within(one, scale, n, level) for one, scale, n in columns)


def within(
    interval: Interval, ends: Interval, n_clusters: int, level: float = LEVEL
) -> Interval | None:
    """An interval held to the ends of its scale, with the width that it has at least.

    Where all clusters are alike, nothing that was drawn says how far another may lie. Of n clusters
    that are all alike, up to 1 - 0.05^(1 / n) of all there are may be unlike, with 95 % confidence,
    and these may lie as far off as the scale goes. ``None`` where the scale has no such end.
    """
    low, high = (min(max(end, ends[0]), ends[1]) for end in interval)
    if high - low > _ROUNDING * max(abs(low), abs(high)):
        return low, high
    unlike = 1 - (1 - level) ** (1 / n_clusters)
    low, high = low - unlike * (low - ends[0]), high + unlike * (ends[1] - high)
    return (low, high) if isfinite(high - low) else None


def mean_interval(
    values: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    *,
    rng: np.random.Generator,
    replicates: int = REPLICATES,
    ends: Interval = NO_ENDS,
) -> Interval | None:
    """The 95 % bootstrap interval of a mean.

    Args:
        values: Shape (n,); NaN is left out, and so is a cluster without a value.
        clusters: Cluster of each value, shape (n,); without it each value is its own.
        rng: Source of the draws.
        replicates: How many resamples.
        ends: The smallest and the largest that a value can be.

    Returns:
        None with fewer than eight clusters that have a value, and where all clusters are alike and
        a value has no such ends (`within`).
    """
    _, sums = known_sums(values, clusters)
    (drawn,) = cluster_bootstrap(sums, _mean, rng=rng, replicates=replicates, ends=[ends])
    return drawn and beyond_seen(drawn, sums, ends, len(sums))


def beyond_seen(interval: Interval, sums: Floats, ends: Interval, n_clusters: int) -> Interval:
    """The interval of a mean, no shorter than if nearly all clusters were all at one end.

    A few that are elsewhere do not say how far others may lie. `sums` are those of each cluster's
    values and how many they are, which say as much as `n_clusters`.
    """
    low, high = interval
    for end in ends if isfinite(ends[1] - ends[0]) else ():
        elsewhere = np.abs(sums[:, 0] - end * sums[:, 1]) > _ROUNDING * sums[:, 1] * abs(end)
        if elsewhere.sum() <= few_unlike(len(sums)):
            at_end = within((end, end), ends, n_clusters) or interval
            low, high = min(low, at_end[0]), max(high, at_end[1])
    return low, high


def few_unlike(n_clusters: int) -> int:
    """How many of so many clusters may be unlike the others that are nearly all alike."""
    return min(FEW_UNLIKE, n_clusters // 4)


def standard_error(values: npt.ArrayLike, clusters: npt.ArrayLike | None = None) -> float | None:
    """Standard error of a mean, from what it would be without one cluster each.

    sqrt((K - 1) / K * sum_k (S_k - n_k * mean)^2 / (N - n_k)^2) for K clusters with sums S_k over
    n_k of N values: the jackknife of a ratio (Cochran 1977, Sampling Techniques, section 6.15).
    With one value per cluster it is SD / sqrt(N). A mean lies near that of a cluster much larger
    than others, which is why its deviation alone would say too little.

    Args:
        values: Shape (n,); NaN is left out.
        clusters: Cluster of each value, shape (n,); without it each value is its own.

    Returns:
        None with fewer than two clusters that have a value.
    """
    known, sums = known_sums(values, clusters)
    n_clusters = len(sums)
    if n_clusters < 2:
        return None
    moved = (sums[:, 0] - sums[:, 1] * known.mean()) / (known.size - sums[:, 1])
    return float(np.sqrt((1 - 1 / n_clusters) * np.sum(moved**2)))


def iteration_spread(values: Sequence[float | None]) -> float | None:
    """Standard deviation (n - 1) over the results of iterations: what a rerun may change.

    Iterations without a result (None) are left out; None with fewer than two results.
    """
    known = [value for value in values if value is not None]
    return float(np.std(known, ddof=1)) if len(known) > 1 else None


def cluster_ids(clusters: npt.ArrayLike | None, n: int) -> npt.NDArray[np.generic]:
    """The cluster of each of n; each its own where none are given."""
    return np.arange(n) if clusters is None else np.asarray(clusters)


def cluster_index(clusters: npt.ArrayLike) -> npt.NDArray[np.intp]:
    """Number the clusters from 0, shape (n,), in the sorted order of their names."""
    return np.unique(np.asarray(clusters), return_inverse=True)[1].astype(np.intp)


def cluster_sums(columns: Floats, index: npt.NDArray[np.intp]) -> Floats:
    """Sum the rows of each cluster, shape (n, m) to (n_clusters, m).

    Args:
        columns: Finite values, shape (n, m).
        index: Cluster number of each row, shape (n,), without gaps.
    """
    sums = [np.bincount(index, weights=column) for column in columns.T]
    return np.column_stack(sums).astype(np.float64)


def known_sums(values: npt.ArrayLike, clusters: npt.ArrayLike | None) -> tuple[Floats, Floats]:
    """The values that are not NaN, and of each cluster of these their sum and number.

    The latter of shape (n_clusters, 2), for `clusters` as `mean_interval` takes them.
    """
    array = np.asarray(values, dtype=np.float64)
    ids, known = cluster_ids(clusters, array.size), ~np.isnan(array)
    columns = np.column_stack([array[known], np.ones(known.sum())])
    return array[known], cluster_sums(columns, cluster_index(ids[known]))


def _totals(matrix: Floats, replicates: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Yield the totals of resamples, some replicates at a time."""
    rows = max(1, _PRODUCT // max(1, matrix.size))
    for counts in _counts(len(matrix), replicates, rng):
        parts = [counts[i : i + rows] @ matrix for i in range(0, len(counts), rows)]
        yield np.concatenate(parts)


class _Resamples(NamedTuple):
    """Counts, what they were drawn from, and where that was left."""

    source: tuple[int, int, str]
    counts: Sequence[Counts]
    left: JsonObject


_last: list[_Resamples] = []


def _counts(n_clusters: int, replicates: int, rng: np.random.Generator) -> Iterable[Counts]:
    """How often each cluster is in each resample, in chunks of shape (n_rows, n_clusters)."""
    if n_clusters >= _KEPT_CLUSTERS or replicates > REPLICATES:
        return _draw(n_clusters, replicates, rng)
    source = (n_clusters, replicates, repr(rng.bit_generator.state))
    for drawn in _last:
        if drawn.source == source:
            rng.bit_generator.state = drawn.left
            return drawn.counts
    counts = [some.astype(np.uint8) for some in _draw(n_clusters, replicates, rng)]
    _last[:] = [_Resamples(source, counts, rng.bit_generator.state), *_last[: _KEPT - 1]]
    return counts


def _draw(n_clusters: int, replicates: int, rng: np.random.Generator) -> Iterator[Counts]:
    rows = max(1, _CHUNK // n_clusters)
    for done in range(0, replicates, rows):
        n_rows = min(rows, replicates - done)
        draws = rng.integers(0, n_clusters, size=(n_rows, n_clusters))
        draws += np.arange(n_rows)[:, None] * n_clusters
        counts = np.bincount(draws.ravel(), minlength=n_rows * n_clusters)
        yield counts.reshape(n_rows, n_clusters)


def _percentile_intervals(
    replicates: Floats, clusters: Sequence[int], level: float
) -> tuple[Interval | None, ...]:
    """One per column, shape (n_replicates, n_statistics), of what stands on so many clusters."""
    intervals: list[Interval | None] = [None] * replicates.shape[1]
    of = np.asarray(clusters)
    if of.shape != (len(intervals),):
        raise ValueError(f"need {len(intervals)} numbers of clusters, got shape {of.shape}")
    for n in np.unique(of[of >= FEWEST_FAMILIES]).tolist():
        columns = np.flatnonzero(of == n)
        for column, ends in zip(columns, _ends(replicates[:, columns], n, level), strict=True):
            intervals[column] = ends
    return tuple(intervals)


def _ends(replicates: Floats, n_clusters: int, level: float) -> list[Interval | None]:
    """The expanded percentiles of each column; None where most of it is NaN."""
    below = tail(n_clusters, level)
    ends = [below, 1 - below]
    if not np.isnan(replicates).any():
        return [(low, high) for low, high in np.quantile(replicates, ends, axis=0).T.tolist()]
    known = [column[~np.isnan(column)] for column in replicates.T]
    return [
        tuple(np.quantile(values, ends).tolist()) if 2 * values.size >= len(replicates) else None
        for values in known
    ]


def tail(n_clusters: int, level: float = LEVEL) -> float:
    """The share of replicates of so many clusters that an interval leaves out at each end.

    Phi(-t sqrt(K / (K - 1))) with Student's t of K - 1 degrees of freedom: 0.0057 of 8 clusters,
    0.018 of 26, towards 0.025 of many (Hesterberg 2015).

    Args:
        n_clusters: At least 2.
        level: Coverage, between 0 and 1.
    """
    t = quantile((1 + level) / 2, n_clusters - 1)
    return cdf(-t * sqrt(n_clusters / (n_clusters - 1)), float("inf"))


def _as_columns(values: npt.ArrayLike) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    return array[:, None] if array.ndim == 1 else array


def _mean(totals: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.asarray(totals[:, 0] / totals[:, 1])
