"""Ranks of ratings, what can be told apart, and how likely one model is the better one.

What is told apart is decided as for all boards (`statistics.joint`), from ratings with one family
left out each.
"""

from typing import NamedTuple

import numpy as np

from ..statistics.joint import Apart, Differences, rank_ends
from ..statistics.student import cdf_of
from .arrays import Bools, Floats, Ints
from .intervals import SolvedRatings, Uncertainty

FEWEST_MODELS = 8
"""With fewer, nothing is said of how much noise adds to distances: it is told too badly."""
_EQUAL = 1e-9  # natural units: differences below are rounding


class Order(NamedTuple):
    """Ranks, shape (n_models,), and what is sure about them.

    `of_row` are the ends of each rank's interval for this model alone, shape (n_models, 2), 0 where
    there are none; `board` those for all ranks of the board at once. `tied` says whether two models
    cannot be told apart, all pairs of the board at once, shape (n_models, n_models), `tied_alone`
    each pair by itself; `above` is P(the row's model is better). `kept` is B of each model's
    component, see `shares_kept`.
    """

    rank: Ints
    of_row: Ints
    board: Ints
    tied: Bools
    tied_alone: Bools
    above: Floats
    kept: Floats


def differences(estimate: SolvedRatings, spread: Uncertainty) -> Differences:
    """The differences of ratings; known are those within a component that have an error."""
    df = np.where(_together(estimate), spread.pair_df, np.nan)
    return Differences(_gaps(estimate), spread.pair_error, df, estimate.replicates)


def order_models(estimate: SolvedRatings, spread: Uncertainty, apart: Apart) -> Order:
    """Ranks within each component."""
    gaps, same = differences(estimate, spread), _together(estimate)
    others = same & ~np.eye(len(same), dtype=np.bool_)
    has_interval = np.isfinite(spread.half_width)[:, None]
    kept = shares_kept(estimate, gaps)
    return Order(
        rank=1 + (same & (gaps.gap < 0)).sum(axis=1),
        of_row=np.where(has_interval, rank_ends(apart.of_row, same), 0),
        board=np.where(has_interval, rank_ends(apart.board, same), 0),
        tied=others & (apart.board == 0),
        tied_alone=others & (apart.pair == 0),
        above=_probabilities(gaps, kept),
        kept=kept,
    )


def shares_kept(estimate: SolvedRatings, gaps: Differences) -> Floats:
    """What is left of ratings' distances when what noise adds to them is taken off, by component.

    B = 1 - (M - 3)/(M - 1) * mean(error^2 / 2) / variance of M ratings (with M - 1), where the
    errors are those of the pairs; from 0 to 1, NaN of fewer than eight models; shape (n_models,).
    The positive part of James and Stein's estimator towards the mean (Efron and Morris 1973,
    Journal of the American Statistical Association 68, 117-130).
    """
    kept = np.full(len(estimate.theta), np.nan)
    for component in np.unique(estimate.component):
        members = np.flatnonzero(estimate.component == component)
        square = np.ix_(members, members)
        pairs = gaps.known[square] & ~np.eye(len(members), dtype=np.bool_)
        if len(members) >= FEWEST_MODELS and pairs.any():
            noise = float((gaps.error[square][pairs] ** 2).mean()) / 2
            ratio = noise / max(float(estimate.theta[members].var(ddof=1)), _EQUAL**2)
            kept[members] = np.clip(1 - (len(members) - 3) / (len(members) - 1) * ratio, 0.0, 1.0)
    return kept


def _together(estimate: SolvedRatings) -> Bools:
    return np.asarray(estimate.component[:, None] == estimate.component[None, :])


def _gaps(estimate: SolvedRatings) -> Floats:
    gap = estimate.theta[:, None] - estimate.theta[None, :]
    return np.where(np.abs(gap) <= _EQUAL, 0.0, gap)


def _probabilities(gaps: Differences, kept: Floats) -> Floats:
    """P(row above column): T(sqrt(B) t) by Student's t, NaN where B is.

    A half where both gap and error are nothing.
    """
    known, gap = gaps.known & ~np.isnan(kept)[:, None], gaps.gap
    sharp = np.where(gap == 0, 0.0, np.copysign(np.inf, gap))
    has_error = known & (gaps.error > 0)
    t = np.where(has_error, gap / np.where(has_error, gaps.error, 1.0), sharp)
    share = np.where(np.isnan(kept), 0.0, np.maximum(kept, _EQUAL))
    t = np.where(known, t, 0.0) * np.sqrt(share)[:, None]
    return np.where(known, cdf_of(t, np.where(known, gaps.df, 1.0)), np.nan)
