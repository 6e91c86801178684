"""Reads the points that a reply gives to each of the four emotions.

A reply may number the options, name the emotions, be JSON, or be four bare numbers. What
counts is what it says last: of several full answers the last one, of JSON and text the JSON.
Numbers may be negative, percentages or of another sum; what becomes of those is for
`stories.prepared` to say. There is no reading when an emotion has no number or one that is
none (a range, a sum), and the reason is told.

Nothing here raises, whatever the text.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from .answers_json import json_sets
from .answers_numbers import WrittenNumber, read_number
from .answers_pairs import NumberedOption, find_pairs
from .stories import sums_to_ten

#: What each flag of a reading says, in the order in which a reading lists them.
FLAGS: Mapping[str, str] = MappingProxyType(
    {
        "json": "read from JSON",
        "index": "options by their numbers, not by their names",
        "bare": "four numbers alone, in the order of the options",
        "repeated": "several answers that differ; the last full one counts",
        "percent": "percentages",
        "fraction": "numbers out of 10",
        "negative": "a number below 0",
        "sum": "the four numbers do not sum to 10",
        "null": "four zeros",
        "cut_off": "the token limit ended the reply",
    }
)

# A stop mark of the published examples, or the next question that a model makes up itself.
_NEXT = re.compile(
    r"<end>|^[ \t]*+(?:Q|Question|Story|问题|故事)[ \t]*+:", re.IGNORECASE | re.MULTILINE
)
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("“”„«»「」『』", '"'),
        **dict.fromkeys("‘’", "'"),
        "−": "-",
        "\r": "\n",
        **{mark: f"({n})" for n, mark in enumerate("①②③④", start=1)},
    }
)
_BARE = re.compile(
    r"[\s(\[{*`]*+(?P<numbers>[-+]?[.\d]++%?(?:[\s,;|/]++[-+]?[.\d]++%?){3})[\s)\]}.;!*`]*+"
)
_LONGEST_BARE = 200


class PointsReading(NamedTuple):
    """What a reply says, a number per option in the order of the prompt, or why nothing."""

    values: tuple[float, ...] | None
    reason: str | None = None
    flags: tuple[str, ...] = ()


def read_answer(text: str, options: Sequence[str]) -> PointsReading:
    """The numbers that a reply, without thinking, gives to the options in the prompt's order."""
    names = tuple(plain(name) for name in options)
    reading = PointsReading(None, "no number for any of the four emotions")
    for part in _NEXT.split(plain(text)):
        part_reading = _read_part(part, names)
        if part_reading is not None:
            reading = part_reading
            if reading.values is not None:
                break
    return reading


def plain(text: str) -> str:
    """The text with full-width and typographic characters as their plain forms."""
    return unicodedata.normalize("NFKC", text.translate(_PLAIN))


def _read_part(part: str, names: Sequence[str]) -> PointsReading | None:
    """A reading, an unread one with its reason, or ``None`` where there are no numbers at all."""
    full = [numbers for numbers in json_sets(part, names) if len(numbers) == len(names)]
    if full:
        return _reading(full, {"json"})
    pairs = find_pairs(part, names)
    sets = list(_sets(pairs))
    full = [numbers for numbers in sets if len(numbers) == len(names)]
    if full:
        return _reading(full, {"index"} if any(pair.by_index for pair in pairs) else set())
    bare = _bare(part, len(names))
    if bare is not None:
        return _reading([bare], {"bare"})
    return _incomplete(sets, names) if sets else None


def _sets(pairs: Sequence[NumberedOption]) -> Iterator[dict[int, WrittenNumber]]:
    """The answers in a text: a new one begins where an option comes again."""
    current: dict[int, WrittenNumber] = {}
    for pair in pairs:
        if pair.option in current:
            yield current
            current = {}
        current[pair.option] = pair.number
    if current:
        yield current


def _bare(part: str, n: int) -> dict[int, WrittenNumber] | None:
    """Four numbers that are all of a text, or all of its last line after a colon."""
    lines = part.strip().splitlines() or [""]
    for candidate in (part.strip(), lines[-1].rpartition(":")[2]):
        if match := _BARE.fullmatch(candidate[:_LONGEST_BARE]):
            written = re.split(r"[\s,;|/]+", match["numbers"].rstrip("."))
            numbers = [read_number(piece) for piece in written]
            if len(numbers) == n and not any(number.problem for number in numbers):
                return dict(enumerate(numbers))
    return None


def _incomplete(sets: Sequence[Mapping[int, WrittenNumber]], names: Sequence[str]) -> PointsReading:
    """Numbers for some options in each answer: together they may be whole, if none differ."""
    together: dict[int, WrittenNumber] = {}
    for numbers in sets:
        for option, number in numbers.items():
            if option in together and together[option] != number:
                return PointsReading(None, f"{names[option]}: several numbers, and no full answer")
            together[option] = number
    missing = [name for option, name in enumerate(names) if option not in together]
    if missing:
        return PointsReading(None, f"no number for {', '.join(missing)}")
    return _reading([together], set())


def _reading(full: Sequence[Mapping[int, WrittenNumber]], flags: set[str]) -> PointsReading:
    """The last of the full answers, with what is unusual about it."""
    numbers = [full[-1][option] for option in sorted(full[-1])]
    problem = next((number.problem for number in numbers if number.problem), None)
    if problem is not None:
        return PointsReading(None, problem)
    if any(number.percent for number in numbers):
        if not all(number.percent or number.value == 0 for number in numbers):
            return PointsReading(None, "percentages and other numbers in one answer")
        flags = flags | {"percent"}
    if any(number.out_of_ten for number in numbers):
        flags = flags | {"fraction"}
    if any(dict(answer) != dict(full[-1]) for answer in full):
        flags = flags | {"repeated"}
    values = tuple(number.value for number in numbers)
    return PointsReading(values, None, ordered(flags | _of_values(values)))


def _of_values(values: Sequence[float]) -> set[str]:
    holds = {
        "negative": min(values) < 0,
        "sum": not sums_to_ten(values),
        "null": not any(values),
    }
    return {flag for flag, held in holds.items() if held}


def ordered(flags: set[str]) -> tuple[str, ...]:
    """Flags in the order of `FLAGS`."""
    return tuple(flag for flag in FLAGS if flag in flags)
