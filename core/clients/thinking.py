"""Thinking kept apart from the answer when a server mixes the two in one text.

``<think>...</think>`` before the answer, closed or not. An unclosed one at the
start means that the reply was cut off, or ended, while still thinking: then
there is no answer. A closing tag alone means that the chat template opened it.
"""

import re
from typing import NamedTuple

_TAG = re.compile(r"<(/?)(think|thinking|reasoning)>", re.IGNORECASE | re.ASCII)
_BLANK = re.compile(r"\s*")


class Parts(NamedTuple):
    """A reply's answer and its thinking."""

    answer: str
    thinking: str


def split_thinking(text: str) -> Parts:
    """The answer and the thinking of a reply.

    Only thinking at the start counts; a tag in the middle of an answer is part of it.
    """
    first = _TAG.search(text)
    if first is not None and first[1]:
        return Parts(text[first.end() :].lstrip(), text[: first.start()].strip())
    thoughts: list[str] = []
    at = 0
    while opening := _TAG.match(text, _after_blanks(text, at)):
        if opening[1]:
            break
        closing = _closing(text, opening)
        end, at = closing.span() if closing else (len(text), len(text))
        thoughts.append(text[opening.end() : end].strip())
    answer = text[_after_blanks(text, at) :] if thoughts else text
    return Parts(answer, "\n".join(filter(None, thoughts)))


def _after_blanks(text: str, at: int) -> int:
    blanks = _BLANK.match(text, at)
    return blanks.end() if blanks else at


def _closing(text: str, opening: re.Match[str]) -> re.Match[str] | None:
    """The tag that closes another; the thinking goes on to the end where there is none."""
    tag = re.compile(f"</{opening[2]}>", re.IGNORECASE | re.ASCII)
    return tag.search(text, opening.end())
