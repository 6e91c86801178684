"""Cuts a reply into its sections by their headings, for the `strict` parser.

A heading is a line of its own or the beginning of one, in any case, bold, numbered or with
`#`; a quoted JSON key; or, anywhere in a line, the exact words of the prompt with their
colon. "Revised scores reflect ..." is prose: neither a colon nor the end of the line follows.
A section ends where the next heading or "[End of answer]" begins, so numbers in a critique
belong to no pass. Sections of the same kind are joined: a model that repeats its answer, or
the prompt's template before it, is judged on all of it.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from .forms import ENGLISH, Form


class Section(NamedTuple):
    """All text of one pass.

    Attributes:
        text: What stands under its headings, joined by line breaks.
        headings: The headings as written.
    """

    text: str
    headings: tuple[str, ...]


def split_sections(text: str, form: Form = ENGLISH) -> dict[str, Section]:
    """Return the sections by kind: "first", "revised", "critique" and "end" where present."""
    found = list(_heading_pattern(form).finditer(text))
    starts = [*(heading.start() for heading in found), len(text)]
    texts: dict[str, list[str]] = {}
    headings: dict[str, list[str]] = {}
    for heading, end in zip(found, starts[1:], strict=True):
        kind = _kind(heading[heading.lastgroup or 0], form)
        texts.setdefault(kind, []).append(text[heading.end() : end])
        headings.setdefault(kind, []).append(heading[0].strip())
    return {kind: Section("\n".join(texts[kind]), tuple(headings[kind])) for kind in texts}


@lru_cache(maxsize=32)
def _heading_pattern(form: Form) -> re.Pattern[str]:
    # Possessive repeats throughout: hostile text must not make the search quadratic.
    name = "|".join(form.names)
    exact = "|".join(map(re.escape, (form.first, form.revised, form.critique)))
    return re.compile(
        rf"""
        (?i: ^ [ \t>*_\#`"'{{\[(|.,-]*+ (?: \d{{1,2}}[.)] [ \t>*_\#`]*+ )?
            (?P<line> {name} ) ["'*_`)\]]*+ (?: [ \t]*+ \([^()\n]{{0,60}}\) )?
            ["'*_`|\] \t]*+ (?: : | $ ) )
        | (?P<exact> {exact} )
        | (?i: ["'`] (?P<key> {name} ) ["'`] [ \t]*+ : )
        | (?i: (?P<end> {re.escape(form.answer_end)} ) )
        """,
        re.MULTILINE | re.VERBOSE,
    )


@lru_cache(maxsize=256)  # few headings come again and again
def _kind(heading: str, form: Form) -> str:
    name = heading.rstrip(":")
    for kind in ("critique", "revised", "first"):
        if re.fullmatch(getattr(form.names, kind), name, re.IGNORECASE):
            return kind
    return "end"
