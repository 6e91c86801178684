"""Whether numbers that were handed in are drawn as those that are drawn anew: two exact tests.

Both rest on one thing: if they are, which of the numbers of an item was handed in is a matter of
chance, whatever their distribution.
"""

from collections.abc import Sequence
from math import comb, prod, sqrt
from statistics import fmean
from typing import NamedTuple

import numpy as np

from .bootstrap import Floats
from .student import student_quantile

LEVEL = 0.05
TURNS = 9_999
"""Ways to say anew which numbers of an item were handed in, drawn at random."""
POWER = 0.8
_ROUNDING = 1e-9


class Redrawn(NamedTuple):
    """How far numbers that were handed in lie above those that were drawn anew.

    Attributes:
        difference: Mean over items of the difference of means.
        p: Two-sided, of no difference in distribution, by relabelling within items (Fisher 1935);
            ``None`` where so few numbers could never show one.
        shows: The true difference that is told in at least 80 % of such draws, by Student's t and
            the spread of these differences; ``None`` with fewer than two items, where all differ
            alike, or if `p` is.
    """

    items: int
    difference: float
    p: float | None
    shows: float | None


def redrawn(
    handed_in: Sequence[Sequence[float]],
    anew: Sequence[Sequence[float]],
    rng: np.random.Generator,
    turns: int = TURNS,
) -> Redrawn:
    """Numbers that were handed in against those that were drawn anew, by item.

    Args:
        handed_in: Of each item those that were handed in, one or more.
        anew: Likewise, in the same order.
        rng: Draws the relabellings.
        turns: How many; p is exact whatever their number.

    Raises:
        ValueError: There is no item, or one has no numbers.
    """
    pairs = list(zip(handed_in, anew, strict=True))
    if not pairs or not all(one and other for one, other in pairs):
        raise ValueError("each item needs numbers of both kinds")
    gaps = np.array([fmean(one) - fmean(other) for one, other in pairs], dtype=np.float64)
    sums = np.zeros(turns)
    for one, other in pairs:
        both = np.array([*one, *other], dtype=np.float64)
        relabelled = both[rng.random((turns, both.size)).argsort(axis=1)]
        sums += relabelled[:, : len(one)].mean(axis=1) - relabelled[:, len(one) :].mean(axis=1)
    ways = prod(comb(len(one) + len(other), len(one)) for one, other in pairs)
    if 2 / ways > LEVEL:
        return Redrawn(len(pairs), float(gaps.mean()), None, None)
    reached = np.abs(sums) >= abs(gaps.sum()) - _ROUNDING
    p = (1 + int(reached.sum())) / (turns + 1)
    return Redrawn(len(pairs), float(gaps.mean()), p, _smallest(gaps))


def _smallest(gaps: Floats) -> float | None:
    if gaps.size < 2:
        return None
    spread = float(gaps.std(ddof=1))
    if spread <= _ROUNDING:
        return None
    df = np.array([gaps.size - 1.0])
    quantiles = (float(student_quantile(p, df)[0]) for p in (1 - LEVEL / 2, POWER))
    return sum(quantiles) * spread / sqrt(gaps.size)


def is_outside(handed_in: float, anew: Sequence[float]) -> bool:
    """Whether a number lies beyond all that were drawn anew; of none, it does."""
    return not anew or not min(anew) - _ROUNDING <= handed_in <= max(anew) + _ROUNDING


def most_redraws(numbers: int) -> int:
    """How often each of so many numbers is drawn anew while it lies outside.

    A number that is drawn as k others lies beyond all of them in at most 2 / (k + 1) of cases; so
    that one of all does is as rare as `LEVEL`.
    """
    return int(np.ceil(2 * numbers / LEVEL)) - 1


def chance_drawn(false: int, drawn: int, total: int) -> float:
    """How likely one of the false numbers is among those drawn of a total, without replacement."""
    return 1 - comb(total - false, drawn) / comb(total, drawn)
