"""What is counted in one text, and the measures that are ratios of these counts.

A measure of several texts is the ratio of their totals, so a long text weighs more than a
short one, as on the slop-score board.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .contrasts import find_contrasts
from .lists import SlopLists, tokens
from .vocabulary import LONG, syllables, words

WINDOW = 500
"""Words of a window of the moving-average type-token ratio, and how far repetition looks back."""
_SENTENCE_END = re.compile(r"[.!?…]+[\"'”’)\]*_]*(?=\s|$)|\n")
_QUOTE = re.compile('["“”„«»]')


class TextCounts(NamedTuple):
    """Counts of one text; those of slop are 0 where there are no lists.

    Attributes:
        tokens: Words of a to z, as the slop-score board counts them.
        characters: UTF-16 code units, as that board counts them.
        repeated: Trigrams of tokens that stand in the `WINDOW` trigrams before.
        distinct: Sum over windows of the share of their tokens that are distinct.
        windows: Of `WINDOW` tokens; 0 in a shorter text.
        words: Of any letters; `long_words` have `LONG` syllables or more.
        spoken: Words between double quotation marks.
    """

    tokens: int
    characters: int
    slop_words: int
    slop_trigrams: int
    contrasts: int
    repeated: int
    trigrams: int
    distinct: float
    windows: int
    words: int
    long_words: int
    sentences: int
    paragraphs: int
    spoken: int


class Measure(NamedTuple):
    """A ratio of two counts, times a factor."""

    label: str
    of: str
    over: str
    factor: float = 1.0
    needs_lists: bool = False


MEASURES = {
    "slop_words": Measure("slop words per 1,000 words", "slop_words", "tokens", 1000, True),
    "slop_trigrams": Measure(
        "slop trigrams per 1,000 words", "slop_trigrams", "tokens", 1000, True
    ),
    "contrasts": Measure("not x but y per 1,000 characters", "contrasts", "characters", 1000),
    "repetition": Measure("repeated trigrams per 100", "repeated", "trigrams", 100),
    "mattr_500": Measure("MATTR-500", "distinct", "windows"),
    "vocabulary": Measure("share of words of 3+ syllables", "long_words", "words"),
    "sentence_length": Measure("words per sentence", "words", "sentences"),
    "paragraph_length": Measure("words per paragraph", "words", "paragraphs"),
    "dialogue": Measure("share of words in quotation marks", "spoken", "words"),
}
"""By name, in the order in which they are shown."""


class CountedText(NamedTuple):
    """A text's counts, and what was counted: hits by phrase, contrasts by pattern."""

    counts: TextCounts
    words: Counter[str]
    trigrams: Counter[str]
    patterns: Counter[str]


def count_text(text: str, lists: SlopLists | None) -> CountedText:
    """All that is counted in a text; of one without words every count but the characters is 0."""
    counted = tokens(text)
    slop_words, slop_trigrams = lists.hits(counted) if lists else (Counter(), Counter())
    contrasts = find_contrasts(text)
    all_words = words(text)
    paragraphs = [paragraph for paragraph in text.splitlines() if words(paragraph)]
    ratios = list(_type_token_ratios(counted))
    counts = TextCounts(
        tokens=len(counted),
        characters=len(text.encode("utf-16-le", "surrogatepass")) // 2,
        slop_words=slop_words.total(),
        slop_trigrams=slop_trigrams.total(),
        contrasts=len(contrasts),
        repeated=_repeated(counted),
        trigrams=max(0, len(counted) - 2),
        distinct=sum(ratios),
        windows=len(ratios),
        words=len(all_words),
        long_words=sum(syllables(word) >= LONG for word in all_words),
        sentences=sum(bool(words(sentence)) for sentence in _SENTENCE_END.split(text)),
        paragraphs=len(paragraphs),
        spoken=sum(_spoken(paragraph) for paragraph in paragraphs),
    )
    patterns = Counter(contrast.pattern for contrast in contrasts)
    return CountedText(counts, slop_words, slop_trigrams, patterns)


def _type_token_ratios(counted: Sequence[str]) -> Iterator[float]:
    """Of each window of the text; Covington and McFall (2010), J. Quant. Linguistics 17, 94-100."""
    inside = Counter(counted[: WINDOW - 1])
    for leaving, entering in zip(counted, counted[WINDOW - 1 :], strict=False):
        inside[entering] += 1
        yield len(inside) / WINDOW
        inside[leaving] -= 1
        if not inside[leaving]:
            del inside[leaving]


def _repeated(counted: Sequence[str]) -> int:
    latest: dict[tuple[str, ...], int] = {}
    repeated = 0
    for n, three in enumerate(zip(counted, counted[1:], counted[2:], strict=False)):
        repeated += n - latest.get(three, n - WINDOW - 1) <= WINDOW
        latest[three] = n
    return repeated


def _spoken(paragraph: str) -> int:
    """Words between double quotation marks; one that is not closed lasts to the paragraph's end."""
    return sum(len(words(part)) for part in _QUOTE.split(paragraph)[1::2])
