"""Who decides what the loopback server says.

A responder is a function of the request, `async` or not, that gives a text, an
`Answer`, a dict (sent as it is, status 200), a whole `Response` or a `Fault`. Two are ready-made:
a script, and the uniform rater that every EQ-Bench score is compared with.
"""

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import lru_cache
from itertools import groupby
from random import Random
from typing import Any, NamedTuple

from .faults import Fault
from .replies import Answer
from .wire import ReceivedRequest, Response

Reply = str | Answer | Fault | Response | Mapping[str, Any]
Responder = Callable[[ReceivedRequest], Reply | Awaitable[Reply]]

_LABEL = re.compile(r"[^:：<>＜＞]+[:：][ \t]*[<＜]([^:：<>＜＞]+)[>＞]")


def uniform_ratings(seed: int = 0) -> Responder:
    """A responder that answers EQ-Bench prompts with uniform integers from 0 to 10.

    It fills in the form that the prompt shows (`NAME: <score>` lines under
    their headings, in any language, with or without the revised half). Each
    section has at least one number > 0, as the prompts demand. The same seed
    and prompt give the same answer. A prompt without a form gets a sentence.
    """

    @lru_cache(maxsize=1024)  # a benchmark asks the same few prompts again and again
    def fill(prompt: str) -> str:
        return fill_ratings(prompt, Random(f"{seed}:{prompt}"))

    return lambda request: fill(request.prompt)


def fill_ratings(prompt: str, rng: Random) -> str:
    """The form in the prompt, filled in; a sentence when it shows none."""
    lines = _lines(prompt)
    blocks = list(_blocks(lines))
    forms = [i for i, block in enumerate(blocks) if len(block.labels) > 1]
    if not forms:
        return "I see no form to fill in."
    shown = blocks[forms[0] : forms[-1] + 1]
    parts = [_fill(block, rng) for block in shown]
    closing = lines[shown[-1].end : shown[-1].end + 1]
    return "\n\n".join(parts + [line for line in closing if line.startswith(("[", "［", "【"))])


def _lines(prompt: str) -> list[str]:
    return [line.strip() for line in prompt.splitlines() if line.strip()]


class _Block(NamedTuple):
    heading: str  # "" if the line above is not one
    labels: list[str]  # with their colons
    end: int  # index of the line after it


def _blocks(lines: list[str]) -> Iterator[_Block]:
    """Runs of label lines with equal placeholders; one alone is for prose (the critique)."""
    end = 0
    for placeholder, run in groupby(lines, _placeholder):
        block = list(run)
        start, end = end, end + len(block)
        if placeholder:
            above = lines[start - 1] if start else ""
            labels = [re.split("[<＜]", line)[0].rstrip() for line in block]
            yield _Block(above if above.endswith((":", "：")) else "", labels, end)


def _placeholder(line: str) -> str:
    label = _LABEL.fullmatch(line) if line.endswith((">", "＞")) else None
    return label[1] if label else ""


def _fill(block: _Block, rng: Random) -> str:
    if len(block.labels) == 1:
        return f"{block.labels[0]} none."
    ratings = [0]
    while not any(ratings):
        ratings = rng.choices(range(11), k=len(block.labels))
    lines = [f"{label} {rating}" for label, rating in zip(block.labels, ratings, strict=True)]
    return "\n".join([block.heading, *lines] if block.heading else lines)
