"""The mean of group means: each group counts alike, however many values it has; values by weight.

Its variance is that of a stratified mean with equal weights, the sum over G groups of
s_g^2 / (G^2 n_g), and its degrees of freedom are Satterthwaite's, for groups that vary alike
(Cochran 1977, Sampling Techniques, sections 5.3 and 5.4); clusters stay together. The groups are
fixed, so that how far their means lie apart adds nothing.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .bootstrap import (
    NO_ENDS,
    Floats,
    Interval,
    beyond_seen,
    cluster_bootstrap,
    cluster_ids,
    cluster_index,
    known_sums,
    within,
)
from .few_families import FEWEST_FAMILIES
from .joint import effective_clusters


def group_mean_terms(
    values: npt.ArrayLike,
    groups: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
) -> Floats:
    """A term for each value, whose plain mean is the mean of the groups' weighted means.

    A term is that mean plus n w / (G W_g), where W_g are the weights of its group together, times
    the value's deviation from the mean of its group. So whatever is right for a mean of values
    (intervals, standard errors, tests) is right for the mean of group means, to first order where
    a cluster has several values. Deviations are from the mean of a few, so they are stretched by
    sqrt(K_g / (K_g - 1)) for K_g clusters, less what `standard_error` does for all. Where a group
    has a single cluster, nothing is known of its spread, and all deviations are from the mean of
    group means: too wide rather than too narrow.

    Args:
        values: Shape (n,), without NaN.
        groups: The group of each, shape (n,).
        clusters: The cluster of each, shape (n,); without it each is its own.
        weights: What each counts in its group, above 0; 1 without it.
    """
    numbers = np.asarray(values, dtype=np.float64)
    if not numbers.size:
        return numbers
    group, n_clusters, k = _clusters(groups, clusters)
    weight = _weights(weights, numbers.size)
    totals = np.bincount(group, weight)
    means = np.bincount(group, weight * numbers) / totals
    centres, stretch = np.full(totals.size, means.mean()), np.ones(totals.size)
    if n_clusters.min() > 1:
        centres, stretch = means, np.sqrt(n_clusters / (n_clusters - 1) * (k - 1) / k)
    factor = numbers.size * weight * (stretch / (totals.size * totals))[group]
    return np.asarray(means.mean() + factor * (numbers - centres[group]))


def equal_clusters(
    groups: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
) -> int:
    """How many clusters of one group would say as much of the mean of group means: rounded down.

    One more than its degrees of freedom; where a group has a single cluster, the effective clusters
    by their weight in the mean. With weights those of each group are its effective ones too.
    """
    group, n_clusters, k = _clusters(groups, clusters)
    if not group.size:
        return 0
    weight = _weights(weights, group.size)
    cluster = cluster_index(cluster_ids(clusters, group.size))
    shares = weight / np.bincount(group, weight)[group]
    if n_clusters.min() == 1:
        return int(effective_clusters(np.bincount(cluster, shares)))
    equal = np.asarray(n_clusters, dtype=np.float64)
    if weights is not None:
        of_group = np.bincount(group * k + cluster, shares, n_clusters.size * k)
        equal = effective_clusters(of_group.reshape(-1, k))
    return int(1 + (1 / equal).sum() ** 2 / (1 / equal**2 / (equal - 1)).sum() + 1e-9)


def group_mean_interval(
    values: npt.ArrayLike,
    groups: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
    *,
    rng: np.random.Generator,
    ends: Interval = NO_ENDS,
) -> Interval | None:
    """The 95 % interval of the mean of group means: that of the mean of `group_mean_terms`.

    ``None`` where it stands on fewer than eight `equal_clusters`, and as `mean_interval`.
    """
    ids, equal = cluster_ids(clusters, np.size(groups)), equal_clusters(groups, clusters, weights)
    terms, sums = known_sums(group_mean_terms(values, groups, ids, weights), ids)
    if equal < FEWEST_FAMILIES:
        return None
    (drawn,) = cluster_bootstrap(sums, lambda t: t[:, 0] / t[:, 1], rng=rng, stands_on=[equal])
    # Where all are alike: as many in each group as in the smallest would say no more.
    _, n_clusters, whole = _clusters(groups, ids)
    least, mean = min(whole, n_clusters.size * int(n_clusters.min())), float(terms.mean())
    held = within(drawn or (mean, mean), ends, least)
    return held and beyond_seen(held, known_sums(values, ids)[1], ends, least)


class _Clusters(NamedTuple):
    """The group of each value, how many clusters each group has, and all."""

    group: npt.NDArray[np.intp]
    n_clusters: npt.NDArray[np.intp]
    n: int


def _clusters(groups: npt.ArrayLike, clusters: npt.ArrayLike | None) -> _Clusters:
    group = cluster_index(groups)
    cluster = cluster_index(cluster_ids(clusters, group.size))
    pairs = np.unique(np.column_stack([group, cluster]), axis=0)
    return _Clusters(group, np.bincount(pairs[:, 0]), int(cluster.max(initial=-1)) + 1)


def _weights(weights: npt.ArrayLike | None, n: int) -> Floats:
    return np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)
