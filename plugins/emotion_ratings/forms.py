"""The fixed words of prompts and answers, in each language that question packs come in.

A form says how an answer is asked for: under which headings, ended by which mark. Everything
that cuts a prompt or reads a reply takes it from here, so a further language is a further form.
The headings are facts about the published packs, which our own packs share.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
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
        language: As ``--lang`` has it.
        dialogue_ends: The marks of which one stands after the dialogue.
        first: Heading of the first pass, with its colon.
        critique: That of the critique.
        revised: That of the revised pass.
        answer_end: The mark after the answer.
        call: The last line of a prompt that asks for one pass only.
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
