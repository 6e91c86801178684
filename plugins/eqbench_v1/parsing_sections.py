"""Cuts a reply into its sections by their headings, for the `strict` parser.

A heading is a line of its own or the beginning of one, in any case, bold, numbered or with
`#`; a quoted JSON key; or, anywhere in a line, the exact words of the prompt with their
colon. "Revised scores reflect ..." is prose: neither a colon nor the end of the line follows.
A section ends where the next heading or "[End of answer]" begins, so numbers in a critique
belong to no pass. Sections of the same kind are joined: a model that repeats its answer, or
the prompt's template before it, is judged on all of it.
"""

import re
from typing import NamedTuple

from .parsing_reference import FIRST_HEADING, REVISED_HEADING

_SCORES = r"(?:[ \t_-]*+(?:scores?|ratings?|numbers?))?+"
_NAME = rf"(?:first[ \t_-]*+pass{_SCORES}|(?:revised[ \t_-]++)?+critique|revised{_SCORES})"
# Possessive repeats throughout: hostile text must not make the search quadratic.
_HEADING = re.compile(
    rf"""
    (?i: ^ [ \t>*_\#`"'{{\[(|.,-]*+ (?: \d{{1,2}}[.)] [ \t>*_\#`]*+ )?
        (?P<line> {_NAME} ) ["'*_`)\]]*+ (?: [ \t]*+ \([^()\n]{{0,60}}\) )?
        ["'*_`|\] \t]*+ (?: : | $ ) )
    | (?P<exact> {re.escape(FIRST_HEADING)} | {re.escape(REVISED_HEADING)} | Critique: )
    | (?i: ["'`] (?P<key> {_NAME} ) ["'`] [ \t]*+ : )
    | (?i: (?P<end> \[end[ ]of[ ]answer\] ) )
    """,
    re.MULTILINE | re.VERBOSE,
)


class Section(NamedTuple):
    """All text of one pass.

    Attributes:
        text: What stands under its headings, joined by line breaks.
        headings: The headings as written.
    """

    text: str
    headings: tuple[str, ...]


def split_sections(text: str) -> dict[str, Section]:
    """Return the sections by kind: "first", "revised", "critique" and "end" where present."""
    found = list(_HEADING.finditer(text))
    starts = [*(heading.start() for heading in found), len(text)]
    texts: dict[str, list[str]] = {}
    headings: dict[str, list[str]] = {}
    for heading, end in zip(found, starts[1:], strict=True):
        texts.setdefault(_kind(heading), []).append(text[heading.end() : end])
        headings.setdefault(_kind(heading), []).append(heading[0].strip())
    return {kind: Section("\n".join(texts[kind]), tuple(headings[kind])) for kind in texts}


def _kind(heading: re.Match[str]) -> str:
    name = heading[heading.lastgroup or 0].lower()
    return next(kind for kind in ("end", "critique", "revised", "first") if kind in name)
