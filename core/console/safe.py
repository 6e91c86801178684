"""Text from models, files and servers, made harmless for a terminal."""

import re

# Controls but newline and tab; marks that turn, hide or reorder text; half characters.
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    r"\ud800-\udfff\U000e0000-\U000e007f]"
)


def harmless(text: str) -> str:
    """The text with control characters (but newline and tab) and text-direction marks shown.

    A terminal would obey them: move the cursor, set the title, hide what follows.
    """
    return _CONTROL.sub(lambda m: f"\\x{ord(m.group()):02x}", text)


def line(text: str, indent: int = 0) -> str:
    """Harmless text on one line."""
    lines = filter(None, map(str.strip, text.splitlines()))
    return " " * indent + harmless(" ".join(lines))


def number(value: float | None, digits: int = 2) -> str:
    """A number with a fixed count of digits, zero without a sign; a dash where there is none."""
    return "–" if value is None else f"{value:z.{digits}f}"


def interval(ci95: "list[float] | tuple[float, float] | None", digits: int = 2) -> str:
    """An interval as ``lo … hi``; a dash where there is none."""
    return "–" if ci95 is None else f"{ci95[0]:z.{digits}f} … {ci95[1]:z.{digits}f}"
