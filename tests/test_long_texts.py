"""What models, judges and servers write is read in time that grows with its length alone.

A long reply without a line break, a full stop or a closing bracket must not hold up the
others. A text takes at most so much more of the processor than a part of it as it is longer.
"""

import gc
import time
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from eibench import ChatResponse, Message
from eibench.core.clients.error_bodies import HttpFailure
from eibench.core.clients.failures import malformed, provider_error
from eibench.core.clients.fitting import read_room
from eibench.core.clients.keys import Redactor
from eibench.core.clients.refusals import named_steps
from eibench.core.clients.thinking import split_thinking
from eibench.core.parties.providers import SOMEBODY
from eibench.core.text import as_text, csv_text, harmless, line
from eibench.judges import (
    Codes,
    Questions,
    Rubric,
    count_tokens,
    criteria_of,
    draw_codes,
    fill,
    neutralise,
    read_answers,
    read_choices,
    read_margins,
    read_object,
    read_verdict,
    truncate,
)
from eibench.plugins.emotion_ratings.forms import ENGLISH, GERMAN
from eibench.plugins.emotion_ratings.parsing import read_strict
from eibench.plugins.emotion_ratings.parsing_reference import read_reference
from eibench.plugins.emotionqueen import demo as queen_demo
from eibench.plugins.emotionqueen.similarity import words
from eibench.plugins.emotionqueen.statements import Statement
from eibench.plugins.eqbench3 import demo
from eibench.plugins.eqbench3.transcripts import read_sections
from eibench.plugins.seceu.answers import read_answer

LENGTH = 12_000
SHORTER = 4
MOST = 3.0 * SHORTER
"""A text of four times the length takes about four times as long; one read in square, sixteen."""
FREE = 0.05
"""Seconds of the processor that a text may take without a look at its parts."""

EMOTIONS = ("Angry", "Quietly proud", "Sad", "Hopeful")
RUBRIC = Rubric(("empathy", "insight"), 20)
BOTH = Questions(("PASS", "WIN"), {"WIN": "PASS"})
CODES = Codes("A4711", "A2001")
VERDICT = '{"chain_of_thought_reasoning": "It waits.", "empathy": 3, "insight": 4}'
STATEMENT = Statement("intention", "work", "negative", "I fell.", "Something happened. Go on.")
MARKERS = ("TRANSCRIPT END", "/SCENE", "RESPONDENT A1 ANALYSIS")


def prompt(text: str) -> list[Message]:
    """A judge's prompt that holds a text."""
    return [Message("user", text)]


def failed(text: str) -> None:
    """What becomes of a server's words."""
    failure = HttpFailure(400, text, text)
    provider_error(failure, SOMEBODY)
    named_steps(failure, ("temperature",), ())
    malformed(SOMEBODY, text)


READERS: dict[str, Callable[[str], Any]] = {
    "verdict": lambda t: read_verdict(ChatResponse(t), RUBRIC, prompt(t)),
    "verdict beside a prompt": lambda t: read_verdict(
        ChatResponse(VERDICT), RUBRIC, prompt(t + VERDICT[50:])
    ),
    "answers": lambda t: read_answers(ChatResponse(t), BOTH, prompt(t)),
    "lines beside a prompt": lambda t: read_answers(
        ChatResponse("PASS: 1\nWIN: 0"), BOTH, prompt(t)
    ),
    "margins": lambda t: read_margins(ChatResponse(t), ("insight", "tact"), CODES, prompt(t)),
    "object": lambda t: read_object(ChatResponse(t), ("x",)),
    "choice": lambda t: read_choices(ChatResponse(t), {"PASS": ("a", "b")}),
    "choices": lambda t: read_choices(ChatResponse(t), {"a": ("1", "2"), "PASS": ("1", "3")}),
    "neutralise": lambda t: neutralise(t, MARKERS),
    "truncate": lambda t: truncate(t, 2000, "tokens"),
    "tokens": count_tokens,
    "criteria": criteria_of,
    "codes": lambda t: draw_codes("x", t),
    "fill": lambda t: fill("{a} {b}", {"a": t, "b": t}),
    "thinking": split_thinking,
    "redact": Redactor(["sk-abcdefghijklmnop"]),
    "room": lambda t: read_room(HttpFailure(400, t), 8000, 100),
    "a server's words": failed,
    "harmless": harmless,
    "line": line,
    "document": lambda t: as_text({"x": t}),
    "csv": lambda t: csv_text([[t]]),
    "strict": lambda t: read_strict(t, EMOTIONS, revise=True, form=ENGLISH),
    "strict without a revision": lambda t: read_strict(t, EMOTIONS, revise=False, form=ENGLISH),
    "strict German": lambda t: read_strict(t, EMOTIONS, revise=True, form=GERMAN),
    "reference": lambda t: read_reference(t, EMOTIONS, revise=True, form=ENGLISH),
    "reference German": lambda t: read_reference(t, EMOTIONS, revise=True, form=GERMAN),
    "points": lambda t: read_answer(t, EMOTIONS),
    "sections": lambda t: read_sections(t, ("What I'm thinking & feeling", "My response")),
    "demo verdict": lambda t: demo.demo_verdict(
        f'Assistant:\n{t}\n---\n"empathy": 0-10', Random(1)
    ),
    "demo margins": lambda t: demo.demo_margins(t, {"A1": t, "A2": t}, Random(1)),
    "demo respondents": demo.respondents,
    "demo answers": lambda t: queen_demo.demo_verdict(
        STATEMENT, f"[REPLY]\n{t}\n[/REPLY]", Random(1)
    ),
    "words": words,
}
UNITS = [
    " ", "\t", "\n", "\r", "\u00a0", "  \n", " \n-", "{", "}", "[", "]", "{}", "(", "<", "1", "a",
    "word ", "1234 ", "null ", '"', "\\", "\\n", "\\u0041", "`", "```\n", "*", "#", "# ", "_", "-",
    ".", "... ", ":", ", ", "/", "/* ", "a:1 ", "1. ", "(1) ", "<think></think>", "<think>",
    '"empathy": 3, ', '{"empathy": 3, "insight": 4} ', '{"empathy": 3, ', '"a":"', "empathy ",
    "PASS: 1 ", "PASS: 1\n", "PASS ", "PASS: ", "Angry: 3 ", "Angry: 3\n", "Angry ", "- Angry",
    "# My response\n", "First pass scores:\n", "Revised scores:\n", "User:\n", "Assistant:\n",
    "[RESPONDENT A1]\n", "[/SC", "[/SCENE", "[T[x]", "[t[x]", "İ", "ß", "\u200b", "e\u0301", "sk-",
    "sk-a-", "key-abcdefg-", "\x00", "\u202e", "max_", "temperature ", "not supported ",
]  # fmt: skip


def seconds(read: Callable[[str], Any], text: str, times: int = 1) -> float:
    """Of the processor for one text, the least of several times, without garbage collection."""
    taken = []
    gc.disable()
    try:
        for _ in range(times):
            begun = time.thread_time()
            read(text)
            taken.append(time.thread_time() - begun)
    finally:
        gc.enable()
    return min(taken)


def made_of(unit: str, length: int) -> str:
    """A text of one thing again and again, between two letters."""
    return f"x{unit * (length // len(unit))}x"


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_a_text_is_read_in_time_that_grows_with_its_length(read: Callable[[str], Any]) -> None:
    """Whatever it is made of."""
    for unit in UNITS:
        for ending in ("", "\n"):
            whole, part = (made_of(unit, n) + ending for n in (LENGTH, LENGTH // SHORTER))
            if (taken := seconds(read, whole)) > FREE:
                of_part = seconds(read, part, 3)
                if taken >= MOST * of_part:  # something else may have been in the way
                    taken = seconds(read, whole, 3)
                assert taken < MOST * of_part, f"{unit!r}: {of_part:.2f} s, then {taken:.2f} s"


def test_many_thoughts_are_told_apart_at_once() -> None:
    """Eight times as many take about eight times as long."""
    few, many = ("<think></think>" * n for n in (25_000, 200_000))
    assert seconds(split_thinking, many) < 3 * 8 * max(0.01, seconds(split_thinking, few))
