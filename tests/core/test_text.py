"""What a reader sees of a text, and what of it can be stored."""

import pytest

from eibench import is_blank
from eibench.core.text import listed, plural


@pytest.mark.parametrize(
    "text",
    ["", " \n\t", "\x00\x00\x00", "\u200b\u200d", "\ufeff", "\u3164", "\u2800", "\u202e \u2066",
     "\U000e0041", "\u00a0\u2003\u2028", "\x1b", "\ud800", "\u0301"],
)  # fmt: skip
def test_nothing_to_see_is_blank(text: str) -> None:
    """Blanks, controls, invisible characters, letters that look like blanks."""
    assert is_blank(text)


@pytest.mark.parametrize("text", [".", "\x00a", "\u200b我", "🙂", "é", "-", "0", "\U0001f1e9"])
def test_whatever_can_be_seen_is_not(text: str) -> None:
    """A single sign is enough."""
    assert not is_blank(text)


@pytest.mark.parametrize(
    ("n", "noun", "shown"),
    [
        (0, "call", "0 calls"),
        (1, "call", "1 call"),
        (2, "call", "2 calls"),
        (1, "family", "1 family"),
        (2, "family", "2 families"),
        (2, "reply", "2 replies"),
        (2, "story", "2 stories"),
        (2, "survey", "2 surveys"),
        (2, "other result", "2 other results"),
        (12345, "item", "12,345 items"),
    ],
)
def test_a_count_stands_with_its_noun(n: int, noun: str, shown: str) -> None:
    """Only 1 is singular."""
    assert plural(n, noun) == shown


def test_a_count_may_have_a_verb() -> None:
    """That of one or that of several."""
    assert [plural(n, "answer", "is", "are") for n in (1, 2)] == ["1 answer is", "2 answers are"]


def test_a_long_list_ends_in_how_many_more_there_are() -> None:
    """And one that is not long is whole."""
    assert [listed("abc"[:n], 2) for n in range(4)] == ["", "a", "a, b", "a, b and 1 more"]
