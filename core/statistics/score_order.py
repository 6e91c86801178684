"""What can be told apart on a board of scores: models that answered the same items.

A model's score is the mean over its samples. Two are compared by the difference of their scores;
what each family of items adds to it is the family's deviation for one less that for the other, so
that what makes an item hard for both falls out where both have scored it. With a family left out
the score changes by s_k / (n - n_k), its deviations over the samples left: the delete-one
jackknife of a ratio (Cochran 1977, Sampling Techniques, section 6.15). What is told apart of all
pairs at once is decided as for ratings (`statistics.joint`).

Two are told apart only if the paired test of their common items alone says so too
(`differences.paired_difference` of the items' means), so that no board claims what comparing the
two by themselves does not.
"""

from math import inf
from typing import NamedTuple

import numpy as np

from .few_families import ALPHA, FEWEST_FAMILIES
from .joint import (
    Bools,
    Differences,
    Floats,
    Ints,
    Small,
    effective_clusters,
    pair_errors,
    rank_ends,
    tell_apart,
)
from .student import student_quantile
from .wild import EXACT_CLUSTERS, wild_tests

CLEAR = 2.0
"""Pairs whose |t| is over so many times the limit of one pair are not tested again alone, unless
they share so few families that all ways to turn signs are gone through: then it may be too little.
"""
_FIRST_TURNS = 500
_OPEN = 0.015, 0.12
"""Between these p-values of so few draws may be on either side of 0.05 with all: 3.6 and 4.8 errors
away."""
_ROUNDING = 1e-9  # of differences, in standard deviations of the items


class ItemTable(NamedTuple):
    """What models scored.

    Attributes:
        sums: Of the scores of each model's samples of each item, the higher the better, 0 where it
            has none, shape (n_models, n_items).
        counts: How many these are, the same shape.
        families: The family of each item, numbered from 0, shape (n_items,).
        reach: The largest that a difference of two scores can be.
        equal: How many families that count alike say as much as all of them, where they do not.
    """

    sums: Floats
    counts: Floats
    families: Ints
    reach: float = inf
    equal: float = inf


class ScoreOrder(NamedTuple):
    """What is sure about the order of scores.

    Attributes:
        of_row: Ends of the interval of each rank alone, shape (n_models, 2); 0 where not known.
        board: The same of all ranks at once.
        tied: Whether two models cannot be told apart, all pairs at once, shape
            (n_models, n_models).
        known: Whether they share enough families to be told apart, the same shape.
        effective: How many families of equal size would say as much.
    """

    of_row: Ints
    board: Ints
    tied: Bools
    known: Bools
    n_families: int
    effective: float


def order_scores(table: ItemTable) -> ScoreOrder:
    """What is sure about the order of at least one model's scores.

    Models that share fewer than eight families of items with another are not told apart from it,
    and one that does with all others has no ranks.
    """
    n, shared = len(table.sums), _shared(table)
    gaps = _differences(table, shared)
    apart = tell_apart(gaps)
    significant = (apart.of_row != 0) | (apart.board != 0)
    significant &= _alone(table, gaps, shared, significant)
    others = ~np.eye(n, dtype=np.bool_)
    has_ranks = np.any(gaps.known & (others if n > 1 else ~others), axis=1)
    alike = np.ones((n, n), dtype=np.bool_)

    def ends(which: Small) -> Ints:
        return np.where(has_ranks[:, None], rank_ends(which, alike), 0)

    of_row, board = (
        np.where(significant, which, np.int8(0)) for which in (apart.of_row, apart.board)
    )
    whole = np.bincount(table.families)
    return ScoreOrder(
        of_row=ends(of_row),
        board=ends(board),
        tied=others & (board == 0),
        known=gaps.known,
        n_families=int((whole > 0).sum()),
        effective=float(effective_clusters(whole)),
    )


def _family_sizes(of_items: Floats, families: Ints) -> Floats:
    """Sums over the items of each family, shape (..., n_items) to (..., n_families)."""
    order = np.argsort(families, kind="stable")
    starts = np.searchsorted(families[order], np.arange(families.max(initial=-1) + 1))
    return np.asarray(np.add.reduceat(of_items[..., order], starts, axis=-1))


class _Shared(NamedTuple):
    """Of each two models how many families they share, and the degrees of freedom of these.

    One less than the effective ones; NaN of fewer than eight. Both of shape (n_models, n_models).
    """

    families: Floats
    df: Floats


def _shared(table: ItemTable) -> _Shared:
    masks, index = np.unique(table.counts > 0, axis=0, return_inverse=True)
    total, squares, families = np.zeros((3, len(masks), len(masks)))
    for family in range(table.families.max(initial=-1) + 1):
        of_family = masks[:, table.families == family].astype(np.float64)
        common = of_family @ of_family.T
        total += common
        squares += common**2
        families += common > 0
    effective = np.divide(total**2, squares, out=np.ones_like(total), where=squares > 0)
    if table.families.size:
        effective = np.minimum(effective, table.equal * families / np.unique(table.families).size)
    df = np.where(families >= FEWEST_FAMILIES, np.maximum(effective - 1, 1), np.nan)
    at = np.ix_(index.ravel(), index.ravel())
    return _Shared(families[at], df[at])


def _differences(table: ItemTable, shared: _Shared) -> Differences:
    """Of scores in standard deviations of the items, with the effective families of each pair."""
    sums, counts = (_family_sizes(column, table.families) for column in table[:2])
    total = counts.sum(axis=1, keepdims=True)
    mean = sums.sum(axis=1, keepdims=True) / np.maximum(total, 1)
    deviations = sums - counts * mean
    scored = table.counts > 0
    values = np.divide(table.sums, table.counts, out=np.zeros_like(table.sums), where=scored)
    unit = float(values[scored].std()) or 1.0
    left = total - counts
    moved = np.divide(deviations, left, out=np.zeros_like(sums), where=left > 0) / unit
    gap = (mean - mean.T) / unit
    replicates = -moved.T
    return Differences(
        np.where(np.abs(gap) <= _ROUNDING, 0.0, gap),
        pair_errors(replicates),
        shared.df,
        replicates,
    )


def _alone(table: ItemTable, gaps: Differences, shared: _Shared, significant: Bools) -> Bools:
    """Which pairs the paired test of common items tells apart too, of those that are told apart."""
    error = np.where(gaps.error > 0, gaps.error, 1.0)
    limit = CLEAR * student_quantile(1 - ALPHA / 2, np.where(gaps.known, gaps.df, 1.0))
    t = gaps.gap / error
    tested = significant & ((np.abs(t) <= limit) | (shared.families <= EXACT_CLUSTERS))
    first, second = np.nonzero(np.triu(tested))
    agreed = np.ones_like(significant)
    agreed[first, second] = agreed[second, first] = _agree(table, first, second, np.sign(t))
    return agreed


def _agree(table: ItemTable, first: Ints, second: Ints, sign: Floats) -> Bools:
    """Whether the paired test tells each first apart from its second, the same way round.

    All are tested with few draws; the test with as many as `paired_difference` has decides only
    where these leave it open.
    """
    means = table.sums / np.maximum(table.counts, 1)
    common = (table.counts[first] > 0) & (table.counts[second] > 0)
    sums = _family_sizes(np.where(common, means[first] - means[second], 0.0), table.families).T
    sizes = _family_sizes(common.astype(np.float64), table.families).T
    reach, equal, rng = table.reach, table.equal, np.random.default_rng(0)
    p = wild_tests(sums, sizes, rng=rng, turns=_FIRST_TURNS, reach=reach, equal=equal)
    low, high = _OPEN
    for n in np.flatnonzero((p > low) & (p < high)):
        has_values = sizes[:, n] > 0
        cells = np.ix_(has_values, [n])
        rng = np.random.default_rng(0)
        p[n] = wild_tests(sums[cells], sizes[cells], rng=rng, reach=reach, equal=equal)[0]
    agreed = np.sign(sums.sum(axis=0)) == sign[first, second]
    return np.asarray(agreed & (p < ALPHA))
