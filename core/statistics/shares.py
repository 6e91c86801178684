"""The interval of a share whose trials come in clusters; a share of 0 or 1 has one too."""

import numpy as np
import numpy.typing as npt

from .bootstrap import LEVEL, Interval, known_sums, standard_error
from .few_families import FEWEST_FAMILIES
from .group_means import equal_clusters, group_mean_terms
from .student import quantile


def share_interval(hits: npt.ArrayLike, clusters: npt.ArrayLike | None = None) -> Interval | None:
    """The 95 % interval of a share.

    Wilson's (1927), Journal of the American Statistical Association 22, 209-212, with the number
    of independent trials that would vary as much between clusters, n at most, and Student's t with
    K - 1 degrees of freedom for K clusters: Dean and Pagano (2015), Journal of Survey Statistics
    and Methodology 3, 484-503. Where all or none are hits, each cluster counts as one trial.

    Args:
        hits: From 0 to 1 each, mostly 0 or 1, shape (n,); NaN is left out.
        clusters: Cluster of each, shape (n,); without it each is its own.

    Returns:
        None with fewer than eight clusters that have a trial.

    Raises:
        ValueError: A hit is below 0 or above 1.
    """
    known, sums = known_sums(hits, clusters)
    if ((known < 0) | (known > 1)).any():
        raise ValueError("a share is of hits from 0 to 1")
    if len(sums) < FEWEST_FAMILIES:
        return None
    t = quantile((1 + LEVEL) / 2, len(sums) - 1)
    p, error = float(known.mean()), standard_error(hits, clusters)
    if p in (0.0, 1.0):
        return wilson(p, len(sums), t)
    trials = p * (1 - p) / error**2 if error else known.size
    return wilson(p, min(known.size, trials), t)


def group_share_interval(
    hits: npt.ArrayLike,
    groups: npt.ArrayLike,
    clusters: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
) -> Interval | None:
    """The 95 % interval of the mean of the shares of groups, as `share_interval` has it of one.

    Wilson's, of as many independent trials as would vary as much as the mean of shares
    (`group_mean_terms`); where all or none are hits, of as many as `equal_clusters`. ``None`` with
    fewer than eight of these.

    Args:
        hits: From 0 to 1 each, shape (n,), without NaN.
        groups: The group of each, shape (n,).
        clusters: The cluster of each, shape (n,).
        weights: What each counts in its group, above 0; 1 without it.
    """
    terms = group_mean_terms(hits, groups, clusters, weights)
    k = equal_clusters(groups, clusters, weights)
    if k < FEWEST_FAMILIES:
        return None
    p, error = float(np.clip(terms.mean(), 0, 1)), standard_error(terms, clusters) or 0.0
    trials = p * (1 - p) / error**2 if error > 0 else k
    return wilson(p, trials, quantile(1 - (1 - LEVEL) / 2, k - 1))


def wilson(p: float, n: float, t: float) -> Interval:
    """The shares from which p is t standard errors away at most."""
    scale, centre = 1 + t * t / n, p + t * t / (2 * n)
    half = t * float(np.sqrt(p * (1 - p) / n + t * t / (4 * n * n)))
    return max(0.0, (centre - half) / scale), min(1.0, (centre + half) / scale)
