"""Agreement on categories, corrected for chance: Cohen's kappa and Krippendorff's alpha.

Both are one minus what raters disagree over what they would disagree if each gave its categories
by chance. Units of one cluster (items that share a text) stay together in their intervals.

Nothing here returns NaN: what does not exist is None, with a reason.
"""

from typing import Literal

import numpy as np
import numpy.typing as npt

from .bootstrap import REPLICATES, Floats, cluster_ids, cluster_index, cluster_sums
from .estimate import Estimate
from .estimates import estimates, rated_pairs, too_few

Weights = Literal["none", "linear", "quadratic"]
Metric = Literal["nominal", "ordinal", "interval"]
ALL_ALIKE = "all ratings are the same, so chance would agree in full"


def cohen_kappa(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    *,
    weights: Weights | npt.ArrayLike = "none",
    seed: int = 0,
    replicates: int = REPLICATES,
) -> Estimate:
    """Cohen's kappa of two raters, from below 0 (less than chance) to 1 (in full).

    1 - sum w p_ij / sum w p_i. p_.j with the disagreement weights w: Cohen (1960), Educational and
    Psychological Measurement 20, 37-46; weighted: Cohen (1968), Psychological Bulletin 70,
    213-220.

    Args:
        first: Categories as numbers, shape (n,); a pair with NaN is left out.
        second: Likewise, in the same order.
        clusters: Cluster of each pair, shape (n,); without it each pair is its own.
        weights: How much a disagreement counts: ``none``: all alike; ``linear`` or ``quadratic``:
            by how far apart the categories' numbers are; or a matrix for the categories in
            ascending order, 0 on its diagonal.
        seed: Of the draws.
        replicates: How many resamples.

    Returns:
        No value with fewer than three pairs, or when both raters give one and the same category.

    Raises:
        ValueError: The series differ in shape, or the matrix does not fit the categories.
    """
    one, two, ids, _ = rated_pairs(first, second, clusters)
    if lacking := too_few(len(one)):
        return lacking
    values, index = np.unique(np.concatenate([one, two]), return_inverse=True)
    weight, n = _weights(weights, values), len(values)
    cells = np.zeros((len(one), n * n))
    cells[np.arange(len(one)), index[: len(one)] * n + index[len(one) :]] = 1.0

    def kappa(totals: Floats) -> Floats:
        table = totals.reshape(-1, n, n)
        rows, columns = table.sum(axis=2), table.sum(axis=1)
        by_chance = np.einsum("ri,rj,ij->r", rows, columns, weight) / table.sum(axis=(1, 2))
        return _less_chance(np.einsum("rij,ij->r", table, weight), by_chance)

    sums = cluster_sums(cells, cluster_index(ids))
    (estimate,) = estimates(sums, kappa, ALL_ALIKE, seed=seed, replicates=replicates)
    return estimate


def krippendorff_alpha(
    ratings: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    *,
    metric: Metric = "nominal",
    seed: int = 0,
    replicates: int = REPLICATES,
) -> Estimate:
    """Krippendorff's alpha of any number of raters, who need not all rate every unit.

    1 - (n - 1) sum o_ck d_ck / sum n_c n_k d_ck over the coincidences o of the n values in units
    that two raters or more have rated, with the squared differences d of the metric:
    Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, sections A to D.

    Args:
        ratings: Numbers, shape (n_units, n_raters); NaN where a rater has not rated.
        clusters: Cluster of each unit, shape (n_units,); without it each unit is its own.
        metric: ``nominal``: categories; ``ordinal``: ranks; ``interval``: numbers.
        seed: Of the draws.
        replicates: How many resamples.

    Returns:
        No value with fewer than three units that two have rated, or when all ratings are the same.

    Raises:
        ValueError: `ratings` is not a matrix with two columns or more, or there is no such metric.
    """
    matrix = np.asarray(ratings, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] < 2:
        raise ValueError(f"need a matrix of two raters or more, got shape {matrix.shape}")
    if metric not in ("nominal", "ordinal", "interval"):
        raise ValueError(f"the metric is nominal, ordinal or interval, not {metric!r}")
    paired = (~np.isnan(matrix)).sum(axis=1) >= 2
    rows = matrix[paired]
    if lacking := too_few(len(rows)):
        return lacking
    values = np.unique(rows[~np.isnan(rows)])
    index = cluster_index(cluster_ids(clusters, len(matrix))[paired])
    sums = cluster_sums(_coincidences(rows, values), index)
    (estimate,) = estimates(
        sums, lambda t: _alpha(t, values, metric), ALL_ALIKE, seed=seed, replicates=replicates
    )
    return estimate


def _weights(weights: Weights | npt.ArrayLike, values: Floats) -> Floats:
    """How much each disagreement counts, shape (n, n)."""
    apart = np.abs(values[:, None] - values[None, :])
    named = {"none": (apart > 0).astype(np.float64), "linear": apart, "quadratic": apart**2}
    if isinstance(weights, str):
        if weights not in named:
            raise ValueError(f"weights are none, linear, quadratic or a matrix, not {weights!r}")
        return named[weights]
    matrix = np.asarray(weights, dtype=np.float64)
    if matrix.shape != apart.shape or (matrix < 0).any() or np.diagonal(matrix).any():
        raise ValueError(
            f"weights of {len(values)} categories are a matrix of that size, from 0 on and 0 on "
            f"its diagonal; got shape {matrix.shape}"
        )
    return matrix


def _coincidences(rows: Floats, values: Floats) -> Floats:
    """The coincidences of values within each unit, shape (n_units, n_values ** 2)."""
    counts = (rows[:, :, None] == values).sum(axis=1).astype(np.float64)
    pairs = counts[:, :, None] * counts[:, None, :]
    with_itself = np.einsum("uv,vw->uvw", counts, np.eye(len(values)))
    shared = counts.sum(axis=1) - 1
    return np.asarray((pairs - with_itself).reshape(len(rows), -1) / shared[:, None])


def _alpha(totals: Floats, values: Floats, metric: Metric) -> Floats:
    """Alpha for each row of coincidences."""
    seen = totals.reshape(-1, len(values), len(values))
    counts = seen.sum(axis=2)
    squares = _squared_differences(counts, values, metric)
    observed = (seen * squares).sum(axis=(1, 2))
    by_chance = np.einsum("rc,rk,rck->r", counts, counts, squares)
    return _less_chance(observed, by_chance / (counts.sum(axis=1) - 1))


def _squared_differences(counts: Floats, values: Floats, metric: Metric) -> Floats:
    """How different two values are, for each row of how often each came, shape (n, v, v)."""
    if metric == "ordinal":
        # The number of values between two, with half of their own: a rank difference.
        middle = np.cumsum(counts, axis=1) - counts / 2
        return np.asarray((middle[:, :, None] - middle[:, None, :]) ** 2)
    apart = values[:, None] - values[None, :]
    square = apart**2 if metric == "interval" else (apart != 0).astype(np.float64)
    return np.broadcast_to(square, (len(counts), *square.shape))


def _less_chance(observed: Floats, by_chance: Floats) -> Floats:
    """1 - observed / by chance; NaN where chance would agree in full."""
    none = np.full_like(by_chance, np.nan)
    return np.asarray(1 - np.divide(observed, by_chance, out=none, where=by_chance > 0))
