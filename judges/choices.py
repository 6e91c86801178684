"""Choices by letters: how a prompt shows them, and which of them a reply names."""

import re
from collections.abc import Iterable, Mapping, Sequence
from string import ascii_uppercase

from eibench import ChatResponse, JsonDict, no_answer

from .replies import read_object

_TAIL = 60
_SIGNS = r"[^\w\n]*"


def lettered(choices: Iterable[str]) -> str:
    """The choices, a line each: ``A) ...``, ``B) ...``.

    Raises:
        ValueError: There are more than 26.
    """
    listed = list(choices)
    if len(listed) > len(ascii_uppercase):
        raise ValueError(f"{len(listed)} choices: there are letters for {len(ascii_uppercase)}")
    pairs = zip(ascii_uppercase, listed, strict=False)
    return "\n".join(f"{letter}) {choice}" for letter, choice in pairs)


def read_choices(
    response: ChatResponse, shown: Mapping[str, Sequence[str]]
) -> dict[str, str] | str:
    """The choice of each part that a reply names, or, as a text, why that is unclear.

    Read are a JSON object with the parts' names, or else lines such as ``answer: B``, the last one
    of each part; where a single part was asked, also a reply that is nothing but the choice. A
    choice is named by its letter, its text, or both where they agree. Nothing is taken from
    running text.

    Args:
        response: The reply.
        shown: By part, the choices in the order in which the prompt had them.
    """
    if reason := no_answer(response):
        return reason
    stated: JsonDict = read_object(response, shown).value or _lines(response.text, shown)
    if not stated and len(shown) == 1:
        stated = dict.fromkeys(shown, response.text)
    picks = {part: _pick(stated.get(part), choices) for part, choices in shown.items()}
    if unclear := [part for part, pick in picks.items() if pick is None]:
        return f"names no choice for {' and '.join(unclear)}: {response.text[-_TAIL:]!r}"
    return {part: pick for part, pick in picks.items() if pick is not None}


def _lines(text: str, names: Iterable[str]) -> JsonDict:
    """What stands after the name of each part in a line of its own, the last one counting."""
    lines: JsonDict = {}
    for name in names:
        if stated := re.findall(
            rf"^{_SIGNS}{re.escape(name)}{_SIGNS}[:：=][^\S\n]*(\S.*)$", text, re.I | re.M
        ):
            lines[name] = stated[-1]
    return lines


def _pick(stated: object, choices: Sequence[str]) -> str | None:
    """The choice that is meant; none for what is no text, no choice, or two at once."""
    if not isinstance(stated, str):
        return None
    texts = {_plain(choice): choice for choice in choices}
    words = _plain(stated)
    match = re.fullmatch(r"\W*([a-z])(?:\W*|\W*[).:：、]\W*(?P<text>.+))", words)
    if words in texts or match is None:
        return texts.get(words)
    position = ascii_uppercase.index(match[1].upper())
    pick = choices[position] if position < len(choices) else None
    return pick if not match["text"] or texts.get(match["text"]) == pick else None


def _plain(text: str) -> str:
    """A text without what differs where it is quoted: case, blanks, signs at its ends."""
    return " ".join(text.split()).casefold().strip("\"'*_`“”").rstrip(".。")
