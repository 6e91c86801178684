"""How well two raters agree: on each target, on their order, and on average.

Targets of one cluster (scenarios that share a text) stay together: each interval is that of a
cluster bootstrap in which ranks and variances are computed anew from every draw. The raters are
the two that there are; no interval here is about other raters.

Nothing here returns NaN: what does not exist is None, with a reason.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .bootstrap import REPLICATES, Floats, cluster_ids, cluster_index, cluster_sums, mean_interval
from .estimate import Estimate
from .estimates import (
    ROUNDING,
    estimates,
    in_parts,
    over_root,
    rated_pairs,
    too_few,
)
from .few_families import NO_SPREAD, why_no_interval


def icc_agreement(
    ratings: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    *,
    seed: int = 0,
    replicates: int = REPLICATES,
) -> Estimate:
    """ICC(A,1): the share of a single rating's variance that is the targets' own.

    Two-way random effects, absolute agreement, single rater: for n targets and k raters
    (MSR - MSE) / (MSR + (k - 1) MSE + k (MSC - MSE) / n) with the mean squares of targets (R),
    raters (C) and what is left (E): McGraw and Wong (1996), Psychological Methods 1, 30-46,
    table 4; the same number as ICC(2,1) of Shrout and Fleiss (1979). A rater who is stricter
    by a constant lowers it. It may be below 0: raters agree less than chance would.

    Args:
        ratings: Shape (n, k), k >= 2; a target with NaN is left out.
        clusters: Cluster of each target, shape (n,); without it each target is its own.
        seed: Of the draws.
        replicates: How many resamples.

    Returns:
        No value with fewer than three targets, or when fewer than two raters tell targets apart:
        with one alone it is 0 whatever the ratings are.

    Raises:
        ValueError: `ratings` is not a matrix with two columns or more.
    """
    matrix = np.asarray(ratings, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] < 2:
        raise ValueError(f"need a matrix of two raters or more, got shape {matrix.shape}")
    known = ~np.isnan(matrix).any(axis=1)
    rows, k = matrix[known], matrix.shape[1]
    if lacking := too_few(len(rows)):
        return lacking
    if np.sum(np.ptp(rows, axis=0) > ROUNDING * np.abs(rows).max(axis=0)) == 1:
        return Estimate(None, None, "only one rater tells any two apart")
    rows = rows - rows.mean()  # the coefficient does not change, and digits are saved
    sizes = (np.ones(len(rows)), *rows.T, (rows**2).sum(axis=1), rows.sum(axis=1) ** 2)
    index = cluster_index(cluster_ids(clusters, len(matrix))[known])
    sums, undefined = cluster_sums(np.column_stack(sizes), index), "no rater tells any two apart"
    (icc,) = estimates(sums, lambda t: _icc(t, k), undefined, seed=seed, replicates=replicates)
    return icc


def rank_agreement(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    *,
    seed: int = 0,
    replicates: int = REPLICATES,
) -> Estimate:
    """Spearman's rho of two raters: how nearly they put targets in the same order.

    Pearson's r of the ranks, equal values sharing their mean rank (Spearman 1904, American
    Journal of Psychology 15, 72-101). Each resample is ranked anew.

    Args:
        first: Shape (n,); a pair with NaN is left out.
        second: Likewise, in the same order.
        clusters: Cluster of each pair, shape (n,); without it each pair is its own.
        seed: Of the draws.
        replicates: How many resamples.

    Returns:
        No value with fewer than three pairs, or when a rater gives all the same value.

    Raises:
        ValueError: The series differ in shape.
    """
    one, two, ids, _ = rated_pairs(first, second, clusters)
    if lacking := too_few(len(one)):
        return lacking
    # Equal pairs count as one kind, so a resample is the number of each kind.
    kinds, kind = np.unique(np.column_stack([one, two]), axis=0, return_inverse=True)
    index = cluster_index(ids)
    counts = np.zeros((int(index.max()) + 1, len(kinds)))
    np.add.at(counts, (index, kind.ravel()), 1.0)
    by_first, by_second = (_Ranked.of(column) for column in kinds.T)

    def rho(drawn: Floats) -> Floats:
        return in_parts(drawn, len(kinds), lambda part: _rho(part, by_first, by_second))

    undefined = "a rater tells no two apart"
    (agreement,) = estimates(counts, rho, undefined, seed=seed, replicates=replicates)
    return agreement


def mean_disagreement(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    *,
    seed: int = 0,
    replicates: int = REPLICATES,
) -> Estimate:
    """How much higher the first rater's mean is than the second's, over what both rated.

    Args:
        first: Shape (n,); a pair with NaN is left out.
        second: Likewise, in the same order.
        clusters: Cluster of each pair, shape (n,); without it each pair is its own.
        seed: Of the draws.
        replicates: How many resamples.

    Raises:
        ValueError: The series differ in shape.
    """
    one, two, ids, _ = rated_pairs(first, second, clusters)
    if not one.size:
        return Estimate(None, None, "no pair that both rated")
    rng = np.random.default_rng(seed)
    interval = mean_interval(one - two, ids, rng=rng, replicates=replicates)
    lacking = None if interval else why_no_interval(np.unique(ids).size) or NO_SPREAD
    return Estimate(float((one - two).mean()), interval, lacking)


def _icc(totals: Floats, k: int) -> Floats:
    """ICC(A,1) of each row of totals: n, each rater's sum, squares, squared sums of targets."""
    n, raters, squares, target_squares = totals[:, 0], totals[:, 1:-2], *totals[:, -2:].T
    correction = raters.sum(axis=1) ** 2 / (n * k)
    ss_targets = target_squares / k - correction
    ss_raters = (raters**2).sum(axis=1) / n - correction
    ss_left = squares - correction - ss_targets - ss_raters
    ms_targets, ms_raters = ss_targets / (n - 1), ss_raters / (k - 1)
    ms_left = ss_left / ((n - 1) * (k - 1))
    whole = ms_targets + (k - 1) * ms_left + k * (ms_raters - ms_left) / n
    told_apart = (ss_targets + ss_left > ROUNDING * squares) & (whole > ROUNDING * squares / n)
    return np.asarray(
        np.divide(ms_targets - ms_left, whole, out=np.full_like(whole, np.nan), where=told_apart)
    )


class _Ranked(NamedTuple):
    """Kinds of pairs in the order of one of their numbers, to rank resamples of them.

    `starts` is where in that order a new number begins; `group` which number, from the smallest,
    each kind has.
    """

    order: npt.NDArray[np.intp]
    starts: npt.NDArray[np.intp]
    group: npt.NDArray[np.intp]

    @classmethod
    def of(cls, values: Floats) -> "_Ranked":
        """That of kinds with these numbers, shape (n_kinds,)."""
        order = np.argsort(values, kind="stable")
        _, starts = np.unique(values[order], return_index=True)
        _, group = np.unique(values, return_inverse=True)
        return cls(order, starts, group)

    def ranks(self, counts: Floats) -> Floats:
        """Twice each kind's rank less the mean rank, for each row of how often kinds came."""
        group_counts = np.add.reduceat(counts[:, self.order], self.starts, axis=1)
        up_to = np.cumsum(group_counts, axis=1)
        return np.asarray((2 * up_to - group_counts - up_to[:, -1:])[:, self.group])


def _rho(counts: Floats, first: _Ranked, second: _Ranked) -> Floats:
    """Spearman's rho for each row of how often each kind of pair came."""
    one, two = first.ranks(counts), second.ranks(counts)
    squares = (counts * one**2).sum(axis=1) * (counts * two**2).sum(axis=1)
    return over_root((counts * one * two).sum(axis=1), squares)
