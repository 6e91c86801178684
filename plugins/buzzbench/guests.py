"""The rubric of BuzzBench: the same four numbers for each guest, of whom an item has its own."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeGuard

from eibench import ChatResponse, JsonDict, Message, Model
from eibench.judges import Outcome, Quotable, Reading, Rubric, Verdict, ask, read_otherwise

GUESTS, GUEST, REASONING = "guests", "guest", "chain_of_thought_reasoning"


@dataclass(frozen=True, slots=True)
class GuestRubric(Rubric):
    """A rubric that a judge fills in once for each guest.

    As every guest has every criterion, the mean of the criteria's means is the mean of all numbers.

    Attributes:
        guests: Their names, at least one, none twice.
    """

    guests: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def shown(self) -> str:
        """The empty form: an entry for each guest."""
        entries = [{GUEST: guest, **dict.fromkeys(self.names, 0)} for guest in self.guests]
        form = {REASONING: self.reasoning, GUESTS: entries}
        text = json.dumps(form, indent=2, ensure_ascii=False)
        return re.sub(r": 0(,?)$", rf": {self.blank}\1", text, flags=re.MULTILINE)

    async def ask(
        self,
        judge: Model,
        messages: Sequence[Message],
        *,
        cache_prefix: int = 0,
        constrained: bool = True,
    ) -> Outcome[Verdict]:
        """The means over guests; the numbers of each guest are noted."""
        outcome = await ask(
            judge,
            messages,
            lambda response: self._read_all(response, messages),
            form=f"Reply with the JSON object alone: each guest once, each key {self.number}.",
            cache_prefix=cache_prefix,
            json_schema=self._schema() if constrained else None,
        )
        if outcome.value is None:
            return Outcome(None, outcome.reason, outcome.flags, outcome.replies)
        by_guest = outcome.value
        judge.note(guests=by_guest)
        means = {n: sum(of[n] for of in by_guest.values()) / len(by_guest) for n in self.names}
        return Outcome(Verdict(means), None, outcome.flags, outcome.replies)

    def _read_all(
        self, response: ChatResponse, prompt: Sequence[Message]
    ) -> Reading[dict[str, dict[str, float]]]:
        """The numbers by guest and criterion, where each guest has all of them once."""
        reading = read_otherwise(response, (GUESTS,), Quotable(prompt, self.names, REASONING))
        if reading.value is None:
            return Reading(None, reading.reason)
        entries = reading.value.get(GUESTS)
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            return Reading(None, reading.reason or f"{GUESTS}: not a list of objects")
        names = {plain(guest): guest for guest in self.guests}
        by_guest = dict[str, dict[str, float]]()
        for entry in entries:
            assert isinstance(entry, dict)
            guest = names.get(plain(entry.get(GUEST)))
            if guest is None or guest in by_guest:
                nobody = f"{GUESTS}: an entry is of nobody who is to be graded"
                stands = f"{guest} stands twice" if guest else nobody
                return Reading(None, reading.reason or stands)
            grades = {name: entry.get(name) for name in self.names}
            numbers = {name: float(n) for name, n in grades.items() if self._fits(n)}
            if wrong := [name for name in self.names if name not in numbers]:
                why = f"{guest}: {', '.join(wrong)}: not {self.number}"
                return Reading(None, reading.reason or why)
            by_guest[guest] = numbers
        if missing := [guest for guest in self.guests if guest not in by_guest]:
            return Reading(None, reading.reason or f"it lacks {', '.join(missing)}")
        return Reading(by_guest, reading.reason, reading.flags)

    def _fits(self, grade: object) -> TypeGuard[float]:
        if isinstance(grade, bool) or not isinstance(grade, int | float):
            return False
        return 0 <= grade <= self.scale

    def _schema(self) -> JsonDict:
        guest: JsonDict = {"type": "string", "enum": list(self.guests)}
        entry = _object({GUEST: guest, **{name: {"type": "number"} for name in self.names}})
        return _object({REASONING: {"type": "string"}, GUESTS: {"type": "array", "items": entry}})


def _object(fields: JsonDict) -> JsonDict:
    """A JSON schema of an object with all of these fields and no other."""
    rules: JsonDict = {"required": list(fields), "additionalProperties": False}
    return {"type": "object", "properties": fields, **rules}


def plain(name: object) -> str:
    """A name as names are compared: small letters, one kind of apostrophe and of blank."""
    return " ".join(str(name).replace("’", "'").casefold().split())
