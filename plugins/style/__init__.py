"""How a text is written, counted without a judge: `bench style`, and what benchmarks share of it.

Public as `eibench.style`. Measures are for English.
"""

from .vocabulary import LONG, syllables, vocabulary, words

__all__ = ["LONG", "syllables", "vocabulary", "words"]
