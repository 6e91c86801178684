"""Whether what looks like a verdict may be a quotation.

A model may end its reply with the judge's form, filled in, and a judge that quotes it
would grade it so. Where a judge's prompt holds such a form, whatever its values are, a
form in the judge's reply counts only with reasons that do not stand in the prompt.
The values themselves decide nothing: else a model could choose which verdicts count.
"""

import json
import re
from collections.abc import Sequence
from functools import cached_property

from eibench.core.types import JsonObject, Message

from .folding import fold, letters

MORE_FOLLOWS = "more text follows the verdict"
_VALUE = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?:\s*(?:/|out of)\s*\d+)?|yes|no|true|false"
_ESCAPES = re.compile(r"(?:\\u[0-9a-fA-F]{4}|\\[nr])+")
_AROUND = r"[\s\"'`*_\\(){}\[\]]*+"
_BEHIND = r"(?:[^\S\n]|[\"'`*_\\])*+"
_ENDS = r"[,;:}\])(<#]|\.(?![\d.])|/[/*]|(?:\||(?:--?|[–—])\s)(?!\s*\d)|$"
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
        return bool(self._keys) and all(map(self._is_filled, self._folded_keys))

    @cached_property
    def holds_part(self) -> bool:
        """Whether any key does."""
        return any(map(self._is_filled, self._folded_keys))

    def is_own(self, form: JsonObject) -> bool:
        """Whether a form in a judge's reply is the judge's own."""
        if not self.holds_form:
            return True
        said = form.get(self._reasoning)
        parts = _LEFT_OUT.split(_unescaped(said)) if isinstance(said, str) else []
        return any(letters(part) not in self._letters for part in parts)

    def _is_filled(self, key: str) -> bool:
        """Whether a key has a value, as an entry: not in running text, nor as one of a choice."""
        entry = rf"(?<![^\W_]){re.escape(key)}{_AROUND}{_SIGN}{_AROUND}(?:{self._value}){_BEHIND}"
        other = "|".join(map(re.escape, self._folded_keys))
        found = re.finditer(rf"{entry}(?:{_ENDS}|(?:{other})(?!\w))", self._folded, re.MULTILINE)
        return any(self._is_entry(match.start()) for match in found)

    def _is_entry(self, at: int) -> bool:
        """Whether what begins there follows a line break, a mark or a value."""
        before = self._folded[max(0, at - _NEAR) : at].rstrip(" \t\r_")
        goes_on = re.search(rf"(?<!\w)(?:{self._value})\Z", before)
        return not before or not before[-1].isalnum() or bool(goes_on)

    @cached_property
    def _folded_keys(self) -> list[str]:
        return [fold(key) for key in self._keys]

    @cached_property
    def _folded(self) -> str:
        return fold(self._text)

    @cached_property
    def _letters(self) -> str:
        return letters(self._text)


def _unescaped(text: str) -> str:
    """The text with JSON's escapes of letters resolved: a quotation may have them or not."""
    return _ESCAPES.sub(lambda found: str(json.loads(f'"{found[0]}"')), text)
