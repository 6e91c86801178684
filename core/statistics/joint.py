"""What can be told apart among many: each two alone, all differences of one, and all of a board.

Two are told apart at 5 % by Student's t. A rank is made of many such comparisons, and among many
some are wrong by chance. So a rank interval asks more: of all its differences at once none is
wrong in more than 5 % of boards. How large the largest t is by chance, the clusters themselves
say: the influence of each is turned round or not by a coin, and the largest |t| is worked out
anew, so many times (Romano and Wolf 2005, Econometrica 73; for ranks Mogstad, Romano, Shaikh and
Wilhelm 2024, Review of Economic Studies 91).

Clusters of unequal size say less than as many equal ones: sums of n_k items are known like those
of (sum n_k)^2 / sum n_k^2 equal clusters (Kish 1965, Survey Sampling, section 11.7), and limits are
the quantile of Student's t of so many that they are of that of all clusters.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .student import quantile, student_quantile

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Small = npt.NDArray[np.int8]

DRAWS = 1000
"""How often coins are thrown."""
_FEWEST_DRAWS = 200
_WORK = 40_000_000  # pairs times draws, from which on coins are thrown less often
_ROWS = 128  # at a time, so that their differences stay in the processor's cache
_TAILS = [0.025 / 4**n for n in range(12)]
_TINY = 1e-18  # sums of squares below are rounding, in units of the estimates


class Differences(NamedTuple):
    """The differences of n estimates, each row's less the column's.

    Attributes:
        gap: Shape (n, n); 0 where a difference is only rounding.
        error: Standard error of each, the same shape.
        df: Degrees of freedom of each, one less than its effective clusters, the same shape;
            infinite for a normal one, NaN where the difference is not known.
        replicates: Estimates with one cluster left out each, or as far off, shape
            (n_clusters, n); no row where there are no clusters.
    """

    gap: Floats
    error: Floats
    df: Floats
    replicates: Floats

    @property
    def known(self) -> Bools:
        """Of which differences there is an error."""
        return np.asarray(~np.isnan(self.df))


class Apart(NamedTuple):
    """Of each pair 1 where the row's is surely better, -1 where it is worse, else 0, shape (n, n).

    `pair` is of each pair by itself, `of_row` of all pairs of the row's at once, `board` of all
    pairs at once.
    """

    pair: Small
    of_row: Small
    board: Small

    def both(self, other: "Apart") -> "Apart":
        """Only what another analysis says too."""
        agreed = (np.where(a == b, a, np.int8(0)) for a, b in zip(self, other, strict=True))
        return Apart(*agreed)


def tell_apart(gaps: Differences) -> Apart:
    """What is surely better than what, at 5 %."""
    known = gaps.known
    df = np.where(known, gaps.df, 1.0)
    pair = student_quantile(0.975, df)
    of_row, board = (_stretched(at, df, len(gaps.replicates)) for at in _largest_by_chance(gaps))
    sign = np.sign(gaps.gap).astype(np.int8)
    error = np.where(known, gaps.error, 0.0)

    def surely(limit: Floats) -> Small:
        # A limit for many is never below that for one.
        beyond = np.abs(gaps.gap) > np.maximum(limit, pair) * error
        return np.where(known & beyond, sign, np.int8(0))

    return Apart(surely(pair), surely(of_row), surely(board))


def rank_ends(apart: Small, alike: Bools) -> Ints:
    """From one more than those surely better, to all but those surely worse, shape (n, 2).

    Those that are `alike` are ranked together, shape (n, n).
    """
    best, worst = 1 + (apart < 0).sum(axis=1), alike.sum(axis=1) - (apart > 0).sum(axis=1)
    return np.stack([best, worst], axis=1)


def effective_clusters(sizes: npt.NDArray[np.float64] | npt.NDArray[np.intp]) -> Floats:
    """How many equal clusters say as much: (sum n)^2 / sum n^2 over the last axis; 0 of none."""
    total, squares = sizes.sum(axis=-1) ** 2.0, (sizes**2.0).sum(axis=-1)
    return np.asarray(np.divide(total, squares, out=np.zeros_like(squares), where=squares > 0))


def pair_errors(replicates: Floats) -> Floats:
    """Jackknife standard error of each difference, shape (n, n); 0 without replicates."""
    n_clusters, n = replicates.shape
    squares = _squares(replicates)
    return np.sqrt(squares * (n_clusters - 1) / n_clusters) if n_clusters else np.zeros((n, n))


def _squares(replicates: Floats) -> Floats:
    n = replicates.shape[1]
    total = np.zeros((n, n))
    for moved in replicates - replicates.mean(axis=0) if len(replicates) else ():
        # Differences first, then squares: equals then differ by nothing at all.
        total += (moved[:, None] - moved[None, :]) ** 2
    return total


def _stretched(limits: Floats, df: Floats, n_clusters: int) -> Floats:
    """The limits of rows for each pair's own degrees of freedom, shape (n, n).

    The quantile that a limit is of Student's t of as many degrees of freedom as there are clusters,
    less one, is taken of the pair's.
    """
    all_of_them = n_clusters - 1.0 if n_clusters > 1 else np.inf
    grid = np.array([quantile(1 - tail, all_of_them) for tail in _TAILS])
    index = np.clip(np.searchsorted(grid, limits) - 1, 0, len(grid) - 2)
    share = np.clip((limits - grid[index]) / (grid[index + 1] - grid[index]), 0.0, None)
    quantiles = {
        n: student_quantile(1 - _TAILS[n], df) for n in {*index.tolist(), *(index + 1).tolist()}
    }
    low, high = (
        np.array([quantiles[n][row] for row, n in enumerate(at)]) for at in (index, index + 1)
    )
    low, high = low.reshape(df.shape), high.reshape(df.shape)
    return np.asarray(low + share[:, None] * (high - low))


def _largest_by_chance(gaps: Differences) -> tuple[Floats, Floats]:
    """What the largest |t| of each one's differences, and of all, stays under in 95 %.

    Both of shape (n,).
    """
    n, n_clusters = len(gaps.gap), len(gaps.replicates)
    if n_clusters < 2:
        # No clusters, no coins: Bonferroni's bound, for normal errors.
        each, pairs = max(1, n - 1), max(1, n * (n - 1) // 2)
        limits = [quantile(1 - 0.025 / m, np.inf) for m in (each, pairs)]
        return np.full(n, limits[0]), np.full(n, limits[1])
    shares = _largest_shares(gaps)
    largest = np.quantile(shares.max(axis=1, initial=0.0), 0.95)
    of_row = _as_t(np.quantile(shares, 0.95, axis=0), n_clusters)
    return of_row, _as_t(np.full(n, largest), n_clusters)


def _as_t(share: Floats, n: int) -> Floats:
    """|t| of a sum of n whose square is so many times the sum of squares."""
    return np.asarray(np.sqrt((n - 1) * share / np.maximum(n - share, 1e-9)))


def _largest_shares(gaps: Differences) -> Floats:
    """Of each draw and row the largest squared sum over the sum of squares of its differences.

    Shape (n_draws, n).
    """
    n_clusters, n = gaps.replicates.shape
    influence = gaps.replicates - gaps.replicates.mean(axis=0)
    squares = _squares(gaps.replicates)
    per_root = np.where(gaps.known & (squares > _TINY), 1 / np.maximum(squares, _TINY), 0.0) ** 0.5
    draws = int(np.clip(_WORK // max(n * n, 1), _FEWEST_DRAWS, DRAWS))
    coins = np.random.default_rng(0).integers(0, 2, (draws, n_clusters)) * 2.0 - 1
    largest = np.empty((draws, n))
    for draw, sums in enumerate(coins @ influence):
        for at in range(0, n, _ROWS):
            rows = slice(at, at + _ROWS)
            size = np.subtract(sums[rows, None], sums[None, :])
            np.abs(size, out=size)
            np.multiply(size, per_root[rows], out=size)
            largest[draw, rows] = size.max(axis=1, initial=0.0)
    return largest**2
