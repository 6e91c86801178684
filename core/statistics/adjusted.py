"""Scores adjusted for other means of the same samples, with intervals and ranks by the jackknife.

The page of a board computes the same in its script (core/html/assets/adjust.js).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .few_families import FEWEST_FAMILIES
from .joint import effective_clusters
from .student import quantile

Floats = NDArray[np.float64]


class Replicates(NamedTuple):
    """Means of a board's models, and the same with each family of items left out.

    Attributes:
        values: Score and measures of each model, shape (n_models, 1 + n_measures).
        left_out: Shape (n_families, n_models, 1 + n_measures).
        t: The 97.5 % quantile of Student's t for one interval; ``None`` with too few families.
        t_pairs: That for all pairs of models at once (Bonferroni).
    """

    values: Floats
    left_out: Floats
    t: float | None
    t_pairs: float | None


class AdjustedScore(NamedTuple):
    """A model's; interval and the ranks that it may have are ``None`` with too few families."""

    value: float
    ci95: tuple[float, float] | None
    rank: tuple[int, int] | None


def replicates(sums: Floats, counts: Floats) -> Replicates:
    """Those of sums of samples and their counts, shape (n_families, n_models, 1 + n_measures)."""
    total, n = sums.sum(axis=0), counts.sum(axis=0)
    left = n - counts
    values = total / n
    left_out = np.where(left > 0, (total - sums) / np.maximum(left, 1), values)
    if len(sums) < FEWEST_FAMILIES:
        return Replicates(values, left_out, None, None)
    pairs = max(1, len(values) * (len(values) - 1) // 2)
    df = max(float(effective_clusters(counts[:, :, 0].sum(axis=1))) - 1, 1.0)
    t, t_pairs = (quantile(1 - 0.025 / tests, df) for tests in (1, pairs))
    return Replicates(values, left_out, t, t_pairs)


def adjust(
    known: Replicates, scales: Sequence[float], strengths: Sequence[float]
) -> list[AdjustedScore]:
    """The scores with each control at its strength, from 0 to 1; see `BoardControl`."""
    weights = np.array(scales) * np.array(strengths)
    points, again = (_adjusted(rows, weights) for rows in (known.values, known.left_out))
    if known.t is None or known.t_pairs is None:
        return [AdjustedScore(float(point), None, None) for point in points]
    arms = known.t * _error(again)
    gaps = points[:, None] - points
    apart = np.abs(gaps) > known.t_pairs * _error(again[:, :, None] - again[:, None, :])
    above, below = ((apart & side).sum(axis=1) for side in (gaps < 0, gaps > 0))
    return [
        AdjustedScore(float(point), (float(point - arm), float(point + arm)),
                      (1 + int(up), len(points) - int(down)))
        for point, arm, up, down in zip(points, arms, above, below, strict=True)
    ]  # fmt: skip


def _adjusted(rows: Floats, weights: Floats) -> Floats:
    """Scores times their factors, shape (..., n_models)."""
    measures = rows[..., 1:]
    mean = measures.mean(axis=-2, keepdims=True)
    relative = np.where(mean > 0, measures / np.where(mean > 0, mean, 1.0) - 1, 0.0)
    factors = np.prod(1 - weights * np.minimum(relative, 1.0), axis=-1)
    return np.asarray(rows[..., 0] * factors)


def _error(again: Floats) -> Floats:
    """The standard error of what each family left out gives, over the first axis."""
    n = len(again)
    return np.asarray(np.sqrt((n - 1) / n * ((again - again.mean(axis=0)) ** 2).sum(axis=0)))
