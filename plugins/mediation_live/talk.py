"""A talk: the mediator's turns, what the two say aloud to each, and how it ends."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from eibench import JsonDict, Message, Model, no_answer
from eibench.judges import UnlockedFact, fill, neutralise

from .disputes import Dispute
from .player import Player, SpokenLine
from .prompts import JUDGE, MEDIATE, RUBRIC

ROLE = "disputants"
OPEN, SETTLED, LEFT = "open", "settled", "breaking point"


class Talk(NamedTuple):
    """All that one sample gave.

    Attributes:
        aloud: What was said, the mediator's turns among it, after the openings.
        exchanges: How many turns were answered.
        ended: ``settled``, ``breaking point``, or ``open``: all exchanges were used.
        trust: Of each person at the end, 0 to 10; without who never said.
        unread: Why the talk is not graded: a turn of the model's that says nothing.
    """

    aloud: tuple[SpokenLine, ...]
    exchanges: int
    ended: str
    trust: Mapping[str, float]
    ledger: Sequence[UnlockedFact]
    breaks: Sequence[str]
    unread: str | None = None

    @property
    def facts(self) -> JsonDict:
        """What is kept beside the score."""
        return {
            "ended": self.ended,
            "exchanges": self.exchanges,
            "trust": dict(self.trust),
            "ledger": [entry._asdict() for entry in self.ledger],
            "breaks": list(self.breaks),
        }


async def hold_talk(dispute: Dispute, model: Model, exchanges: int) -> Talk:
    """The talk that the model leads; the two hear its words, it hears what they say aloud."""
    player = Player(dispute, model.role(ROLE))
    values = {"situation": dispute.situation, "openings": dispute.openings}
    opening = fill(MEDIATE, {**values, "exchanges": str(exchanges)})
    messages, aloud, ended, n = (
        [Message("user", opening)],
        list[SpokenLine](),
        OPEN,
        0,
    )
    unread = None
    while n < exchanges and ended == OPEN:
        response = await model.chat(messages, cache_prefix=len(messages))
        if reason := no_answer(response):
            unread = f"turn {n + 1}: {reason}"
            break
        n += 1
        turn = response.text.strip()
        speech = await player.answer(turn, n)
        aloud += [SpokenLine("Mediator", turn), *speech.aloud]
        messages += [Message("assistant", turn), Message("user", str(speech))]
        ended = LEFT if speech.leaves else SETTLED if speech.settled else OPEN
    return Talk(
        tuple(aloud), n, ended, player.trust, player.gate.ledger, player.gate.breaks, unread
    )


def judge_messages(dispute: Dispute, talk: Talk) -> list[Message]:
    """What asks for a verdict: what was said aloud, each line marked as somebody's words."""
    openings = [SpokenLine(person.name, person.opening) for person in dispute.people]
    values = {
        "situation": dispute.situation,
        "talk": "\n\n".join(
            f"{speaker}:\n{_quoted(says)}" for speaker, says in (*openings, *talk.aloud)
        ),
        "note": dispute.note,
        "output_format": RUBRIC.shown,
    }
    return [Message("system", JUDGE.system), Message("user", fill(JUDGE.user, values))]


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in neutralise(text, JUDGE.markers).splitlines())
