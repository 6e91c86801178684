"""A number with its interval as documents have it."""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..statistics import Correlation, Estimate


class EstimateRow(NamedTuple):
    """A number with its interval, or why there is none."""

    value: float | None
    ci95: tuple[float, float] | None
    reason: str | None

    @classmethod
    def of(cls, found: "Estimate | Correlation", reason: str | None = None) -> "EstimateRow":
        """That of an estimate; the reason is its own, if it has one."""
        ci95 = found.interval and (found.interval.low, found.interval.high)
        return cls(found.value, ci95, getattr(found, "reason", None if ci95 else reason))
