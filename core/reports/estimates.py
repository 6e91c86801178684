"""A number with its interval as documents have it."""

from typing import TYPE_CHECKING, NamedTuple

from ..text import number

if TYPE_CHECKING:
    from ..statistics.correlation import Correlation
    from ..statistics.estimates import Estimate


class EstimateRow(NamedTuple):
    """A number with its interval, or why there is none."""

    value: float | None
    ci95: tuple[float, float] | None
    reason: str | None

    def __str__(self) -> str:
        """``0.91 [0.85, 0.94]``, or a dash with the reason."""
        if self.value is None:
            return f"– ({self.reason})" if self.reason else "–"
        low, high = self.ci95 or (None, None)
        return number(self.value) + (f" [{number(low)}, {number(high)}]" if self.ci95 else "")

    @classmethod
    def of(cls, estimate: "Estimate | Correlation", reason: str | None = None) -> "EstimateRow":
        """That of an estimate; the reason is its own, if it has one."""
        ci95 = estimate.interval and (estimate.interval.low, estimate.interval.high)
        return cls(estimate.value, ci95, getattr(estimate, "reason", None if ci95 else reason))
