"""The JSON object that a judge's reply ends with, read without guessing.

Tried in this order: the whole reply, one object in a fence or after prose, and
then json-repair, which is flagged. Only text up to a closing brace is repaired,
as of a reply that was cut off the last number may have lost digits; and what the
repair says of a wanted key counts only where the text plainly says the same.
An object that words follow, or that may be quoted from the prompt, is not read. Only `tolerant`
reading sees through what `rewriting` names.
"""

import json
import re
from collections.abc import Collection, Iterator
from itertools import islice
from typing import NamedTuple

from eibench.core.types import ChatResponse, Finish, Json, JsonDict

from .quoting import MORE_FOLLOWS, Quotable, says_more
from .rewriting import as_asked, takes_leave

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
        flags: ``fenced``, ``embedded`` or ``repaired``; of tolerant reading ``other keys`` and
            ``closing words`` too.
    """

    value: JsonDict | None
    reason: str | None = None
    flags: tuple[str, ...] = ()


class _Ambiguous(ValueError):
    """An object gives the same key two values, or there are two objects."""


class _Part(NamedTuple):
    """What stands from an opening brace to its closing one; a `value` of ``None`` is no JSON."""

    value: JsonDict | None
    text: str
    end: int


class _ObjectSearch(NamedTuple):
    """What is looked for in a reply.

    Attributes:
        keys: Of which an object has at least one; none of them for any object.
        quotable: What may be quoted in it.
        tolerant: Whether it may be written otherwise.
    """

    keys: Collection[str]
    quotable: Quotable
    tolerant: bool

    def form(self, value: JsonDict) -> JsonDict:
        """An object with the keys as they are asked for.

        Raises:
            _Ambiguous: That is not beyond doubt.
        """
        if not (self.tolerant and self.keys):
            return value
        form = as_asked(value, self.keys, self.quotable.own_words)
        if form is None:
            raise _Ambiguous("an object gives what is asked for in several ways")
        return form

    def ends(self, rest: str, *, fenced: bool, alone: bool) -> bool:
        """Whether a reply ends with the object that `rest` follows.

        It is `alone` where nothing else stands on its lines.
        """
        if not says_more(rest):
            return True
        tolerant = self.tolerant and (fenced or alone)
        return tolerant and takes_leave(rest, self.keys, fenced=fenced)


def read_object(
    response: ChatResponse,
    keys: Collection[str],
    quotable: Quotable | None = None,
    *,
    tolerant: bool = False,
) -> ObjectReading:
    """The JSON object with at least one of the wanted keys that a reply ends with.

    Args:
        response: The reply.
        keys: Of which it has at least one; none of them for any object.
        quotable: What may be quoted in it; by default nothing.
        tolerant: Read also other spellings of the keys, one wrapping object and closing words,
            where nothing like the form stands in the prompt. Whoever asks again what cannot be read
            does so by the strict reading, so that replies that a journal holds are found.
    """
    if response.finish in (Finish.REFUSAL, Finish.CONTENT_FILTER):
        return ObjectReading(None, "the judge refused")
    text = response.text.strip()
    cut = response.finish == Finish.LENGTH
    if not text:
        return ObjectReading(None, "cut off before it began" if cut else "the reply is empty")
    quotable = quotable or Quotable((), (), "")
    if tolerant and quotable.holds_any_spelling:
        return ObjectReading(None, quotable.why)
    search = _ObjectSearch(keys, quotable, tolerant)
    try:
        return _read(text, search, cut=cut)
    except _Ambiguous as error:
        return ObjectReading(None, str(error))


def read_otherwise(
    response: ChatResponse, keys: Collection[str], quotable: Quotable | None = None
) -> ObjectReading:
    """As `read_object` reads it; what that cannot, with tolerance, and with its reason beside."""
    strict = read_object(response, keys, quotable)
    if strict.value is not None:
        return strict
    otherwise = read_object(response, keys, quotable, tolerant=True)
    return strict if otherwise.value is None else otherwise._replace(reason=strict.reason)


def _read(text: str, search: _ObjectSearch, *, cut: bool) -> ObjectReading:
    keys, quotable = search.keys, search.quotable
    whole = _parse(text)
    if isinstance(whole, dict):
        form = search.form(whole)
        quoted = _fits(form, keys) and not quotable.is_own(form)
        flags = ("other keys",) * (form != whole)
        return ObjectReading(None, quotable.why) if quoted else ObjectReading(form, flags=flags)
    parts = list(islice(_parts(text), _MOST_PARTS + 1))
    if len(parts) > _MOST_PARTS:
        raise _Ambiguous("too many JSON objects in the reply")
    parts = [p._replace(value=p.value and search.form(p.value)) for p in parts]
    fitting = [p for p in parts if p.value is not None and _fits(p.value, keys)]
    verdicts = [p for p in fitting if p.value is not None and quotable.is_own(p.value)]
    broken = [p for p in parts if p.value is None]
    rivals = [p for p in broken if any(_plainly(p.text, key) is not None for key in keys)]
    _refuse_two(verdicts, rivals, quotable)
    if verdicts:
        return _last(text, verdicts[-1], search)
    if fitting:
        return ObjectReading(None, quotable.why)
    if cut or not broken:
        message = "cut off by the token limit" if cut else "no JSON in the reply"
        return ObjectReading(None, message)
    return _repaired(text, (rivals or broken)[-1], search)


def _refuse_two(verdicts: list[_Part], rivals: list[_Part], quotable: Quotable) -> None:
    """Raise `_Ambiguous` for two objects that may be the verdict.

    Broken ones count as well, unless they may be quotations beside the judge's own.
    """
    alongside = 0 if verdicts and quotable.holds_form else len(rivals)
    if (
        any(other.value != verdicts[0].value for other in verdicts[1:])
        or alongside + bool(verdicts) > 1
    ):
        raise _Ambiguous("more than one JSON object in the reply")


def _last(text: str, part: _Part, search: _ObjectSearch) -> ObjectReading:
    """The object of a part, if it is the last thing said."""
    raw, rest = _parse(part.text), text[part.end :]
    fenced = any(_parse(block.strip()) == raw for block in _FENCE.findall(text))
    if not search.ends(rest, fenced=fenced, alone=_is_alone(text, part)):
        return ObjectReading(None, MORE_FOLLOWS)
    assert part.value is not None
    flags = ["fenced" if fenced else "embedded", *["other keys"] * (part.value != raw)]
    return ObjectReading(part.value, flags=(*flags, *["closing words"] * says_more(rest)))


def _is_alone(text: str, part: _Part) -> bool:
    """Whether nothing but a part stands on its lines."""
    before, after = text[: part.end - len(part.text)], text[part.end :]
    return not before.rpartition("\n")[2].strip() and not after.partition("\n")[0].strip(" .")


def _fits(value: JsonDict, keys: Collection[str]) -> bool:
    return not keys or any(key in value for key in keys)


def _parse(text: str) -> object:
    try:
        return json.loads(text, object_pairs_hook=_object)
    except _Ambiguous:
        raise
    except (ValueError, RecursionError):
        return None


def _object(pairs: list[tuple[str, Json]]) -> JsonDict:
    value_of: JsonDict = {}
    for key, value in pairs:
        if key in value_of and value_of[key] != value:
            raise _Ambiguous("gives a key twice, with different values")
        value_of[key] = value
    return value_of


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
            yield _Part(value, text[at:end], end)
        at = text.find("{", end)


def _closing(text: str, at: int) -> int:
    """Where the object that opens there ends, going by braces outside quotes."""
    depth = 0
    for match in _IN_BRACES.finditer(text, at):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return match.end()
    return len(text)


def _repaired(text: str, part: _Part, search: _ObjectSearch) -> ObjectReading:
    from json_repair import repair_json

    expected, quotable = search.keys, search.quotable
    broken = part.text[: part.text.rfind("}") + 1]
    if not broken:
        return ObjectReading(None, "the JSON is cut off")
    if quotable.holds_part:
        return ObjectReading(None, f"the JSON is broken; {quotable.why}")
    rest = text[part.end - len(part.text) + len(broken) :]
    fenced = any(block.strip() == broken for block in _FENCE.findall(text))
    if not search.ends(rest, fenced=fenced, alone=_is_alone(text, part._replace(text=broken))):
        return ObjectReading(None, MORE_FOLLOWS)
    if len(broken) > _LONGEST_REPAIR or broken.count("{") > _MOST_BRACES:
        return ObjectReading(None, "the JSON is broken, and too long to repair")
    try:
        value = repair_json(broken, return_objects=True, skip_json_loads=True)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or not (keys := [key for key in expected if key in value]):
        return ObjectReading(None, "the JSON is broken beyond repair")
    if doubtful := [key for key in keys if _plainly(broken, key) != value[key]]:
        return ObjectReading(None, f"the JSON is broken at {', '.join(doubtful)}")
    flags = ("repaired", *["closing words"] * says_more(rest))
    return ObjectReading(value, flags=flags)


def _plainly(text: str, key: str) -> float | str | None:
    """What broken JSON says of a key, if it says it once and in a way nobody can misread.

    Of a key that stands twice the last value would count, of ``1_5`` 15 and of ``7 /10`` 7.
    """
    if key not in text:
        return None
    name = re.escape(key)
    matches = list(re.finditer(rf'"{name}"\s*:', text)) or list(
        re.finditer(rf"(?<!\w)'?{name}'?\s*:", text)
    )
    if len(matches) != 1 or not re.search(
        r"(?:[{,\n]|\*/)\s*\Z", text[: matches[0].start()][-200:]
    ):
        return None
    match = _PLAIN.match(text, matches[0].end())
    if match is None:
        return None
    number = match[1]
    if number is None:
        return str(match[2] if match[2] is not None else match[3])
    return number if "/" in number else float(number)
