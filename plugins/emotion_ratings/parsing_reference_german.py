"""The published code's reading of a German reply, which has rules of its own.

Facts of lib/scoring.py of EQ-bench/EQ-Bench, commit 0114d23: a pair is a name of German
letters and white space, a colon, and a whole number with or without a comma and more digits,
between which white space and then stars may stand. So a name may have several words, and a
missing space does no harm; but letters alone on the lines before a name become part of it. The
first pass begins after the first colon that follows "Erste", the revised one after the first
colon that follows "Überarbeitete", in any case and anywhere in a word; without the latter all
belongs to the first pass. A number with a comma raises an error there, and the reply is given
up with both its passes.
"""

import re

from .parsing_types import each_pair

_GERMAN_NUMBER = re.compile(r":\s*+\**+(\d++(?:,\d++)?+)")
_FIRST = re.compile("erste", re.IGNORECASE)
_REVISED = re.compile("überarbeitete", re.IGNORECASE)
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZäöüßÄÖÜ")


def german_sections(text: str, *, revise: bool) -> tuple[str | None, str | None]:
    """Return the text of the first and of the revised pass; None where it is not there."""
    if not revise:
        return text, None
    first, revised = _after(_FIRST, text), _after(_REVISED, text)
    if first is not None and (end := _REVISED.search(first)):
        first = first[: end.start()]
    return first, revised


def _after(heading: re.Pattern[str], text: str) -> str | None:
    """Return what follows the first colon after a heading's first place, without space before."""
    match = heading.search(text)
    _, colon, rest = text[match.end() :].partition(":") if match else ("", "", "")
    return rest.lstrip() if colon else None


def german_pairs(section: str) -> dict[str, str]:
    """Return the number of each name that has one as written, the last where there are several."""
    pairs = each_pair(section, _GERMAN_NUMBER, lambda char: char in _LETTERS or char.isspace())
    return {name.strip(): number for name, number in pairs}
