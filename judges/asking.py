"""Asking a judge until its reply can be read: plainly at first, then with the reason.

The same question at temperature 0 would bring the same reply, so what was wrong
is added to it. The earlier reply itself is not sent back: it costs tokens, and an
empty one is refused by some providers.

A judge fills in a form: a JSON object with the reasoning first, then fixed keys.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from eibench import JsonDict, JsonObject
from eibench.core.benchmark import Model
from eibench.core.types import ChatResponse, Message

from .quoting import Quotable
from .replies import read_object

T = TypeVar("T")
REASKS = 2
"""How often an unreadable reply is asked for again."""
_ASKED_AGAIN = ((), ("re-asked",), ("re-asked twice",))


class Reading(NamedTuple, Generic[T]):
    """What one reply was read as.

    Attributes:
        value: ``None`` where it could not be read.
        reason: Why not, in words that the judge may be told; never words of a reply.
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
        flags: Of the reply that counts, and ``re-asked`` or ``re-asked twice``.
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
        read: The strict reader.
        form: What a good reply looks like, in one sentence for the judge.
        cache_prefix: As in `Model.chat`.
        **changes: As in `Model.chat`.

    Raises:
        ProviderError: No reply could be had.
        MissingCall: Offline, and the journal does not hold a reply.
    """
    question = list(messages)
    replies: list[str] = []
    while True:
        response = await judge.chat(question, cache_prefix=cache_prefix, **changes)
        replies.append(response.text)
        reading = read(response)
        judge.mark(response, None if reading.value is not None else reading.reason or "unread")
        again = len(replies) - 1
        if reading.value is not None or again == REASKS:
            flags = (*reading.flags, *_ASKED_AGAIN[again])
            judge.note(judge_replies=len(replies))
            return Outcome(reading.value, reading.reason, flags, tuple(replies))
        question = [*messages[:-1], _with_reason(messages[-1], reading.reason, form, again)]


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
        raw: The same, as the reply has them.
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

    `read` gives ``None`` for a value that cannot be; `requirement` says what it has to be, for the
    reason that the judge is told; `optional` keys may be absent, or null.
    """
    reading = read_object(response, keys, quotable)
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
    raw = {key: reply[key] for key in keys}
    filled = Filled(values, raw, reasoning if isinstance(reasoning, str) else "", unknown)
    return Reading(filled, None, (*reading.flags, *["unknown key"] * bool(unknown)))
