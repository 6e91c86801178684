"""Student's t distribution: what intervals from few clusters need. Without scipy.

Degrees of freedom that are no whole number, as of clusters of unequal size, lie between the two
whole ones in proportion to their inverses.
"""

from functools import cache
from math import atan, cos, erf, inf, isfinite, pi, sin, sqrt

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_EXACT_UP_TO = 400  # beyond, the normal approximation below is off by less than 1e-5


@cache
def quantile(p: float, df: float) -> float:
    """The p quantile, found by halving to 1e-13.

    Args:
        p: Between 0 and 1, exclusive.
        df: Degrees of freedom from 1, or infinite for the normal.
    """
    if p < 0.5:
        return -quantile(1 - p, df)
    if share := _beyond_whole(df):
        return (1 - share) * quantile(p, int(df)) + share * quantile(p, int(df) + 1)
    low, high = 0.0, 1.0
    while cdf(high, df) < p:
        high *= 2
    while high - low > 1e-13 * max(1.0, high):
        middle = (low + high) / 2
        low, high = (middle, high) if cdf(middle, df) < p else (low, middle)
    return (low + high) / 2


def cdf(t: float, df: float) -> float:
    """P(T <= t), exact for up to 400 degrees of freedom.

    Abramowitz and Stegun (1964), 26.7.3 and 26.7.4 (finite sums for whole degrees of
    freedom) and 26.7.8 (normal approximation for many).
    """
    if df == inf:
        return 0.5 + erf(t / sqrt(2)) / 2
    if share := _beyond_whole(df):
        return (1 - share) * cdf(t, int(df)) + share * cdf(t, int(df) + 1)
    if df > _EXACT_UP_TO:
        return cdf(t * (1 - 1 / (4 * df)) / sqrt(1 + t * t / (2 * df)), inf)
    if t in (inf, -inf):
        return float(t > 0)
    angle = atan(t / sqrt(df))
    return 0.5 + _between(angle, int(df)) / 2


def _beyond_whole(df: float) -> float:
    """How far from the whole number below to the one above, by their inverses: from 0 to 1."""
    return (df - int(df)) * (int(df) + 1) / df if isfinite(df) else 0.0


def _between(angle: float, df: int) -> float:
    """P(-t < T < t), signed: A(t | df) of Abramowitz and Stegun."""
    squared = cos(angle) ** 2
    term = cos(angle) if df % 2 else 1.0
    total = 0.0
    for k in range(1 + df % 2, df, 2):
        total += term
        term *= squared * k / (k + 1)
    if df % 2:
        return 2 / pi * (angle + sin(angle) * total)
    return sin(angle) * total


def cdf_of(t: Floats, df: Floats) -> Floats:
    """`cdf` of each element, any shape."""
    return np.asarray(np.frompyfunc(cdf, 2, 1)(t, df), dtype=np.float64)


def student_quantile(p: float, df: Floats) -> Floats:
    """`quantile` for each number of degrees of freedom, any shape; at least 1 is taken."""
    degrees = np.maximum(df, 1.0)
    whole = np.where(np.isfinite(degrees), np.floor(degrees), np.inf)
    below, above = _quantile_of_whole(p, whole), _quantile_of_whole(p, whole + 1)
    with np.errstate(invalid="ignore"):
        share = np.where(np.isfinite(whole), (degrees - whole) * (whole + 1) / degrees, 0.0)
    return np.asarray((1 - share) * below + share * above)


def _quantile_of_whole(p: float, df: Floats) -> Floats:
    values, index = np.unique(df, return_inverse=True)
    quantiles = np.array([quantile(p, float(value)) for value in values])
    return quantiles[index].reshape(np.shape(df))


def root_chi_square(df: float, n: int = 32) -> tuple[Floats, Floats]:
    """sqrt(chi-square / df) in `n` equal steps, and how likely each is; both of shape (n,).

    It is by how much a standard deviation of so many degrees of freedom seems larger than it is.
    """
    reach = 9 / sqrt(2 * df)
    low = max(0.0, 1 - reach)
    root = low + (1 + reach - low) * (np.arange(n) + 0.5) / n
    weight = np.exp((df - 1) * np.log(root) - df * (root**2 - 1) / 2)
    return root, weight / weight.sum()


def power_of(noncentrality: Floats, df: float, spread: npt.ArrayLike = 1.0) -> Floats:
    """How often a two-sided t test at 5 % rejects, by noncentral t; shape (n,), to 1e-6.

    Args:
        noncentrality: The true difference over its standard error, shape (n,).
        df: Degrees of freedom from 1.
        spread: What the difference varies by, in standard errors, above 0: one, or shape (n,).
    """
    root, weight = root_chi_square(df)
    middle, limit = noncentrality[:, None], quantile(0.975, df) * root
    width = np.reshape(spread, (-1, 1))
    return (_normal((middle - limit) / width) + _normal((-middle - limit) / width)) @ weight


def _normal(x: Floats) -> Floats:
    """The share of a standard normal below each, any shape, to 2e-7."""
    return np.interp(x, *_normal_table())


@cache
def _normal_table() -> tuple[Floats, Floats]:
    at = np.linspace(-9, 9, 9217)
    return at, np.array([cdf(float(x), inf) for x in at])
