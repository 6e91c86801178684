"""From estimates to ratings: the two models that fix the scale, and intervals.

Every family of items is left out in turn, and each time everything is estimated and anchored
anew: the delete-one jackknife. Comparisons within a family share transcripts and texts, so
families are the unit that was sampled; comparisons are not.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..errors import UsageError
from ..parties.party import MARK, plain_name
from ..statistics.few_families import FEWEST_FAMILIES
from ..statistics.joint import pair_errors
from ..statistics.student import student_quantile
from .arrays import Floats, Ints
from .settings import Anchor, AnchorSet, RatingSettings

Q = 173.71779276130073
"""Points in a natural unit: 400 / ln 10."""
CENTRE = 1500.0
MIN_GAP = 3.0
"""Fewest standard errors between the anchors; with fewer the scale would be noise."""


class Scale(NamedTuple):
    """How natural units become points: ``rating = offset + unit * theta``.

    `first` and `second` are indices of the anchors, None where the scale is not anchored; `used`
    has them under the names that the models have.
    """

    unit: float = Q
    offset: float = CENTRE
    first: int | None = None
    second: int | None = None
    used: tuple[Anchor, ...] = ()


class FoundAnchors(NamedTuple):
    """Two anchors that are there: the index of each model, and its rating."""

    first: tuple[int, float]
    second: tuple[int, float]


def check_anchors(anchors: Sequence[Anchor]) -> tuple[AnchorSet, ...]:
    """One set of the two anchors that a user gave; none if there were none."""
    if not anchors:
        return ()
    if len(anchors) != 2:
        raise UsageError(f"a scale has two anchors, not {len(anchors)}: give --anchor twice")
    first, second = anchors
    if first.model == second.model:
        raise UsageError(f"both anchors are {first.model!r}; give two models")
    if first.rating == second.rating:
        raise UsageError(f"both anchors are fixed to {first.rating:g}; give two ratings")
    return (AnchorSet(first, second),)


def find_anchors(models: Sequence[str], sets: Sequence[AnchorSet]) -> FoundAnchors | str:
    """The first set whose models are both there, else why there is none.

    A model matches by its name, else by the last part of its spec, where one alone does. One that
    was imported matches without its mark, where no other does.
    """
    if not sets:
        return "no anchors are given"
    reasons = []
    for anchors in sets:
        matches = [_find(models, anchor.model) for anchor in anchors]
        missing = [match for match in matches if isinstance(match, str)]
        first, second = matches
        if isinstance(first, int) and isinstance(second, int):
            if first != second:
                return FoundAnchors((first, anchors.first.rating), (second, anchors.second.rating))
            missing = [f"both anchors are {models[first]!r}"]
        reasons += missing
    return "; ".join(dict.fromkeys(reasons))


def _find(models: Sequence[str], name: str) -> int | str:
    if name in models:
        return models.index(name)
    last = [i for i, m in enumerate(models) if _last_part(m) == _last_part(name)]
    last = [i for i in last if not models[i].endswith(MARK)] or last
    if len(last) == 1:
        return last[0]
    if not last:
        return f"the anchor {name!r} was not compared"
    could = " or ".join(repr(models[i]) for i in last)
    return f"the anchor {name!r} could be {could}"


def _last_part(spec: str) -> str:
    return plain_name(spec).rsplit("/", 1)[-1].lower()


_EQUAL = 1e-9  # natural units: differences below are rounding


class SolvedRatings(NamedTuple):
    """What an engine found, in natural units (Q points each), for models: shape (n_models,).

    `deviation` is the engine's own standard deviation. Each model was compared in so many families,
    which say as much as `effective` ones of equal size. `replicates` are estimates with one family
    left out each, shape (n_families, n_models).
    """

    theta: Floats
    deviation: Floats
    families: Ints
    effective: Floats
    component: Ints
    replicates: Floats


class Uncertainty(NamedTuple):
    """The uncertainty of estimates; NaN where it is not known.

    Half the width of the 95 % interval of each, points, shape (n_models,); of each difference the
    standard error, natural units, and degrees of freedom by effective families, shape (n, n); and
    replicates on the scale of the ratings, shape (n_families, n).
    """

    half_width: Floats
    pair_error: Floats
    pair_df: Floats
    ratings: Floats | None


def choose_scale(
    models: tuple[str, ...], estimate: SolvedRatings, settings: RatingSettings
) -> tuple[Scale, str]:
    """The scale, and why it is not anchored (empty when it is)."""
    anchors = find_anchors(models, settings.anchor_sets)
    if isinstance(anchors, str):
        return Scale(), anchors
    (first, top), (second, bottom) = anchors
    names = f"{models[first]!r} and {models[second]!r}"
    if estimate.component[first] != estimate.component[second]:
        return Scale(), f"no chain of comparisons connects the anchors {names}"
    gap = float(estimate.theta[first] - estimate.theta[second])
    error = _gap_error(estimate, anchors)
    along = gap if top > bottom else -gap
    if along <= _EQUAL or along < MIN_GAP * error:
        message = f"the anchors {names} are {along * Q:.1f} points apart"
        message += " (the wrong way round)" if along < -_EQUAL else ""
        return Scale(), f"{message}, under {MIN_GAP:g} standard errors of {error * Q:.1f}"
    unit = (top - bottom) / gap
    used = (Anchor(models[first], top), Anchor(models[second], bottom))
    offset = top - unit * float(estimate.theta[first])
    return Scale(unit, offset, first, second, used), ""


def _gap_error(estimate: SolvedRatings, anchors: FoundAnchors) -> float:
    """Standard error of the difference of the anchors."""
    first, second = anchors.first[0], anchors.second[0]
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
    return np.where(same, scale.offset, plain.offset), np.where(same, scale.unit, plain.unit)


def measure_spread(estimate: SolvedRatings, scale: Scale) -> Uncertainty:
    """Intervals and standard errors from the families."""
    known = estimate.families >= FEWEST_FAMILIES
    df = np.where(known, estimate.families - 1.0, np.nan)
    effective = np.where(known, np.maximum(estimate.effective - 1.0, 1.0), np.nan)
    ratings = _scaled_replicates(estimate, scale)
    error = jackknife_error(ratings)
    if scale.first is not None and scale.second is not None:
        error[[scale.first, scale.second]] = 0.0  # fixed by definition, but for rounding
    t = student_quantile(0.975, np.where(known, df, 1))
    return Uncertainty(
        half_width=np.where(known, t * error, np.nan),
        pair_error=pair_errors(estimate.replicates),
        pair_df=np.minimum(effective[:, None], effective[None, :]),
        ratings=ratings,
    )


def _scaled_replicates(estimate: SolvedRatings, scale: Scale) -> Floats:
    """Replicates as ratings, each anchored by itself, shape (n_families, n_models)."""
    offset, unit = apply_scale(estimate, scale)
    replicates = estimate.replicates
    plain = np.asarray(offset + unit * replicates)
    if scale.first is None or scale.second is None:
        return plain
    (_, top), (_, bottom) = scale.used
    first, second = replicates[:, [scale.first]], replicates[:, [scale.second]]
    anchored = top + (top - bottom) * (replicates - first) / (first - second)
    return np.where(estimate.component == estimate.component[scale.first], anchored, plain)
