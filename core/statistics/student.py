"""Student's t distribution: what intervals from few clusters need. Without scipy.

Degrees of freedom need be no whole number, as of clusters of unequal size.
"""

from functools import cache
from math import erf, exp, inf, isfinite, lgamma, log, pi, sqrt

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
    if isfinite(df) and df != int(df):
        return _between_whole(p, df)
    low, high = 0.0, 1.0
    while cdf(high, df) < p:
        high *= 2
    while high - low > 1e-13 * max(1.0, high):
        middle = (low + high) / 2
        low, high = (middle, high) if cdf(middle, df) < p else (low, middle)
    return (low + high) / 2


def _between_whole(p: float, df: float) -> float:
    """The same where `df` is no whole number, by Newton's method.

    It begins between the quantiles of the whole numbers on either side. From the lower one on it
    never overshoots, as the distribution function is concave from 0 on; so it goes no lower.
    """
    low, share = quantile(p, int(df) + 1), (df - int(df)) * (int(df) + 1) / df
    t = share * low + (1 - share) * quantile(p, int(df))
    scale = exp(lgamma((df + 1) / 2) - lgamma(df / 2)) / sqrt(df * pi)
    for _ in range(100):
        step = (p - cdf(t, df)) / (scale * (1 + t * t / df) ** (-(df + 1) / 2))
        t = max(low, t + step)
        if abs(step) < 1e-10 * max(1.0, t):  # it squares with each step
            break
    return t


def cdf(t: float, df: float) -> float:
    """P(T <= t), exact for up to 400 degrees of freedom.

    Abramowitz and Stegun (1964), 26.7.1 (by the incomplete beta function) and 26.7.8 (normal
    approximation for many).
    """
    if df == inf:
        return 0.5 + erf(t / sqrt(2)) / 2
    if df > _EXACT_UP_TO:
        return cdf(t * (1 - 1 / (4 * df)) / sqrt(1 + t * t / (2 * df)), inf)
    if t in (inf, -inf):
        return float(t > 0)
    a, x = df / 2, df / (df + t * t)
    if x < (a + 1) / (a + 2.5):
        beyond = _beta(a, 0.5, x, t * t / (df + t * t))
    else:
        beyond = 1 - _beta(0.5, a, t * t / (df + t * t), x)
    return 1 - beyond / 2 if t > 0 else beyond / 2


def _beta(a: float, b: float, x: float, rest: float) -> float:
    """The regularised incomplete beta function at x below (a + 1) / (a + b + 2); `rest` is 1 - x.

    The continued fraction 26.5.8 of Abramowitz and Stegun, by the method of Lentz (1976).
    """
    if x <= 0:
        return 0.0
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(rest)) / a
    value, upper, lower = 1.0, 1.0, 0.0
    for n in range(1, 1000):
        m = n // 2
        if n % 2:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        lower = 1 / (1 + term * lower)
        upper = 1 + term / upper
        value *= upper * lower
        if abs(upper * lower - 1) < 1e-16:
            break
    return front / value


def cdf_of(t: Floats, df: Floats) -> Floats:
    """`cdf` of each element, any shape."""
    return np.asarray(np.frompyfunc(cdf, 2, 1)(t, df), dtype=np.float64)


def student_quantile(p: float, df: Floats) -> Floats:
    """`quantile` for each number of degrees of freedom, any shape; at least 1 is taken."""
    values, index = np.unique(np.maximum(df, 1.0), return_inverse=True)
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
