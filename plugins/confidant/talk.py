"""The talk: the model's turns, what the person says to each, and how it ends."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from eibench import ChatResponse, JsonDict, Message, Model, is_blank, no_answer
from eibench.judges import (
    AGAIN,
    FactGate,
    Reading,
    UnlockedFact,
    ask,
    fill,
    neutralise,
    read_object,
)

from .cards import ASSISTANT, ConfidantCard, HiddenPoint
from .prompts import ANNOUNCED, GATE, GATE_RULES, NEWS, PLAY, ROLE, TURN
from .prompts import ASSISTANT as AS_ASSISTANT

PERSON, PARTNER = "person", "Partner"
SILENT = "(Says nothing.)"
_TRUST = 10


class PersonTurn(NamedTuple):
    """What the person says, and what nobody hears: thoughts, trust from 0 to 10, who goes."""

    says: str
    thinks: str
    trust: float | None
    leaves: bool


class Confidence(NamedTuple):
    """All that one sample gave.

    Attributes:
        name: Of the person.
        turns: What was answer, by speaker, the opening first.
        replies: The person's turns, in order, with what nobody heard.
        ledger: Which points were unlocked, when and by which words.
        breaks: What was wrong where the actor did not keep to the rules, by turn.
        unread: Why it is not graded: a turn of the model's that says nothing, or an actor that
            never said a word.
    """

    name: str
    turns: tuple[tuple[str, str], ...]
    replies: tuple[PersonTurn, ...]
    ledger: Sequence[UnlockedFact]
    breaks: Sequence[str]
    unread: str | None = None

    @property
    def own_words(self) -> str:
        """All that the person said."""
        return "\n".join(text for who, text in self.turns if who == self.name)

    @property
    def exchanges(self) -> int:
        """How many turns of the model were answered."""
        return len(self.replies)


async def hold_talk(
    card: ConfidantCard, model: Model, exchanges: int, *, announce: bool
) -> Confidence:
    """The talk, until the person ends it or all exchanges are used."""
    person, role = card.person, model.role(PERSON)
    messages = [
        Message("system", _partner(card, announce=announce)),
        Message("user", person.opening),
    ]
    talk = [Message("system", _play(card))]
    gate = FactGate(card.facts, GATE_RULES, GATE, echoes=True)
    turns, replies, unread = [(person.name, person.opening)], list[PersonTurn](), None
    for n in range(1, exchanges + 1):
        response = await model.chat(messages, cache_prefix=len(messages))
        if reason := no_answer(response):
            unread = f"turn {n}: {reason}"
            break
        answer = response.text.strip()
        opened = await gate.open(role, answer, turns[-1][1], n)
        shown = fill(TURN.user, {"turn": neutralise(answer, TURN.markers)})
        news = [fill(NEWS, {"text": fact.text}) for fact in opened]
        talk.append(Message("user", "\n\n".join([*news, shown])))
        reply = await _reply(role, talk, gate, n)
        turns += [(PARTNER, answer), (person.name, reply.says)]
        replies.append(reply)
        messages += [Message("assistant", answer), Message("user", reply.says)]
        if reply.leaves:
            break
    if replies and all(reply.says == SILENT for reply in replies):
        unread = "the actor wrote no dialogue in any turn"
    return Confidence(person.name, tuple(turns), tuple(replies), gate.ledger, gate.breaks, unread)


def _partner(card: ConfidantCard, *, announce: bool) -> str:
    """Who the model is; that it is an evaluation where that is to be said."""
    name = {"name": card.person.name}
    is_assistant = card.relation == ASSISTANT
    who = fill(AS_ASSISTANT, name) if is_assistant else fill(ROLE, {"role": card.role})
    return f"{who}\n\n{fill(ANNOUNCED, name)}" if announce else who


def _play(card: ConfidantCard) -> str:
    values = {key: str(value) for key, value in card.person._asdict().items()}
    return fill(PLAY, {**values, "relation": card.relation})


async def _reply(
    role: Model, talk: list[Message], gate: FactGate[HiddenPoint], n: int
) -> PersonTurn:
    """The first reply that keeps to the rules, else what can be used of the last."""
    usable: list[PersonTurn] = []

    def read(response: ChatResponse) -> Reading[PersonTurn]:
        turn, fault = read_turn(response, gate)
        usable.append(turn)
        return Reading(None if fault else turn, fault)

    outcome = await ask(role, talk, read, form=AGAIN, cache_prefix=len(talk))
    if outcome.value is None:
        gate.breaks.append(f"turn {n}: {outcome.reason}")
    last = outcome.replies[-1]
    talk.append(Message("assistant", SILENT if is_blank(last) else last))
    return outcome.value or usable[-1]


def read_turn(response: ChatResponse, gate: FactGate[HiddenPoint]) -> tuple[PersonTurn, str | None]:
    """What can be used of an actor's reply, and what is wrong with it, if anything is."""
    reading = read_object(response, ("says",))
    reply: Mapping[str, object] = reading.value or {}
    says, thinks, trust = (reply.get(key) for key in ("says", "thinks", "trust"))
    known = isinstance(trust, int | float) and not isinstance(trust, bool) and 0 <= trust <= _TRUST
    text = says.strip() if isinstance(says, str) else ""
    turn = PersonTurn(
        text or SILENT,
        thinks if isinstance(thinks, str) else "",
        float(str(trust)) if known else None,
        reply.get("leaves") is True,
    )
    unread = (reading.reason or "").replace("the judge", "the actor")
    faults = {
        unread: bool(unread),
        "there is no dialogue": not text,
        "it speaks the partner's part": text.casefold().startswith(("partner:", "[partner]")),
        "it tells what may not be told yet": gate.tells_locked(text),
        f"trust is no number from 0 to {_TRUST}": not known,
    }
    return turn, next((fault for fault, is_so in faults.items() if is_so), None)


def as_facts(talk: Confidence) -> JsonDict:
    """What is kept beside the score."""
    return {
        "ledger": [entry._asdict() for entry in talk.ledger],
        "breaks": list(talk.breaks),
        "trust": [reply.trust for reply in talk.replies],
        "thinks": [reply.thinks for reply in talk.replies],
        "last": talk.replies[-1].says if talk.replies else "",
    }
