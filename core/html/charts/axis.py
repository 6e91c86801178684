"""A linear axis: where a number stands, in per cent of the drawing's width."""

from collections.abc import Iterable
from math import ceil, floor, isfinite, log10
from typing import NamedTuple

MARGIN = 2.5
"""Per cent on either side that a dot on the edge needs."""


STEPS = 5
"""About so many steps has an axis."""


class Axis(NamedTuple):
    """A linear axis.

    Attributes:
        low: Its left end.
        high: Its right end, above `low`.
        ticks: Round numbers within it.
    """

    low: float
    high: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """Where a number stands, in per cent; one outside stands on the edge."""
        inside = min(max(value, self.low), self.high)
        return MARGIN + (100 - 2 * MARGIN) * (inside - self.low) / (self.high - self.low)

    @property
    def digits(self) -> int:
        """How many digits behind the point its ticks have."""
        step = self.ticks[1] - self.ticks[0] if len(self.ticks) > 1 else 1.0
        return max(0, ceil(-log10(step) - 1e-9))

    def words(self, tick: float) -> str:
        """A tick as it is written, with a true minus sign."""
        return f"{tick:z.{self.digits}f}".replace("-", "−")


def axis_over(values: Iterable[float | None], *, whole: bool = False) -> Axis:
    """An axis from one round number to another that holds all values; 0 to 1 for none.

    Args:
        values: That it holds.
        whole: No tick stands between two whole numbers: they count something.
    """
    there = [value for value in values if value is not None and isfinite(value)]
    low, high = (min(there), max(there)) if there else (0.0, 1.0)
    if high - low < 1e-9 * max(1.0, abs(high)):
        low, high = low - 0.5, high + 0.5
    step = _round_step((high - low) / STEPS)
    step = max(step, 1.0) if whole else step
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    ticks = tuple(round(n * step, 12) for n in range(first, last + 1))
    return Axis(ticks[0], ticks[-1], ticks)


def _round_step(least: float) -> float:
    """The next of 1, 2, 5, 10, ... that is no smaller."""
    power = 10.0 ** floor(log10(least))
    return next(n * power for n in (1, 2, 5, 10) if n * power >= least * (1 - 1e-9))
