"""A number with its interval, or with the reason why there is none; it needs no numpy."""

from typing import NamedTuple

from ..text import number


class Estimate(NamedTuple):
    """A number with its interval.

    Attributes:
        value: None where it is undefined.
        ci95: Its 95 % interval; None where there is none.
        reason: Why there is no value, or no interval; None when there are both.
    """

    value: float | None
    ci95: tuple[float, float] | None = None
    reason: str | None = None

    def __str__(self) -> str:
        """``0.91 [0.85, 0.94]``, or a dash with the reason."""
        if self.value is None:
            return f"– ({self.reason})" if self.reason else "–"
        ends = f" [{number(self.ci95[0])}, {number(self.ci95[1])}]" if self.ci95 else ""
        return number(self.value) + ends
