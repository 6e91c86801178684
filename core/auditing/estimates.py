"""Numbers with intervals over families of items, or the reason why there is none.

Comparisons of a family share transcripts and a text, so families are what was sampled: each is
left out in turn, as for ratings (docs/ratings.md).

A grade says how strong an effect is, by its interval and the limits that
docs/judge-report.md#conclusions states.
"""

from collections.abc import Callable
from math import ceil
from typing import NamedTuple

import numpy as np

from ..few_families import why_no_interval
from ..ratings.comparisons import Bools, Floats, Ints, sum_by
from ..ratings.intervals import jackknife_error
from ..statistics import share_interval
from ..statistics.student import quantile


class AuditEstimate(NamedTuple):
    """A number that data give, or why they do not.

    Attributes:
        value: ``None`` where it is not known.
        ci95: 95 % interval over families; ``None`` where it is not known.
        n: How many observations it stands on.
        families: How many families they are of.
        reason: Why the value, or else the interval, is not known.
    """

    value: float | None
    ci95: tuple[float, float] | None = None
    n: int = 0
    families: int = 0
    reason: str | None = None

    def turned(self, function: Callable[[float], float]) -> "AuditEstimate":
        """The estimate of a rising function of the value."""
        if self.value is None:
            return self
        ends = None if self.ci95 is None else (function(self.ci95[0]), function(self.ci95[1]))
        return self._replace(value=function(self.value), ci95=ends)


def unknown(reason: str) -> AuditEstimate:
    """No value, and why."""
    return AuditEstimate(None, reason=reason)


def from_replicates(value: float, replicates: Floats, n: int) -> AuditEstimate:
    """A value with the interval that leaving out one family each gives it.

    Args:
        value: Of all data.
        replicates: Values without one family each, shape (n_families,).
        n: How many observations there are.
    """
    families = len(replicates)
    if reason := why_no_interval(families):
        return AuditEstimate(value, None, n, families, reason)
    half = quantile(0.975, families - 1) * float(jackknife_error(replicates))
    return AuditEstimate(value, (value - half, value + half), n, families)


def mean(values: Floats, family: Ints) -> AuditEstimate:
    """The mean of values, each of a family; both of shape (n,)."""
    if not len(values):
        return unknown("no comparisons")
    sums, counts = _by_family(values, family)
    return from_replicates(float(values.mean()), _without_one(sums, counts), len(values))


def share(hits: Bools, family: Ints) -> AuditEstimate:
    """The share of hits, each of a family, with `share_interval`."""
    if not len(hits):
        return unknown("no comparisons")
    families = np.unique(family).size
    ends = share_interval(hits, family)
    ci95 = ends and (ends.low, ends.high)
    return AuditEstimate(float(hits.mean()), ci95, len(hits), families, why_no_interval(families))


def _by_family(values: Floats, family: Ints) -> tuple[Floats, Floats]:
    """Sum and number of the values of each family that has one."""
    n = int(family.max()) + 1
    counts = sum_by(family, np.ones(len(values)), n)
    there = counts > 0
    return sum_by(family, values, n)[there], counts[there]


def _without_one(sums: Floats, counts: Floats) -> Floats:
    """Means without one family each; the mean itself where there is one family only."""
    if len(sums) < 2:
        return np.asarray(sums / counts)
    return np.asarray((sums.sum() - sums) / (counts.sum() - counts))


NONE, WEAK, STRONG, NOT_TESTED = "none", "weak", "strong", "not tested"


class EffectSizes(NamedTuple):
    """Sizes of an effect that part the grades.

    Attributes:
        slight: Up to here it counts as none.
        strong: From here on it is strong.
    """

    slight: float
    strong: float


FIRST_WINS = EffectSizes(0.02, 0.1)
"""Of the share of calls that the first text wins, from 0.5."""
PLUSES = EffectSizes(0.2, 1.0)
"""Pluses per criterion: 1 moves a score of 0 to 1 by a tenth, as `FIRST_WINS` does a share."""
FLIPS = EffectSizes(0.15, 0.35)
"""Of pairs whose winner changes with the order; chance alone would change half of them."""
UNREAD = EffectSizes(0.01, 0.05)
"""Of comparisons."""


def grade_leaning(found: AuditEstimate, fair: float, limits: EffectSizes) -> str:
    """The grade of a number that is `fair` without a leaning, and may lie on either side.

    Args:
        found: The number.
        fair: Without a leaning.
        limits: Of its distance from `fair`.
    """
    if found.value is None or found.ci95 is None:
        return NOT_TESTED
    low, high = found.ci95[0] - fair, found.ci95[1] - fair
    furthest = max(abs(low), abs(high))
    if furthest <= limits.slight:
        return NONE
    if low <= 0 <= high:
        return NONE if furthest < limits.strong else NOT_TESTED
    return STRONG if abs(found.value - fair) >= limits.strong else WEAK


def grade_share(found: AuditEstimate, limits: EffectSizes) -> str:
    """The grade of a share of which the less the better."""
    if found.value is None or found.ci95 is None:
        return NOT_TESTED
    low, high = found.ci95
    if low <= limits.slight and high >= limits.strong:
        return NOT_TESTED
    if found.value <= limits.slight:
        return NONE
    return STRONG if found.value >= limits.strong else WEAK


def grade_count(found: AuditEstimate, limits: EffectSizes) -> str:
    """The grade of a share of all that there is, not of a sample: the value decides alone."""
    if found.value is None:
        return NOT_TESTED
    if found.value < limits.slight:
        return NONE
    return STRONG if found.value >= limits.strong else WEAK


def needed(found: AuditEstimate, room: float) -> int:
    """About how many observations would make the half-width of an interval so small."""
    assert found.ci95 is not None
    half = (found.ci95[1] - found.ci95[0]) / 2
    return max(found.n + 1, ceil(found.n * (half / room) ** 2))
