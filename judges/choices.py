r"""Choices by letters: how a prompt shows them, and which of them a reply names.

What is read first is what the prompts ask for. A reply that does not have it may still name its
choice plainly: in closing lines such as "Final answer: B", "The answer is B." as the last line,
``\boxed{B}``, or a heading with the letter below it. All of them that it has must agree.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from string import ascii_uppercase
from typing import NamedTuple

from eibench import ChatResponse, JsonDict, no_answer

from .replies import read_object

_TAIL = 60
_LONGEST_LINE = 400
_RUNNING_TEXT = "…"
_SIGNS = r"[^\w\n]*"
_OF_IT = (
    r"(?:the|my|your|our|final|correct|best|right|most\s+likely|die|meine?|finale|endgültige|richtige"
    r"|korrekte|beste|la|ma|mi|bonne|correcta|finale?)\s+|(?:最终|最后|正确|我)的?\s*"
)
_ANSWER = (
    "answer", "option", "choice", "antwort", "lösung", "réponse", "reponse", "respuesta",
    "risposta", "resposta", "odpowiedź", "ответ", "答案", "答", "回答", "正解",
)  # fmt: skip
_SO = r"so|thus|therefore|hence|in conclusion|also|daher|somit|deshalb|因此|所以"
_BECAUSE = r"because|since|as|for|due\s+to|given\s+that|weil|da|denn|parce\s+que|car|porque|perché"
_BOX = r"\\boxed\s*\{\s*(?:\\(?:text|mathrm|textbf|mathbf)\s*\{)?\s*([^{}\\]+?)\s*\}+"
_PLACES = re.compile(
    r"\b(?:the|of|all|none) above\b|\b(?:all|any|both|either|neither|none) of (?:these|those)\W*$"
    r"|\b(?:first|last) (?:two|three)\b(?: \w+)?\W*$|以上|上述",
    re.IGNORECASE,
)
"""What points to other choices by where they stand."""
_BETWEEN = re.compile(
    r"all|and|answers?|are|both|but|choices?|correct|n?either|false|is|just|no|none|n?or|not|of|only"
    r"|options?|right|statements?|the|true|wrong",
    re.IGNORECASE,
)
"""Words of a choice that otherwise holds letters alone, such as ``Only A and C are right``."""
_BOXED, _BOXED_LINE = re.compile(_BOX), re.compile(rf"[^\w\n]*{_BOX}[^\w\n]*")


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


def keep_order(choices: Sequence[object]) -> bool:
    """Whether choices make sense in one order alone: one names others, or is a letter.

    Such as ``Both A and C``, ``Only (B) is right``, ``All of the above`` or the blood group ``A``.
    """
    letters = ascii_uppercase[: len(choices)]
    return any(isinstance(one, str) and _names_others(one, letters) for one in choices)


def _names_others(choice: str, letters: str) -> bool:
    if _PLACES.search(choice) or any(f"({letter})" in choice for letter in letters):
        return True
    words = [word for word in re.split(r"[\W_和与及或]+", choice) if word]
    named = {*letters}.intersection(words)
    return bool(named) and all(w in named or _BETWEEN.fullmatch(w) for w in words)


def read_choices(
    response: ChatResponse, shown: Mapping[str, Sequence[str]]
) -> dict[str, str] | str:
    """The choice of each part that a reply names, or, as a text, why that is unclear.

    Read are a JSON object with the parts' names, or else lines such as ``answer: B``, the last one
    of each part; where a single part was asked, also a reply that is nothing but the choice. A
    choice is named by its letter, its text, or both where they agree. Where that names none,
    closing lines are read that leave no doubt. Nothing is taken from running text.

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
    if None in picks.values():
        picks = _read_otherwise(response, shown) or picks
    if unclear := [part for part, pick in picks.items() if pick is None]:
        return f"names no choice for {' and '.join(unclear)}: {response.text[-_TAIL:]!r}"
    return {part: pick for part, pick in picks.items() if pick is not None}


def _read_otherwise(
    response: ChatResponse, shown: Mapping[str, Sequence[str]]
) -> dict[str, str | None] | None:
    """The choice of each part as an object with other keys, or closing lines, name it."""
    form = read_object(response, tuple(shown), tolerant=True).value
    if form and all(part in form for part in shown):
        return {part: _pick(form[part], choices) for part, choices in shown.items()}
    if response.truncated:
        return None
    lines = [line.strip() for line in response.text.splitlines() if re.search(r"[^\W_]", line)]
    lines = [line if len(line) <= _LONGEST_LINE else _RUNNING_TEXT for line in lines]
    if not lines:
        return None
    return {p: _closing(lines, p, of, parts=len(shown)) for p, of in shown.items()}


def _lines(text: str, names: Iterable[str]) -> JsonDict:
    """What stands after the name of each part in a line of its own, the last one counting."""
    lines: JsonDict = {}
    for name in names:
        if stated := re.findall(
            rf"^{_SIGNS}{re.escape(name)}{_SIGNS}[:：=][^\S\n]*(\S.*)$", text, re.I | re.M
        ):
            lines[name] = stated[-1]
    return lines


def _closing(lines: Sequence[str], part: str, choices: Sequence[str], *, parts: int) -> str | None:
    """The choice that closing lines name for one of so many parts, where all name the same."""
    alone, last = parts == 1, len(lines) - parts
    patterns = _Named.of(part, alone=alone)
    stated = [match["stated"] for line in lines if (match := patterns.entry.fullmatch(line))]
    if len(lines) > 1 and patterns.heading.fullmatch(lines[-2]):
        stated.append(lines[-1])
    earlier = list[str]()
    for n, line in enumerate(lines):
        if match := patterns.sentence.fullmatch(line):
            here = stated if n >= last else earlier
            here += [match["stated"], *[match["letter"]] * bool(match["letter"])]
    if alone and (stated or _BOXED_LINE.fullmatch(lines[-1])):
        stated += [box for line in lines for box in _BOXED.findall(line)]
    picks = {_picked(one, choices) for one in stated}
    said_before = {pick for one in earlier if (pick := _picked(one, choices))}
    return picks.pop() if len(picks) == 1 and said_before <= picks else None


class _Named(NamedTuple):
    """How lines name the choice of a part: as an entry, below a heading, as a closing sentence."""

    entry: re.Pattern[str]
    heading: re.Pattern[str]
    sentence: re.Pattern[str]

    @classmethod
    @lru_cache
    def of(cls, part: str, *, alone: bool) -> "_Named":
        """The patterns; where the part is `alone`, it may be called an answer in any language."""
        names = [re.escape(part), *_ANSWER * alone]
        name = rf"(?:{_OF_IT})*(?:{'|'.join(names)})(?:\s+choice|\s+option)?"
        signs = r"[^\w\n\\({\[]*"
        entry = rf"{_SIGNS}{name}{signs}[:：=]{signs}(?P<stated>[^\s:：=].*)"
        sentence = (
            rf"{_SIGNS}(?:(?P<letter>[A-Z])[).:]\s+)?(?:(?:{_SO})[,，]?\s*)?{name}{_SIGNS}"
            rf"\s*(?:(?:is|ist|lautet|est|es|è)\b|是|为|は)\s*[:：]?\s*(?P<stated>\S.*)"
        )
        heading = rf"{_SIGNS}{name}{_SIGNS}"
        return cls(*(re.compile(one, re.I) for one in (entry, heading, sentence)))


def _picked(stated: str, choices: Sequence[str]) -> str | None:
    """The choice that a closing line means: plainly, or with why it is the one."""
    if boxed := _BOXED.search(stated):
        return _pick(boxed[1], choices) if not re.search(r"\w", _around(stated, boxed)) else None
    if pick := _pick(stated, choices):
        return pick
    match = re.match(r"\W*([A-Z])\b\W*", stated)
    if match is None or ascii_uppercase.index(match[1]) >= len(choices):
        return None
    pick, rest = choices[ascii_uppercase.index(match[1])], stated[match.end() :]
    if rest[: len(pick)].casefold() == pick.casefold():
        rest = rest[len(pick) :].lstrip(" ,;.:*_`\"'”–—-")
    others = [one for one in choices if one != pick]
    why = re.match(rf"(?:{_BECAUSE})\b", rest, re.I) or rest[:1] in ("因",)
    names_other = re.search(r"(?<![^\W_])[A-Z](?![^\W_]|['’])", rest) or any(
        re.search(rf"(?<!\w){re.escape(_plain(one))}(?!\w)", _plain(rest)) for one in others
    )
    return None if not why or names_other else pick


def _around(text: str, match: "re.Match[str]") -> str:
    return text[: match.start()] + text[match.end() :]


def _pick(stated: object, choices: Sequence[str]) -> str | None:
    """The choice that is meant; none for what is no text, no choice, or two at once.

    One letter is a choice's letter, as it was asked for, also where another choice's text is that.
    """
    if not isinstance(stated, str):
        return None
    texts = {_plain(choice): choice for choice in choices}
    words = _plain(stated)
    match = re.fullmatch(r"\W*([a-z])(?:\W*|\W*[).:：、]\W*(?P<text>.+))", words)
    position = ascii_uppercase.index(match[1].upper()) if match else len(choices)
    if match is None or position >= len(choices) or (words in texts and len(words) > 1):
        return texts.get(words)
    pick = choices[position]
    return pick if not match["text"] or texts.get(match["text"]) == pick else None


def _plain(text: str) -> str:
    """A text without what differs where it is quoted: case, blanks, signs at its ends."""
    return " ".join(text.split()).casefold().strip("\"'*_`“”").rstrip(".。")
