"""How strong an effect is, by its interval and the limits that docs/judge-report.md states.

Nothing is called none because it was not found: only an interval that leaves no room for more than
a slight effect says that (an equivalence test, two one-sided tests at 2.5 % each: Schuirmann 1987,
Journal of Pharmacokinetics and Biopharmaceutics 15, 657-680). Free of numpy.
"""

from math import ceil
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from ...types.result_document import ConclusionRow, Grade

if TYPE_CHECKING:
    from .estimates import AuditEstimate


class Found(Protocol):
    """A number with its 95 % interval, each ``None`` where it is not known."""

    @property
    def value(self) -> float | None:
        """The number."""

    @property
    def ci95(self) -> tuple[float, float] | None:
        """Both ends."""


NONE: Final = "none"
NOT_SHOWN: Final = "not shown"
WEAK: Final = "weak"
STRONG: Final = "strong"
NOT_TESTED: Final = "not tested"


class EffectSizes(NamedTuple):
    """Sizes of an effect that part the grades: up to the first none, from the second on strong."""

    slight: float
    strong: float


FIRST_WINS = EffectSizes(0.02, 0.1)
"""Of the share of calls that the first text wins, from 0.5."""
PLUSES = EffectSizes(0.2, 1.0)
"""Pluses per criterion: 1 moves a score of 0 to 1 by a tenth, as `FIRST_WINS` does a share."""
HARM = EffectSizes(0.25, 1.0)
"""Standard errors of a rating difference: tests at 5 % then err in 5.7 % and in 17 %."""
FLIPS = EffectSizes(0.05, 0.2)
"""Of pairs whose winner changes with the order, beyond those that noise changes."""
UNREAD = EffectSizes(0.01, 0.05)
"""Of comparisons."""


def grade_leaning(number: Found, fair: float, limits: EffectSizes) -> Grade:
    """The grade of a number that is `fair` without a leaning, and may lie on either side.

    The limits are of its distance from `fair`.
    """
    if number.value is None or number.ci95 is None:
        return NOT_TESTED
    low, high = number.ci95[0] - fair, number.ci95[1] - fair
    most = furthest(number, fair)
    if most <= limits.slight:
        return NONE
    if low <= 0 <= high:
        return NOT_SHOWN if most < limits.strong else NOT_TESTED
    return STRONG if abs(number.value - fair) >= limits.strong else WEAK


def furthest(number: Found, fair: float = 0.0) -> float:
    """How far from `fair` a number with an interval may lie."""
    assert number.ci95 is not None
    return max(abs(end - fair) for end in number.ci95)


def grade_share(number: Found, limits: EffectSizes) -> Grade:
    """The grade of a share of which the less the better, and a slight one is fair."""
    if number.value is None or number.ci95 is None:
        return NOT_TESTED
    low, high = number.ci95
    if high <= limits.slight:
        return NONE
    if low <= limits.slight:
        return NOT_SHOWN if high < limits.strong else NOT_TESTED
    return STRONG if number.value >= limits.strong else WEAK


def grade_count(number: Found, limits: EffectSizes) -> Grade:
    """The grade of a share of all that there is, not of a sample: the value decides alone."""
    if number.value is None:
        return NOT_TESTED
    if number.value < limits.slight:
        return NONE
    return STRONG if number.value >= limits.strong else WEAK


def conclusion(subject: str, grade: Grade, text: str, number: Found, n: int) -> ConclusionRow:
    """A sentence about a subject, with the number that its grade stands on, of `n` observations.

    That is not always the first number of the text.
    """
    return {
        "about": subject,
        "verdict": grade,
        "text": text,
        "value": number.value,
        "ci95": None if number.ci95 is None else list(number.ci95),
        "n": n,
    }


def needed(estimate: "AuditEstimate", room: float) -> int:
    """About how many observations would make the half-width of an interval so small."""
    assert estimate.ci95 is not None
    half = (estimate.ci95[1] - estimate.ci95[0]) / 2
    return max(estimate.n + 1, ceil(estimate.n * (half / room) ** 2))
