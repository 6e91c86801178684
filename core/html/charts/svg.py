"""A linear axis, and SVG elements.

Every text is escaped, and what would hide or reorder text is made visible.
"""

from collections.abc import Iterable, Sequence
from math import ceil, floor, isfinite, log10
from typing import NamedTuple

from markupsafe import Markup, escape

from ... import text as words
from ...text import harmless

MARGIN = 2.5
"""Per cent on either side that a dot on the edge needs."""


STEPS = 5
"""About so many steps has an axis."""


class Axis(NamedTuple):
    """A linear axis from `low` to `high`, with round numbers as ticks."""

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

    Where they count something (`whole`), no tick stands between two whole numbers.
    """
    known = [value for value in values if value is not None and isfinite(value)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
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


def tag(name: str, *inside: object, **attributes: object) -> Markup:
    """An element; attributes that are ``None`` are left out, ``class_`` is ``class``."""
    named = ((k.rstrip("_").replace("_", "-"), v) for k, v in attributes.items() if v is not None)
    opened = "".join([f' {key}="{safe(value)}"' for key, value in named])
    # Joined as plain strings, every one of them safe: to format markup takes ten times as long.
    return Markup(f"<{name}{opened}>{''.join(map(safe, inside))}</{name}>")


MOST = 8_000
"""Characters of a text that a page shows: a megabyte without a blank takes a minute to lay out."""


def safe(value: object) -> Markup:
    """Text as markup, with controls and marks shown, cut where it is too long; markup as it is."""
    if isinstance(value, Markup):
        return value
    text = harmless(str(value))
    return escape(text if len(text) <= MOST else f"{text[:MOST]}… ({len(text):,} characters)")


def percent(share: float) -> str:
    """A place along a drawing."""
    return f"{share:.3f}%"


def ticks(axis: Axis, y: int) -> list[Markup]:
    """The numbers of an axis; a phone shows every other one."""
    return [
        tag("text", axis.words(tick), x=percent(axis.at(tick)), y=y, text_anchor="middle",
            class_=None if n % 2 == 0 else "odd")
        for n, tick in enumerate(axis.ticks)
    ]  # fmt: skip


def drawing(*inside: object, height: int, label: str | None = None, class_: str = "") -> Markup:
    """A drawing as wide as its place on the page; without a label it only repeats a text."""
    named = {"role": "img", "aria_label": label} if label else {"aria_hidden": "true"}
    return tag("svg", *inside, class_=class_ or None, width="100%", height=height, **named)


Ends = Sequence[float | None]
"""Both ends of an interval; ``None`` for one that is open."""
MINUS = "\N{MINUS SIGN}"


def figure(value: float | None, digits: int = 2) -> str:
    """A number with a true minus sign; a dash where there is none."""
    return words.number(value, digits).replace("-", MINUS)


def signed(value: float | None, digits: int = 2) -> str:
    """A difference with its sign; zero has none."""
    return "–" if value is None else words.signed(value, digits).replace("-", MINUS)


def ends(ci95: Ends | None, digits: int = 2) -> str:
    """An interval as ``[low, high]``; an open end says so."""
    if ci95 is None:
        return "–"
    low, high = ("open" if end is None else figure(end, digits) for end in ci95)
    return f"[{low}, {high}]"
