"""Who plays the two people: what a turn of the mediator's unlocks, and what they say to it.

The gate sees conditions without what they open, the player what is open without what is not.
So nothing comes out too early but by chance. A reply that breaks the rules is asked for again
at most twice, with the reason.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from eibench import ChatResponse, JsonDict, Message, Model, is_blank
from eibench.judges import Reading, ask, fill, neutralise, read_object

from .disputes import Dispute, Fact
from .prompts import CARD, GATE, GATE_RULES, NEWS, PLAY, TURN

NOTHING = "(Nobody says anything.)"
"""Stands for a reply of which nothing can be used."""
_FORM = "Reply with the JSON object alone, in the form that was asked for."
_FOR_MEDIATOR = re.compile(r"^\W*(?:the\s+)?mediator\W*:", re.IGNORECASE | re.MULTILINE)
_RUN = 6
"""So many words of a locked fact in a row are taken for the fact."""
_TRUST = 10


class Unlocked(NamedTuple):
    """An entry of the ledger: which fact, by which turn, and by which of its words."""

    id: str
    turn: int
    quote: str


class SpokenLine(NamedTuple):
    """What one person says aloud."""

    speaker: str
    says: str


class Speech(NamedTuple):
    """What the two say to a turn, and what nobody hears: trust by name, who goes, agreement."""

    lines: tuple[SpokenLine, ...]
    trust: Mapping[str, float]
    leaves: tuple[str, ...]
    settled: bool

    @property
    def aloud(self) -> tuple[SpokenLine, ...]:
        """The lines, and who is seen to leave."""
        return (*self.lines, *(SpokenLine(name, "[leaves the room]") for name in self.leaves))

    def __str__(self) -> str:
        return "\n\n".join(f"{line.speaker}: {line.says}" for line in self.aloud) or NOTHING


class Player:
    """Who plays the two people of one talk.

    Attributes:
        ledger: What has been unlocked.
        breaks: What was wrong where no reply kept to the rules, by turn.
        trust: The latest of each person.
    """

    def __init__(self, dispute: Dispute, role: Model) -> None:
        self._dispute, self._role = dispute, role
        self._talk = [Message("system", _play(dispute))]
        self._before = dispute.openings
        self.ledger: list[Unlocked] = []
        self.breaks: list[str] = []
        self.trust: dict[str, float] = {}

    async def answer(self, turn: str, n: int) -> Speech:
        """What the two say to the mediator's turn `n`, once its gate has been passed."""
        opened = await self._unlock(turn, n)
        shown = fill(TURN.user, {"turn": neutralise(turn, TURN.markers)})
        news = [fill(NEWS, fact._asdict()) for fact in opened]
        self._talk.append(Message("user", "\n\n".join([*news, shown])))
        speech = await self._speech(n)
        self.trust.update(speech.trust)
        self._before = str(speech)
        return speech

    async def _unlock(self, turn: str, n: int) -> list[Fact]:
        """The facts that a turn opens; those it opens do not open others in the same turn."""
        waiting = reachable(self._dispute.facts, {entry.id for entry in self.ledger})
        if not waiting:
            return []
        messages = _gate(waiting, turn, self._before)
        outcome = await ask(self._role, messages, read_met, form=_FORM, temperature=0.0)
        if outcome.value is None:
            self.breaks.append(f"turn {n}, conditions: {outcome.reason}")
        met = {id: quote for id, quote in outcome.value or () if is_own(quote, turn, self._before)}
        opened = [fact for fact in waiting if fact.id in met]
        self.ledger += [Unlocked(fact.id, n, met[fact.id]) for fact in opened]
        return opened

    async def _speech(self, n: int) -> Speech:
        """The first speech that keeps to the rules, else what can be used of the last."""
        usable: list[Speech] = []
        locked = [f for f in self._dispute.facts if f.id not in {e.id for e in self.ledger}]

        def read(response: ChatResponse) -> Reading[Speech]:
            speech, fault = read_speech(response, self._dispute.names, locked)
            usable.append(speech)
            return Reading(None if fault else speech, fault)

        outcome = await ask(self._role, self._talk, read, form=_FORM, cache_prefix=len(self._talk))
        if outcome.value is None:
            self.breaks.append(f"turn {n}: {outcome.reason}")
        last = outcome.replies[-1]
        self._talk.append(Message("assistant", NOTHING if is_blank(last) else last))
        return outcome.value or usable[-1]


def reachable(facts: Sequence[Fact], opened: set[str]) -> list[Fact]:
    """The locked facts that the next turn may open."""
    return [f for f in facts if f.id not in opened and (not f.after or f.after in opened)]


def is_own(quote: str, turn: str, before: str) -> bool:
    """Whether a quotation stands in a turn, and is no echo of what was said before it."""
    words, here, earlier = (f" {_words(text)} " for text in (quote, turn, before))
    return bool(words.strip()) and words in here and words not in earlier


def _words(text: str) -> str:
    """The words alone: blanks, case, quotation marks and other signs do not count."""
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


def _object(response: ChatResponse, key: str) -> tuple[JsonDict, str]:
    """The object of a reply, empty where there is none, and why there is none."""
    reading = read_object(response, (key,))
    return reading.value or {}, (reading.reason or "").replace("the judge", "the player")


def read_met(response: ChatResponse) -> Reading[tuple[tuple[str, str], ...]]:
    """Ids and quotations of the conditions that a reply of the gate calls met."""
    reply, reason = _object(response, "met")
    met = reply.get("met")
    if not isinstance(met, list):
        return Reading(None, reason or '"met" must be a list')
    pairs = [(one.get("id"), one.get("quote")) for one in met if isinstance(one, dict)]
    whole = [(id, quote) for id, quote in pairs if isinstance(id, str) and isinstance(quote, str)]
    if len(whole) < len(met):
        return Reading(None, 'each entry of "met" needs an id and a quote')
    return Reading(tuple(whole))


def read_speech(
    response: ChatResponse, names: Sequence[str], locked: Sequence[Fact]
) -> tuple[Speech, str | None]:
    """What can be used of a reply, and what is wrong with it, if anything is."""
    reply, unread = _object(response, "lines")
    entries = reply.get("lines")
    raw = [one for one in entries if isinstance(one, dict)] if isinstance(entries, list) else []
    pairs = [(one.get("speaker"), one.get("says")) for one in raw]
    spoken = [(who, says) for who, says in pairs if isinstance(who, str) and isinstance(says, str)]
    spoken = [pair for pair in spoken if pair[0] in names]
    lines = tuple(SpokenLine(who, says.strip()) for who, says in spoken if not is_blank(says))
    trust = _trust(reply, names)
    leaves = reply.get("leaves")
    gone = tuple(name for name in names if isinstance(leaves, list) and name in leaves)
    speech = Speech(lines, trust, gone, reply.get("settled") is True)
    two = " and ".join(names)
    spoken_runs = {run for line in lines for run in _runs(line.says)}
    faults = {
        unread: bool(unread),
        f"only {two} can speak, each with a text": len(spoken) < len(raw) or raw != entries,
        "nobody says anything": not lines,
        "it speaks for the mediator": any(_FOR_MEDIATOR.search(line.says) for line in lines),
        "somebody tells what they may not tell yet": any(
            spoken_runs & _runs(f.text) for f in locked
        ),
        f"it needs the trust of {two}, from 0 to {_TRUST}": len(trust) < len(names),
        f"leaves may list {two}, no others": leaves != list(gone) and leaves != list(gone)[::-1],
    }
    return speech, next((fault for fault, is_so in faults.items() if is_so), None)


def _trust(reply: JsonDict, names: Sequence[str]) -> dict[str, float]:
    raw = reply.get("trust")
    by_name = {name: raw.get(name) for name in names} if isinstance(raw, dict) else {}
    return {
        name: float(n)
        for name, n in by_name.items()
        if isinstance(n, int | float) and not isinstance(n, bool) and 0 <= n <= _TRUST
    }


def _runs(text: str) -> set[tuple[str, ...]]:
    words = _words(text).split()
    return {tuple(words[n : n + _RUN]) for n in range(len(words) - _RUN + 1)}


def _play(dispute: Dispute) -> str:
    one, other = dispute.people
    values = {"one": one.name, "other": other.name, "situation": dispute.situation}
    cards = "\n\n".join(fill(CARD, person._asdict()) for person in dispute.people)
    return fill(PLAY, {**values, "cards": cards, "openings": dispute.openings})


def _gate(waiting: Sequence[Fact], turn: str, before: str) -> list[Message]:
    values = {
        "conditions": "\n".join(f"- {fact.id}: {fact.unlock}" for fact in waiting),
        "before": neutralise(before, GATE.markers),
        "turn": neutralise(turn, GATE.markers),
    }
    return [Message("system", GATE_RULES), Message("user", fill(GATE.user, values))]
