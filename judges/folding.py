"""Text as a reader sees it: letters by their look, without what cannot be seen.

A marker or a form may be written in letters of other alphabets, in full width, with
invisible characters between, or with brackets of another shape. A judge reads it as
what it looks like, so it is searched in a text in which all that looks alike is alike.
"""

import re
import unicodedata
from collections.abc import Callable

from eibench.core.text import FILLERS, INVISIBLE

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


def places(text: str) -> list[int]:
    """For each character of a text's skeleton, where in the text it comes from."""
    return [at for at, char in enumerate(text) for _ in char.translate(_BONES)]


class _Table(dict[int, str]):
    """A table for `str.translate`, filled with the characters that are met."""

    def __init__(self, made_of: Callable[[str], str]) -> None:
        super().__init__()
        self._made_of = made_of

    def __missing__(self, code: int) -> str:
        self[code] = made = self._made_of(chr(code))
        return made


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
    found = None if char.isascii() else _NAMED.fullmatch(unicodedata.name(char, ""))
    return found[1].lower() if found else ""


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
