"""What a reader sees of a text."""

import pytest

from eibench import is_blank


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
