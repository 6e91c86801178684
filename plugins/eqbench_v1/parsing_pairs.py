"""Finds the pairs of emotion and number in one section, for the `strict` parser.

A pair is an emotion that was asked for, a separator, and a number directly behind it: so a
number in prose is never read. What makes a number doubtful (a sign, a range, another scale)
becomes the pair's problem, so that the caller can say why there is no reading.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

_MAX = 10
_QUOTES = "\"'`"
_DECORATION = " \t*_`\"'{}[]()<>|,;.•·&#/-–—"
# "Angry:" with its number alone on the next line; the two spaces make it count as spacing.
_NUMBER_BELOW = re.compile(r":([*_]*+)[ \t]*+\n\s*+(?=\d{1,2}(?:[.,]\d+)?+[ \t]*+$)", re.MULTILINE)
_OTHER_PAIR = re.compile(r"\b[^\W\d_]\w*+[\"'*`]*+[ \t]*+[:=][ \t\"'*`]*+\d")
_RANGE = re.compile(r"[*_`]*+[ \t]*+(?P<by>[-–—~]|->|→|=>|to\b|or\b)[ \t]*+[*_`]*+(?P<to>\d+)")
_SUM = re.compile(r"[ \t]*+[-+*×/][ \t]*+\d+[ \t]*+=")
_NOT_CARDINAL = re.compile(r"(?:st|nd|rd|th)\b|[ex]\d", re.IGNORECASE)
_SCALE = re.compile(
    r"[\"'*_`]*+[ \t]*+(?:/|out[ ]of\b)[ \t\"'*_`]*+(?P<of>\d+|ten\b)", re.IGNORECASE
)


class _Before(NamedTuple):
    """What stands before an emotion on its line, since the pair before it if there is one."""

    text: str
    after_pair: bool


class Pair(NamedTuple):
    """One occurrence of an emotion with a number.

    Attributes:
        emotion: Index of the emotion among those asked for.
        value: 0-10, or None when there is a problem.
        problem: Why the number cannot be taken as a rating.
        flags: How the occurrence departs from the plain form.
    """

    emotion: int
    value: float | None
    problem: str | None
    flags: set[str]


def find_pairs(text: str, emotions: Sequence[str]) -> tuple[list[Pair], bool]:
    """Return the pairs in the order of the text, and whether other words have numbers too."""
    text = _NUMBER_BELOW.sub(r":\1  ", text)
    found = list(_free_matches(text, emotions))
    starts = [*(match.start() for match, _ in found), len(text)]
    ends = [0, *(match.end() for match, _ in found)]
    pairs = [
        _pair(match, before, text[match.end() : following].split("\n", 1)[0], emotions)
        for (match, before), following in zip(found, starts[1:], strict=True)
    ]
    rest = "\n".join(text[i:j] for i, j in zip(ends, starts, strict=True))
    return pairs, _OTHER_PAIR.search(rest) is not None


def _free_matches(text: str, emotions: Sequence[str]) -> Iterator[tuple[re.Match[str], _Before]]:
    """Yield each pair with what stands before it on its line."""
    last = 0
    for match in _pattern(tuple(emotions)).finditer(text):
        line = text.rfind("\n", last, match.start()) + 1
        before = _Before(text[max(line, last) : match.start()], after_pair=last > 0 and not line)
        # A separator other than a colon needs company: "so Angry - 3 of them" is prose.
        if match["sep"] in ":：" or before.after_pair or not _words(before.text):
            last = match.end()
            yield match, before


@lru_cache(maxsize=512)
def _pattern(emotions: tuple[str, ...]) -> re.Pattern[str]:
    # The longest name first: of "proud" and "quietly proud" the text means the longer.
    order = sorted(range(len(emotions)), key=lambda i: -len(emotions[i]))
    names = ((i, r"[ \t_]++".join(map(re.escape, emotions[i].split()))) for i in order)
    labels = "|".join(f"(?P<e{i}>{name})" for i, name in names)
    return re.compile(
        rf"""
        (?<![^\W\d_]) (?i:{labels})
        (?P<close>["'*_`]*+) (?P<gap>[ \t]*+)
        (?P<sep> [:：=|] | -> | → | (?<=[ \t])[-–—](?=[ \t]) )
        (?P<open>[ \t"'*_`<(\[]*+)
        (?P<sign>[-+−–]?+) [ \t]*+ (?P<whole>\d++) (?P<fraction>(?:[.,]\d++)*+)
        """,
        re.VERBOSE,
    )


def _words(text: str) -> bool:
    return any(character.isalpha() for character in text)


def _pair(match: re.Match[str], before: _Before, tail: str, emotions: Sequence[str]) -> Pair:
    emotion = next(i for i in range(len(emotions)) if match[f"e{i}"] is not None)
    scale = _SCALE.match(tail)
    rest = tail[scale.end() :] if scale else tail
    value, problem = _value(match, rest, scale)
    holds = {
        "case": match[f"e{emotion}"] != emotions[emotion],
        "decimal": bool(match["fraction"]),
        "fraction": scale is not None,
        "comment": bool(rest.strip(_DECORATION).removesuffix("and")),
    }
    flags = {flag for flag, held in holds.items() if held}
    return Pair(emotion, value, problem, flags.union(_layout_flags(match), _place_flags(before)))


def _value(
    match: re.Match[str], rest: str, scale: re.Match[str] | None
) -> tuple[float | None, str | None]:
    """Return the rating, or None and why the number is none."""
    written = f"{match['sign']}{match['whole']}{match['fraction']}"[:20]
    if not re.fullmatch(r"(?:\.\d+|,\d)?", match["fraction"]):
        return None, f"{written!r} is not clearly one number"
    value = float(match["whole"] + match["fraction"].replace(",", "."))
    if match["sign"] or value > _MAX:
        return None, f"{written} is not a rating from 0 to {_MAX}"
    if _continues(rest, value):
        return None, f"{(written + rest.rstrip())[:20]!r} is not one number"
    if scale and scale["of"].lower() not in ("10", "ten"):
        return None, f"{written} is out of {scale['of'][:20]}, not out of {_MAX}"
    return value, None


def _continues(tail: str, value: float) -> bool:
    """Whether the number goes on: a range, a change, a sum, "1st", "2e3"."""
    if _NOT_CARDINAL.match(tail) or _SUM.match(tail):
        return True
    found = _RANGE.match(tail)
    if found is None:
        return False
    tight = not tail[0].isspace() or found["by"] in ("->", "→", "=>")
    # "7 - 2 reasons" is a comment, "7 - 8" a range.
    return tight or value < float(found["to"]) <= _MAX


def _layout_flags(match: re.Match[str]) -> Iterator[str]:
    """Yield how label, separator and number are written."""
    marks = match["close"] + match["open"]
    quoted = any(quote in match["close"] for quote in _QUOTES[:2])
    if quoted:
        yield "json"
    if any(mark in marks for mark in "*_`"):
        yield "markdown"
    if any(mark in match["open"] for mark in "<(["):
        yield "brackets"
    if match["sep"] == "|":
        yield "table"
    elif match["sep"] != ":":
        yield "separator"
    elif not quoted and (match["gap"] or sum(map(str.isspace, match["open"])) != 1):
        yield "spacing"


def _place_flags(before: _Before) -> Iterator[str]:
    """Yield how the place of the label on its line departs from the line's beginning."""
    line = before.text.strip(" \t" + _QUOTES[:2] + "{[(,")
    if "|" in line:
        yield "table"
    elif before.after_pair:
        yield "same_line"
    elif _words(line):
        yield "prefix"
    elif line:
        yield "markdown"
