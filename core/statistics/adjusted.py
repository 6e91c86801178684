"""What scores are adjusted by for other means of the same samples, with jackknife replicates.

The script of a board's page (core/html/assets/adjust.js) computes scores, intervals and ranks.
"""

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
