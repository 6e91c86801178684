"""Cutting transcripts alike: by characters or by tokens, with a mark."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench.judges import truncate
from eibench.judges.pairwise import MARK, count_tokens

UNITS = ["characters", "tokens"]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("   \n\t", 0),
        ("cat", 1),
        ("kitten", 1),
        ("kittens", 2),  # six letters, then one
        ("a" * 13, 3),
        ("I wasn't there.", 6),  # I, wasn, ', t, there, .
        ("3.50", 3),
        ("...", 3),
        ("für dich", 2),
        ("家族の話", 1),  # a run of up to six letters
        ("家族の話をしようか", 2),
        ("🙂🙂", 2),
        ("snake_case_name", 3),
    ],
)
def test_tokens_are_counted_as_declared(text: str, tokens: int) -> None:
    """A run of up to six letters or digits, or one other sign."""
    assert count_tokens(text) == tokens


@pytest.mark.parametrize("unit", UNITS)
def test_what_fits_stays_as_it_is(unit: str) -> None:
    """To the last unit, with all its space, and without a mark."""
    text = "One two,  three. \n"
    size = len(text) if unit == "characters" else 5
    assert truncate(text, size, unit) == text
    assert truncate(text, size + 1, unit) == text
    assert truncate(text, size - 1, unit).endswith(MARK)


def test_characters_are_cut_hard() -> None:
    """As the published code cuts: so many, then the mark."""
    assert truncate("abcdef", 4, "characters") == "abcd... [truncated]"
    assert truncate("ab  ef", 4, "characters") == "ab  ... [truncated]"


def test_tokens_are_cut_before_the_first_that_is_too_many() -> None:
    """Without the space before it."""
    assert truncate("One two, three.", 3, "tokens") == "One two,... [truncated]"
    assert truncate("One two, three.", 2, "tokens") == "One two... [truncated]"
    assert truncate("unbelievable", 1, "tokens") == "unbeli... [truncated]"


def test_another_unit_is_an_error() -> None:
    """Rather than a text that is not cut."""
    with pytest.raises(ValueError, match="characters or tokens, not 'words'"):
        truncate("x", 1, "words")


@pytest.mark.parametrize("unit", UNITS)
@given(st.text(), st.integers(0, 60))
def test_the_beginning_is_kept_and_nothing_beyond_the_limit(
    unit: str, text: str, limit: int
) -> None:
    """For any text; a second cut changes nothing but for the mark's own words."""
    cut = truncate(text, limit, unit)
    kept = cut.removesuffix(MARK)
    assert text.startswith(kept)
    size = len(kept) if unit == "characters" else count_tokens(kept)
    assert size <= limit
    whole = len(text) if unit == "characters" else count_tokens(text)
    assert (cut == text) == (whole <= limit) or text.endswith(MARK)


@given(st.text(), st.integers(0, 60))
def test_as_much_is_kept_as_fits(text: str, limit: int) -> None:
    """Not a token less."""
    if count_tokens(text) > limit:
        kept = truncate(text, limit, "tokens").removesuffix(MARK)
        assert count_tokens(kept) == limit


def test_the_count_is_near_that_of_words_in_prose() -> None:
    """English words of up to six letters are one token each, others two or three."""
    prose = "Somebody has to look at the whole picture before the weather improves again."
    words = re.findall(r"\w+", prose)
    assert count_tokens(prose) == sum((len(w) + 5) // 6 for w in words) + 1
