"""Answers of demo models: the reference with noise, in the form that is asked for."""

from collections.abc import Sequence
from random import Random

from .questions import Question

NOISE = 5.0
"""Standard deviation of a rating at ability 0; it shrinks in proportion to the ability."""
REVISED = 0.8
"""A revision takes some of the noise away."""
CLUMSY = 0.4
"""Below this ability a model at times answers in another form, or in prose."""

_PROSE = {
    "en": "It is hard to put what they feel into numbers.",
    "de": "Es ist schwer, diese Gefühle in Zahlen zu fassen.",
}
_DOUBT = {
    "en": "the quieter feelings may have been given too little weight.",
    "de": "Die leiseren Gefühle haben vielleicht zu wenig Gewicht bekommen.",
}


def demo_answer(question: Question, ability: float, rng: Random, *, revise: bool) -> str:
    """A reply of a model of that ability, from 0 to 1."""
    if ability < CLUMSY and rng.random() < 0.06:
        return _PROSE[question.form.language]
    bold = ability < CLUMSY and rng.random() < 0.2
    offsets = [rng.gauss(0, NOISE * (1 - ability)) for _ in question.reference]
    first = _lines(question, offsets, bold=bold)
    if not revise:
        return first + "\n"
    revised = _lines(question, [offset * REVISED for offset in offsets], bold=bold)
    form = question.form
    return (
        f"{form.first}\n{first}\n\n{form.critique} {_DOUBT[form.language]}\n\n"
        f"{form.revised}\n{revised}\n\n{form.answer_end}\n"
    )


def _lines(question: Question, offsets: Sequence[float], *, bold: bool) -> str:
    pairs = zip(question.reference, offsets, strict=True)
    ratings = [min(10, max(0, round(target + offset))) for target, offset in pairs]
    if not any(ratings):
        ratings[0] = 1
    mark = "**" if bold else ""
    names = zip(question.emotions, ratings, strict=True)
    return "\n".join(f"{mark}{name}{mark}: {rating}" for name, rating in names)
