r"""The published code's reading of a reply, kept exact so that published scores can be met.

Facts, checked against the answers upstream recorded for twelve models
(`tests/plugins/eqbench_v1/test_official_answers.py`): a pair is one word, a colon, white
space, a whole number (`\w+:\s+\d+`), anywhere in the section; a later pair of the same
word replaces the earlier one; nothing is stripped before, so bold labels are not read; 7.9
reads as 7; numbers over 10 pass. The first pass stands between the first heading and the
revised one, the revised pass from there to the end, both headings in exact case and with
their colon. An answer counts when it has exactly four words, the four that were asked.

German replies have a reading of their own there: see `parsing_reference_german`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from .forms import ENGLISH, GERMAN, Form
from .parsing_reference_german import german_pairs, german_sections
from .parsing_types import (
    NOT_ASKED,
    ParsedReply,
    SectionReading,
    each_pair,
    read_passes,
    unread,
)

_NUMBER = re.compile(r":\s++(\d+)")
# Python refuses to turn more than 4300 digits into an int, and a float ends at 308. No model
# means such a number; what matters is that it stays far over 10.
_MAX_DIGITS = 4000
_HUGE = 10**15
_GAVE_UP = unread("a number with a comma, at which the published code gives the reply up")


def read_reference(
    text: str,
    emotions: Sequence[str],
    *,
    revise: bool,
    form: Form = ENGLISH,
    others: Sequence[str] = (),
) -> ParsedReply:
    """Return what the published code reads in a reply.

    The arguments are those of `Parser`. An English name of several words is never read: the
    pattern knows single words only. Other names than those of the form are not known.
    """
    german = form.language == GERMAN.language
    cut, pairs = (german_sections, german_pairs) if german else (reference_sections, _pairs)
    read = partial(_read_section, emotions=emotions, find=pairs)
    answer = read_passes(cut(text, revise=revise), read, revise=revise, form=form)
    if _GAVE_UP in (answer.first_pass, answer.revised):
        return ParsedReply(_GAVE_UP, _GAVE_UP if revise else NOT_ASKED)
    return answer


def reference_sections(text: str, *, revise: bool) -> tuple[str | None, str | None]:
    """Return the text of the first and of the revised pass; None where it is not there."""
    if not revise:
        return text, None
    _, found_revised, revised = text.partition(ENGLISH.revised)
    _, found_first, rest = text.partition(ENGLISH.first)
    first, found_end, _ = rest.partition(ENGLISH.revised)
    return first if found_first and found_end else None, revised if found_revised else None


def reference_pairs(section: str) -> dict[str, int]:
    """Return the number of each word that has one, the last where there are several.

    A number above 10^15 reads as 10^15.
    """
    return {word: _whole(digits) for word, digits in _pairs(section).items()}


def _pairs(section: str) -> dict[str, str]:
    r"""What `\w+:\s+\d+` finds; the last number of each word."""
    return dict(each_pair(section, _NUMBER, lambda char: char.isalnum() or char == "_"))


def _whole(digits: str) -> int:
    return min(int(digits[:_MAX_DIGITS]), _HUGE)


def _read_section(
    section: str, emotions: Sequence[str], find: Callable[[str], Mapping[str, str]]
) -> SectionReading:
    pairs = find(section)
    missing = [emotion for emotion in emotions if emotion not in pairs]
    if missing:
        return unread(f"no number for {', '.join(missing)}", "emotions without a number")
    if len(pairs) != len(emotions):
        extra = [word for word in pairs if word not in emotions]
        fault = "numbers for other words"
        return unread(f"{fault}: {', '.join(extra)[:80]}", fault)
    if any("," in number for number in pairs.values()):
        return _GAVE_UP
    return SectionReading(tuple(float(_whole(pairs[emotion])) for emotion in emotions))
