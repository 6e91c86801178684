"""How many tokens a prompt has at least, without its tokenizer."""

import pytest

from eibench.core.reading.prompt_tokens import (
    FEWEST,
    about_tokens,
    is_cut,
    least_tokens,
    probe_prompt,
)

ENGLISH = "She said that she was fine, and then closed the door behind her without a word. " * 40
GERMAN = "Sie sagte, es gehe ihr gut, und schloss dann wortlos die Wohnungstür hinter sich. " * 40
CHINESE = "她说她没事，然后一言不发地关上了门。大家都知道她心里很难过，可是没有人开口。" * 40
"""By nine tokenizers, o200k and SmolLM2's among them: 721; 841 to 1,202; 880 to 2,640."""


@pytest.mark.parametrize(
    ("text", "fewest"), [(ENGLISH, 721), (GERMAN, 841), (CHINESE, 880), (CHINESE, 380)]
)
def test_no_whole_prompt_counts_as_cut(text: str, fewest: int) -> None:
    """In the languages of the packs; nor where a server gives a quarter of the characters."""
    assert not is_cut(text, fewest)
    assert least_tokens(text) < fewest < 3 * about_tokens(text)


@pytest.mark.parametrize("text", [ENGLISH, GERMAN, CHINESE])
def test_a_third_of_a_long_prompt_is_too_few(text: str) -> None:
    """Whatever the language."""
    long = text * 4
    assert is_cut(long, about_tokens(long) // 4)


@pytest.mark.parametrize("counted", [0, 1, FEWEST - 1])
def test_a_tiny_count_says_nothing(counted: int) -> None:
    """Servers count no tokens, or those alone that were not in their cache."""
    assert not is_cut(ENGLISH * 10, counted)


@pytest.mark.parametrize("characters", [0, 50, 4000, 60_001])
def test_a_probe_has_the_length_that_is_wanted(characters: int) -> None:
    """But for its own end; a count of its words is no cut, half of them is one."""
    probe = probe_prompt(characters)
    assert len(probe) == max(characters, len("\n\nSay OK."))
    words = len(probe.split())
    assert not is_cut(probe, words)
    assert is_cut(probe, words // 2) is (words // 2 >= FEWEST)
