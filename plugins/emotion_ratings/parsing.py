"""Reads the ratings in a reply: `strict`, the default, and `reference`, the published code.

`strict` wants each of the emotions asked for with one number from 0 to 10 in its section,
however it is laid out, and says why where there is none; it never guesses from prose.
`reference` reads exactly what the published code reads, its errors included. They agree
wherever the answer is plain: under the headings of the prompt, each emotion once, `Name: N`
with a whole number, one a line. Everything else that `strict` reads carries flags (`FLAGS`).

Neither parser raises, whatever the text.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from types import MappingProxyType
from typing import NamedTuple

from .forms import ENGLISH, Form
from .parsing_pairs import MAX, PairSearch, RatedEmotion, find_pairs, rating_blocks
from .parsing_reference import read_reference
from .parsing_types import ParsedReply, Parser, SectionReading, no_section, read_passes, unread


class Section(NamedTuple):
    """All text of one pass, joined by line breaks, and its headings as written."""

    text: str
    headings: tuple[str, ...]


def split_sections(text: str, form: Form = ENGLISH) -> dict[str, Section]:
    """Return the sections by kind: "first", "revised", "critique" and "end" where present.

    A heading is a line of its own or the beginning of one, in any case, bold, numbered or with
    `#`; a quoted JSON key; or, anywhere in a line, the exact words of the prompt with their
    colon. "Revised scores reflect ..." is prose: neither a colon nor the end of the line follows.
    A section ends where the next heading or "[End of answer]" begins, so numbers in a critique
    belong to no pass. Sections of the same kind are joined: a model that repeats its answer, or
    the prompt's template before it, is judged on all of it.
    """
    matches = list(_heading_pattern(form).finditer(text))
    starts = [*(heading.start() for heading in matches), len(text)]
    texts: dict[str, list[str]] = {}
    headings: dict[str, list[str]] = {}
    for heading, end in zip(matches, starts[1:], strict=True):
        kind = _kind(heading[heading.lastgroup or 0], form)
        texts.setdefault(kind, []).append(text[heading.end() : end])
        headings.setdefault(kind, []).append(heading[0].strip())
    return {kind: Section("\n".join(texts[kind]), tuple(headings[kind])) for kind in texts}


@lru_cache(maxsize=256)  # each prompt may have a form of its own
def _heading_pattern(form: Form) -> re.Pattern[str]:
    # Possessive repeats throughout: hostile text must not make the search quadratic.
    name = "|".join(form.names)
    exact = "|".join(map(re.escape, (form.first, form.revised, form.critique)))
    return re.compile(
        rf"""
        (?i: ^ [ \t>*_\#`"'{{\[(|.,-]*+ (?: \d{{1,2}}[.)] [ \t>*_\#`]*+ )?
            (?P<line> {name} ) ["'*_`)\]]*+ (?: [ \t]*+ \([^()\n]{{0,60}}\) )?
            ["'*_`|\] \t]*+ (?: [:：] | $ ) )
        | (?P<exact> {exact} )
        | (?i: ["'`] (?P<key> {name} ) ["'`] [ \t]*+ [:：] )
        | (?i: (?P<end> {re.escape(form.answer_end)} ) )
        """,
        re.MULTILINE | re.VERBOSE,
    )


@lru_cache(maxsize=256)  # few headings come again and again
def _kind(heading: str, form: Form) -> str:
    name = heading.rstrip(":：")
    for kind in ("critique", "revised", "first"):
        if re.fullmatch(getattr(form.names, kind), name, re.IGNORECASE):
            return kind
    return "end"


#: What each flag of a strict reading says, in the order in which a reading lists them.
#: White space around a line and punctuation at its end are not worth a flag.
FLAGS: Mapping[str, str] = MappingProxyType(
    {
        "unheaded": "no heading at all before the first pass: the one block of ratings there",
        "heading": "a section's heading is not written as in the prompt",
        "repeated": "a heading or an emotion comes again, with the same number",
        "extra_line": "another word has a number too, such as a total",
        "json": "quoted names, as in JSON",
        "table": "cells divided by |",
        "same_line": "several pairs on one line",
        "prefix": "words before the emotion on its line, such as a speaker's name",
        "markdown": "bold, italic, code, a bullet or a number before the line",
        "brackets": "the number in brackets",
        "name": "another name of the emotion that the question has beside the one in the form",
        "case": "other capitals or spaces in the emotion's name than asked for",
        "spacing": "not exactly one space after the colon, or one before it",
        "separator": "another separator than a colon: =, a dash, an arrow",
        "decimal": "a number with a decimal point or comma",
        "fraction": "the number as N/10 or N out of 10",
        "comment": "text behind the number on its line",
    }
)

_OTHER_SPACE = re.compile(r"[^\S \t\n]")


def read_strict(
    text: str,
    emotions: Sequence[str],
    *,
    revise: bool,
    form: Form = ENGLISH,
    others: Sequence[str] = (),
) -> ParsedReply:
    """Return the ratings each section states, each emotion's exactly one number from 0 to 10.

    Names of several words are allowed. The arguments are those of `Parser`.
    """
    text = _OTHER_SPACE.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n"))
    read = partial(_read_section, asked=PairSearch(tuple(emotions), tuple(others), form.words))
    if not revise:
        return read_passes((text, None), read, revise=False, form=form)
    sections = split_sections(text, form)
    first, revised = (
        _flag_headings(sections.get(kind), heading, read)
        for kind, heading in (("first", form.first), ("revised", form.revised))
    )
    return ParsedReply(first if "first" in sections else _read_unheaded(text, form, read), revised)


PARSERS: Mapping[str, Parser] = MappingProxyType(
    {"strict": read_strict, "reference": read_reference}
)


def _flag_headings(
    section: Section | None, heading: str, read: "partial[SectionReading]"
) -> SectionReading:
    if section is None:
        return no_section(heading)
    reading = read(section.text)
    if reading.values is None:
        return reading
    flags = set(reading.flags)
    if any(written != heading for written in section.headings):
        flags.add("heading")
    if len(section.headings) > 1:
        flags.add("repeated")
    return SectionReading(reading.values, flags=_ordered(flags))


_NO_BLOCK = ({"prefix"}, {"repeated"}, {"same_line", "comment"})
"""Flags of what may be prose, or two blocks in one."""


def _read_unheaded(text: str, form: Form, read: "partial[SectionReading]") -> SectionReading:
    """The first pass of a reply without its heading: the only block of ratings before any other.

    It is one where each emotion stands once, at the beginning of its line or behind another one,
    and no words part them.
    """
    heading = _heading_pattern(form).search(text)
    before = text[: heading.start()] if heading else text
    blocks = rating_blocks(before, read.keywords["asked"])
    reading = read(blocks[0]) if len(blocks) == 1 else unread("")
    if reading.values is None or any(map(set(reading.flags).issuperset, _NO_BLOCK)):
        return no_section(form.first)
    return SectionReading(reading.values, flags=_ordered({*reading.flags, "unheaded"}))


@lru_cache(maxsize=512)
def _plain(emotions: tuple[str, ...]) -> re.Pattern[str]:
    """A section that is written as asked, a line for each emotion, in order."""
    lines = (rf"\s*+{re.escape(name)}: (\d\d?+)" for name in emotions)
    return re.compile(r"[ \t]*+\n".join(lines) + r"\s*+")


def _read_section(text: str, asked: PairSearch) -> SectionReading:
    if plain := _plain(asked.emotions).fullmatch(text):
        values = tuple(map(float, plain.groups()))
        if max(values, default=0) <= MAX:
            return SectionReading(values)
    return _read_any_section(text, asked)


def _read_any_section(text: str, asked: PairSearch) -> SectionReading:
    emotions = asked.emotions
    pairs, others = find_pairs(text, asked)
    by_emotion = [[pair for pair in pairs if pair.emotion == i] for i in range(len(emotions))]
    missing = [
        name for name, of_emotion in zip(emotions, by_emotion, strict=True) if not of_emotion
    ]
    for name, of_emotion in zip(emotions, by_emotion, strict=True):
        if (problem := _problem(of_emotion)) is not None:
            fault = "an emotion without exactly one number from 0 to 10"
            return unread(f"{name}: {problem}", fault, named=len(emotions) - len(missing))
    if missing:
        named = len(emotions) - len(missing)
        fault = f"no number for {'some' if named else 'any'} of the emotions"
        return unread(f"no number for {', '.join(missing)}", fault, named=named)
    flags = {flag for pair in pairs for flag in pair.flags}
    flags |= {"extra_line"} if others else set()
    flags |= {"repeated"} if len(pairs) > len(emotions) else set()
    values = tuple(of_emotion[0].value for of_emotion in by_emotion)
    return SectionReading(
        tuple(value for value in values if value is not None), flags=_ordered(flags)
    )


def _problem(pairs: Sequence[RatedEmotion]) -> str | None:
    """Return why an emotion's numbers are no rating; None for one number or for none."""
    for pair in pairs:
        if pair.problem is not None:
            return pair.problem
    if len(pairs) < 2:
        return None
    values = list(dict.fromkeys(pair.value for pair in pairs))
    if len(values) < 2:
        return None
    return f"several numbers, {' and '.join(f'{value:g}' for value in values[:3])}"


def _ordered(flags: set[str]) -> tuple[str, ...]:
    return tuple(flag for flag in FLAGS if flag in flags) if flags else ()
