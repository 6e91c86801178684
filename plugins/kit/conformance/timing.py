"""Checks of how work grows: twice as long a text may take twice as long, not four times."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any

from eibench import SampleScore
from eibench.checking import Finding, Subject, spread

from .checks import check

CHARACTERS = 20_000
SAMPLES = 1_000
_STEEP = 2.8
"""How many times as long twice as much may take: between two times and four, those of a square."""
_EVEN = 5.0
"""How many times as long four times as much may take so that twice of that is surely not steep."""
_SLOW_S = 0.05
"""Processor time below which growth is of no consequence, and not measured well."""
_TRIES = 2
_PIECES = ("word ", " ", "\n", '{"', '"a": 1, ', "[[", "**a**: 1\n", "1", "- a\n")
"""What long texts are made of: without an end of a sentence, open brackets, half a form."""


@check(
    "K15", "search without .*.* or nested repeats, and find rows by key, so that work grows evenly"
)
def grows_evenly(subject: Subject) -> Iterator[Finding]:
    """Reading 20,000 characters and summing up 1,000 samples take time in proportion."""
    item = subject.items[0]
    for piece in _PIECES:

        def read(n: int, piece: str = piece) -> None:
            subject.trace(item, subject.saying(piece * (n // len(piece))))

        if n := _steep(read, CHARACTERS):
            message = f"or generate takes four times as long for {n:,} characters of {piece!r}"
            message = f"{message} as for half of them"
            yield subject.finding("grade", message, item)
            return
    traces = subject.traces(spread(subject.default_pack.items, 20), subject.some_words())
    rows = [trace.sample for trace in traces]
    pack, options = subject.default_pack, subject.options

    def sum_up(n: int) -> None:
        many = _many(rows, n)
        subject.called("summarise", subject.plugin.summarise, pack, many, options)

    few, more = (_lines(sum_up, n) for n in (SAMPLES // 4, SAMPLES // 2))
    if more > _STEEP * few or (n := _steep(sum_up, SAMPLES)):
        message = f"runs {more:,} lines for {SAMPLES // 2} samples, and {few:,} for half of them"
        yield subject.finding("summarise", message)


def _many(rows: Sequence[SampleScore], n: int) -> list[SampleScore]:
    """So many samples: further iterations of the same."""
    return [
        rows[i % len(rows)]._replace(iteration=1 + i // len(rows)) for i in range(n)
    ]  # fmt: skip


def _steep(work: Callable[[int], None], most: int) -> int:
    """The first size at which work takes much more than twice of what half of it does; else 0."""
    size = most // 8
    _, first = _seconds(work, size), _seconds(work, size)  # the first prepares what all use
    before = first
    while size < most:
        if before * (most / size) ** 2 < _SLOW_S:  # not even a square would be of consequence
            return 0
        if 2 * size == most and before < _EVEN * first:
            return 0
        size *= 2
        after = _seconds(work, size)
        if after > _SLOW_S and after > _STEEP * before:
            half, whole = (min(_seconds(work, n) for _ in range(_TRIES)) for n in (size // 2, size))
            if whole > _SLOW_S and whole > _STEEP * half:
                return size
        before = after
    return 0


def _seconds(work: Callable[[int], None], n: int) -> float:
    """Processor time, which hardly hangs on what else the machine does."""
    began = time.process_time()
    work(n)
    return time.process_time() - began


def _lines(work: Callable[[int], None], n: int) -> int:
    """How many lines of Python it runs: the same each time."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work(n)
    finally:
        sys.settrace(before)
    return count
