"""The questions of a pack: upstream's JSON form, read with errors that name the place.

And the answers of demo models: the reference with noise, in the form that is asked for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeVar

from eibench import DataError, Item, JsonObject, read_json

from .forms import ENGLISH, N_EMOTIONS, Form
from .prompting import without_revision

_WRITTEN = {str(rating): rating for rating in range(11)}


class Question(NamedTuple):
    """What an item holds.

    Attributes:
        prompt: As it is sent.
        emotions: The names in the answer form.
        reference: A rating for each, in the same order.
        form: In which the answer is asked for.
        others: The name that the question lists for each emotion where one of them is another
            than in the answer form; else empty.
    """

    prompt: str
    emotions: tuple[str, ...]
    reference: tuple[float, ...]
    form: Form = ENGLISH
    others: tuple[str, ...] = ()


class ReferenceField(NamedTuple):
    """Which reference of a question counts.

    Attributes:
        name: Of the field that holds it.
        total: What its ratings must sum to, if to anything.
        as_text: Whether a rating may be a text that is a whole number, as some are upstream.
    """

    name: str
    total: float | None = None
    as_text: bool = False


def read_questions(path: Path, reference: ReferenceField, form: Form = ENGLISH) -> list[Item]:
    """The items of a pack with their full prompts, in file order.

    Args:
        path: An object from id to ``prompt`` and reference.
        reference: Which one, and what it must be.
        form: What every question has.

    Raises:
        DataError: The file is not of that form.
    """
    raw = read_json(path)
    if not isinstance(raw, dict) or not raw:
        raise DataError(path, "must be a JSON object from question id to question, not empty")
    return [_item(path, item_id, row, reference, form) for item_id, row in raw.items()]


def cut_revision(path: Path, items: Sequence[Item], *, sentence: str | None = None) -> list[Item]:
    """The items with prompts that ask for one pass only.

    Args:
        path: Where the items come from.
        items: With their full prompts.
        sentence: What takes the place of each prompt's instructions.

    Raises:
        DataError: A prompt lacks a mark that the cut needs.
    """
    return [_cut(path, item, sentence) for item in items]


def _cut(path: Path, item: Item, sentence: str | None) -> Item:
    question: Question = item.content
    try:
        prompt = without_revision(question.prompt, question.form, sentence=sentence)
    except ValueError as error:
        raise DataError(path, str(error), _position(item.id)) from None
    return replace(item, content=question._replace(prompt=prompt))


def _item(path: Path, item_id: str, row: object, field: ReferenceField, form: Form) -> Item:
    position = _position(item_id)
    if not item_id.strip():
        raise DataError(path, "an item needs an id that is not blank", position)
    prompt = _field(path, position, row, "prompt", str)
    answer = _field(path, position, row, field.name, dict)
    numbers = range(1, N_EMOTIONS + 1)
    emotions = tuple(_field(path, position, answer, f"emotion{i}", str) for i in numbers)
    names = [f"emotion{i}_score" for i in numbers]
    reference = tuple(_rating(path, position, answer, name, field) for name in names)
    if len({e.lower() for e in emotions}) < N_EMOTIONS:
        raise DataError(path, f"the four emotions must differ: {', '.join(emotions)}", position)
    if field.total is not None and abs(sum(reference) - field.total) > 0.01:
        message = f"the reference sums to {sum(reference):g}, not {field.total:g}"
        raise DataError(path, message, position)
    return Item(item_id, Question(prompt, emotions, reference, form))


def _position(item_id: str) -> str:
    return f'item "{item_id}"'


T = TypeVar("T")


def _field(path: Path, position: str, row: object, name: str, kind: type[T]) -> T:
    if not isinstance(row, Mapping):
        raise DataError(path, "must be a JSON object", position)
    if name not in row:
        raise DataError(path, f'has no "{name}"', position)
    value = row[name]
    if not isinstance(value, kind) or not value or not str(value).strip():
        expected = "a text" if kind is str else "an object"
        raise DataError(path, f'"{name}" must be {expected}, not {value!r:.40}', position)
    return value


def _rating(
    path: Path, position: str, answer: JsonObject, name: str, field: ReferenceField
) -> float:
    if name not in answer:
        raise DataError(path, f'has no "{name}"', position)
    value = answer[name]
    if field.as_text and isinstance(value, str):
        value = _WRITTEN.get(value, value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 10:
        raise DataError(
            path, f'"{name}" must be a number from 0 to 10, not {value!r:.40}', position
        )
    return float(value)


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
    """A reply of a model of that ability: from 0, chance alone, to 1, the reference rounded."""
    if ability < CLUMSY and rng.random() < 0.06:
        return _PROSE.get(question.form.language, _PROSE["en"])
    bold = ability < CLUMSY and rng.random() < 0.2
    if ability:
        offsets = [rng.gauss(0, NOISE * (1 - ability)) for _ in question.reference]
    else:
        offsets = [rng.randint(0, 10) - target for target in question.reference]
    first = _lines(question, offsets, bold=bold)
    if not revise:
        return first + "\n"
    revised = _lines(question, [o * REVISED if ability else o for o in offsets], bold=bold)
    form = question.form
    doubt = _DOUBT.get(form.language, _DOUBT["en"])
    return (
        f"{form.first}\n{first}\n\n{form.critique} {doubt}\n\n"
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
