"""Facts of a played person that a turn of the model's unlocks: the gate and its ledger.

The gate sees conditions without what they open, whoever plays sees what is open without what is
not. So nothing comes out too early but by chance.
"""

import re
from collections.abc import Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from eibench.core.benchmark import Model
from eibench.core.types import ChatResponse, Message

from .asking import Reading, ask
from .prompts import Template, fill, neutralise
from .replies import read_object

AGAIN = "Reply with the JSON object alone, in the form that was asked for."
"""What is said after a player's reply that cannot be read."""
_RUN = 6
"""So many words of a locked fact in a row are taken for the fact."""


class GatedFact(Protocol):
    """What somebody knows, and who plays them does not before a turn unlocks it."""

    @property
    def id(self) -> str:
        """Its name."""
        ...

    @property
    def text(self) -> str:
        """What is known."""
        ...

    @property
    def unlock(self) -> str:
        """What a turn has to do."""
        ...

    @property
    def after(self) -> str:
        """The fact that has to be open before; empty for none."""
        ...


FactT = TypeVar("FactT", bound=GatedFact)


class UnlockedFact(NamedTuple):
    """An entry of the ledger: which fact, by which turn, and by which of its words."""

    id: str
    turn: int
    quote: str


class FactGate(Generic[FactT]):
    """The facts of one talk, and which of them are open.

    Args:
        facts: All of them.
        rules: The system prompt of who decides which conditions a turn meets.
        prompt: What they are asked: with places for ``conditions``, ``before`` and ``turn``.
        echoes: Whether words count that only repeat what was said just before.

    Attributes:
        ledger: What has been unlocked.
        breaks: What was wrong where no reply could be read, by turn.
    """

    def __init__(
        self, facts: Sequence[FactT], rules: str, prompt: Template, *, echoes: bool = False
    ) -> None:
        self.facts, self._rules, self._prompt, self._echoes = facts, rules, prompt, echoes
        self.ledger: list[UnlockedFact] = []
        self.breaks: list[str] = []

    @property
    def locked(self) -> list[FactT]:
        """The facts that are not open."""
        opened = {entry.id for entry in self.ledger}
        return [fact for fact in self.facts if fact.id not in opened]

    async def open(self, role: Model, turn: str, before: str, n: int) -> list[FactT]:
        """The facts that turn `n` opens; those it opens open no others in the same turn.

        Args:
            role: Who is asked which conditions it meets; nobody where none can be met.
            turn: What the model said.
            before: What was said just before.
            n: Of the turn, from 1 on.
        """
        waiting = reachable(self.facts, {entry.id for entry in self.ledger})
        if not waiting:
            return []
        values = {
            "conditions": "\n".join(f"- {fact.id}: {fact.unlock}" for fact in waiting),
            "before": neutralise(before, self._prompt.markers),
            "turn": neutralise(turn, self._prompt.markers),
        }
        messages = [
            Message("system", self._rules),
            Message("user", fill(self._prompt.user, values)),
        ]
        outcome = await ask(role, messages, read_met, form=AGAIN, temperature=0.0)
        if outcome.value is None:
            self.breaks.append(f"turn {n}, conditions: {outcome.reason}")
        earlier = "" if self._echoes else before
        met = {id: quote for id, quote in outcome.value or () if stands_in(quote, turn, earlier)}
        opened = [fact for fact in waiting if fact.id in met]
        self.ledger += [UnlockedFact(fact.id, n, met[fact.id]) for fact in opened]
        return opened

    def tells_locked(self, text: str) -> bool:
        """Whether a text has six words in a row of a fact that is not open."""
        spoken = word_runs(text)
        return any(spoken & word_runs(fact.text) for fact in self.locked)


def reachable(facts: Sequence[FactT], opened: set[str]) -> list[FactT]:
    """The locked facts that the next turn may open."""
    return [f for f in facts if f.id not in opened and (not f.after or f.after in opened)]


def stands_in(quote: str, text: str, earlier: str = "") -> bool:
    """Whether the words of a quotation stand in a text, and not in an earlier one.

    Blanks, case, quotation marks and other signs do not count. A quotation without words does not
    stand anywhere.
    """
    words, here, before = (f" {_words(one)} " for one in (quote, text, earlier))
    return bool(words.strip()) and words in here and words not in before


def _words(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


def word_runs(text: str) -> set[tuple[str, ...]]:
    """All runs of six words: what two texts share, one may have told of the other."""
    words = _words(text).split()
    return {tuple(words[n : n + _RUN]) for n in range(len(words) - _RUN + 1)}


def read_met(response: ChatResponse) -> Reading[tuple[tuple[str, str], ...]]:
    """Ids and quotations of the conditions that a reply calls met."""
    reading = read_object(response, ("met",))
    met = (reading.value or {}).get("met")
    if not isinstance(met, list):
        reason = (reading.reason or "").replace("the judge", "the player")
        return Reading(None, reason or '"met" must be a list')
    pairs = [(one.get("id"), one.get("quote")) for one in met if isinstance(one, dict)]
    whole = [(id, quote) for id, quote in pairs if isinstance(id, str) and isinstance(quote, str)]
    if len(whole) < len(met):
        return Reading(None, 'each entry of "met" needs an id and a quote')
    return Reading(tuple(whole))
