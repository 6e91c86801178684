"""Finds the pairs of emotion and number in one section, for the `strict` parser.

A pair is an emotion that was asked for, a separator, and a number directly behind it: so a
number in prose is never read. What makes a number doubtful (a sign, a range, another scale)
becomes the pair's problem, so that the caller can say why there is no reading.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from .forms import NumberWords

MAX = 10
_POINTS = str.maketrans(",，．", "...")
_QUOTES = "\"'`"
_DECORATION = " \t*_`\"'{}[]()<>|,;.•·&#/-–—（）［］＜＞，、；。．・／"
# "Angry:" with its number alone on the next line; the two spaces make it count as spacing.
_NUMBER_BELOW = re.compile(
    r"([:：][*_]*+)[ \t]*+\n\s*+(?=\d{1,2}(?:[.,．，]\d+)?+[ \t]*+$)", re.MULTILINE
)
_OTHER_PAIR = re.compile(r"\b[^\W\d_]\w*+[\"'*`]*+[ \t]*+[:：=][ \t\"'*`]*+\d")
_SUM = re.compile(r"[ \t]*+[-+*×/][ \t]*+\d+[ \t]*+=")
_NOT_CARDINAL = re.compile(r"(?:st|nd|rd|th)\b|[ex]\d", re.IGNORECASE)


class PairSearch(NamedTuple):
    """What is looked for: emotions, other names of each (or none), and words around numbers."""

    emotions: tuple[str, ...]
    others: tuple[str, ...]
    words: NumberWords


class _Behind(NamedTuple):
    """What may stand behind a number and changes its meaning."""

    scale: re.Pattern[str]
    range: re.Pattern[str]


class _Before(NamedTuple):
    """What stands before an emotion on its line, since the pair before it if there is one."""

    text: str
    after_pair: bool


class RatedEmotion(NamedTuple):
    """One occurrence of an emotion, by index, with a number from 0 to 10, or why it is no rating.

    The flags say how it departs from the plain form.
    """

    emotion: int
    value: float | None
    problem: str | None
    flags: set[str]


def find_pairs(text: str, asked: PairSearch) -> tuple[list[RatedEmotion], bool]:
    """Return the pairs in the order of the text, and whether other words have numbers too."""
    text = _NUMBER_BELOW.sub(r"\1  ", text)
    matches = list(_free_matches(text, asked))
    starts = [*(match.start() for match, _ in matches), len(text)]
    ends = [0, *(match.end() for match, _ in matches)]
    pairs = [
        _pair(match, before, text[match.end() : following].split("\n", 1)[0], asked)
        for (match, before), following in zip(matches, starts[1:], strict=True)
    ]
    rest = "\n".join(text[i:j] for i, j in zip(ends, starts, strict=True))
    return pairs, _OTHER_PAIR.search(rest) is not None


def rating_blocks(text: str, asked: PairSearch) -> list[str]:
    """Return the runs of lines with pairs; lines without one part them, blank lines do not."""
    blocks: list[list[str]] = [[]]
    for line in _NUMBER_BELOW.sub(r"\1  ", text).split("\n"):
        if next(_free_matches(line, asked), None):
            blocks[-1].append(line)
        elif blocks[-1] and line.strip(_DECORATION):
            blocks.append([])
    return ["\n".join(block) for block in blocks if block]


def _free_matches(text: str, asked: PairSearch) -> Iterator[tuple[re.Match[str], _Before]]:
    """Yield each pair with what stands before it on its line."""
    last = 0
    for match in _pattern(asked).finditer(text):
        line = text.rfind("\n", last, match.start()) + 1
        before = _Before(text[max(line, last) : match.start()], after_pair=last > 0 and not line)
        # A separator other than a colon needs company: "so Angry - 3 of them" is prose.
        if match["sep"] in ":：" or before.after_pair or not _words(before.text):
            last = match.end()
            yield match, before


@lru_cache(maxsize=32)
def _behind(words: NumberWords) -> _Behind:
    scale = rf"[\"'*_`]*+[ \t]*+(?:[/／]|{words.out_of})[ \t\"'*_`]*+(?P<of>\d+|{words.ten})"
    span = rf"[*_`]*+[ \t]*+(?P<by>[-–—~～〜]|->|→|=>|{words.until})[ \t]*+[*_`]*+(?P<to>\d+)"
    return _Behind(re.compile(scale, re.IGNORECASE), re.compile(span))


@lru_cache(maxsize=512)
def _pattern(asked: PairSearch) -> re.Pattern[str]:
    groups = {f"e{i}": name for i, name in enumerate(asked.emotions)}
    groups |= {f"o{i}": name for i, name in enumerate(asked.others) if name not in asked.emotions}
    # The longest name first: of "proud" and "quietly proud" the text means the longer.
    order = sorted(groups, key=lambda group: -len(groups[group]))
    names = {group: r"[ \t_]++".join(map(re.escape, groups[group].split())) for group in order}
    labels = "|".join(f"(?P<{group}>{name})" for group, name in names.items())
    return re.compile(
        rf"""
        (?<![^\W\d_]) (?i:{labels})
        (?P<close>["'*_`]*+) (?P<gap>[ \t]*+)
        (?P<sep> [:：=|] | -> | → | (?<=[ \t])[-–—](?=[ \t]) )
        (?P<open>[ \t"'*_`<(\[（［＜]*+)
        (?P<sign>[-+−–－＋]?+) [ \t]*+ (?P<whole>\d++) (?P<fraction>(?:[.,．，]\d++)*+)
        """,
        re.VERBOSE,
    )


def _words(text: str) -> bool:
    return any(character.isalpha() for character in text)


def _pair(match: re.Match[str], before: _Before, tail: str, asked: PairSearch) -> RatedEmotion:
    groups = match.groupdict()
    group = next(name for name in groups if name[1:].isdigit() and groups[name] is not None)
    emotion, other = int(group[1:]), group[0] == "o"
    behind = _behind(asked.words)
    scale = behind.scale.match(tail)
    rest = tail[scale.end() :] if scale else tail
    value, problem = _value(match, scale, rest, behind.range.match(rest))
    holds = {
        "name": other,
        "case": groups[group] != (asked.others if other else asked.emotions)[emotion],
        "decimal": bool(match["fraction"]),
        "fraction": scale is not None,
        "comment": bool(rest.strip(_DECORATION).removesuffix(asked.words.and_)),
    }
    flags = {flag for flag, held in holds.items() if held}
    return RatedEmotion(
        emotion, value, problem, flags.union(_layout_flags(match), _place_flags(before))
    )


def _value(
    match: re.Match[str], scale: re.Match[str] | None, rest: str, span: re.Match[str] | None
) -> tuple[float | None, str | None]:
    """Return the rating, or None and why the number is none.

    `rest` follows on the line, where `span` is how a range would go on.
    """
    written = f"{match['sign']}{match['whole']}{match['fraction']}"[:20]
    if not re.fullmatch(r"(?:[.．]\d+|[,，]\d)?", match["fraction"]):
        return None, f"{written!r} is not clearly one number"
    value = float(f"{match['whole']}{match['fraction']}".translate(_POINTS))
    if match["sign"] or value > MAX:
        return None, f"{written} is not a rating from 0 to {MAX}"
    if _continues(rest, value, span):
        return None, f"{(written + rest.rstrip())[:20]!r} is not one number"
    if scale and scale["of"].isdecimal() and float(scale["of"]) != MAX:
        return None, f"{written} is out of {scale['of'][:20]}, not out of {MAX}"
    return value, None


def _continues(tail: str, value: float, span: re.Match[str] | None) -> bool:
    """Whether the number goes on: a range, a change, a sum, "1st", "2e3"."""
    if _NOT_CARDINAL.match(tail) or _SUM.match(tail):
        return True
    if span is None:
        return False
    tight = not tail[0].isspace() or span["by"] in ("->", "→", "=>")
    # "7 - 2 reasons" is a comment, "7 - 8" a range.
    return tight or value < float(span["to"]) <= MAX


def _layout_flags(match: re.Match[str]) -> Iterator[str]:
    """Yield how label, separator and number are written."""
    marks = match["close"] + match["open"]
    quoted = any(quote in match["close"] for quote in _QUOTES[:2])
    if quoted:
        yield "json"
    if any(mark in marks for mark in "*_`"):
        yield "markdown"
    if any(mark in match["open"] for mark in "<([（［＜"):
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
