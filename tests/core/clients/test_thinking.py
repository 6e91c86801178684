"""Thinking in the text of a reply, told from the answer."""

import csv
import gzip
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench.core.clients.thinking import split_thinking, unknown_mark
from eibench.core.clients.thinking_forms import FORMS, ThinkingForm
from eibench.core.types import Message


@pytest.mark.parametrize(
    ("text", "answer", "thinking"),
    [
        ("", "", ""),
        ("Just an answer.", "Just an answer.", ""),
        ("  leading blanks stay", "  leading blanks stay", ""),
        ("<think>a</think>Answer", "Answer", "a"),
        ("\n<think>\na\nb\n</think>\n\nAnswer\n", "Answer\n", "a\nb"),
        ("<THINK>a</THINK>Answer", "Answer", "a"),
        ("<thinking>a</thinking>Answer", "Answer", "a"),
        ("<think></think>Answer", "Answer", ""),
        ("<think>a</think>", "", "a"),
        ("<think>a</think>\n ", "", "a"),
        ("<think>cut off while", "", "cut off while"),
        ("<think>", "", ""),
        ("template opened it</think>Answer", "Answer", "template opened it"),
        ("</think>Answer", "Answer", ""),
        ("only that</think>", "", "only that"),
        ("<think>a</think><think>b</think>Answer", "Answer", "a\nb"),
        ("<think>a</think>\n<think>b, cut off", "", "a\nb, cut off"),
        ("<think>see </thinking> a</think>Answer", "Answer", "see </thinking> a"),
        ("I write <think>so</think>.", "I write <think>so</think>.", ""),
        ("I write <think> only.", "I write <think> only.", ""),
        ("<think>a</think>Then <think>b</think>", "Then <think>b</think>", "a"),
        ("<thinker>a</thinker>", "<thinker>a</thinker>", ""),
        ("<think>" + "İ" * 30 + "</think>First pass", "First pass", "İ" * 30),
        ("<think>ẞﬁŉΐ</THINK>ẞﬁ", "ẞﬁ", "ẞﬁŉΐ"),
        ("<thin\u212a>a</thin\u212a>b", "<thin\u212a>a</thin\u212a>b", ""),
        ("<think>a</thin\u212a> b</think>c", "c", "a</thin\u212a> b"),
        ("<think>a</think></think>b", "</think>b", "a"),
    ],
)
def test_split(text: str, answer: str, thinking: str) -> None:
    """Thinking at the start goes apart, closed or not; a tag later on is part of the answer."""
    assert split_thinking(text) == (answer, thinking)


@given(st.text())
def test_nothing_is_taken_without_a_tag(text: str) -> None:
    """A reply without a tag is its answer, to the letter."""
    if "think" not in text.lower() and "reasoning" not in text.lower():
        assert split_thinking(text) == (text, "")


@given(st.text(alphabet="ab <>/\n"), st.text(alphabet="cd \n"))
def test_what_was_thought_comes_back(thought: str, answer: str) -> None:
    """Whatever is thought and answered is told apart, but for blanks at the edges."""
    assert split_thinking(f"<think>{thought}</think>{answer}") == (answer.lstrip(), thought.strip())


@given(
    st.lists(st.sampled_from(["<think>", "</think>", "</Thinking>", "İ", "ß", "a", " ", "\n", "K"]))
)
def test_no_letter_is_lost(parts: list[str]) -> None:
    """Only tags and blanks at the edges are in neither part."""
    reply = "".join(parts)
    message = "".join(split_thinking(reply))
    assert [message.count(letter) for letter in "İßaK"] == [
        reply.count(letter) for letter in "İßaK"
    ]


H = "<|channel|>{0}<|message|>{1}<|end|>"
FINAL = "<|start|>assistant<|channel|>final<|message|>Yes."


@pytest.mark.parametrize(
    ("text", "answer", "thinking"),
    [
        (H.format("analysis", "Hm, <b>.") + FINAL + "<|return|>", "Yes.", "Hm, <b>."),
        (H.format("analysis", "Hm.") + FINAL, "Yes.", "Hm."),
        ("<|start|>assistant" + H.format("analysis", "Hm.") + FINAL, "Yes.", "Hm."),
        (H.format("analysis", "a") + H.format("commentary to=x json", "b") + FINAL, "Yes.", "a\nb"),
        ("template opened it<|end|>" + FINAL, "Yes.", "template opened it"),
        (FINAL, "Yes.", ""),
        ("assistant<|channel|>final<|message|>Yes.", "Yes.", ""),
        ("<|channel|>analysis<|message|>cut off", "", "cut off"),
        ("analysisWe need to answer.assistantfinalYes.", "Yes.", "We need to answer."),
        ("analysis\n\nHm.\n\nassistantfinal\n\nYes.", "Yes.", "Hm."),
        ("analysisHm, so be itassistantfinalYes.", "Yes.", "Hm, so be it"),
        ("analysisaassistantcommentarybassistantfinalYes.", "Yes.", "a\nb"),
        ("assistantfinalYes.", "Yes.", ""),
        ("template opened it.assistantfinalYes.", "Yes.", "template opened it."),
        ("analysisWe need to cut", "", "We need to cut"),
        ("analysis of the situation: he waits.", "analysis of the situation: he waits.", ""),
        ("Analysis: he waits.", "Analysis: he waits.", ""),
        ("analysis. The final answer", "analysis. The final answer", ""),
        ("The assistant final words", "The assistant final words", ""),
        ("I call it myassistantfinal", "I call it myassistantfinal", ""),
        (
            "He wrote <|channel|>analysis<|message|>.",
            "He wrote <|channel|>analysis<|message|>.",
            "",
        ),
    ],
)
def test_channels(text: str, answer: str, thinking: str) -> None:
    """Those of OpenAI's harmony, with their special tokens or without; prose is none of them."""
    assert split_thinking(text) == (answer, thinking)


def _marks(form: ThinkingForm) -> tuple[str, str]:
    opening, closing = form.shown.split("...")
    return opening + "\n" * (
        opening in ("<|channel>thought", "<unused94>thought", "/think")
    ), closing


def _closing(form: ThinkingForm) -> str:
    at_end = "\n<|im_start|>assistant\n" if form.closing.startswith(r"<\|im_end") else ""
    return re.sub(r"<\|im_start.*", "", _marks(form)[1]) + at_end


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.shown)
def test_each_known_form(form: ThinkingForm) -> None:
    """Closed, cut off, and where the template opened it; blanks around are of no account."""
    opening, closing = _marks(form)[0], _closing(form)
    for text in (f"{opening}Hm.{closing}Yes.", f"\n{opening}\nHm.\n{closing}\n\nYes."):
        assert split_thinking(text) == ("Yes.", "Hm.")
    cut = f"{opening}Hm"
    assert split_thinking(cut) == ((cut, "") if form.must_close else ("", "Hm"))
    alone = f"Hm.{closing}Yes."
    assert split_thinking(alone) == (("Yes.", "Hm.") if form.alone else (alone, ""))
    inside = f"I say {opening}so{closing}."
    if not form.must_close and form.alone:
        assert split_thinking(inside) == (inside, "")


@pytest.mark.parametrize(
    ("text", "answer", "thinking"),
    [
        ("<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>b<|END_RESPONSE|>", "b", "a"),
        ("<|START_RESPONSE|>b<|END_RESPONSE|>", "b", ""),
        ("<|START_TEXT|>b", "b", ""),
        ("<think>\na\n</think>\n<answer>\nb\n</answer>", "b", "a"),
        ("<think>\na\n</think>\n\n<response>\nb\n</response>\n", "b", "a"),
        ("<think>a</think><answer>b</answer>", "<answer>b</answer>", "a"),
        ("<answer>\nb\n</answer>", "<answer>\nb\n</answer>", ""),
        ("<Thought>\na\n</Thought>\n<Output>\nb\n</Output>", "b", "a"),
        ("<|think|>a<|end|><|begin|>assistant<|content|>b<|end|>", "b", "a"),
        ("<|begin_of_thought|>a<|end_of_thought|><|begin_of_solution|>b<|end_of_solution|>", "b",
         "a"),
        ("<|open|>think<|sep|>a<|close|>think<|sep|>"
         "<|open|>response<|sep|>b<|close|>response<|sep|>",
         "b", "a"),
        ("Here are my reasoning steps:\na\n"
         "[BEGIN FINAL RESPONSE]\nb\n[END FINAL RESPONSE]\n<|end|>",
         "b", "a"),
        ("<|start|>assistant to=self<|message|>a<|eom|>"
         "<|start|>assistant to=user<|message|>b<|eot|>",
         "b", "a"),
        ("<|message_model|><|content_thinking|>a<|end_message|><|message_model|><|content_text|>b"
         "<|end_message|><|content_model_end_sampling|>", "b", "a"),
    ],
)  # fmt: skip
def test_marks_around_the_answer(text: str, answer: str, thinking: str) -> None:
    """They go with those of the thinking; tags that a prompt may have asked for stay."""
    split = split_thinking(text)
    assert (split.answer.strip(), split.thinking) == (answer.strip(), thinking)


@pytest.mark.parametrize(
    ("text", "answer", "thinking"),
    [
        ("<inner_thoughts>a</inner_thoughts>b", "b", "a"),
        ("<antThinking>a</antThinking>b", "b", "a"),
        ("<scratchpad>a</scratchpad>\nb", "b", "a"),
        ("<chain-of-thought>a</chain-of-thought>b", "b", "a"),
        ("<deep:thinking>cut off", "", "cut off"),
        ("[THOUGHTS]a[/THOUGHTS]b", "b", "a"),
        ("[THOUGHTS] he has none.", "[THOUGHTS] he has none.", ""),
        ("<thoughtful>a</thoughtful>b", "<thoughtful>a</thoughtful>b", ""),
        ("<analysis>a</analysis>b", "<analysis>a</analysis>b", ""),
        ("<p>a</p>b", "<p>a</p>b", ""),
        ("He <scratchpad>a</scratchpad> b", "He <scratchpad>a</scratchpad> b", ""),
    ],
)
def test_marks_in_no_table(text: str, answer: str, thinking: str) -> None:
    """A pair of tags at the very start whose name says that it is thinking."""
    assert split_thinking(text) == (answer, thinking)


@pytest.mark.parametrize(
    ("text", "asked", "mark"),
    [
        ("<analysis>a</analysis>b", "Hi", "<analysis>"),
        ("<analysis>a</analysis>b", "Answer in <analysis> first.", None),
        ("<analysis> is a tag", "Hi", None),
        ("[REASON]a[/REASON]b", "Hi", "[REASON]"),
        ("<|im_start|>assistant\nb", "Hi", "<|im_start|>"),
        ("\n<|thoughts_begin|>a", "Hi", "<|thoughts_begin|>"),
        ("<unused7>b", "Hi", "<unused7>"),
        ("◁mull▷a", "Hi", "◁mull▷"),
        ("<p>a</p>", "Hi", None),
        ("<div>plan</div>", "Hi", None),
        ("[1] a", "Hi", None),
        ("[Sighs] Well.", "Hi", None),
        ("Yes <|im_start|>", "Hi", None),
        ("", "Hi", None),
    ],
)
def test_what_looks_like_a_mark(text: str, asked: str, mark: str | None) -> None:
    """A special token, or a pair that may be one; not what the question asked for, nor prose."""
    assert unknown_mark(text, [Message("user", asked)]) == mark


def test_the_docs_name_each_known_form() -> None:
    """With whose it is."""
    docs = (Path(__file__).parents[3] / "docs" / "providers.md").read_text("utf-8")
    for form in FORMS:
        written = form.shown.replace("|", "\\|")
        assert f"`{written}`" in docs and form.whose in docs, form.shown


DATA = [
    Path(os.environ[name])
    for name in ("EIBENCH_OFFICIAL_DATA", "EIBENCH_OTHER_DATA")
    if os.environ.get(name)
]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)


def _texts_of(path: Path) -> Iterator[str]:
    """All texts in a file: replies, questions, prompts."""
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    text = raw.decode("utf-8", "replace")
    name = path.name.removesuffix(".gz")
    if name.endswith(".jsonl"):
        yield from _texts([json.loads(line) for line in text.splitlines() if line.strip()])
    elif name.endswith(".json"):
        yield from _texts(json.loads(text))
    elif name.endswith(".csv"):
        yield from _texts(list(csv.reader(text.splitlines(keepends=True))))
    elif not name.endswith(".docx"):
        yield text


@pytest.mark.skipif(not DATA, reason="needs EIBENCH_OFFICIAL_DATA or EIBENCH_OTHER_DATA")
def test_no_real_reply_is_changed() -> None:
    """Published replies of models that write no marks are read to the letter; none is warned of.

    Of texts that are no replies one begins with a mark: a prompt that sets its talk in brackets.
    """
    csv.field_size_limit(10**8)
    looked_at = 0
    for path in (p for folder in DATA for p in sorted(folder.rglob("*")) if p.is_file()):
        for text in _texts_of(path):
            looked_at += 1
            assert split_thinking(text) == (text, ""), path.name
            if "prompt" not in path.name:
                assert unknown_mark(text, ()) is None, path.name
    assert looked_at > 1000
