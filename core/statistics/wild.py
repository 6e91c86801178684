"""The wild bootstrap of a mean: a test and an interval that hold under skewness.

Student's t is off where values are skewed: a test of 5 % rejects 7 % and more. Hall's
transformation takes skewness out of t, and what is left to know of its distribution comes
from turning the signs of the clusters' deviations from the mean. Test and interval are of one
piece: p is below 0.05 exactly where the 95 % interval leaves out 0.
"""

from collections.abc import Iterator
from math import inf, isfinite
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .bootstrap import FEW_UNLIKE, LEVEL, Floats, Interval, known_sums
from .few_families import FEWEST_FAMILIES
from .joint import effective_clusters
from .student import student_quantile

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
        interval: The means that the test does not refuse; None too where all clusters are alike and
            the mean may lie as far off as it likes.
    """

    p: float | None
    interval: Interval | None


class _Clusters(NamedTuple):
    """Sums of the values' deviations from their mean, and sizes: a column for each mean.

    Both of shape (n_clusters, n_means), 0 where a cluster has no value of a mean. The deviations
    are those from the mean of the other clusters, less what this makes of clusters of one size.
    """

    sums: Floats
    sizes: Floats

    @property
    def n(self) -> Floats:
        """How many clusters each mean has, shape (n_means,)."""
        return np.asarray((self.sizes > 0).sum(axis=0), dtype=np.float64)

    def stretch(self, equal: float) -> Floats:
        """How much further a mean of unequal clusters comes than turned signs say: 1 of equal ones.

        The quantile of Student's t of the effective clusters, `equal` at most, over that of all,
        shape (n_means,).
        """
        degrees = (np.minimum(effective_clusters(self.sizes.T), equal) - 1, self.n - 1)
        effective, whole = (student_quantile((1 + LEVEL) / 2, df.round(9)) for df in degrees)
        return np.asarray(effective / whole)


def wild_bootstrap(
    values: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    *,
    rng: np.random.Generator,
    turns: int = TURNS,
    reach: float = inf,
    equal: float = inf,
) -> MeanTest:
    """A test of a mean of zero, and the 95 % interval of the mean.

    The statistic is H(t) = t + g t^2 / 3 + g^2 t^3 / 27 + g / 6 of t = mean / `standard_error`:
    Hall (1992), Journal of the Royal Statistical Society B 54, 221-228, where g is the skewness of
    the clusters' residuals over the root of their number; here it is half of that. It is held
    against its values when the signs of whole clusters' deviations are turned: Cameron, Gelbach
    and Miller (2008), Review of Economics and Statistics 90, 414-427. Up to 14 clusters all ways
    to turn them are gone through, beyond that they are drawn; p = (reached + 1) / (ways + 1).

    A cluster much larger than others draws the mean to itself: what is turned is the deviation from
    the mean of the others (MacKinnon, Nielsen and Webb 2023, Journal of Applied Econometrics 38,
    671-694), and the turned statistics count for as much more as Student's t of the effective
    clusters lies further out. Where all clusters are alike, the interval is that of
    `bootstrap.within`, and p is of a piece with it: (R / (|mean| + R))^K for K clusters. Where
    nearly all are the largest or least that they can be, it is no shorter.

    p is never below 2^(1 - j) where j clusters are not 0: clusters that are 0 have no sign, and
    under no difference all j signs are the same with that probability. So up to five such clusters
    leave p above 0.05; the interval then holds 0 and is no shorter than that of clusters all 0.

    Args:
        values: Shape (n,); NaN is left out.
        clusters: Cluster of each, shape (n,); without it each is its own.
        rng: Source of the draws.
        turns: How many are drawn, at least 20.
        reach: R, the largest that a value can be, whichever its sign.
        equal: How many clusters of equal size say as much, where that is less than sizes tell
            (`group_means.equal_clusters`).
    """
    _, by_cluster = known_sums(values, clusters)
    if len(by_cluster) < FEWEST_FAMILIES:
        return MeanTest(None, None)
    sums, sizes = by_cluster.T[:, :, None]
    ((part, mirrored),) = _in_parts(sums, sizes, turns, rng, reach, equal)
    low, high = _intervals(part, mirrored)[:, 0].tolist()
    p = float(_p_values(part, mirrored)[0])
    return MeanTest(p, (low, high) if isfinite(high - low) else None)


def wild_tests(
    sums: Floats,
    sizes: Floats,
    *,
    rng: np.random.Generator,
    turns: int = TURNS,
    reach: float = inf,
    equal: float = inf,
) -> Floats:
    """The p-values of `wild_bootstrap` for many means, shape (n_means,).

    They are the very same where every mean has values in all clusters; else other draws, which all
    tests share. Sums of the values of each cluster, and how many these are, have shape (n_clusters,
    n_means); at least eight of each mean's are not 0.
    """
    parts = _in_parts(sums, sizes, turns, rng, reach, equal)
    return np.concatenate([_p_values(*part) for part in parts] or [np.zeros(0)])


def wild_intervals(
    sums: Floats,
    sizes: Floats,
    *,
    rng: np.random.Generator,
    turns: int = TURNS,
    reach: float = inf,
    equal: float = inf,
) -> Floats:
    """The intervals of `wild_bootstrap` for many means over the same clusters, shape (2, n_means).

    All share at least 20 draws; else as `wild_tests`. Infinite where there is none.
    """
    parts = _in_parts(sums, sizes, turns, rng, reach, equal)
    intervals = [_intervals(*part) for part in parts]
    return np.concatenate(intervals or [np.zeros((2, 0))], axis=1)


class _Means(NamedTuple):
    """Some means, and of what clusters they are.

    Attributes:
        deviations: What is turned.
        mean: Shape (n_means,).
        mode: What all of the clusters, or all but a few, are; NaN where there is no such number.
        signs: How many clusters are not 0.
        reach: The largest that a value can be.
    """

    deviations: _Clusters
    mean: Floats
    mode: Floats
    signs: Floats
    reach: float


def _in_parts(
    sums: Floats, sizes: Floats, turns: int, rng: np.random.Generator, reach: float, equal: float
) -> Iterator[tuple[_Means, Floats]]:
    """Some means at a time, and how far they come when turned, shape (n_ways, n_means)."""
    signs = _signs(len(sums), turns, rng)
    for at in (slice(n, n + _TESTS) for n in range(0, sums.shape[1], _TESTS)):
        part = _means(sums[:, at], sizes[:, at], reach)
        mirrored = np.abs(_mirrored(part.deviations, signs))
        mirrored *= part.deviations.stretch(equal)
        yield part, mirrored


def _means(sums: Floats, sizes: Floats, reach: float) -> _Means:
    mean, deviations = sums.sum(axis=0) / sizes.sum(axis=0), _deviations(sums, sizes)
    mode = np.where(deviations.sums.any(axis=0), np.nan, mean)
    unit = reach if isfinite(reach) else np.abs(sums / np.maximum(sizes, 1)).max(axis=0)
    signs = _unlike(sums, sizes, 0.0, unit)
    if isfinite(reach):
        mode = np.where(np.isnan(mode) & (signs <= FEW_UNLIKE), 0.0, mode)
    few = np.minimum(FEW_UNLIKE, deviations.n // 4)
    for end in (-reach, reach) if isfinite(reach) else ():
        near = np.isnan(mode) & (_unlike(sums, sizes, end, unit) <= few)
        mode = np.where(near, end, mode)
    return _Means(deviations, mean, mode, signs, reach)


def _unlike(sums: Floats, sizes: Floats, at: float, unit: float | Floats) -> Floats:
    """How many clusters of each mean have another value, but for rounding of the unit."""
    return np.asarray((np.abs(sums - at * sizes) > 1e-12 * unit * sizes).sum(axis=0))


def _deviations(sums: Floats, sizes: Floats) -> _Clusters:
    """What is turned; deviations that are rounding of the largest value are 0."""
    total, n_clusters = sizes.sum(axis=0), (sizes > 0).sum(axis=0)
    largest = np.abs(sums / np.maximum(sizes, 1)).max(axis=0)
    deviations = sums - sizes * (sums.sum(axis=0) / total)
    deviations[np.abs(deviations) <= 1e-12 * largest * sizes] = 0.0
    return _Clusters(deviations * (1 - 1 / n_clusters) / (1 - sizes / total), sizes)


def _p_values(means: _Means, mirrored: Floats) -> Floats:
    deviations, mean, _, signs, reach = means
    alike = ~deviations.sums.any(axis=0)  # all clusters alike: nothing says how far another may lie
    error = np.where(alike, 1.0, _error(deviations))
    size = np.abs(_hall(mean / error, _skewness(deviations))) * (1 - _ROUNDING)
    p = ((mirrored >= size).sum(axis=0) + 1) / (len(mirrored) + 1)
    p = np.where(alike, (1 + np.abs(mean) / reach) ** -deviations.n, p)
    return np.asarray(np.maximum(p, np.minimum(1, 2.0 ** (1 - signs))))


def _intervals(means: _Means, mirrored: Floats) -> Floats:
    deviations, mean, mode, signs, reach = means
    last = len(mirrored) - int((1 - LEVEL) * (len(mirrored) + 1))  # as many reach it as p allows
    furthest = np.partition(mirrored, last, axis=0)[last]
    g, unlike = _skewness(deviations), 1 - (1 - LEVEL) ** (1 / deviations.n)
    furthest = np.where(deviations.sums.any(axis=0), furthest, 0.0)  # of those alike none is finite
    low, high = (mean - _error(deviations) * _t_of(way * furthest, g) for way in (1, -1))
    low = np.fmin(low, mode - unlike * (mode + reach))
    high = np.fmax(high, mode + unlike * (reach - mode))
    few = signs <= FEW_UNLIKE
    low, high = np.where(few, np.fmin(low, 0), low), np.where(few, np.fmax(high, 0), high)
    return np.clip([low, high], -reach, reach)


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
