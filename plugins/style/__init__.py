"""How a text is written, counted without a judge: `bench style`, and what benchmarks share of it.

Public as `eibench.style`. Measures are for English.
"""

from .lists import TRIGRAMS, WORDS, SlopLists, read_lists, tokens
from .vocabulary import LONG, syllables, vocabulary, words

__all__ = [
    "LONG", "TRIGRAMS", "WORDS", "SlopLists", "read_lists", "syllables", "tokens", "vocabulary",
    "words",
]  # fmt: skip
