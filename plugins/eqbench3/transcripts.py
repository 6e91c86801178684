"""A transcript: made turn by turn with the model, and shown to the judge.

The sections of a reply are found by the headings that its prompt asked for: with curly or
straight apostrophes, in bold, numbered, with any number of ``#`` or none, and with a colon.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from eibench import Message, Model, is_blank
from eibench.judges import display, fill, neutralise

from .protocol import Kind
from .scenarios import ScenarioContent

_SPACE = r"[^\S\n]*+"  # possessive, so that a line of spaces is gone over once
_BOLD = r"(?:\*{1,3}|_{1,3})?"
_MARKS = (
    rf"{_SPACE}{_BOLD}{_SPACE}(?:\#{{1,6}}{_SPACE})?{_BOLD}{_SPACE}"
    rf"(?:\d{{1,3}}[.)]{_SPACE})?{_BOLD}{_SPACE}"
)
_SET_OFF = re.compile(r":|#|\*\*|__")
_END = re.compile(r"^--[^\S\n]*$", re.MULTILINE)
_RULE = re.compile(r"[-_*]{2,}")


class Sections(NamedTuple):
    """A reply in its sections, in the order of the headings; empty for one that is missing.

    Attributes:
        missing, repeated: Headings that were not found, or more than once.
        outside: Characters of the reply that stand under no heading.
    """

    texts: tuple[str, ...]
    missing: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    outside: int = 0


class _Found(NamedTuple):
    heading: int
    start: int
    end: int


def read_sections(reply: str, headings: Sequence[str]) -> Sections | None:
    """The sections of a reply; ``None`` where it has none of the headings."""
    matches = sorted(_find(reply, headings), key=lambda f: f.start)
    if not matches:
        return None
    texts: list[list[str]] = [[] for _ in headings]
    outside = len(reply[: matches[0].start].strip())
    for here, after in zip(matches, [*matches[1:], None], strict=True):
        text = reply[here.end : after.start if after else len(reply)]
        text, _, rest = _cut(text) if after is None else (text, "", "")
        outside += len(rest.strip())
        texts[here.heading].append(_without_rules(text))
    counts = [len(parts) for parts in texts]
    return Sections(
        texts=tuple("\n\n".join(part for part in parts if part) for parts in texts),
        missing=tuple(h for h, n in zip(headings, counts, strict=True) if not n),
        repeated=tuple(h for h, n in zip(headings, counts, strict=True) if n > 1),
        outside=outside,
    )


def _without_rules(text: str) -> str:
    """A section's text without the rules that divide it from the next one."""
    lines = text.strip().split("\n")
    while lines and (not lines[-1].strip() or _RULE.fullmatch(lines[-1].strip())):
        lines.pop()
    return "\n".join(lines).strip()


def _cut(text: str) -> tuple[str, str, str]:
    """A last section up to the line of two dashes that closes it in the prompt's own form."""
    match = _END.search(text)
    return (text[: match.start()], match[0], text[match.end() :]) if match else (text, "", "")


def _find(reply: str, headings: Sequence[str]) -> list[_Found]:
    matches = []
    for index, heading in enumerate(headings):
        for match in _pattern(heading).finditer(reply):
            if not match["rest"].strip() or _is_heading(match):
                matches.append(_Found(index, match.start(), match.start("rest")))
    return matches


def _is_heading(match: re.Match[str]) -> bool:
    """Whether a line with more text on it is a heading: marked as one, and set off."""
    marked = match[0].lstrip().startswith(("#", "*", "_"))
    return marked and bool(_SET_OFF.search(match["closing"]))


@lru_cache
def _pattern(heading: str) -> re.Pattern[str]:
    words = re.escape(heading.replace("’", "'"))
    words = words.replace("'", "['’‘`´ʼ]?").replace("\\ ", r"[^\S\n]+").replace("\\&", "(?:&|and)")
    words = words.replace("\\-", "[-‐‑– ]")
    closing = rf"(?P<closing>{_BOLD}{_SPACE}:?{_SPACE}{_BOLD}{_SPACE}\#*+{_BOLD})"
    return re.compile(
        rf"^{_MARKS}{words}(?![^\W_]|['’]){_SPACE}{closing}(?P<rest>[^\n]*)$",
        re.MULTILINE | re.IGNORECASE,
    )


NO_REPLY = "[no reply]"
"""Stands for an empty reply in what the model is sent next: providers refuse empty messages."""


class TranscriptTurn(NamedTuple):
    """What the user said, as it was sent, and what the model replied."""

    prompt: str
    reply: str
    sections: Sections | None
    """``None`` where the kind has no headings, or the reply none of them."""


class Transcript(NamedTuple):
    """All that one sample of a scenario gave."""

    turns: tuple[TranscriptTurn, ...]
    debrief: str | None
    """``None`` where the kind has none."""

    @property
    def is_empty(self) -> bool:
        """Whether the model said nothing in any turn."""
        return self.longest == 0

    @property
    def longest(self) -> int:
        """Characters of the longest reply; the debrief is none."""
        replies = (turn.reply for turn in self.turns if not is_blank(turn.reply))
        return max((len(reply.strip()) for reply in replies), default=0)


async def make_transcript(
    scenario: ScenarioContent, model: Model, temperature: float | None
) -> Transcript:
    """The model's part in a scenario, turns in order; `temperature` is that of the debrief."""
    kind, talk, turns = scenario.kind, list[Message](), list[TranscriptTurn]()
    for text in scenario.turns:
        prompt = fill(kind.prompt, {"scenario_prompt": text})
        talk.append(Message("user", prompt))
        more = kind.debrief is not None or len(turns) + 1 < len(scenario.turns)
        response = await model.chat(talk, cache_prefix=len(talk) if more else 0)
        sections = read_sections(response.text, kind.headings) if kind.headings else None
        turns.append(TranscriptTurn(prompt, response.text, sections))
        reply = NO_REPLY if is_blank(response.text) else response.text.strip()
        talk.append(Message("assistant", reply))
    if kind.debrief is None:
        return Transcript(tuple(turns), None)
    question = [*talk, Message("user", kind.debrief)]
    debrief = await model.chat(
        question, cache_prefix=len(talk) - 1, temperature=temperature, min_p=None
    )
    return Transcript(tuple(turns), debrief.text.strip())


def judge_messages(scenario: ScenarioContent, transcript: Transcript, form: str) -> list[Message]:
    """The prompt that asks for a verdict on a transcript.

    What the judge does not see is taken out of the model's words first, then the prompt's markers
    are made harmless, and every place is filled in one pass.
    """
    template, strip = scenario.kind.template, scenario.protocol.strip

    def harmless(text: str) -> str:
        return neutralise(without(text, strip), template.markers)

    talk: list[tuple[str, str]] = []
    for turn in transcript.turns:
        talk += [("User", turn.prompt), ("Assistant", harmless(_shown(turn, scenario.kind)))]
    values = {
        "transcript": display(talk),
        "debrief": harmless(transcript.debrief or ""),
        "notes": scenario.notes,
        "output_format": form,
    }
    user = Message("user", without(fill(template.user, values), strip))
    return [Message("system", template.system), user] if template.system else [user]


def without(text: str, strip: str) -> str:
    """A text without the characters that the judge does not see."""
    for mark in strip:
        text = text.replace(mark, "")
    return text


def _shown(turn: TranscriptTurn, kind: Kind) -> str:
    """A reply in its sections, as the published code shows it; whole where it has none."""
    if turn.sections is None:
        return turn.reply.strip() if kind.headings else turn.reply
    pairs = zip(kind.headings, turn.sections.texts, strict=True)
    return "\n\n".join(f"# {heading}\n{text}" for heading, text in pairs) + "\n\n--"


def sections_report(transcript: Transcript, headings: Sequence[str]) -> dict[str, list[str]]:
    """What is odd about the sections of each reply, by turn, where anything is."""
    report = {}
    for number, turn in enumerate(transcript.turns, start=1):
        if odd := _odd(turn, headings):
            report[str(number)] = odd
    return report


def _odd(turn: TranscriptTurn, headings: Sequence[str]) -> list[str]:
    if is_blank(turn.reply):
        return ["empty reply"]
    if not headings:
        return []
    if turn.sections is None:
        return ["no section found"]
    missing, repeated = turn.sections.missing, turn.sections.repeated
    odd = [f"missing: {name}" for name in missing] + [f"repeated: {name}" for name in repeated]
    outside = turn.sections.outside
    return odd + ([f"{outside} characters outside the sections"] if outside else [])
