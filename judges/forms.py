"""What judges' forms have in common: a JSON object with the reasoning first, then fixed keys."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from eibench import JsonDict, JsonObject
from eibench.core.types import ChatResponse

from .asking import Reading
from .quoting import Quotable
from .replies import read_object

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
    """A form as a JSON schema, for providers that hold a reply to one.

    Args:
        first: The key for the judge's own words.
        fields: The schema of each of the other keys.
    """
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
    wanted: str,
    quotable: Quotable,
) -> Reading[Filled[V]]:
    """A form, if the reply has every key, and each has a value that can be read.

    Args:
        response: The judge's reply.
        keys: What was asked for.
        read: From a raw value to what it says; ``None`` where that cannot be read.
        wanted: What a value has to be, for the reason that the judge is told.
        quotable: What may be quoted in it.
    """
    found = read_object(response, keys, quotable)
    if found.value is None:
        return Reading(None, found.reason)
    reply = found.value
    if missing := [key for key in keys if key not in reply]:
        return Reading(None, f"it lacks {', '.join(missing)}")
    values = {key: value for key in keys if (value := read(reply[key])) is not None}
    if wrong := [key for key in keys if key not in values]:
        return Reading(None, f"{', '.join(wrong)}: not {wanted}")
    unknown = tuple(str(key) for key in reply if key not in {REASONING, *keys})
    said = reply.get(REASONING)
    raw = {key: reply[key] for key in keys}
    filled = Filled(values, raw, said if isinstance(said, str) else "", unknown)
    return Reading(filled, None, (*found.flags, *["unknown key"] * bool(unknown)))
