"""How alike two raters order models by their mean ratings.

Rank coefficients are made of the signs of differences between means (Daniels 1944, Biometrika
33, 129-135): a rank, less the mean rank, is half the sum of its row of signs.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .bootstrap import REPLICATES, Floats, cluster_index, cluster_sums
from .estimate import Estimate
from .estimates import (
    MIN_PAIRS,
    ROUNDING,
    RatedPairs,
    estimates,
    in_parts,
    over_root,
    rated_pairs,
)


class OrderAgreement(NamedTuple):
    """How alike two raters order models.

    Attributes:
        models: Those with a target that both rated, sorted by name.
        first_means: The first rater's mean of each, in that order.
        second_means: Likewise the second's.
        spearman: Of the means; None with fewer than three models.
        kendall: Tau-b of the means; None likewise.
    """

    models: tuple[str, ...]
    first_means: tuple[float, ...]
    second_means: tuple[float, ...]
    spearman: Estimate
    kendall: Estimate


def order_agreement(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    models: Sequence[str],
    clusters: npt.ArrayLike | None = None,
    *,
    seed: int = 0,
    replicates: int = REPLICATES,
) -> OrderAgreement:
    """How alike two raters order models by their mean ratings.

    Kendall's tau-b (Kendall 1945, Biometrika 33, 239-251) and Spearman's rho of the means. The
    intervals are over clusters, with the models as they are: they say what other scenarios
    might have given, not what other models would.

    Args:
        first: Ratings, shape (n,); a pair with NaN is left out.
        second: Likewise, in the same order.
        models: The model of each pair, length n.
        clusters: Cluster of each pair, shape (n,); models may share them.
        seed: Of the draws.
        replicates: How many resamples.

    Raises:
        ValueError: The series differ in shape.
    """
    pairs = rated_pairs(first, second, clusters)
    names, model = np.unique(np.asarray(models, dtype=str)[pairs.known], return_inverse=True)
    columns, m = _columns(pairs, model, names.size), names.size
    totals = columns.sum(axis=0)
    means = [(totals[part * m : part * m + m] / totals[2 * m :]).tolist() for part in (0, 1)]
    if m < MIN_PAIRS:
        message = f"{m} model{'s' * (m != 1)} that both rated; an order needs {MIN_PAIRS}"
        both = [Estimate(None, None, message)] * 2
    else:
        sums = cluster_sums(columns, cluster_index(pairs.clusters))
        message = "a rater gives all models one mean"
        both = estimates(sums, lambda t: _orders(t, m), message, seed=seed, replicates=replicates)
    return OrderAgreement(tuple(names.tolist()), tuple(means[0]), tuple(means[1]), *both)


def _columns(pairs: RatedPairs, model: npt.NDArray[np.intp], m: int) -> Floats:
    """What each pair adds to the first's sums of m models, to the second's, to the counts."""
    is_of_model = (model[:, None] == np.arange(m)).astype(np.float64)
    return np.hstack(
        [is_of_model * pairs.first[:, None], is_of_model * pairs.second[:, None], is_of_model]
    )


def _orders(totals: Floats, m: int) -> Floats:
    """Rho and tau-b of two raters' means of m models, for each row of sums and counts."""
    return in_parts(totals, m * m, lambda part: _orders_of(part, m))


def _orders_of(totals: Floats, m: int) -> Floats:
    counts = totals[:, 2 * m :]
    one, two = (_signs(totals[:, part * m : part * m + m], counts) for part in (0, 1))
    ranks = one.sum(axis=2), two.sum(axis=2)
    signs = one.reshape(len(one), -1), two.reshape(len(two), -1)
    return np.column_stack([_coefficient(*ranks), _coefficient(*signs)])


def _coefficient(one: Floats, two: Floats) -> Floats:
    return over_root((one * two).sum(axis=1), (one**2).sum(axis=1) * (two**2).sum(axis=1))


def _signs(sums: Floats, counts: Floats) -> Floats:
    """The sign of each difference of two means, shape (rows, m, m); NaN where one has no mean."""
    means = np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)
    gaps = means[:, :, None] - means[:, None, :]
    scale = np.abs(means).max(axis=1)[:, None, None]
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(np.abs(gaps) <= ROUNDING * scale, 0.0, np.sign(gaps)))
