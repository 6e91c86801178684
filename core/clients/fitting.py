"""How much room for a reply a server has, read from the words with which it refuses too much.

Servers say it in many ways; what they have in common is numbers. The room that was asked for is
known, so the others can be told apart: the tokens that the prompt has, those that prompt and reply
may have together, and the most that a reply may have.
"""

import re
from typing import NamedTuple

from .error_bodies import HttpFailure

_TOKEN_LIMIT = re.compile(
    r"max(imum)?[ _.-]?((new|output|completion|generated)[ _.-]?)?(tokens|length)|num_predict"
    r"|(completion|output|generated|new) tokens|tokens (in|for|from) the (completion|reply|output)"
    r"|token (limit|count)",
    re.IGNORECASE,
)
"""How servers call the room of a reply, and what goes beyond it."""
_NUMBER = re.compile(r"(?<![\w.,-])\d{1,3}(?:,\d{3})+(?![\w,])|(?<![\w.,-])\d{1,12}(?![\w-]|\.\d)")
_IS = r"(?:[:=]|\bis\b|\bof\b|\bto\b|\bonly\b|<=|\s)*[\[(]?"
_N = r"(\d[\d,]{0,12})"
_TOGETHER = re.compile(
    rf"context[ _]?(?:length|window|size|limit)?\D{{0,30}}?{_IS}{_N}"
    rf"|max_model_len\D{{0,8}}{_N}|> {_N} max"
    rf"|model with {_N} maximum"
    rf"|`?inputs`? tokens \+ `?max_new_tokens`? must be <=? {_N}"
    rf"|prompt and prediction cannot exceed {_N}"
    rf"|{_N}[- ]token context",
    re.IGNORECASE,
)
_PROMPT = re.compile(
    rf"{_N} (?:tokens )?(?:in|from|of|for) the (?:input |chat )?(?:messages|prompt|input)"
    rf"|(?:resulted in|too long:|request \(|request has|passed|contains(?: at least)?) ?{_N}"
    rf"|(?:prompt|input)s?[ _]?(?:token )?(?:length|tokens|count|size)?{_IS}{_N}\b"
    rf"(?! *(?:max|output))|total length{_IS}{_N}"
    rf"|{_N} (?:`?inputs?`?|prompt)(?: tokens| and|,)",
    re.IGNORECASE,
)
_DIFFERENCE = re.compile(rf"{_N} ?> ?{_N} ?- ?{_N}")
_SUM = re.compile(rf"{_N} ?\+ ?{_N} ?(?:>|exceeds) ?{_N}")
_BELOW = re.compile(rf"(?:less|lower|smaller|fewer) than {_N}(?! or)|{_N} \(exclusive\)", re.I)
_NOT_ALL = re.compile(r"at least", re.I)
"""How a server says that it did not count the prompt to its end."""
_OR_EQUAL = re.compile(r"(?:less|lower|smaller|fewer) than or equal", re.I)

_READ = 1000
"""Characters of a refusal that are read, as all its numbers are weighed against each other."""
_LEAST = 16
"""No server has less room than that; the lower end of a range is such a number."""


class FreeRoom(NamedTuple):
    """What a refusal says of room, in tokens; 0 where it does not say.

    Attributes:
        fits: What a reply to this very prompt may have.
        together: What prompt and reply may have together.
        prompt: What the prompt has.
    """

    fits: int
    together: int = 0
    prompt: int = 0


def speaks_of_room(failure: HttpFailure) -> bool:
    """Whether a refusal is about how long a reply may be."""
    return _TOKEN_LIMIT.search(f"{failure.parameter} {failure.message}") is not None


def room_and_text(message: str) -> tuple[int, int]:
    """Tokens that prompt and reply may have together, and those of the prompt; 0 if not said."""
    return _first(_TOGETHER, message), _first(_PROMPT, message)


def read_room(failure: HttpFailure, asked: int, characters: int = 0) -> FreeRoom | None:
    """The room that a server has for a reply that was asked for with `asked` tokens.

    ``None`` where its words are not about that, or hold no number that could be it. The characters
    of the prompt, where they are known, tell which number may be that of its tokens.
    """
    text = failure.message[:_READ]
    numbers = [_value(number) for number in _NUMBER.findall(text)]
    room = (
        _expression(text, asked)
        or _parts(text, numbers, asked)
        or _arithmetic(numbers, asked, characters)
    )
    if room and room.prompt == room.together - asked + 1 and _NOT_ALL.search(text):
        prompt = max(room.prompt + asked // 4, characters // 2)
        room = FreeRoom(room.together - prompt, room.together, prompt)
    if room is None and speaks_of_room(failure._replace(message=text)):
        fits = _limit(text, numbers, asked)
        room = FreeRoom(fits) if fits else None
    return room if room and room.fits < asked else None


def _expression(text: str, asked: int) -> FreeRoom | None:
    """That of ``8000 > 8192 - 2837``, or of ``198000 + 8000 > 200000``."""
    if match := _DIFFERENCE.search(text):
        _, together, prompt = map(_value, match.groups())
        return FreeRoom(together - prompt, together, prompt)
    if match := _SUM.search(text):
        one, other, together = map(_value, match.groups())
        prompt = one if other == asked else other
        return FreeRoom(together - prompt, together, prompt)
    return None


def _parts(text: str, numbers: list[int], asked: int) -> FreeRoom | None:
    """That of a message which gives the tokens of the prompt beside those of the context."""
    together = _first(_TOGETHER, text)
    if not together:
        return None
    named = _first(_PROMPT, text)
    sums = (number - asked for number in numbers if number > together and number != asked)
    prompt = named if named and named not in (asked, together) else next(
        (rest for rest in sums if rest > 0), 0
    )  # fmt: skip
    if prompt:
        return FreeRoom(together - prompt, together, prompt)
    return FreeRoom(together, together) if asked > together else None


def _arithmetic(numbers: list[int], asked: int, characters: int) -> FreeRoom | None:
    """That of a message in any words whose numbers can only be those of prompt, reply and both."""
    at_most, at_least = characters * 2, characters / 8
    sums = [number for number in numbers if number > at_most]
    prompts = [*(numbers if asked in numbers else ()), *(number - asked for number in sums)]
    for prompt in prompts:
        for together in numbers:
            is_such = at_least <= prompt <= at_most and 0 < prompt < together < prompt + asked
            if is_such and together != asked:
                return FreeRoom(together - prompt, together, prompt)
    return None


def _limit(text: str, numbers: list[int], asked: int) -> int:
    """The most that a reply may have, which is the largest number below what was asked for."""
    below = None if _OR_EQUAL.search(text) else _first(_BELOW, text)
    if below:
        return min(below - 1, asked)
    prompt = _first(_PROMPT, text)
    most = max((n for n in numbers if _LEAST <= n < asked and n != prompt), default=0)
    return most if asked in numbers or prompt <= most else 0  # else it is the prompt's limit


def _first(pattern: "re.Pattern[str]", text: str) -> int:
    match = pattern.search(text)
    return _value(next(filter(None, match.groups()))) if match else 0


def _value(digits: str) -> int:
    return int(digits.replace(",", ""))
