"""Text from models, files and servers, made harmless for a terminal."""

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def harmless(text: str) -> str:
    """The text with control characters (but newline and tab) and text-direction marks shown.

    A terminal would obey them: move the cursor, set the title, hide what follows.
    """
    return _CONTROL.sub(lambda m: f"\\x{ord(m.group()):02x}", text)


def number(value: float | None, digits: int = 2) -> str:
    """A number with a fixed count of digits; a dash where there is none."""
    return "–" if value is None else f"{value:.{digits}f}"


def interval(ci95: "list[float] | tuple[float, float] | None", digits: int = 2) -> str:
    """An interval as ``lo … hi``; a dash where there is none."""
    return "–" if ci95 is None else f"{ci95[0]:.{digits}f} … {ci95[1]:.{digits}f}"
