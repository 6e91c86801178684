"""The fixed words of prompts and answers, in each language that question packs come in.

A form says how an answer is asked for: under which headings, ended by which mark. Everything
that cuts a prompt or reads a reply takes it from here. The headings are facts about the published
packs, which our own packs share. A prompt in any other language shows its form: `Form.shown_in`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple


class SectionNames(NamedTuple):
    """How the headings of a reply may be worded: patterns without case, possessive throughout."""

    first: str
    critique: str
    revised: str


class NumberWords(NamedTuple):
    """Words around a number: patterns without case, but for `and_`.

    Attributes:
        out_of: Between a rating and its scale, as in "7 out of 10".
        ten: The scale in a word.
        until: Between the ends of a range.
        and_: Before the last of several pairs on a line.
    """

    out_of: str
    ten: str
    until: str
    and_: str


@dataclass(frozen=True, slots=True)
class Form:
    """How prompts of one language ask, and in which form they want the answer.

    Attributes:
        language: As ``--lang`` has it; empty for one that is read from a prompt.
        dialogue_ends: The marks of which one stands after the dialogue.
        first: Heading of the first pass, with its colon.
        critique: That of the critique.
        revised: That of the revised pass.
        answer_end: The mark after the answer.
        call: The last line of a prompt that asks for one pass only, if it has one.
        names: How a reply may word the three headings.
        words: What may stand around a number in a reply.
    """

    language: str
    dialogue_ends: tuple[str, ...]
    first: str
    critique: str
    revised: str
    answer_end: str
    call: str
    names: SectionNames
    words: NumberWords

    def as_written_in(self, prompt: str) -> "Form":
        """The form with the revised heading of this prompt, if it has one of its own."""
        match = re.search(rf"^{self.names.revised}:(?=[ \t]*$)", prompt, re.MULTILINE | re.I)
        return replace(self, revised=match[0]) if match else self

    @staticmethod
    def shown_in(prompt: str) -> "ShownForm":
        """Return the form that a prompt of any language shows, laid out as the published ones are.

        Four lines such as ``NAME: <score>`` stand under a heading, a line for the critique follows,
        four such lines under another heading, and a mark in brackets. The last line in brackets
        before them ends the dialogue. Colons and brackets may be full-width.

        Raises:
            ValueError: A part is not there; the message says which.
        """
        return _read_form(prompt)


_SCORES = r"(?:[ \t_-]*+(?:scores?|ratings?|numbers?))?+"
_VALUES = r"(?:bewertung(?:en|srunde)?+|punktzahl(?:en)?+|punkte|einschätzung(?:en)?+|werte?+)"

ENGLISH = Form(
    language="en",
    dialogue_ends=("[End dialogue]",),
    first="First pass scores:",
    critique="Critique:",
    revised="Revised scores:",
    answer_end="[End of answer]",
    call="Your answer:",
    names=SectionNames(
        first=rf"first[ \t_-]*+pass{_SCORES}",
        critique=r"(?:revised[ \t_-]++)?+critique",
        revised=rf"revised{_SCORES}",
    ),
    words=NumberWords(out_of=r"out[ ]of\b", ten=r"ten\b", until=r"to\b|or\b", and_="and"),
)

#: One published prompt ends its dialogue otherwise than the rest, and the translation has
#: several headings for the revised pass: `Form.as_written_in` finds a prompt's own.
GERMAN = Form(
    language="de",
    dialogue_ends=("[Ende des Dialogs]", "[Dialogende]"),
    first="Erste Bewertung:",
    critique="Kritik:",
    revised="Überarbeitete Bewertung:",
    answer_end="[Ende der Antwort]",
    call="Ihre Antwort:",
    names=SectionNames(
        first=rf"erster?+[ \t_-]++(?:{_VALUES}|durchgang|runde)",
        critique=r"(?:(?:ü|ue)berarbeitete[ \t_-]++)?+kritik",
        revised=rf"(?:(?:ü|ue)berarbeitet|revidiert)(?:e[rsn]?+)?+(?:[ \t_-]*+{_VALUES})?+",
    ),
    words=NumberWords(out_of=r"von\b", ten=r"zehn\b", until=r"bis\b|oder\b", and_="und"),
)

FORMS: Mapping[str, Form] = MappingProxyType({form.language: form for form in (ENGLISH, GERMAN)})

N_EMOTIONS = 4
_LABEL = re.compile(r"([^:：<>＜＞]+)[:：][ \t]*[<＜][^<>＜＞]+[>＞]")
_MARK = re.compile(r"[\[［【].+[\]］】]")
_NEVER = r"(?!)"
_NO_WORDS = NumberWords(out_of=_NEVER, ten=_NEVER, until=_NEVER, and_="")


class ShownForm(NamedTuple):
    """The form that a prompt shows, and the names of the emotions in it."""

    form: Form
    emotions: tuple[str, ...]


def _read_form(prompt: str) -> ShownForm:
    lines = [line.strip() for line in prompt.splitlines() if line.strip()]
    first, revised = _rating_blocks(lines)
    shown = lines[first : first + N_EMOTIONS]
    headings = [_heading(lines, at) for at in (first, revised)]
    critique = re.match(r"[^:：]+[:：]", "".join(lines[first + N_EMOTIONS : revised - 1][:1]))
    if not critique:
        raise ValueError(f"has no line for the critique above the heading {headings[1]!r}")
    if headings[0] == headings[1]:
        raise ValueError(f"has one heading for the first and the revised scores: {headings[0]!r}")
    after = lines[revised + N_EMOTIONS :][:1]
    form = Form(
        language="",
        dialogue_ends=(_mark(lines[: first - 1], "before its answer form, to end the dialogue"),),
        first=headings[0],
        critique=critique[0],
        revised=headings[1],
        answer_end=_mark(after, "right below the revised scores, to end the answer"),
        call="",
        names=SectionNames(
            *(re.escape(h[:-1].rstrip()) for h in (headings[0], critique[0], headings[1]))
        ),
        words=_NO_WORDS,
    )
    return ShownForm(form, tuple(re.split("[:：]", line)[0].rstrip() for line in shown))


def _rating_blocks(lines: Sequence[str]) -> Sequence[int]:
    """Return the first line of each of the two blocks."""
    at = [i for i, line in enumerate(lines) if _LABEL.fullmatch(line)]
    runs = [[i for _, i in run] for _, run in groupby(enumerate(at), lambda n: n[1] - n[0])]
    blocks = [run[0] for run in runs if len(run) >= N_EMOTIONS]
    if len(blocks) != 2:
        raise ValueError(
            f"shows {len(blocks)} blocks of {N_EMOTIONS} lines such as 'NAME: <score>', not 2"
        )
    return blocks


def _heading(lines: Sequence[str], block: int) -> str:
    above = lines[block - 1] if block else ""
    if not above.endswith((":", "：")):
        raise ValueError(f"has no heading that ends in a colon above {lines[block]!r}")
    return above


def _mark(lines: Sequence[str], where: str) -> str:
    """Return the last line in brackets."""
    for line in reversed(lines):
        if _MARK.fullmatch(line):
            return line
    raise ValueError(f"has no line in brackets {where}")
