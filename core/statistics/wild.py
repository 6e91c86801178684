"""The wild bootstrap of a mean: a test and an interval that hold under skewness.

Student's t is off where values are skewed: a test of 5 % rejects 7 % and more. Hall's
transformation takes skewness out of t, and what is left to know of its distribution comes
from turning the signs of the clusters' deviations from the mean. Test and interval are of one
piece: p is below 0.05 exactly where the 95 % interval leaves out 0.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .bootstrap import LEVEL, Floats, Interval, known_sums
from .few_families import FEWEST_FAMILIES

TURNS = 10_000
"""Drawn where there are more ways to turn the signs."""
EXACT_CLUSTERS = 14
"""Up to so many clusters all ways are gone through: 2^13, as turning all of them is nothing new."""
TAKEN = 0.5
"""The share of the skewness that is taken out: all of it, as few clusters tell it, makes intervals
that are now and then several times too wide and cover no better (docs/coverage.md)."""
_TESTS = 32  # at once, so that what is turned stays in the processor's cache
_ROWS = 500
# Statistics this near to each other are equal but for rounding.
_ROUNDING = 1e-9


class MeanTest(NamedTuple):
    """What the wild bootstrap says of a mean; both None with fewer than eight clusters.

    Attributes:
        p: Two-sided, of a mean of zero; above 0.
        interval: The means that the test does not refuse.
    """

    p: float | None
    interval: Interval | None


class _Clusters(NamedTuple):
    """Sums of the values' deviations from their mean, and sizes: a column for each mean.

    Both of shape (n_clusters, n_means), 0 where a cluster has no value of a mean.
    """

    sums: Floats
    sizes: Floats

    @property
    def n(self) -> Floats:
        """How many clusters each mean has, shape (n_means,)."""
        return np.asarray((self.sizes > 0).sum(axis=0), dtype=np.float64)


def wild_bootstrap(
    values: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    *,
    rng: np.random.Generator,
    turns: int = TURNS,
) -> MeanTest:
    """A test of a mean of zero, and the 95 % interval of the mean.

    The statistic is H(t) = t + g t^2 / 3 + g^2 t^3 / 27 + g / 6 of t = mean / `standard_error`:
    Hall (1992), Journal of the Royal Statistical Society B 54, 221-228, where g is the skewness of
    the clusters' residuals over the root of their number; here it is half of that. It is held
    against its values when the signs of whole clusters' deviations are turned: Cameron, Gelbach
    and Miller (2008), Review of Economics and Statistics 90, 414-427. Up to 14 clusters all ways
    to turn them are gone through, beyond that they are drawn; p = (reached + 1) / (ways + 1).

    Args:
        values: Shape (n,); NaN is left out.
        clusters: Cluster of each, shape (n,); without it each is its own.
        rng: Source of the draws.
        turns: How many are drawn, at least 20.
    """
    known, by_cluster = known_sums(values, clusters)
    if len(by_cluster) < FEWEST_FAMILIES:
        return MeanTest(None, None)
    sums, sizes = by_cluster.T[:, :, None]
    deviations = _deviations(sums, sizes, np.array([np.abs(known).max()]))
    return _test(deviations, float(known.mean()), _signs(len(sums), turns, rng))


def wild_tests(
    sums: Floats, sizes: Floats, *, rng: np.random.Generator, turns: int = TURNS
) -> Floats:
    """The p-values of `wild_bootstrap` for many means, shape (n_means,).

    They are the very same where every mean has values in all clusters; else other draws, which all
    tests share. Sums of the values of each cluster, and how many these are, have shape (n_clusters,
    n_means); at least eight of each mean's are not 0.
    """
    parts = _in_parts(sums, sizes, turns, rng)
    return np.concatenate([_p_values(*part) for part in parts] or [np.zeros(0)])


def wild_intervals(
    sums: Floats, sizes: Floats, *, rng: np.random.Generator, turns: int = TURNS
) -> Floats:
    """The intervals of `wild_bootstrap` for many means over the same clusters, shape (2, n_means).

    All share at least 20 draws; else as `wild_tests`.
    """
    parts = _in_parts(sums, sizes, turns, rng)
    intervals = [_intervals(*part) for part in parts]
    return np.concatenate(intervals or [np.zeros((2, 0))], axis=1)


def _in_parts(
    sums: Floats, sizes: Floats, turns: int, rng: np.random.Generator
) -> Iterator[tuple[_Clusters, Floats, Floats]]:
    """Some means at a time: their clusters, the means and how far they come when turned."""
    mean = sums.sum(axis=0) / sizes.sum(axis=0)
    deviations = _deviations(sums, sizes, np.abs(sums / np.maximum(sizes, 1)).max(axis=0))
    signs = _signs(len(sums), turns, rng)
    for at in (slice(n, n + _TESTS) for n in range(0, len(mean), _TESTS)):
        part = _Clusters(deviations.sums[:, at], deviations.sizes[:, at])
        yield part, mean[at], np.abs(_mirrored(part, signs))


def _deviations(sums: Floats, sizes: Floats, largest: Floats) -> _Clusters:
    """Sums of deviations from the mean; those that are rounding of the largest value are 0."""
    deviations = sums - sizes * (sums.sum(axis=0) / sizes.sum(axis=0))
    return _Clusters(
        np.where(np.abs(deviations) <= 1e-12 * largest * sizes, 0.0, deviations), sizes
    )


def _p_values(deviations: _Clusters, mean: Floats, mirrored: Floats) -> Floats:
    n_ways = len(mirrored)
    alike = ~deviations.sums.any(axis=0)  # all clusters alike: nothing says how far another may lie
    error = np.where(alike, 1.0, _error(deviations))
    size = np.abs(_hall(mean / error, _skewness(deviations))) * (1 - _ROUNDING)
    reached = np.where(alike, np.where(mean == 0, n_ways, 0), (mirrored >= size).sum(axis=0))
    return np.asarray((reached + 1) / (n_ways + 1))


def _test(deviations: _Clusters, mean: float, signs: Floats) -> MeanTest:
    mirrored, means = np.abs(_mirrored(deviations, signs)), np.array([mean])
    low, high = _intervals(deviations, means, mirrored)[:, 0].tolist()
    return MeanTest(float(_p_values(deviations, means, mirrored)[0]), (low, high))


def _intervals(deviations: _Clusters, mean: Floats, mirrored: Floats) -> Floats:
    last = len(mirrored) - int((1 - LEVEL) * (len(mirrored) + 1))  # as many reach it as p allows
    furthest = np.partition(mirrored, last, axis=0)[last]
    alike = ~deviations.sums.any(axis=0)  # nothing turned is finite
    g = _skewness(deviations)
    furthest = np.where(alike, 0.0, furthest)
    arms = (_error(deviations) * _t_of(way * furthest, g) for way in (1, -1))
    return np.array([np.where(alike, mean, mean - arm) for arm in arms])


def _error(deviations: _Clusters) -> Floats:
    squares = deviations.n / (deviations.n - 1) * (deviations.sums**2).sum(axis=0)
    return np.asarray(np.sqrt(squares) / deviations.sizes.sum(axis=0))


def _skewness(deviations: _Clusters) -> Floats:
    """What is taken out of the residuals' skewness, over the root of the number of clusters."""
    squares = (deviations.sums**2).sum(axis=0)
    cubes = (deviations.sums**3).sum(axis=0)
    return np.asarray(TAKEN * cubes / np.where(squares > 0, squares, 1.0) ** 1.5)


def _hall(t: Floats, g: Floats) -> Floats:
    return np.asarray(t + g * t**2 / 3 + g**2 * t**3 / 27 + g / 6)


def _t_of(hall: Floats, g: Floats) -> Floats:
    """The t that Hall's transformation takes to a value: it rises everywhere."""
    flat = np.abs(g) < 1e-6  # there the value itself is nearer than rounding would bring it
    slope = np.where(flat, 1.0, g)
    return np.asarray(np.where(flat, hall, (np.cbrt(1 + g * (hall - g / 6)) - 1) * 3 / slope))


def _mirrored(deviations: _Clusters, signs: Floats) -> Floats:
    """Hall's statistic of each way, shape (n_ways, n_means); infinite without spread."""
    s, n = deviations
    sums = signs @ np.concatenate([s, s * n, s**3, s * n**2], axis=1)
    total, sn, cubed, sn2 = np.split(sums, 4, axis=1)
    mean, squares = total / n.sum(axis=0), (s**2).sum(axis=0)
    spread = squares - 2 * mean * sn + mean**2 * (n**2).sum(axis=0)
    cubes = cubed - 3 * mean * (s**2 * n).sum(axis=0) + 3 * mean**2 * sn2
    cubes -= mean**3 * (n**3).sum(axis=0)
    none = spread <= 1e-12 * squares
    root = np.sqrt(np.where(none, 1.0, spread))
    t = total / (root * np.sqrt(deviations.n / (deviations.n - 1)))
    g = TAKEN * cubes / root**3
    hall = t * (1 + g * t * (1 + g * t / 9) / 3) + g / 6
    return np.asarray(np.where(none, np.copysign(np.inf, total), hall))


def _signs(n_clusters: int, turns: int, rng: np.random.Generator) -> Floats:
    """Ways to turn signs, shape (n_ways, n_clusters): all there are, or as many as are drawn."""
    if n_clusters > EXACT_CLUSTERS:
        drawn: Floats = np.empty((turns, n_clusters))
        for at in (slice(n, n + _ROWS) for n in range(0, turns, _ROWS)):  # a third of the memory
            drawn[at] = 1.0 - 2.0 * rng.integers(0, 2, size=drawn[at].shape)
        return drawn
    codes = np.arange(2 ** (n_clusters - 1))[:, None]
    bits = codes >> np.arange(n_clusters - 1) & 1
    signs: Floats = 1.0 - 2.0 * np.column_stack([bits, np.zeros(len(codes))])
    return signs
