"""Numbers of tests that people take: reliability, and a place among those who took it."""

import math

import numpy as np
import numpy.typing as npt


def cronbach_alpha(scores: npt.ArrayLike) -> float | None:
    """Cronbach's alpha: how far the items of a test measure one thing.

    k / (k - 1) * (1 - sum of item variances / variance of the sums), variances with n - 1:
    Cronbach (1951), Psychometrika 16, equation 2.

    Args:
        scores: Shape (n_people, n_items).

    Returns:
        None with fewer than two people or two items, or when all people have one sum.

    Raises:
        ValueError: It is not a matrix, or holds NaN.
    """
    matrix = np.asarray(scores, dtype=np.float64)
    if matrix.ndim != 2 or np.isnan(matrix).any():
        raise ValueError(f"need people x items without NaN, got shape {matrix.shape}")
    people, items = matrix.shape
    if people < 2 or items < 2:
        return None
    total = float(matrix.sum(axis=1).var(ddof=1))
    if total <= 1e-24 * float(np.square(matrix).max()):
        return None  # the sums differ by rounding alone
    of_items = float(matrix.var(axis=0, ddof=1).sum())
    return float(items / (items - 1) * (1 - of_items / total))


def normal_share_below(value: float, *, mean: float, sd: float) -> float:
    """The share, 0..1, of a normal population that lies below a value; `sd` > 0."""
    return math.erfc((mean - value) / (sd * math.sqrt(2))) / 2


def lognormal_share_below(value: float, *, mean: float, sd: float) -> float:
    """The share, 0..1, of a lognormal population that lies below a value.

    The population is the one whose values (not their logarithms) have this mean and this
    standard deviation: sigma^2 = ln(1 + (sd / mean)^2), mu = ln(mean) - sigma^2 / 2.

    Args:
        value: Any; at 0 and below the share is 0.
        mean: Above 0.
        sd: Above 0.
    """
    if value <= 0:
        return 0.0
    variance = math.log1p((sd / mean) ** 2)
    mu = math.log(mean) - variance / 2
    return normal_share_below(math.log(value), mean=mu, sd=math.sqrt(variance))


def p_of_zero_correlation(r: float, n: int) -> float:
    """The two-sided p-value of r = 0 for n normal pairs: Student's t with n - 2 degrees.

    Its distribution as the finite series of Abramowitz and Stegun (1964), 26.7.3 and 26.7.4,
    where t / sqrt(n - 2) = tan(theta), so r = sin(theta).

    Args:
        r: Pearson's r, -1..1.
        n: At least 3.
    """
    degrees, sine, cosine = n - 2, abs(r), math.sqrt(max(0.0, 1 - r * r))
    odd = degrees % 2
    term, total = cosine if odd else 1.0, 0.0
    for k in range(1 + odd, degrees, 2):
        total += term
        term *= cosine * cosine * k / (k + 1)
    within = sine * total
    if odd:
        within = 2 / math.pi * (math.asin(min(1.0, sine)) + within)
    return min(1.0, max(0.0, 1 - within))
