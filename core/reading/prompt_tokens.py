"""How many tokens a prompt has at least, and about, without its tokenizer: was it cut in silence?

Some servers drop what does not fit into their context, answer 200, and count what is left. A count
far below what the words need gives them away. Words are what stands between spaces; in scripts
without spaces, Chinese and Japanese, characters count. Both shares lie well below what nine
tokenizers need for every prompt of the packs (docs/providers.md), and below a quarter of the
characters, which some servers give as their count.
"""

import re

PER_WORD, PER_CHARACTER = 0.8, 0.2
"""Fewer tokens than so many a word, or a Chinese or Japanese character, no tokenizer counts."""
USUAL_PER_WORD, USUAL_PER_CHARACTER = 1.35, 0.65
FEWEST = 128
"""A smaller count says nothing: no context is so small, but what a cache leaves to count is."""
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SPACED = re.compile(f"[^{_UNSPACED}]+")


def _sized(text: str, per_word: float, per_character: float) -> int:
    """Words and characters, each with its share."""
    unspaced = "" if text.isascii() else _SPACED.sub("", text)
    # Runs of Chinese count as words too: there are few, and each is a token or more.
    return int(per_word * len(text.split()) + per_character * len(unspaced))


def least_tokens(text: str) -> int:
    """The tokens that a text has at least, by whatever tokenizer."""
    return _sized(text, PER_WORD, PER_CHARACTER)


def about_tokens(text: str) -> int:
    """The tokens that a text has by usual tokenizers, about."""
    return _sized(text, USUAL_PER_WORD, USUAL_PER_CHARACTER)


def is_cut(text: str, counted: int) -> bool:
    """Whether so many input tokens, cached ones included, are too few for a prompt.

    False also where nothing can be said: the server counts no tokens, or very few.
    """
    return FEWEST <= counted < least_tokens(text)


def probe_prompt(characters: int) -> str:
    """A prompt of so many characters that says how much of a prompt a server takes.

    For `is_cut`: plain words, a token or more each, and no answer of any length is asked for.
    """
    ending = "\n\nSay OK."
    words = "the sun was low and we all sat by the old wall to rest for a while "
    return (words * (characters // len(words) + 1))[: max(0, characters - len(ending))] + ending
