"""The prompt that compares two transcripts of a scenario.

Both are cut alike first, as the pack's protocol says. What is known of the published
code's way is kept: sections cut before signs are taken out, the debrief after.
"""

from typing import NamedTuple

from eibench import Message
from eibench.judges import Codes, Template, draw_codes, fill, neutralise, truncate

from .protocol import Kind
from .scenarios import ScenarioContent
from .transcripts import Transcript, TranscriptTurn, without

_TURN = "User:\n{prompt}\n---\nAssistant:\n{reply}\n---"
PAIR_TEXTS = {"turn": _TURN}
"""What of the prompt for comparisons is ours, and not the pack's."""
_MARKERS = tuple(f"{slash}RESPONDENT A1{what}" for slash in ("", "/") for what in ("", " ANALYSIS"))
"""What begins or ends a respondent's part in any form; the code may be another."""


class JudgedTranscript(NamedTuple):
    """A transcript as the judge of a comparison reads it, before markers are made harmless."""

    replies: tuple[str, ...]
    debrief: str

    @property
    def length(self) -> int:
        """Characters of the model's own words."""
        return sum(map(len, self.replies)) + len(self.debrief)


class PairPrompt(NamedTuple):
    """What asks for a comparison."""

    messages: tuple[Message, ...]
    codes: Codes
    lengths: tuple[int, int]


def pair_prompt(scenario: ScenarioContent, first: Transcript, second: Transcript) -> PairPrompt:
    """The prompt that compares two transcripts, `first` shown first.

    Raises:
        ValueError: The kind of scenario has no prompt for comparisons.
    """
    kind = scenario.kind
    if kind.pairwise is None:
        raise ValueError(f"scenarios of the kind {kind.name} are not compared")
    shown = [_shown(t, scenario) for t in (first, second)]
    # Written out: with another seed the codes, and so the requests, would be others.
    seed = ", ".join(f"Shown(replies={s.replies!r}, debrief={s.debrief!r})" for s in shown)
    codes = draw_codes(f"[{seed}]", *(text for s in shown for text in (*s.replies, s.debrief)))
    named = {"code_A": codes.first, "code_B": codes.second}
    template = Template(fill(kind.pairwise.user, named), fill(kind.pairwise.system, named))
    values = _values(scenario, first, shown, template)
    user = Message("user", fill(template.user, values))
    messages = (Message("system", template.system), user) if template.system else (user,)
    return PairPrompt(messages, codes, (shown[0].length, shown[1].length))


def _values(
    scenario: ScenarioContent, first: Transcript, shown: list[JudgedTranscript], template: Template
) -> dict[str, str]:
    """What goes into the template's places, the models' words made harmless."""
    strip, markers = scenario.protocol.strip, (*template.markers, *_MARKERS)
    no_debrief = scenario.protocol.no_debrief
    values = {
        "scenario_notes": scenario.notes or scenario.protocol.no_notes,
        "transcript_being_analysed": scenario.turns[0],
    }
    for letter, one in zip("AB", shown, strict=True):
        replies = [neutralise(reply, markers) for reply in one.replies]
        prompts = [without(turn.prompt, strip) for turn in first.turns]
        pairs = zip(prompts, replies, strict=True)
        talk = [fill(_TURN, {"prompt": prompt, "reply": reply}) for prompt, reply in pairs]
        values[f"conversation_history_{letter}"] = "\n".join(talk)
        values[f"debrief_{letter}"] = neutralise(one.debrief, markers) or no_debrief
        values[f"response_{letter}"] = replies[0]
    return values


def _shown(transcript: Transcript, scenario: ScenarioContent) -> JudgedTranscript:
    kind, unit, strip = scenario.kind, scenario.protocol.truncation, scenario.protocol.strip
    replies = tuple(_reply(turn, kind, unit, strip) for turn in transcript.turns)
    debrief = without(transcript.debrief or "", strip)
    if kind.debrief_limit is not None:
        debrief = truncate(debrief, kind.debrief_limit, unit)
    return JudgedTranscript(replies, debrief)


def _reply(turn: TranscriptTurn, kind: Kind, unit: str, strip: str) -> str:
    """A reply in its sections, each cut to its limit; one without sections is cut whole."""
    limits = kind.limits
    if turn.sections is None or not limits:
        whole = without(turn.reply, strip)
        return truncate(whole, sum(limits), unit) if limits else whole
    if len(limits) == len(kind.headings):
        triples = zip(kind.headings, turn.sections.texts, limits, strict=True)
        parts = [
            f"# {heading}\n\n{truncate(text, limit, unit)}" for heading, text, limit in triples
        ]
        return without("\n\n".join([*parts, "--"]), strip)
    pairs = zip(kind.headings, turn.sections.texts, strict=True)
    whole = "\n\n".join(f"# {heading}\n\n{text}" for heading, text in pairs)
    return without(truncate(whole, sum(limits), unit), strip)
