"""Heat-maps: tables whose cells hold their numbers, shaded in steps of the column's own scale.

The scale of a column is a fixed range (of a rubric, 0 to 10), never the smallest to the largest
of the models shown: that would make differences by chance look like signal.
"""

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from .svg import percent, tag

STEPS = 7
"""Shades, the first for the lowest seventh of the range."""


class HeatMap(NamedTuple):
    """A heat-map.

    Attributes:
        caption: What it shows.
        names: Of the rows.
        columns: Headings: of the names and of each column.
        values: By row and column; ``None`` where there is no number.
        low: What the first shade begins with.
        high: What the last one ends with, above `low`.
    """

    caption: str
    names: Sequence[str]
    columns: Sequence[str]
    values: Sequence[Sequence[float | None]]
    low: float
    high: float

    def shade(self, value: float | None) -> str:
        """The class of a cell."""
        if value is None:
            return "none"
        share = (value - self.low) / (self.high - self.low)
        return f"h{min(STEPS - 1, max(0, int(share * STEPS)))}"

    def legend(self) -> Markup:
        """The shades, from the lowest to the highest number."""
        width = 100 / STEPS
        boxes = [
            tag("rect", x=percent(width * n), y=0, width=percent(width), height=10, class_=f"h{n}")
            for n in range(STEPS)
        ]
        low = tag("text", f"{self.low:g}", x="0", y=24, text_anchor="start")
        high = tag("text", f"{self.high:g}", x="100%", y=24, text_anchor="end")
        label = f"shades from {self.low:g} to {self.high:g}"
        return tag("svg", *boxes, low, high, width=180, height=28, class_="legend", role="img",
                   aria_label=label)  # fmt: skip
