"""How strong an effect is: a grade of an estimate, by its interval and stated limits.

docs/judge-report.md#conclusions states the limits and the rule.
"""

from math import ceil
from typing import NamedTuple

from .estimates import AuditEstimate

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
