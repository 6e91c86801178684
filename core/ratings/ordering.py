"""Ranks, and what can be told apart: of one pair, of one model, and of a whole board.

Two models are told apart at 5 % by Student's t. A rank is made of many such comparisons, and
among many some are wrong by chance. So a rank interval asks more: of all its differences at once
none is wrong in more than 5 % of boards. How large the largest t is by chance, the families
themselves say: the influence of each is turned round or not by a coin, and the largest |t| of the
board is worked out anew, so many times (Romano and Wolf 2005, Econometrica 73; for ranks Mogstad,
Romano, Shaikh and Wilhelm 2024, Review of Economic Studies 91).
"""

from typing import NamedTuple

import numpy as np

from ..statistics.student import cdf_of, quantile, quantile_of
from .comparisons import Bools, Floats, Ints, Small
from .intervals import SolvedRatings, Uncertainty

DRAWS = 1000
"""How often coins are thrown."""
_CHUNK = 2_000_000  # elements of one array: so many pairs and draws at a time
_EQUAL = 1e-9  # natural units: differences below are rounding


class Apart(NamedTuple):
    """Of each pair of models 1 where the row's is surely better, -1 where it is worse, else 0.

    Attributes:
        pair: Each pair by itself, shape (n_models, n_models).
        own: All pairs of the row's model at once, the same shape.
        board: All pairs at once, the same shape.
    """

    pair: Small
    own: Small
    board: Small

    def both(self, other: "Apart") -> "Apart":
        """Only what another analysis says too."""
        agreed = (np.where(a == b, a, np.int8(0)) for a, b in zip(self, other, strict=True))
        return Apart(*agreed)


class Order(NamedTuple):
    """Ranks and what is sure about them.

    Attributes:
        rank: Shape (n_models,).
        own: Ends of each rank's interval for this model alone, shape (n_models, 2); 0 where there
            are none.
        board: The same for all ranks of the board at once.
        tied: Whether two models cannot be told apart, shape (n_models, n_models).
        tied_on_board: The same, of all pairs at once.
        above: P(the row's model is better), shape (n_models, n_models).
    """

    rank: Ints
    own: Ints
    board: Ints
    tied: Bools
    tied_on_board: Bools
    above: Floats


def tell_apart(estimate: SolvedRatings, spread: Uncertainty) -> Apart:
    """What an estimate and its errors tell apart."""
    known, gap = _known(estimate, spread), _gaps(estimate)
    df = np.where(known, spread.pair_df, 1.0)
    pair = quantile_of(0.975, df)
    own, board = _largest_by_chance(estimate, known)
    sign = np.sign(gap).astype(np.int8)
    error = np.where(known, spread.pair_error, 0.0)

    def surely(limit: Floats) -> Small:
        # A limit for many is never below that for one.
        return np.where(known & (np.abs(gap) > np.maximum(limit, pair) * error), sign, np.int8(0))

    return Apart(surely(pair), surely(own[:, None]), surely(np.full_like(gap, board)))


def order_models(estimate: SolvedRatings, spread: Uncertainty, apart: Apart) -> Order:
    """Ranks within each component."""
    gap, known = _gaps(estimate), _known(estimate, spread)
    same = estimate.component[:, None] == estimate.component[None, :]
    others = same & ~np.eye(len(same), dtype=np.bool_)
    there = np.isfinite(spread.half_width)
    df = np.where(known, spread.pair_df, 1.0)
    return Order(
        rank=1 + (same & (gap < 0)).sum(axis=1),
        own=_ends(apart.own, same, there),
        board=_ends(apart.board, same, there),
        tied=others & (apart.pair == 0),
        tied_on_board=others & (apart.board == 0),
        above=_probabilities(gap, spread.pair_error, df, known),
    )


def _ends(apart: Small, same: Bools, there: Bools) -> Ints:
    """From one more than the models surely better, to all but those surely worse."""
    best, worst = 1 + (apart < 0).sum(axis=1), same.sum(axis=1) - (apart > 0).sum(axis=1)
    return np.where(there[:, None], np.stack([best, worst], axis=1), 0)


def _gaps(estimate: SolvedRatings) -> Floats:
    gap = estimate.theta[:, None] - estimate.theta[None, :]
    return np.where(np.abs(gap) <= _EQUAL, 0.0, gap)


def _known(estimate: SolvedRatings, spread: Uncertainty) -> Bools:
    """Of which pairs there is an error."""
    same = estimate.component[:, None] == estimate.component[None, :]
    return np.asarray(same & ~np.isnan(spread.pair_df))


def _largest_by_chance(estimate: SolvedRatings, known: Bools) -> tuple[Floats, float]:
    """What the largest |t| of each model's differences, and of all, stays under in 95 %."""
    n = len(known)
    n_families = len(estimate.replicates)
    if n_families < 2:
        # No families, no coins: Bonferroni's bound, for normal errors.
        each, pairs = max(1, n - 1), max(1, n * (n - 1) // 2)
        return np.full(n, quantile(1 - 0.025 / each, np.inf)), quantile(1 - 0.025 / pairs, np.inf)
    shares = _largest_shares(estimate.replicates, known)
    own = _as_t(np.quantile(shares, 0.95, axis=0), n_families)
    return own, float(_as_t(np.quantile(shares.max(axis=1, initial=0.0), 0.95), n_families))


def _as_t(share: Floats, n: int) -> Floats:
    """|t| of a sum of n whose square is so many times the sum of squares."""
    return np.asarray(np.sqrt((n - 1) * share / np.maximum(n - share, 1e-9)))


def _largest_shares(replicates: Floats, known: Bools) -> Floats:
    """Of each draw and model the largest squared sum over the sum of squares of its differences.

    Shape (DRAWS, n_models).
    """
    n_families, n = replicates.shape
    influence = replicates - replicates.mean(axis=0)
    squares = np.zeros((n, n))
    for moved in influence:
        squares += (moved[:, None] - moved[None, :]) ** 2
    per_square = np.where(known & (squares > _EQUAL**2), 1 / np.maximum(squares, _EQUAL**2), 0.0)
    coins = np.random.default_rng(0).integers(0, 2, (DRAWS, n_families)) * 2.0 - 1
    sums = coins @ influence
    at_once = max(1, _CHUNK // max(n * n, 1))
    found = [
        ((part[:, :, None] - part[:, None, :]) ** 2 * per_square).max(axis=2, initial=0.0)
        for part in np.split(sums, range(at_once, DRAWS, at_once))
    ]
    return np.concatenate(found)


def _probabilities(gap: Floats, error: Floats, df: Floats, known: Bools) -> Floats:
    """P(row above column), by Student's t; a half where both gap and error are nothing."""
    sharp = np.where(gap == 0, 0.0, np.copysign(np.inf, gap))
    divisor = np.where(known & (error > 0), error, 1.0)
    t = np.where(known & (error > 0), gap / divisor, sharp)
    return np.where(known, cdf_of(np.where(known, t, 0.0), df), np.nan)
