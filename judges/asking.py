"""Asking a judge until its reply can be read: plainly at first, then with the reason.

The same question at temperature 0 would bring the same reply, so what was wrong
is added to it. The earlier reply itself is not sent back: it costs tokens, and an
empty one is refused by some providers.

A later command may ask anew what could not be read (`bench rejudge` by the same judge): the same
questions, once more. Their replies are found by keys of their own, after all earlier ones, so that
the newest that can be read counts and none is asked for twice.

A judge fills in a form: a JSON object with the reasoning first, then fixed keys.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, NamedTuple, TypeVar

from eibench import JsonDict, JsonObject
from eibench.core.benchmark import Model
from eibench.core.benchmark.model import AsksAnew
from eibench.core.types import ChatResponse, Message

from .quoting import Quotable
from .replies import ObjectReading, read_object

T = TypeVar("T")
REASKS = 2
"""How often an unreadable reply is asked for again."""
_ASKED_AGAIN = ((), ("re-asked",), ("re-asked twice",))
_LATER = ("re-asked later",)


class Reading(NamedTuple, Generic[T]):
    """What one reply was read as.

    Attributes:
        value: ``None`` where it could not be read.
        reason: Why not, in words that the judge may be told; never words of a reply. Beside a
            value, why it can be read only with tolerance.
        flags: What was unusual.
    """

    value: T | None
    reason: str | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """What came of asking.

    Attributes:
        value: ``None`` where no reply could be read.
        reason: Why not: that of the last reply.
        flags: Of the reply that counts, and ``re-asked``, ``re-asked twice`` or, where a later
            command asked anew, ``re-asked later``.
        replies: Raw texts, in the order they came.
    """

    value: T | None
    reason: str | None
    flags: tuple[str, ...]
    replies: tuple[str, ...]


async def ask(
    judge: Model,
    messages: Sequence[Message],
    read: Callable[[ChatResponse], Reading[T]],
    *,
    form: str,
    cache_prefix: int = 0,
    **changes: object,
) -> Outcome[T]:
    """What a judge says, once it can be read.

    Args:
        judge: The model to ask.
        messages: The question; its last message is the one that a reason is added to.
        read: The reader; what it reads with a reason is read with tolerance.
        form: What a good reply looks like, in one sentence for the judge.
        cache_prefix: As in `Model.chat`.
        **changes: As in `Model.chat`.

    Raises:
        ProviderError: No reply could be had.
        MissingCall: Offline, and the journal does not hold a reply.
    """
    asking = _Asking(judge, messages, read, form, {"cache_prefix": cache_prefix, **changes})
    outcome = await asking.ask(judge)
    anew, number = (judge if isinstance(judge, AsksAnew) else None), 1
    while outcome.value is None and anew is not None:
        later = await asking.ask(anew.anew(number), later=True)
        if not later.replies:
            break
        outcome, number = later, number + 1
    judge.note(judge_replies=len(asking.replies))
    return replace(outcome, replies=tuple(asking.replies))


@dataclass
class _Asking(Generic[T]):
    """One question, and all replies to it, in the order they came.

    Attributes:
        has_asked: Whether this command had to ask, where it asks anew what could not be read.
    """

    judge: Model
    messages: Sequence[Message]
    read: Callable[[ChatResponse], Reading[T]]
    form: str
    changes: Mapping[str, Any]
    replies: list[str] = field(default_factory=list)
    has_asked: bool = False

    async def ask(self, asked: Model, *, later: bool = False) -> Outcome[T]:
        """What comes of asking at most `REASKS` times again; no replies where none is to be had.

        A `later` command asks only where nothing was asked in it yet. A reply that is read with
        tolerance counts unless the journal holds one that was asked for after it.
        """
        may_ask = not later or (self._asks_anew and not self.has_asked)
        question, outcomes, tolerated = list(self.messages), list[Outcome[T]](), list[Outcome[T]]()
        while len(outcomes) <= REASKS:
            response = await self._reply(asked, question, may_ask=may_ask and not tolerated)
            if response is None:
                break
            reading, again = self._read(response), len(outcomes)
            flags = (*reading.flags, *(_LATER if later else _ASKED_AGAIN[again]))
            outcomes.append(Outcome(reading.value, reading.reason, flags, ()))
            if reading.value is not None and (later or reading.reason is None):
                return replace(outcomes[-1], reason=None, replies=tuple(self.replies))
            tolerated += [outcomes[-1]] * (reading.value is not None)
            last = _with_reason(self.messages[-1], reading.reason, self.form, again)
            question = [*self.messages[:-1], last]
        if not outcomes:
            return Outcome(None, None, (), ())
        counts = replace(tolerated[0], reason=None) if tolerated else outcomes[-1]
        return replace(counts, replies=tuple(self.replies))

    @property
    def _asks_anew(self) -> bool:
        return isinstance(self.judge, AsksAnew) and self.judge.asks_anew

    async def _reply(
        self, asked: Model, question: Sequence[Message], *, may_ask: bool
    ) -> ChatResponse | None:
        """The journal's reply, else one that is asked for."""
        if self._asks_anew or not may_ask:
            held = await asked.kept(question, **self.changes)
            if held is not None or not may_ask:
                return held
        self.has_asked = True
        return await asked.chat(question, **self.changes)

    def _read(self, response: ChatResponse) -> Reading[T]:
        self.replies.append(response.text)
        reading = self.read(response)
        problem = None if reading.value is not None else reading.reason or "unread"
        self.judge.mark(response, problem)
        return reading


def _with_reason(question: Message, reason: str | None, form: str, again: int) -> Message:
    """The question with what was wrong; the second time in other words, to get another reply."""
    message = (
        f"An earlier reply to this could not be used: {reason}."
        if again == 0
        else f"Two earlier replies to this could not be used, the last because: {reason}."
    )
    return Message(question.role, f"{question.content}\n\n{message} {form}")


REASONING = "chain_of_thought_reasoning"
"""The key for what the judge thinks before it decides; asked for, not required."""
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Filled(Generic[V]):
    """A form as a judge filled it in.

    Attributes:
        values: Of every key that was asked for, as read.
        raw: The same, as the reply has them, and optional ones that it gives as null.
        reasoning: The judge's own words, if it gave any.
        unknown: Further keys of its reply, which count for nothing.
    """

    values: Mapping[str, V]
    raw: JsonObject
    reasoning: str
    unknown: tuple[str, ...]


def object_schema(first: str, fields: Mapping[str, Mapping[str, Any]]) -> JsonDict:
    """A form as a JSON schema; `first` is the key for the judge's own words."""
    properties = {first: {"type": "string"}, **fields}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def read_form(
    response: ChatResponse,
    keys: Collection[str],
    read: Callable[[object], V | None],
    requirement: str,
    quotable: Quotable,
    optional: Collection[str] = (),
) -> Reading[Filled[V]]:
    """A form, if the reply has every key, and each has a value that can be read.

    With a value and a reason it is read as `tolerant` reading does, and not as it was asked for.

    `read` gives ``None`` for a value that cannot be; `requirement` says what it has to be, for the
    reason that the judge is told; `optional` keys may be absent, or null.
    """
    shape = (keys, read, requirement, optional)
    reading = _filled(read_object(response, keys, quotable), *shape)
    if reading.value is not None:
        return reading
    otherwise = _filled(read_object(response, keys, quotable, tolerant=True), *shape)
    return reading if otherwise.value is None else otherwise._replace(reason=reading.reason)


def _filled(
    reading: ObjectReading,
    keys: Collection[str],
    read: Callable[[object], V | None],
    requirement: str,
    optional: Collection[str],
) -> Reading[Filled[V]]:
    if reading.value is None:
        return Reading(None, reading.reason)
    reply = reading.value
    keys = [key for key in keys if key not in optional or reply.get(key) is not None]
    if missing := [key for key in keys if key not in reply]:
        return Reading(None, f"it lacks {', '.join(missing)}")
    values = {key: value for key in keys if (value := read(reply[key])) is not None}
    if wrong := [key for key in keys if key not in values]:
        return Reading(None, f"{', '.join(wrong)}: not {requirement}")
    unknown = tuple(str(key) for key in reply if key not in {REASONING, *keys, *optional})
    reasoning = reply.get(REASONING)
    raw = {key: reply[key] for key in (*keys, *optional) if key in reply}
    filled = Filled(values, raw, reasoning if isinstance(reasoning, str) else "", unknown)
    return Reading(filled, None, (*reading.flags, *["unknown key"] * bool(unknown)))
