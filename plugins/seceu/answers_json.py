"""Finds answers in the JSON of a reply, for `answers`: any layout that ties names to numbers.

Known layouts: ``{"Emotion": [{"name": "Proud", "score": 3}, ...]}`` as in the published
examples, ``{"Proud": 3, ...}``, ``{"Proud": {"score": 3, "why": "..."}, ...}``,
``{"1": 3, ...}`` and ``{"scores": [3, ...]}``. A list alone is none: it may be a list of the
options' numbers.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from eibench import JsonObject

from .answers_numbers import WrittenNumber, end_of_number, read_number

_DECODER = json.JSONDecoder()
_START = re.compile(r"[{\[]")
_MOST_STARTS = 200
"""Brackets that are tried in one reply; a real one has a few."""
_FIELD = re.compile(r"score|point|value|rating|intensity|percent|分", re.IGNORECASE)
_INDEX = re.compile(r"(?:option|选项)?\s*[(\[]?([1-9])[)\].、:]?")

Set = dict[int, WrittenNumber]


def json_sets(text: str, names: Sequence[str]) -> Iterator[Set]:
    """The numbers by option of each JSON value in a text that holds any, in order."""
    position = 0
    for _ in range(_MOST_STARTS):
        start = _START.search(text, position)
        if start is None:
            return
        position = start.end()
        try:
            value, position = _DECODER.raw_decode(text, start.start())
            # A list alone is none: it may be a list of the options' numbers.
            is_plain = isinstance(value, list) and not any(isinstance(e, Mapping) for e in value)
            numbers = {} if is_plain else _numbers(value, names)
        except (ValueError, RecursionError):
            continue
        if numbers:
            yield numbers


def _numbers(value: object, names: Sequence[str]) -> Set:
    """The numbers by option, from wherever in a value they are."""
    if isinstance(value, Mapping):
        return _of_object(value, names)
    if not isinstance(value, list):
        return {}
    plain = [_number(entry) for entry in value]
    if len(value) == len(names) and None not in plain:
        return {option: number for option, number in enumerate(plain) if number is not None}
    return _merged(value, names)


def _of_object(value: JsonObject, names: Sequence[str]) -> Set:
    single = _own_pair(value, names)
    if single:
        return single
    numbers: Set = {}
    for key, entry in value.items():
        option, number = _option(key, names), _number_within(entry)
        if option is not None and number is not None:
            numbers[option] = number
    return numbers or _merged(list(value.values()), names)


def _own_pair(value: JsonObject, names: Sequence[str]) -> Set:
    """The one option that an object is about: a text that names it, and a number."""
    texts = [entry for entry in value.values() if isinstance(entry, str)]
    named = [option for text in texts if (option := _named(text, names)) is not None]
    number = _number_within(value)
    return {named[0]: number} if len(named) == 1 and number is not None else {}


def _merged(values: Sequence[object], names: Sequence[str]) -> Set:
    """The numbers of several values; the last one with all options is the answer."""
    merged: Set = {}
    for entry in values:
        part = _numbers(entry, names)
        merged = part if len(part) == len(names) else {**merged, **part}
    return merged


def _number_within(entry: object) -> WrittenNumber | None:
    """A number, or the one in an object that is called score or is its only one."""
    if not isinstance(entry, Mapping):
        return _number(entry)
    numbers = {key: _number(value) for key, value in entry.items() if _number(value) is not None}
    called = [number for key, number in numbers.items() if _FIELD.search(key)]
    candidates = called or list(numbers.values())
    return candidates[0] if len(candidates) == 1 else None


def _number(entry: object) -> WrittenNumber | None:
    if isinstance(entry, bool):
        return None
    if isinstance(entry, int | float):
        return read_number(f"{entry:f}") if abs(entry) < 1e9 else None
    if isinstance(entry, str) and entry.strip():
        text = entry.strip()
        number = read_number(text)
        whole = end_of_number(text, 0) == len(text)
        return number if whole and number.problem is None else None
    return None


def _option(label: str, names: Sequence[str]) -> int | None:
    """The option that a key is the name or the number of."""
    named = _named(label, names)
    if named is not None:
        return named
    numbered = _INDEX.fullmatch(label.strip().casefold())
    return None if numbered is None or int(numbered[1]) > len(names) else int(numbered[1]) - 1


def _named(label: str, names: Sequence[str]) -> int | None:
    """The option that a text is the name of, with its number before it or without."""
    known = [name.casefold() for name in names]
    words = " ".join(label.split()).casefold()
    numbered = _INDEX.match(words)
    for candidate in (words, words[numbered.end() :].strip() if numbered else ""):
        if candidate in known:
            return known.index(candidate)
    return None
