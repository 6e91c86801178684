"""Who plays the two people: what a turn of the mediator's unlocks, and what they say to it.

The gate sees conditions without what they open, the player what is open without what is not.
So nothing comes out too early but by chance. A reply that breaks the rules is asked for again
at most twice, with the reason.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from eibench import ChatResponse, JsonDict, Message, Model, is_blank
from eibench.judges import AGAIN, FactGate, Reading, ask, fill, neutralise, read_object

from .disputes import Dispute, Fact
from .prompts import CARD, GATE, GATE_RULES, NEWS, PLAY, TURN

NOTHING = "(Nobody says anything.)"
"""Stands for a reply of which nothing can be used."""
_FOR_MEDIATOR = re.compile(r"^\W*(?:the\s+)?mediator\W*:", re.IGNORECASE | re.MULTILINE)
_TRUST = 10


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
        gate: What has been unlocked, and what was wrong where no reply kept to the rules.
        trust: The latest of each person.
    """

    def __init__(self, dispute: Dispute, role: Model) -> None:
        self._dispute, self._role = dispute, role
        self._talk = [Message("system", _play(dispute))]
        self._before = dispute.openings
        self.gate = FactGate(dispute.facts, GATE_RULES, GATE)
        self.trust: dict[str, float] = {}

    async def answer(self, turn: str, n: int) -> Speech:
        """What the two say to the mediator's turn `n`, once its gate has been passed."""
        opened = await self.gate.open(self._role, turn, self._before, n)
        shown = fill(TURN.user, {"turn": neutralise(turn, TURN.markers)})
        news = [fill(NEWS, fact._asdict()) for fact in opened]
        self._talk.append(Message("user", "\n\n".join([*news, shown])))
        speech = await self._speech(n)
        self.trust.update(speech.trust)
        self._before = str(speech)
        return speech

    async def _speech(self, n: int) -> Speech:
        """The first speech that keeps to the rules, else what can be used of the last."""
        usable: list[Speech] = []

        def read(response: ChatResponse) -> Reading[Speech]:
            speech, fault = read_speech(response, self._dispute.names, self.gate)
            usable.append(speech)
            return Reading(None if fault else speech, fault)

        outcome = await ask(self._role, self._talk, read, form=AGAIN, cache_prefix=len(self._talk))
        if outcome.value is None:
            self.gate.breaks.append(f"turn {n}: {outcome.reason}")
        last = outcome.replies[-1]
        self._talk.append(Message("assistant", NOTHING if is_blank(last) else last))
        return outcome.value or usable[-1]


def _object(response: ChatResponse, key: str) -> tuple[JsonDict, str]:
    """The object of a reply, empty where there is none, and why there is none."""
    reading = read_object(response, (key,))
    return reading.value or {}, (reading.reason or "").replace("the judge", "the player")


def read_speech(
    response: ChatResponse, names: Sequence[str], gate: FactGate[Fact]
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
    faults = {
        unread: bool(unread),
        f"only {two} can speak, each with a text": len(spoken) < len(raw) or raw != entries,
        "nobody says anything": not lines,
        "it speaks for the mediator": any(_FOR_MEDIATOR.search(line.says) for line in lines),
        "somebody tells what they may not tell yet": any(
            gate.tells_locked(line.says) for line in lines
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


def _play(dispute: Dispute) -> str:
    one, other = dispute.people
    values = {"one": one.name, "other": other.name, "situation": dispute.situation}
    cards = "\n\n".join(fill(CARD, person._asdict()) for person in dispute.people)
    return fill(PLAY, {**values, "cards": cards, "openings": dispute.openings})
