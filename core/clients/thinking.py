"""Thinking kept apart from the answer when a server mixes the two in one text.

``<think>...</think>`` before the answer, closed or not. An unclosed one at the
start means that the reply was cut off, or ended, while still thinking: then
there is no answer. A closing tag alone means that the chat template opened it.
"""

import re
from typing import NamedTuple

_TAG = re.compile(r"<(/?)(think|thinking|reasoning)>", re.IGNORECASE)


class Parts(NamedTuple):
    """A reply's answer and its thinking."""

    answer: str
    thinking: str


def split_thinking(text: str) -> Parts:
    """The answer and the thinking of a reply.

    Only thinking at the start counts; a tag in the middle of an answer is part of it.
    """
    first = _TAG.search(text)
    if first is None:
        return Parts(text, "")
    if first.group(1):
        return Parts(text[first.end() :].lstrip(), text[: first.start()].strip())
    if text[: first.start()].strip():
        return Parts(text, "")
    closing = next((m for m in _TAG.finditer(text, first.end()) if m.group(1)), None)
    if closing is None:
        return Parts("", text[first.end() :].strip())
    return Parts(text[closing.end() :].lstrip(), text[first.end() : closing.start()].strip())
