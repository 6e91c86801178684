"""How demanding a text's words are, by rules for English that need no data."""

from eibench.plugins.style import LONG, syllables, vocabulary, words

__all__ = ["LONG", "syllables", "vocabulary", "words"]
