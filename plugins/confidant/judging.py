"""What the person voiced: disclosures with quotations, matched with the points by a second call.

The first call sees the talk alone, the second the disclosures and all points, locked ones too; it
gives no grade. A point counts where the ledger has it, it is matched, and the quotation stands in
the person's own words.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from eibench import ChatResponse, Message, Model
from eibench.judges import Reading, Template, ask, fill, neutralise, read_otherwise, stands_in

from .cards import ConfidantCard
from .prompts import JUDGE, MATCH, POINTS, RUBRIC
from .talk import Confidence

_FORM = "Reply with the JSON object alone, in the form that was asked for."


MARKERS = tuple(dict.fromkeys((*POINTS.markers, *MATCH.markers, *JUDGE.markers)))
"""What begins or ends a part of any of the judge's prompts."""


class Voiced(NamedTuple):
    """Which points a judge found.

    Attributes:
        quotes: By point, the words of the person that it rests on.
        early: Points that were not unlocked and yet said.
        invented: How many quotations stand in nobody's words, or in the partner's alone.
        reason: Why nothing could be read; ``None`` where it could.
    """

    quotes: Mapping[str, str]
    early: Sequence[str]
    invented: int
    reason: str | None = None


async def find_voiced(card: ConfidantCard, talk: Confidence, judge: Model) -> Voiced:
    """What was disclosed, and which points that is."""
    name = card.person.name
    values = {"name": name, "talk": shown(talk)}
    listed = await ask(judge, _messages(POINTS, values), _read_disclosed, form=_FORM)
    if listed.value is None:
        return Voiced({}, (), 0, listed.reason)
    quoted = [pair for pair in listed.value if stands_in(pair[1], talk.own_words)]
    invented = len(listed.value) - len(quoted)
    if not quoted:
        return Voiced({}, (), invented)
    lines = [f"{n}. {neutralise(point, MARKERS)}" for n, (point, _) in enumerate(quoted, 1)]
    points = "\n".join(f"- {fact.id}: {fact.text}" for fact in card.facts)
    values = {"name": name, "disclosed": "\n".join(lines), "points": points}
    matched = await ask(judge, _messages(MATCH, values), _read_matched, form=_FORM)
    if matched.value is None:
        return Voiced({}, (), invented, matched.reason)
    ids = {fact.id for fact in card.facts}
    quotes = {id: quoted[n - 1][1] for id, n in matched.value if id in ids and 0 < n <= len(quoted)}
    opened = {entry.id for entry in talk.ledger}
    early = [id for id in quotes if id not in opened]
    return Voiced({i: q for i, q in quotes.items() if i in opened}, early, invented)


def shown(talk: Confidence) -> str:
    """A talk as judges read it: each line marked as somebody's words."""
    parts = []
    for speaker, text in talk.turns:
        lines = neutralise(text, MARKERS).splitlines()
        parts.append("\n".join([f"{speaker}:", *(f"> {line}" for line in lines)]))
    return "\n\n".join(parts)


def rubric_messages(card: ConfidantCard, talk: Confidence, *, sees_card: bool) -> list[Message]:
    """What asks for grades; with the card where the judge may see it."""
    points = "\n".join(f"- {fact.text}" for fact in card.facts)
    hidden = f"\n[CARD]\n{card.person.is_}\nHidden at first:\n{points}\n[/CARD]\n" * sees_card
    values = {
        "name": card.person.name,
        "relation": card.relation,
        "card": hidden,
        "talk": shown(talk),
        "criteria": RUBRIC.described,
        "form": RUBRIC.shown,
    }
    return _messages(JUDGE, values)


def _messages(template: Template, values: Mapping[str, str]) -> list[Message]:
    system = Message("system", fill(template.system, values))
    return [system, Message("user", fill(template.user, values))]


def _entries(response: ChatResponse, key: str) -> Reading[list[Mapping[str, object]]]:
    """The objects of a list in a reply."""
    reading = read_otherwise(response, (key,))
    entries = (reading.value or {}).get(key)
    whole: list[Mapping[str, object]] = []
    if isinstance(entries, list):
        whole = [one for one in entries if isinstance(one, dict)]
    if not isinstance(entries, list) or len(whole) < len(entries):
        return Reading(None, reading.reason or f'"{key}" must be a list of objects')
    return Reading(whole, reading.reason)


def _read_disclosed(response: ChatResponse) -> Reading[list[tuple[str, str]]]:
    reading = _entries(response, "disclosed")
    pairs = [(one.get("point"), one.get("quote")) for one in reading.value or ()]
    whole = [(p, q) for p, q in pairs if isinstance(p, str) and isinstance(q, str)]
    if reading.value is None or len(whole) < len(pairs):
        return Reading(None, reading.reason or 'each entry needs a "point" and a "quote"')
    return Reading(whole, reading.reason)


def _read_matched(response: ChatResponse) -> Reading[list[tuple[str, int]]]:
    reading = _entries(response, "said")
    pairs = [(one.get("point"), one.get("disclosure")) for one in reading.value or ()]
    whole = [(p, n) for p, n in pairs if isinstance(p, str) and type(n) is int]
    if reading.value is None or len(whole) < len(pairs):
        return Reading(None, reading.reason or 'each entry needs a "point" and a "disclosure"')
    return Reading(whole, reading.reason)
