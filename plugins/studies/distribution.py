"""How numbers are spread: the shape of a series of scores, and what reruns of one score do.

Each statistic is named by its definition, as peers differ in them: the coefficient of variation
(CV) takes the standard deviation with n - 1, the quartiles interpolate linearly, the skewness
is that of the population. These are the ones that give table 2 of Paech (2023).

Nothing here returns NaN: what does not exist is None.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eibench.statistics import Numbers, is_constant, unit_deviations

Floats = npt.NDArray[np.float64]
SCALE = 100.0


class Distribution(NamedTuple):
    """The shape of a series.

    Attributes:
        n: Numbers in it.
        mean: None without any.
        median: None without any.
        cv_sample: Standard deviation (n - 1) over the mean; see `coefficient_of_variation`.
        iqr_linear: Third minus first quartile, interpolated linearly between order
            statistics (definition 7 of Hyndman and Fan 1996); None with fewer than two.
        skewness_population: m3 / m2^1.5 of the central moments with n (Joanes and Gill 1998,
            g1); None when all numbers are equal.
    """

    n: int
    mean: float | None
    median: float | None
    cv_sample: float | None
    iqr_linear: float | None
    skewness_population: float | None


class Spread(NamedTuple):
    """What reruns of one score do.

    Attributes:
        n: Reruns with a score.
        mean: None without any.
        sd_sample: Standard deviation (n - 1); None with fewer than two.
        cv_sample: That over the mean; see `coefficient_of_variation`.
        low: The smallest; None without any.
        high: The largest.
        range: The largest minus the smallest; None with fewer than two.
    """

    n: int
    mean: float | None
    sd_sample: float | None
    cv_sample: float | None
    low: float | None
    high: float | None
    range: float | None


def min_max(values: Numbers, top: float = SCALE) -> Floats | None:
    """The values moved and stretched so that the smallest is 0 and the largest is `top`.

    Args:
        values: Shape (n,), finite; NaN or None is left out.
        top: What the largest becomes.

    Returns:
        None when all are equal, or with fewer than two: there is nothing to stretch.

    Raises:
        ValueError: They are no series, or hold an infinity.
    """
    known = _known(values)
    if is_constant(known):
        return None
    unit = known / np.abs(known).max()  # so that the range of very large numbers is one
    return np.asarray((unit - unit.min()) / (unit.max() - unit.min()) * top)


def describe(values: Numbers) -> Distribution:
    """The shape of a series; of its min-max scores it is that of table 2 in Paech (2023).

    Args:
        values: Shape (n,), finite; NaN or None is left out.

    Raises:
        ValueError: They are no series, or hold an infinity.
    """
    known = _known(values)
    if not len(known):
        return Distribution(0, None, None, None, None, None)
    quartiles = np.quantile(known, [0.25, 0.75])
    return Distribution(
        n=len(known),
        mean=float(known.mean()),
        median=float(np.median(known)),
        cv_sample=coefficient_of_variation(known),
        iqr_linear=float(quartiles[1] - quartiles[0]) if len(known) > 1 else None,
        skewness_population=_skewness(known),
    )


def spread(values: Numbers) -> Spread:
    """What reruns of one score do.

    Args:
        values: A score per rerun, shape (n,), finite; NaN or None is left out.

    Raises:
        ValueError: They are no series, or hold an infinity.
    """
    known = _known(values)
    if not len(known):
        return Spread(0, None, None, None, None, None, None)
    several = len(known) > 1
    low, high = float(known.min()), float(known.max())
    return Spread(
        n=len(known),
        mean=float(known.mean()),
        sd_sample=_sample_sd(known) if several else None,
        cv_sample=coefficient_of_variation(known),
        low=low,
        high=high,
        range=high - low if several else None,
    )


def coefficient_of_variation(values: Numbers) -> float | None:
    """Standard deviation (n - 1) over the mean, as a fraction.

    It measures spread in units of the distance from zero, so zero has to be the least there
    can be.

    Args:
        values: Shape (n,), finite; NaN or None is left out.

    Returns:
        None with fewer than two values, when one is negative, or when all are zero.

    Raises:
        ValueError: They are no series, or hold an infinity.
    """
    known = _known(values)
    if len(known) < 2 or known.min() < 0 or known.max() == 0:
        return None
    return _sample_sd(known) / float(known.mean())


def _known(values: Numbers) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or np.isinf(array).any():
        raise ValueError(f"need a finite series, got shape {array.shape}")
    return array[~np.isnan(array)]


def _sample_sd(values: Floats) -> float:
    """Standard deviation with n - 1; of equal values exactly 0, whatever rounding says."""
    if is_constant(values):
        return 0.0
    size = np.abs(values).max()  # squares of very small and very large numbers are none
    return float((values / size).std(ddof=1) * size)


def _skewness(values: Floats) -> float | None:
    if is_constant(values):
        return None
    deviations = unit_deviations(values)  # the unit cancels
    return float(np.mean(deviations**3) / np.mean(deviations**2) ** 1.5)
