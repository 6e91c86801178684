"""From estimates to ratings: the scale and intervals.

Every family of items is left out in turn, and each time everything is estimated and anchored
anew: the delete-one jackknife. Comparisons within a family share transcripts and texts, so
families are the unit that was sampled; comparisons are not.
"""

from typing import NamedTuple

import numpy as np

from ..few_families import FEWEST_FAMILIES
from ..statistics.student import quantile_of
from .anchors import MIN_GAP, FoundAnchors, Q, Scale, find_anchors
from .comparisons import Floats, Ints
from .settings import Anchor, RatingSettings

_EQUAL = 1e-9  # natural units: differences below are rounding


class SolvedRatings(NamedTuple):
    """What an engine found, in natural units (Q points each).

    Attributes:
        theta: Shape (n_models,).
        deviation: The engine's own standard deviation of each, shape (n_models,).
        families: In how many families each was compared, shape (n_models,).
        component: Shape (n_models,).
        replicates: Estimates with one family left out each, shape (n_families, n_models).
    """

    theta: Floats
    deviation: Floats
    families: Ints
    component: Ints
    replicates: Floats


class Uncertainty(NamedTuple):
    """The uncertainty of estimates; NaN where it is not known.

    Attributes:
        half_width: Of the 95 % interval of each, points, shape (n_models,).
        pair_error: Standard error of each difference, natural units, shape (n, n).
        pair_df: Degrees of freedom of each difference, shape (n, n).
        ratings: Replicates on the scale of the ratings, shape (n_families, n).
    """

    half_width: Floats
    pair_error: Floats
    pair_df: Floats
    ratings: Floats | None


def choose_scale(
    models: tuple[str, ...], estimate: SolvedRatings, settings: RatingSettings
) -> tuple[Scale, str]:
    """The scale, and why it is not anchored (empty when it is)."""
    found = find_anchors(models, settings.anchor_sets)
    if isinstance(found, str):
        return Scale(), found
    (first, top), (second, bottom) = found
    names = f"{models[first]!r} and {models[second]!r}"
    if estimate.component[first] != estimate.component[second]:
        return Scale(), f"no chain of comparisons connects the anchors {names}"
    gap = float(estimate.theta[first] - estimate.theta[second])
    error = _gap_error(estimate, found)
    along = gap if top > bottom else -gap
    if along <= _EQUAL or along < MIN_GAP * error:
        message = f"the anchors {names} are {along * Q:.1f} points apart"
        message += " (the wrong way round)" if along < -_EQUAL else ""
        return Scale(), f"{message}, under {MIN_GAP:g} standard errors of {error * Q:.1f}"
    unit = (top - bottom) / gap
    used = (Anchor(models[first], top), Anchor(models[second], bottom))
    place = top - unit * float(estimate.theta[first])
    return Scale(unit, place, first, second, used), ""


def _gap_error(estimate: SolvedRatings, found: FoundAnchors) -> float:
    """Standard error of the difference of the anchors."""
    first, second = found.first[0], found.second[0]
    if len(estimate.replicates) < 2:
        return float(np.hypot(estimate.deviation[first], estimate.deviation[second]))
    return float(jackknife_error(estimate.replicates[:, first] - estimate.replicates[:, second]))


def jackknife_error(replicates: Floats) -> Floats:
    """Standard error of each column, NaN with fewer than two replicates.

    sqrt((S - 1) / S * sum_s (x_s - mean)^2) for S replicates: Efron and Tibshirani (1993), An
    Introduction to the Bootstrap, equation 11.5.
    """
    n = len(replicates)
    if n < 2:
        return np.full(replicates.shape[1:], np.nan)
    squares = ((replicates - replicates.mean(axis=0)) ** 2).sum(axis=0)
    return np.asarray(np.sqrt((n - 1) / n * squares))


def apply_scale(estimate: SolvedRatings, scale: Scale) -> tuple[Floats, Floats]:
    """Place and unit of each model: those of the scale where it holds, else the plain ones."""
    plain = Scale()
    if scale.first is None:
        same = np.ones(len(estimate.theta), dtype=np.bool_)
    else:
        same = estimate.component == estimate.component[scale.first]
    return np.where(same, scale.place, plain.place), np.where(same, scale.unit, plain.unit)


def measure_spread(estimate: SolvedRatings, scale: Scale) -> Uncertainty:
    """Intervals and standard errors from the families."""
    known = estimate.families >= FEWEST_FAMILIES
    df = np.where(known, estimate.families - 1.0, np.nan)
    ratings = _scaled_replicates(estimate, scale)
    error = jackknife_error(ratings)
    if scale.first is not None and scale.second is not None:
        error[[scale.first, scale.second]] = 0.0  # fixed by definition, but for rounding
    t = quantile_of(0.975, np.where(known, df, 1))
    return Uncertainty(
        half_width=np.where(known, t * error, np.nan),
        pair_error=_pair_errors(estimate.replicates),
        pair_df=np.minimum(df[:, None], df[None, :]),
        ratings=ratings,
    )


def _scaled_replicates(estimate: SolvedRatings, scale: Scale) -> Floats:
    """Replicates as ratings, each anchored by itself, shape (n_families, n_models)."""
    place, unit = apply_scale(estimate, scale)
    replicates = estimate.replicates
    plain = np.asarray(place + unit * replicates)
    if scale.first is None or scale.second is None:
        return plain
    (_, top), (_, bottom) = scale.used
    first, second = replicates[:, [scale.first]], replicates[:, [scale.second]]
    anchored = top + (top - bottom) * (replicates - first) / (first - second)
    return np.where(estimate.component == estimate.component[scale.first], anchored, plain)


def _pair_errors(replicates: Floats) -> Floats:
    """Standard error of each difference, shape (n_models, n_models)."""
    n_families, n = replicates.shape
    total = np.zeros((n, n))
    for moved in replicates - replicates.mean(axis=0):
        # Differences first, then squares: equal models then differ by nothing at all.
        total += (moved[:, None] - moved[None, :]) ** 2
    return np.asarray(np.sqrt(total * (n_families - 1) / n_families)) if n_families else total
