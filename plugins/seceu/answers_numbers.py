"""One number as a model writes it: a sign, a percentage, a fraction of ten, a unit."""

import re
from typing import NamedTuple

WRITTEN = r"(?P<sign>[-+]?)[ ]?(?P<digits>\d++(?:[.,]\d++)?+|\.\d++)"
_NUMBER = re.compile(WRITTEN)
_TAIL = re.compile(
    r"""
    [ \t"'*_`]*+
    (?: (?P<percent> % | percent\b )
      | (?: / | out[ ]of\b ) [ ]*+ (?P<scale> \d++ | ten\b )
      | (?: points? | pts? )\b | 分 )?+
    """,
    re.VERBOSE | re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"""
    [ \t]*+ (?: [-–—~] | to\b | or\b | -> | → ) [ \t]*+ \d++   # a range or a change
    | [ \t]*+ [+*×÷] [ \t]*+ \d++                              # a sum
    | [.,]?\d | (?: st | nd | rd | th )\b | [ex]\d
    """,
    re.VERBOSE | re.IGNORECASE,
)
_LARGEST = 1e6


class WrittenNumber(NamedTuple):
    """A number as written, a percentage as 30, or why it is no number to go by."""

    value: float
    percent: bool = False
    out_of_ten: bool = False
    problem: str | None = None


def read_number(text: str, start: int = 0) -> WrittenNumber:
    """The number at a place of a text, with what follows it there."""
    match = _NUMBER.match(text, start)
    if match is None:
        return WrittenNumber(0.0, problem=f"{text[start : start + 20]!r} is not a number")
    rest = _TAIL.match(text, match.end())
    assert rest is not None
    written = text[start : rest.end()].strip()[:20]
    value = float(match["sign"] + match["digits"].replace(",", "."))
    if abs(value) > _LARGEST:
        return WrittenNumber(0.0, problem=f"{written}... is beyond all points")
    if more := _GOES_ON.match(text, match.end()) or _GOES_ON.match(text, rest.end()):
        return WrittenNumber(0.0, problem=f"{text[start : more.end()][:24]!r} is not one number")
    scale = (rest["scale"] or "10").lower()
    if scale not in ("10", "ten", "100"):
        return WrittenNumber(0.0, problem=f"{written!r} is not out of 10")
    percent = rest["percent"] is not None or scale == "100"
    return WrittenNumber(value, percent, out_of_ten=rest["scale"] is not None and not percent)


def end_of_number(text: str, start: int) -> int:
    """Where a number and its unit end."""
    match = _NUMBER.match(text, start)
    rest = _TAIL.match(text, match.end() if match else start)
    return rest.end() if rest else start
