"""How demanding a text's words are, by rules for English that need no data, and lists of slop."""

from eibench.plugins.style import (
    LONG,
    TRIGRAMS,
    WORDS,
    SlopLists,
    read_lists,
    syllables,
    tokens,
    vocabulary,
    words,
)

__all__ = [
    "LONG", "TRIGRAMS", "WORDS", "SlopLists", "read_lists", "syllables", "tokens", "vocabulary",
    "words",
]  # fmt: skip
