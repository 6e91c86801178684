r"""The published code's reading of a reply, kept exact so that published scores can be met.

Facts, each checked against the answers upstream recorded for twelve models
(`tests/plugins/eqbench_v1/test_official_answers.py`): a pair is one word, a colon, white
space, a whole number (`\w+:\s+\d+`), anywhere in the section; a later pair of the same
word replaces the earlier one; nothing is stripped before, so bold labels are not read; 7.9
reads as 7; numbers over 10 pass. The first pass stands between the first heading and the
revised one, the revised pass from there to the end, both headings in exact case and with
their colon. An answer counts when it has exactly four words, the four that were asked.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial

from .parsing_types import Answer, Reading, read_passes, unread

FIRST_HEADING = "First pass scores:"
REVISED_HEADING = "Revised scores:"
_NUMBER = re.compile(r":\s++(\d+)")
# Python refuses to turn more than 4300 digits into an int, and a float ends at 308. No model
# means such a number; what matters is that it stays far over 10.
_MAX_DIGITS = 4000
_HUGE = 10**15


def reference_pairs(section: str) -> dict[str, int]:
    """Return the number of each word that has one, the last where there are several.

    A number above 10^15 reads as 10^15.
    """
    return {word: min(int(digits[:_MAX_DIGITS]), _HUGE) for word, digits in _pairs(section)}


def _pairs(section: str) -> Iterator[tuple[str, str]]:
    r"""Yield what `\w+:\s+\d+` finds, in linear time.

    That pattern is quadratic on a long run of letters without a colon: here the search is
    for the colon, and the word is what stands before it since the pair before.
    """
    last = 0
    for match in _NUMBER.finditer(section):
        start = match.start()
        while start > last and (section[start - 1].isalnum() or section[start - 1] == "_"):
            start -= 1
        if start < match.start():
            last = match.end()
            yield section[start : match.start()], match[1]


def reference_sections(text: str, *, revise: bool) -> tuple[str | None, str | None]:
    """Return the text of the first and of the revised pass; None where it is not there."""
    if not revise:
        return text, None
    _, found_revised, revised = text.partition(REVISED_HEADING)
    _, found_first, rest = text.partition(FIRST_HEADING)
    first, found_end, _ = rest.partition(REVISED_HEADING)
    return first if found_first and found_end else None, revised if found_revised else None


def read_reference(text: str, emotions: Sequence[str], *, revise: bool) -> Answer:
    """Return what the published code reads in a reply.

    Args:
        text: The reply, without any thinking before it.
        emotions: The words asked for, in order. A name of several words is never read: the
            pattern knows single words only.
        revise: Whether a critique and revised scores were asked for; if not, the whole
            reply is the first pass.
    """
    first, revised = reference_sections(text, revise=revise)
    return read_passes(first, revised, partial(_read_section, emotions=emotions), revise=revise)


def _read_section(section: str, emotions: Sequence[str]) -> Reading:
    pairs = reference_pairs(section)
    missing = [emotion for emotion in emotions if emotion not in pairs]
    if missing:
        return unread(f"no number for {', '.join(missing)}")
    if len(pairs) != len(emotions):
        extra = [word for word in pairs if word not in emotions]
        return unread(f"numbers for other words: {', '.join(extra)[:80]}")
    return Reading(tuple(float(pairs[emotion]) for emotion in emotions))
