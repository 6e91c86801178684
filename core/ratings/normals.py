"""Ratings of engines that know a mean and a standard deviation of each model, and no families."""

from typing import NamedTuple

import numpy as np

from ..statistics.joint import tell_apart
from .arrays import Floats
from .assembling import RatingParts, lay_out, scale_warnings
from .comparisons import Comparisons
from .intervals import Q, SolvedRatings, Uncertainty, apply_scale, choose_scale
from .ordering import differences, order_models
from .result import Ratings
from .settings import RatingSettings
from .weighing import components


class Normals(NamedTuple):
    """What an engine knows, in points.

    Attributes:
        mean: Of each model, shape (n_models,).
        deviation: The same shape.
        centre: Where a model starts.
    """

    mean: Floats
    deviation: Floats
    centre: float


def rate_by_normals(
    engine: str, comparisons: Comparisons, found: Normals, settings: RatingSettings, message: str
) -> Ratings:
    """Points on an anchored scale, or the engine's own, with intervals of 1.96 deviations.

    Args:
        engine: Its name.
        comparisons: With all names.
        found: Of their models, in their order.
        settings: Anchors.
        message: What is wrong with such intervals.
    """
    n = len(comparisons.models)
    estimate = SolvedRatings(
        theta=(found.mean - found.centre) / Q,
        deviation=found.deviation / Q,
        families=comparisons.families_of_models(),
        effective=comparisons.effective_families_of_models(),
        component=components(n, comparisons.a, comparisons.b),
        replicates=np.empty((0, n)),
    )
    scale, why = choose_scale(comparisons.models, estimate, settings)
    if scale.first is None:
        scale = scale._replace(place=found.centre)
    _, unit = apply_scale(estimate, scale)
    variance = estimate.deviation**2
    pair_error = np.sqrt(variance[:, None] + variance[None, :])
    half_width = 1.96 * np.abs(unit) * estimate.deviation
    spread = Uncertainty(half_width, pair_error, np.full((n, n), np.inf), None)
    warnings = (*comparisons.warnings, message, *scale_warnings(estimate, scale, why))
    order = order_models(estimate, spread, tell_apart(differences(estimate, spread)))
    return lay_out(engine, comparisons, RatingParts(estimate, scale, spread, order), {}, warnings)
