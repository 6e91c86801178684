"""The JSON object in a judge's reply, read without guessing.

Tried in this order: the whole reply, one object in a fence or among prose, and
then json-repair, which is flagged. Only text up to a closing brace is repaired,
as of a reply that was cut off the last number may have lost digits; and what the
repair says of a wanted key counts only where the text plainly says the same.
"""

import json
import re
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any, NamedTuple

from eibench.core.types import ChatResponse, Finish

_FENCE = re.compile(r"```[A-Za-z0-9_-]*[^\S\n]*\n(.*?)```", re.DOTALL)
_LOOKS_LIKE_ONE = re.compile(r"\{\s*(?:[\"'}]|//|/\*|#|\w+\s*:)")
_IN_BRACES = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[{}]', re.DOTALL)
_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:/[0-9]+)?"
_END = r"(?:,(?!\s*[0-9])|\}|//|/\*|\#|\n\s*[\"']?[A-Za-z_]\w*[\"']?\s*:|\Z)"
_PLAIN = re.compile(rf"\s*(?:({_NUMBER})|\"([^\"\n]*)\"|'([^'\n]*)')\s*?{_END}")
_LONGEST_REPAIR = 100_000
_MOST_BRACES = 200
"""In what is repaired: json-repair takes seconds for thousands of them."""
_MOST_PARTS = 100
"""Objects in one reply: each broken one costs a look at the whole text."""


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
    """An object gives the same key two values, or there are two objects."""


class _Part(NamedTuple):
    """What stands between an opening brace and its closing one, or the end of the reply.

    Attributes:
        value: ``None`` where it is not JSON.
    """

    value: dict[str, Any] | None
    text: str


def read_object(response: ChatResponse, wanted: Collection[str]) -> ObjectReading:
    """The one JSON object of a reply that has at least one of the wanted keys."""
    if response.finish in (Finish.REFUSAL, Finish.CONTENT_FILTER):
        return ObjectReading(None, "the judge refused")
    text = response.text.strip()
    cut = response.finish == Finish.LENGTH
    if not text:
        return ObjectReading(None, "cut off before it began" if cut else "the reply is empty")
    try:
        return _read(text, wanted, cut=cut)
    except _Ambiguous as error:
        return ObjectReading(None, str(error))


def _read(text: str, wanted: Collection[str], *, cut: bool) -> ObjectReading:
    whole = _parse(text)
    if isinstance(whole, dict):
        return ObjectReading(whole)
    parts = list(islice(_parts(text), _MOST_PARTS + 1))
    if len(parts) > _MOST_PARTS:
        raise _Ambiguous("too many JSON objects in the reply")
    fitting = [p.value for p in parts if p.value is not None and _fits(p.value, wanted)]
    broken = [p.text for p in parts if p.value is None]
    rivals = [t for t in broken if any(_plainly(t, key) is not None for key in wanted)]
    if any(other != fitting[0] for other in fitting[1:]) or len(rivals) + bool(fitting) > 1:
        raise _Ambiguous("more than one JSON object in the reply")
    if fitting:
        flag = "fenced" if _in_fence(text, fitting[0]) else "embedded"
        return ObjectReading(fitting[0], flags=(flag,))
    if cut:
        return ObjectReading(None, "cut off by the token limit")
    if not broken:
        return ObjectReading(None, "no JSON in the reply")
    return _repaired((rivals or broken)[-1], wanted)


def _fits(value: dict[str, Any], wanted: Collection[str]) -> bool:
    return not wanted or any(key in value for key in wanted)


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


def _in_fence(text: str, value: dict[str, Any]) -> bool:
    return any(_parse(block.strip()) == value for block in _FENCE.findall(text))


def _parts(text: str) -> Iterator[_Part]:
    """The outermost objects in a text, whole or broken.

    What is inside a broken one is never taken for the reply: it may be a draft or an example.
    """
    decoder = json.JSONDecoder(object_pairs_hook=_object)
    at = text.find("{")
    while at != -1:
        end = at + 1
        if _LOOKS_LIKE_ONE.match(text, at):
            try:
                value, end = decoder.raw_decode(text, at)
            except _Ambiguous:
                raise
            except (ValueError, RecursionError):
                value, end = None, _closing(text, at)
            yield _Part(value, text[at:end])
        at = text.find("{", end)


def _closing(text: str, at: int) -> int:
    """Where the object that opens there ends, going by braces outside quotes."""
    depth = 0
    for found in _IN_BRACES.finditer(text, at):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0:
            return found.end()
    return len(text)


def _repaired(text: str, wanted: Collection[str]) -> ObjectReading:
    from json_repair import repair_json

    broken = text[: text.rfind("}") + 1]
    if not broken:
        return ObjectReading(None, "the JSON is cut off")
    if len(broken) > _LONGEST_REPAIR or broken.count("{") > _MOST_BRACES:
        return ObjectReading(None, "the JSON is broken, and too long to repair")
    try:
        value = repair_json(broken, return_objects=True, skip_json_loads=True)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or not (keys := [key for key in wanted if key in value]):
        return ObjectReading(None, "the JSON is broken beyond repair")
    if doubtful := [key for key in keys if _plainly(broken, key) != value[key]]:
        return ObjectReading(None, f"the JSON is broken at {', '.join(doubtful)}")
    return ObjectReading(value, flags=("repaired",))


def _plainly(text: str, key: str) -> float | str | None:
    """What broken JSON says of a key, if it says it once and in a way nobody can misread.

    Of a key that stands twice the last value would count, of ``1_5`` 15 and of ``7 /10`` 7.
    """
    name = re.escape(key)
    places = list(re.finditer(rf'"{name}"\s*:', text)) or list(
        re.finditer(rf"(?<!\w)'?{name}'?\s*:", text)
    )
    if len(places) != 1 or not re.search(r"(?:[{,\n]|\*/)\s*\Z", text[: places[0].start()][-200:]):
        return None
    match = _PLAIN.match(text, places[0].end())
    if match is None:
        return None
    number = match[1]
    if number is None:
        return str(match[2] if match[2] is not None else match[3])
    return number if "/" in number else float(number)
