"""The words and phrases that most set a model's texts apart from those of the others.

For each phrase of one to three words: the difference of the log odds that a text holds it, between
the model and all others, with half a text added to each count (Haldane 1956; Anscombe 1956),
over its standard error. It orders phrases; with so many of them it is no test.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from .lists import tokens
from .texts import StyledText

FEWEST = 3
"""Texts of the model that hold a phrase, at least."""
_LONGEST, _SHOWN = 3, 3
_Ranked = tuple[float, int, str, int]
"""By what phrases are ordered (-z, the longer first), the phrase, and texts of others with it."""


class Phrase(NamedTuple):
    """A phrase of a model.

    Attributes:
        times: How often it stands in the model's texts.
        texts: In how many of them, of `of_texts`.
        elsewhere: In how many texts of the other models, of `of_elsewhere`.
        z: The difference of log odds in standard errors.
        examples: The first different items whose texts hold it: the command that shows one, or the
            text's id.
    """

    phrase: str
    times: int
    texts: int
    of_texts: int
    elsewhere: int
    of_elsewhere: int
    z: float
    examples: Sequence[str]


def phrases_apart(models: Mapping[str, Sequence[StyledText]], most: int) -> dict[str, list[Phrase]]:
    """Of each model the phrases that stand out most, at most so many; none of one model alone."""
    if len(models) < 2 or not most:
        return {name: [] for name in models}
    counted = {name: [tokens(text.text) for text in texts] for name, texts in models.items()}
    frequent = {
        name: {p: n for p, n in _texts_holding(of_model).items() if n >= FEWEST}
        for name, of_model in counted.items()
    }
    looked_for = frozenset().union(*frequent.values())
    everywhere = Counter[str]()
    for of_model in counted.values():
        everywhere.update(_texts_holding(of_model, looked_for))
    total = sum(map(len, models.values()))
    chosen = {}
    for name, texts in models.items():
        n = len(texts)
        ranked = []
        for phrase, inside in frequent[name].items():
            elsewhere = everywhere[phrase] - inside
            if (z := _z(inside, n, elsewhere, total - n)) > 0:
                ranked.append((-z, -len(phrase), phrase, elsewhere))
        kept = _without_overlap(sorted(ranked), most)
        chosen[name] = [_described(row, counted[name], texts, total - n) for row in kept]
    return chosen


def _without_overlap(ranked: Sequence[_Ranked], most: int) -> list[_Ranked]:
    """The first so many, without those that hold, or stand in, one before them."""
    kept: list[_Ranked] = []
    for row in ranked:
        if len(kept) == most:
            break
        phrase = f" {row[2]} "
        if not any(phrase in (other := f" {k[2]} ") or other in phrase for k in kept):
            kept.append(row)
    return kept


def _phrases(counted: Sequence[str]) -> Iterator[str]:
    for length in range(1, _LONGEST + 1):
        parts = (counted[start:] for start in range(length))
        yield from map(" ".join, zip(*parts, strict=False))


def _texts_holding(
    texts: Sequence[Sequence[str]], only: frozenset[str] | None = None
) -> Counter[str]:
    """In how many texts each phrase stands; of all phrases, or of those that are looked for."""
    return Counter(
        phrase
        for counted in texts
        for phrase in set(_phrases(counted))
        if only is None or phrase in only
    )


def _z(inside: int, n: int, elsewhere: int, others: int) -> float:
    cells = [inside + 0.5, n - inside + 0.5, elsewhere + 0.5, others - elsewhere + 0.5]
    odds = math.log(cells[0] / cells[1]) - math.log(cells[2] / cells[3])
    return odds / math.sqrt(sum(1 / cell for cell in cells))


def _described(
    row: _Ranked, counted: Sequence[Sequence[str]], texts: Sequence[StyledText], others: int
) -> Phrase:
    z, _, phrase, elsewhere = row
    counts = [_count(words, phrase.split()) for words in counted]
    holding = [text for text, count in zip(texts, counts, strict=True) if count]
    shown = list(dict.fromkeys(text.shown_by or text.id for text in holding))[:_SHOWN]
    return Phrase(phrase, sum(counts), len(holding), len(texts), elsewhere, others, -z, shown)


def _count(counted: Sequence[str], parts: Sequence[str]) -> int:
    n = len(parts)
    return sum(counted[i : i + n] == parts for i in range(len(counted) - n + 1))
