"""The JSON object in a judge's reply, read without guessing.

Tried in this order: the whole reply, a fenced block, one object among prose, and
then json-repair, which is flagged. Only text up to a closing brace is repaired:
of a reply that was cut off, the last number may have lost digits.
"""

import json
import re
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from eibench.core.types import ChatResponse, Finish

_FENCE = re.compile(r"```[A-Za-z0-9_-]*[^\S\n]*\n(.*?)```", re.DOTALL)
_LONGEST_REPAIR = 200_000


class ObjectReading(NamedTuple):
    """An object, or why there is none.

    Attributes:
        value: ``None`` where nothing could be read.
        reason: Why not.
        flags: ``fenced``, ``embedded`` or ``repaired``.
    """

    value: dict[str, Any] | None
    reason: str | None = None
    flags: tuple[str, ...] = ()


class _Ambiguous(ValueError):
    """An object gives the same key two values."""


def read_object(response: ChatResponse, wanted: Collection[str]) -> ObjectReading:
    """The one JSON object of a reply that has at least one of the wanted keys."""
    if response.finish in (Finish.REFUSAL, Finish.CONTENT_FILTER):
        return ObjectReading(None, "the judge refused")
    text = response.text.strip()
    if not text:
        cut = response.finish == Finish.LENGTH
        return ObjectReading(None, "cut off before it began" if cut else "the reply is empty")
    try:
        found = _strictly(text, wanted)
    except _Ambiguous as error:
        return ObjectReading(None, str(error))
    if found is not None:
        return found
    if response.finish == Finish.LENGTH:
        return ObjectReading(None, "cut off by the token limit")
    return _repaired(text, wanted)


def _strictly(text: str, wanted: Collection[str]) -> ObjectReading | None:
    whole = _parse(text)
    if isinstance(whole, dict):
        return ObjectReading(whole)
    for flag, objects in (("fenced", _fenced(text)), ("embedded", _embedded(text))):
        fitting = [o for o in objects if not wanted or any(key in o for key in wanted)]
        if any(other != fitting[0] for other in fitting[1:]):
            raise _Ambiguous("more than one JSON object in the reply")
        if fitting:
            return ObjectReading(fitting[0], flags=(flag,))
    return None


def _parse(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_object)
    except _Ambiguous:
        raise
    except (ValueError, RecursionError):
        return None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made and made[key] != value:
            raise _Ambiguous("gives a key twice, with different values")
        made[key] = value
    return made


def _fenced(text: str) -> Iterator[dict[str, Any]]:
    for block in _FENCE.findall(text):
        value = _parse(block.strip())
        if isinstance(value, dict):
            yield value


def _embedded(text: str) -> Iterator[dict[str, Any]]:
    """Whole objects among other text, outermost only."""
    decoder = json.JSONDecoder(object_pairs_hook=_object)
    at = text.find("{")
    while at != -1:
        try:
            value, end = decoder.raw_decode(text, at)
        except _Ambiguous:
            raise
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield value
        at = text.find("{", end)


def _repaired(text: str, wanted: Collection[str]) -> ObjectReading:
    from json_repair import repair_json

    start, end = text.find("{"), text.rfind("}") + 1
    if start == -1:
        return ObjectReading(None, "no JSON in the reply")
    if end <= start:
        return ObjectReading(None, "the JSON is cut off")
    if end - start > _LONGEST_REPAIR:
        return ObjectReading(None, "the JSON is broken, and too long to repair")
    broken = text[start:end]
    try:
        value = repair_json(broken, return_objects=True, skip_json_loads=True)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or not (keys := [key for key in wanted if key in value]):
        return ObjectReading(None, "the JSON is broken beyond repair")
    if doubtful := [key for key in keys if not _is_plain(broken, key)]:
        return ObjectReading(None, f"the JSON is broken at {', '.join(doubtful)}")
    return ObjectReading(value, flags=("repaired",))


def _is_plain(text: str, key: str) -> bool:
    """Whether a key stands once in broken JSON, with one number or text after it.

    Of a key that stands twice the last value would count, and of ``1 5`` the 1.
    """
    name = re.escape(key)
    places = re.findall(rf'"{name}"\s*:(?=([^\n]*))', text) or re.findall(
        rf"(?<!\w){name}(?!\w)['\"]?\s*:(?=([^\n]*))", text
    )
    return len(places) == 1 and not re.match(r"\s*[\d.]+\s+[\w.]", places[0])
