"""Heat-maps: tables whose cells hold their numbers, shaded on the column's own scale.

The scale of a column is a fixed range (of a rubric, 0 to 10), never the smallest to the largest
of the models shown: that would make differences by chance look like signal. Shades follow the
number in steps of a hundredth of the range; a column of which neither end is better is grey.
"""

from collections.abc import Sequence
from typing import NamedTuple


class HeatMap(NamedTuple):
    """A heat-map: names of rows, headings, and values by row and column.

    `low` has the lightest shade and `high` the darkest; where either is not known there are none. A
    column is neutral where neither end is better.
    """

    caption: str
    names: Sequence[str]
    columns: Sequence[str]
    values: Sequence[Sequence[float | None]]
    low: float | None
    high: float | None
    neutral: Sequence[bool]
    note: str = ""

    def shade(self, value: float | None, column: int) -> str:
        """The classes of a cell: of the tens and the ones of its per cent of the range."""
        if value is None or self.low is None or self.high is None:
            return ""
        share = min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))
        tens, ones = divmod(min(99, round(100 * share)), 10)
        return f"hot a{tens} b{ones}{' grey' if self.neutral[column] else ''}"


def shades() -> str:
    """The style sheet's rules for the tens and the ones."""
    return "".join(f".{c}{n}{{--{c}:{n * k}}}" for c, k in (("a", 10), ("b", 1)) for n in range(10))
