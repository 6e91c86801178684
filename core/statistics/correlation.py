"""How two series of numbers go together: Pearson's r and Spearman's rho with their intervals.

Pairs are complete: where either number is NaN (or None), the pair is left out, and `n` says how
many are left. Intervals are by Fisher's transformation, not by bootstrap: for eight pairs of
jointly normal numbers the percentile bootstrap covers about 90 % where it says 95, Fisher's
interval 94 to 96. Both are about other models drawn like these.

Nothing here returns NaN: what does not exist is None.
"""

from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .bootstrap import LEVEL, Floats, Interval
from .estimate import Estimate

Numbers = npt.ArrayLike | Sequence[float | None]

MIN_PAIRS = 3
"""With two pairs every correlation is 1 or -1."""
# Nearer to 1 than rounding can tell: such a coefficient is a perfect one.
_PERFECT = 1 - 1e-12


class Correlation(NamedTuple):
    """A coefficient.

    Attributes:
        value: From -1 to 1; None with fewer than three pairs, or when a series is constant.
        interval: None without a value, with fewer than four pairs, or when the coefficient
            is 1 or -1, where the transformation has no value.
        n: Complete pairs.
    """

    value: float | None
    interval: Interval | None
    n: int

    def estimate(self, reason: str | None = None) -> Estimate:
        """It as an estimate, with the reason where it has no interval."""
        return Estimate(self.value, self.interval, None if self.interval else reason)


class Pairs(NamedTuple):
    """The complete pairs of two series, each of shape (n,)."""

    x: Floats
    y: Floats

    @property
    def n(self) -> int:
        """How many pairs."""
        return len(self.x)


def complete_pairs(x: Numbers, y: Numbers) -> Pairs:
    """The pairs of which both numbers are known.

    Args:
        x: Shape (n,); NaN or None where there is no number.
        y: Likewise, in the same order.

    Raises:
        ValueError: They differ in shape, or hold an infinity.
    """
    first, second = as_floats(x), as_floats(y)
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(f"need two series of one length, got {first.shape} and {second.shape}")
    if np.isinf(first).any() or np.isinf(second).any():
        raise ValueError("an infinity has no place in a correlation")
    known = ~(np.isnan(first) | np.isnan(second))
    return Pairs(first[known], second[known])


def pearson(x: Numbers, y: Numbers) -> Correlation:
    """Pearson's r: how nearly the pairs lie on a straight line.

    sum(dx dy) / sqrt(sum(dx^2) sum(dy^2)) with deviations from the means (Pearson 1895). The
    95 % interval is tanh(atanh r -+ z / sqrt(n - 3)) (Fisher 1921).

    Args:
        x: Shape (n,); NaN or None where there is no number.
        y: Likewise, in the same order.

    Raises:
        ValueError: They differ in shape, or hold an infinity.
    """
    pairs = complete_pairs(x, y)
    value = _product_moment(pairs)
    return Correlation(value, fisher_interval(value, pairs.n), pairs.n)


def spearman(x: Numbers, y: Numbers) -> Correlation:
    """Spearman's rho: how nearly the pairs come in the same order.

    Pearson's r of the ranks, ties with their mean rank (Spearman 1904; Kendall 1945 for ties).
    The interval is Fisher's with the variance (1 + rho^2 / 2) / (n - 3) of Bonett and Wright
    (2000), Psychometrika 65, 23-28, as ranks are not normal.

    Args:
        x: Shape (n,); NaN or None where there is no number.
        y: Likewise, in the same order.

    Raises:
        ValueError: They differ in shape, or hold an infinity.
    """
    pairs = complete_pairs(x, y)
    value = _product_moment(Pairs(mean_ranks(pairs.x), mean_ranks(pairs.y)))
    widening = 1.0 if value is None else 1 + value**2 / 2
    interval = fisher_interval(value, pairs.n, variance=widening)
    return Correlation(value, interval, pairs.n)


def fisher_interval(
    value: float | None, n: int, *, level: float = LEVEL, variance: float = 1.0
) -> Interval | None:
    """Interval of a correlation coefficient by Fisher's transformation.

    Args:
        value: The coefficient, from -1 to 1.
        n: Pairs it stands on.
        level: Coverage, between 0 and 1.
        variance: That of atanh(value), times n - 3.

    Returns:
        None without a value, with fewer than four pairs, or for 1 and -1.
    """
    if value is None or n < 4 or abs(value) > _PERFECT:
        return None
    z = NormalDist().inv_cdf((1 + level) / 2)
    centre, half = np.arctanh(value), z * np.sqrt(variance / (n - 3))
    return float(np.tanh(centre - half)), float(np.tanh(centre + half))


def mean_ranks(values: npt.ArrayLike) -> Floats:
    """Ranks from 1, the smallest first; equal values share the mean of their ranks.

    Args:
        values: Shape (n,), no NaN.
    """
    _, group, sizes = np.unique(as_floats(values), return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    return np.asarray((last - (sizes - 1) / 2)[group], dtype=np.float64)


def leave_one_out(x: Numbers, y: Numbers) -> list[float | None]:
    """Pearson's r without each of the complete pairs in turn, in their order.

    A coefficient that changes much with one pair says more about that pair than about the
    rest. None where it does not exist.

    Raises:
        ValueError: They differ in shape, or hold an infinity.
    """
    pairs = complete_pairs(x, y)
    rest = (np.arange(pairs.n) != i for i in range(pairs.n))
    return [_product_moment(Pairs(pairs.x[keep], pairs.y[keep])) for keep in rest]


def _product_moment(pairs: Pairs) -> float | None:
    """Pearson's r of complete pairs, if it exists."""
    if pairs.n < MIN_PAIRS or is_constant(pairs.x) or is_constant(pairs.y):
        return None
    dx, dy = unit_deviations(pairs.x), unit_deviations(pairs.y)
    value = float(dx @ dy / np.sqrt((dx @ dx) * (dy @ dy)))
    return min(1.0, max(-1.0, value))


def as_floats(values: Numbers) -> Floats:
    """The numbers as an array; None becomes NaN."""
    return np.asarray(values, dtype=np.float64)


def is_constant(values: Floats) -> bool:
    """Whether all are equal; so is a series of none or one."""
    return len(values) < 2 or bool(values.min() == values.max())


def unit_deviations(values: Floats) -> Floats:
    """Deviations from the mean, the largest as 1, so that powers neither vanish nor overflow."""
    unit = values / np.abs(values).max()
    # Twice: the mean of numbers far from zero is off by rounding.
    centred = unit - unit.mean()
    centred -= centred.mean()
    return np.asarray(centred / np.abs(centred).max(), dtype=np.float64)
