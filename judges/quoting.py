"""Whether what looks like a verdict may be a quotation.

A model may end its reply with the judge's form, filled in, and a judge that quotes it
would grade it so. Where a judge's prompt holds such a form, whatever its values are, a
form in the judge's reply counts only with reasons that do not stand in the prompt.
The values themselves decide nothing: else a model could choose which verdicts count.

A marker or a form may be written in letters of other alphabets, in full width, with
invisible characters between, or with brackets of another shape. A judge reads it as
what it looks like, so it is searched in `fold`ed text.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cached_property

from eibench.core.text import FILLERS, INVISIBLE
from eibench.core.types import JsonObject, Message

#: Letters of other alphabets that look like Latin ones. Accents and fonts are taken off before.
_LOOKS = {
    "a": "аɑαΑАᎪꓮᗩ", "b": "вьЬβΒВᏴꓐᗷ", "c": "сϲСϹᏟꓚᑕ", "d": "ԁɗᎠꓓᗪ", "e": "еɛεЕΕᎬꓰᕮ",
    "f": "ϝϜꓝƒᖴ", "g": "ɡցԌᏀꓖ", "h": "һհнНΗᎻꓧᕼ", "i": "іιɩΙІᎥꓲӀ", "j": "јϳЈᎫꓙᒍ",
    "k": "кκΚКᏦꓗ", "l": "ӏᏞꓡլԼᒪ", "m": "мМΜᎷꓟϺᗰ", "n": "пոηΝꓠИиᑎ", "o": "оοօОΟՕꓳ",
    "p": "рρРΡᏢꓑᑭ", "q": "ԛԚգ", "r": "гᴦᎡꓣяЯᖇ", "s": "ѕЅՏᏚꓢᔕ", "t": "тτТΤᎢꓔ", "u": "υսՍꓴцᑌ",
    "v": "νѵѴᏙꓦᐯ", "w": "ωԝԜᎳꓪшᗯ", "x": "хχХΧꓫ᙭", "y": "уγүУΥҮᎩꓬ", "z": "ᏃΖꓜ",
}  # fmt: skip
_LETTER_OF = {look: letter for letter, looks in _LOOKS.items() for look in looks}
_NAMED = re.compile(r"(?:\w+ )*(?:LATIN|SYMBOL) .*?(?:LETTER|CAPITAL) ([A-Z])(?: WITH .*)?")
_QUOTES = "«»‹›‘’‚‛“”„‟〝〞〟＂＇"
_OPENING, _CLOSING = "<＜«‹⎡⎢⎣", ">＞»›⎤⎥⎦"
"""What opens or closes beside the brackets that Unicode calls so."""
_SLASHES = "/\\⁄∕／＼⧸╱"
_BREAKS = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
_BLANKS = "\t\n\r"


def fold(text: str) -> str:
    """The text with what looks alike made alike: small Latin letters, plain quotes."""
    return text.translate(_FOLDED)


def letters(text: str) -> str:
    """Only the letters and digits of a text, folded."""
    return text.translate(_LETTERS)


def skeleton(text: str) -> str:
    """Only the letters, digits, brackets and slashes of a text, folded; brackets as square ones."""
    return text.translate(_BONES)


def origins(text: str) -> list[int]:
    """For each character of a text's skeleton, where in the text it comes from."""
    return [at for at, char in enumerate(text) for _ in char.translate(_BONES)]


class _Table(dict[int, str]):
    """A table for `str.translate`, filled with the characters that are met."""

    def __init__(self, made_of: Callable[[str], str]) -> None:
        super().__init__()
        self._made_of = made_of

    def __missing__(self, code: int) -> str:
        self[code] = replacement = self._made_of(chr(code))
        return replacement


def _fold(char: str) -> str:
    if char in _BLANKS or char in FILLERS:
        return char.strip(FILLERS)
    if char in _BREAKS:
        return "\n"
    if unicodedata.category(char) in INVISIBLE:
        return ""
    if char in _QUOTES:
        return '"'
    looks = _LETTER_OF.get(char) or _named(char)
    if looks:
        return looks
    plain = unicodedata.normalize("NFKD", char)
    return char.casefold() if plain == char else "".join(map(_fold, plain))


def _named(char: str) -> str:
    """The letter that a character is a form of by its Unicode name, such as a small capital."""
    match = None if char.isascii() else _NAMED.fullmatch(unicodedata.name(char, ""))
    return match[1].lower() if match else ""


def _bone(char: str) -> str:
    kind = unicodedata.category(char)
    if char in _SLASHES:
        return "/"
    if char in _OPENING or kind == "Ps":
        return "["
    if char in _CLOSING or kind == "Pe":
        return "]"
    return _only_letters(char)


def _only_letters(char: str) -> str:
    return "".join(filter(str.isalnum, _fold(char)))


_FOLDED, _BONES, _LETTERS = _Table(_fold), _Table(_bone), _Table(_only_letters)
MORE_FOLLOWS = "more text follows the verdict"
_VALUE = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?:\s*(?:/|out of)\s*\d+)?|yes|no|true|false"
_ESCAPES = re.compile(r"(?:\\u[0-9a-fA-F]{4}|\\[nr])+")
_AROUND = r"[\s\"'`*_\\(){}\[\]]*+"
_BEHIND = r"(?:[^\S\n]|[\"'`*_\\])*+"
_ENDS = r"[,;:}\])(<#]|\.(?![\d.])|/[/*]|(?:\||(?:--?|[–—])\s)(?!\s*-?\d)|$"
_SIGN = r"(?::|=|->|→|[-–—])"
_NEAR = 60
"""Characters before a key that are looked at."""
_LEFT_OUT = re.compile(r"\.{3,}|…")
_CLOSES = re.compile(r"</?[\w.:-]{1,40}>|<\|[^|<>]{1,40}\|>")
"""Tags that close a part, and tokens of chat templates: neither is a judge's word."""


def says_more(text: str) -> bool:
    """Whether there are words in what follows a verdict; fences and closing tags are none."""
    return bool(re.search(r"[^\W_]", _CLOSES.sub("", text)))


class Quotable:
    """What a judge could quote as its verdict.

    Args:
        prompt: What the judge was sent; without it nothing is taken for a quotation.
        keys: Of the form that it was asked to fill in.
        reasoning: The form's key for the judge's own words.
        value: A pattern for what may stand beside a key.
    """

    def __init__(
        self,
        prompt: Sequence[Message],
        keys: Sequence[str],
        reasoning: str,
        value: str = _VALUE,
    ) -> None:
        self._text = _unescaped("\n".join(message.content for message in prompt))
        self._keys = keys
        self._reasoning = reasoning
        self._value = value

    @property
    def why(self) -> str:
        """What a judge is told whose reply may be a quotation."""
        return (
            f"the text holds a form that is filled in, and the reply gives no {self._reasoning} "
            "in words of its own, so that it may be a quotation"
        )

    @cached_property
    def holds_form(self) -> bool:
        """Whether every key stands in the prompt with a value."""
        return bool(self._keys) and all(self._holds([key]) for key in self._escaped_keys)

    @cached_property
    def holds_part(self) -> bool:
        """Whether any key does."""
        return self._holds(self._escaped_keys)

    @cached_property
    def holds_any_spelling(self) -> bool:
        """Whether any key has a value, in whatever capitals and with whatever signs in it."""
        spelled = [r"[\W_]{0,3}".join(map(re.escape, letters(key))) for key in self._keys]
        return self.holds_part or self._holds(list(filter(None, spelled)))

    @property
    def own_words(self) -> tuple[str, ...]:
        """The key for the judge's own words, if there is one."""
        return (self._reasoning,) * bool(self._reasoning)

    def is_own(self, form: JsonObject) -> bool:
        """Whether a form in a judge's reply is the judge's own."""
        if not self.holds_form:
            return True
        reasoning = form.get(self._reasoning)
        parts = _LEFT_OUT.split(_unescaped(reasoning)) if isinstance(reasoning, str) else []
        return any(letters(part) not in self._letters for part in parts)

    def _holds(self, keys: Sequence[str]) -> bool:
        """Whether one of these patterns of keys has a value, as an entry.

        That is not in running text, nor as one of a choice. The search begins with the keys alone,
        so that it steps over all that begins otherwise.
        """
        if not keys:
            return False
        entry = rf"(?:{'|'.join(keys)}){_AROUND}{_SIGN}{_AROUND}(?:{self._value}){_BEHIND}"
        other = "|".join(self._escaped_keys)
        matches = re.finditer(rf"{entry}(?={_ENDS}|(?:{other})(?!\w))", self._folded, re.MULTILINE)
        return any(self._is_entry(match.start()) for match in matches)

    def _is_entry(self, at: int) -> bool:
        """Whether what begins there follows a line break, a mark or a value."""
        before = self._folded[max(0, at - _NEAR) : at]
        if before[-1:].isalnum():
            return False
        before = before.rstrip(" \t\r_")
        goes_on = re.search(rf"(?<!\w)(?:{self._value})\Z", before)
        return not before or not before[-1].isalnum() or bool(goes_on)

    @cached_property
    def _escaped_keys(self) -> list[str]:
        return [re.escape(fold(key)) for key in self._keys]

    @cached_property
    def _folded(self) -> str:
        return fold(self._text)

    @cached_property
    def _letters(self) -> str:
        return letters(self._text)


def _unescaped(text: str) -> str:
    """The text with JSON's escapes of letters resolved: a quotation may have them or not."""
    return _ESCAPES.sub(lambda match: str(json.loads(f'"{match[0]}"')), text)
