"""Thinking in the text of a reply, told from the answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench.core.clients.thinking import split_thinking


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
