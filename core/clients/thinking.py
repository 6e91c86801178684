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
    if first is not None and first.group(1):
        return Parts(text[first.end() :].lstrip(), text[: first.start()].strip())
    thoughts = []
    while first is not None and not text[: first.start()].strip():
        thought, text = _cut(text, first)
        thoughts.append(thought)
        first = _TAG.search(text)
    return Parts(text, "\n".join(t for t in thoughts if t))


def _cut(text: str, opening: re.Match[str]) -> tuple[str, str]:
    """The thinking that a tag opens, and what comes after it: nothing if it is never closed."""
    closing = f"</{opening.group(2)}>".lower()
    start, end = opening.end(), text.lower().find(closing, opening.end())
    if end < 0:
        return text[start:].strip(), ""
    return text[start:end].strip(), text[end + len(closing) :].lstrip()
