"""Finds options with their numbers in plain text, for `answers`.

An option is named, or numbered as in the prompt. Its number follows a separator, or a few
words such as "gets a score of"; then the number has to end its phrase, so that "Joyful 10
years later" is no answer.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from .answers_numbers import WRITTEN, WrittenNumber, end_of_number, read_number

_FILL = (
    "a|an|the|is|are|was|be|would|should|will|at|of|to|as|with|has|have|gets?|got|receives?|takes?"
    "|scores?|scored|ratings?|rated|points?|value|values|level|intensity|emotion|assigned|given"
    "|numbers?|about|around|roughly|approximately"
)
_FIELD = "scores?|points?|values?|ratings?|intensity|percent(?:age)?|分数|得分|分值"
_SEPARATOR = r"(?: [ \t]*+(?: [:=|] | -> | => | → | [–—] ) | [ \t]++-(?=[ \t]) )"
# After a number that no separator announced: the phrase has to end, or to say why.
_ENDS = re.compile(
    r"[ \t]*+(?:$|[\n,.;:!?()\[\]{}|\"'*_`<–—]|-[ \t]|[(\[]?[1-4][)\].]"
    r"|(?:and|for|because|as|since)\b)"
)


class NumberedOption(NamedTuple):
    """An option, by its position in the prompt from 0, with points; called by number or name."""

    option: int
    number: WrittenNumber
    by_index: bool


def find_pairs(text: str, names: Sequence[str]) -> list[NumberedOption]:
    """The options that have numbers, in the order of the text."""
    names = tuple(names)
    pairs = []
    for match in _pattern(names).finditer(text):
        start = match.start("sign")
        if match["explicit"] is None and not _ENDS.match(text, end_of_number(text, start)):
            continue
        option, by_index = _option(match, names)
        pairs.append(NumberedOption(option, read_number(text, start), by_index))
    return pairs


def _option(match: re.Match[str], names: Sequence[str]) -> tuple[int, bool]:
    if match["index"] is None:
        return next(i for i in range(len(names)) if match[f"o{i}"] is not None), False
    words = f" {' '.join((match['words'] or '').split()).casefold()} "
    named = [option for option, name in enumerate(names) if f" {name.casefold()} " in words]
    if len(named) == 1:
        return named[0], False
    return int(match["index"]) - 1, True


@lru_cache(maxsize=256)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    # The longest name first: of "proud" and "quietly proud" the text means the longer.
    order = sorted(range(len(names)), key=lambda i: -len(names[i]))
    labels = "|".join(f"(?P<o{i}>{_name(names[i])})" for i in order)
    return re.compile(
        rf"""
        (?: {labels}
          | (?<![\w.,]) (?<!step[ ]) (?: option[ ]*+ | 选项[ ]*+ )?+
            [(\[]?+ (?P<index>[1-{len(names)}]) (?!\d)
            (?: \) | (?<=\[.)\] | 、 | \.(?=\s) | (?=[ ]*+:) )
            (?: [ \t"'*_`]*+ (?P<words> [^\W\d_] (?: [^\W\d_] | [ '-] ){{0,40}}? ) ["'*_`]*+
                (?={_SEPARATOR}) )?+
        )
        ["'*_`)\]]*+
        (?: [ ]?\([1-{len(names)}]\) (?=[ ]?[:=]) )?
        (?: (?P<explicit> {_SEPARATOR}
              | [,;]?[ \t]*+["']?(?:{_FIELD})["']?[ \t]*+[:=] )
            (?: [ \t"'*_`(\[]*+ (?:{_FILL})\b ){{0,6}}+
          | (?: [ \t"'*_`]++ (?:{_FILL})\b ){{0,6}}+ (?=[ \t"'*_`(\[-])
          | (?<=[)\]、]) | [ ]*+ [得为是约给打:分数]++ | (?<=[\u4e00-\u9fff]) )
        [ \t"'*_`(\[]*+
        {WRITTEN}
        """,
        re.VERBOSE | re.IGNORECASE,
    )


def _name(name: str) -> str:
    """A name with any white space between its words, not as a part of a longer word."""
    words = r"[ \t_]++".join(map(re.escape, name.split()))
    before = r"(?<![^\W\d_])" if name[0].isascii() else ""
    after = r"(?![^\W\d_])" if name[-1].isascii() else ""
    return before + words + after
