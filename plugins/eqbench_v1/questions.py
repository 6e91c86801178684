"""The questions of a pack: upstream's JSON form, read with errors that name the place."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from eibench import DataError, Item, read_json

from .prompting import without_revision

N_EMOTIONS = 4
REFERENCE_SUM = 10


class Question(NamedTuple):
    """What an item of EQ-Bench v1 holds."""

    prompt: str
    emotions: tuple[str, ...]
    reference: tuple[float, ...]
    """Ratings that sum to 10, in the order of the emotions."""


def read_questions(path: Path, *, revise: bool) -> list[Item]:
    """The items of a pack, in file order.

    Args:
        path: An object from id to ``prompt`` and ``reference_answer``.
        revise: Whether critique and revised scores are asked for.

    Raises:
        DataError: The file is not of that form.
    """
    raw = read_json(path)
    if not isinstance(raw, dict) or not raw:
        raise DataError(path, "must be a JSON object from question id to question, not empty")
    return [_item(path, item_id, row, revise=revise) for item_id, row in raw.items()]


def _item(path: Path, item_id: str, row: Any, *, revise: bool) -> Item:
    place = f'item "{item_id}"'
    if not item_id.strip():
        raise DataError(path, "an item needs an id that is not blank", place)
    prompt = _field(path, place, row, "prompt", str)
    answer = _field(path, place, row, "reference_answer", dict)
    numbers = range(1, N_EMOTIONS + 1)
    emotions = tuple(_field(path, place, answer, f"emotion{i}", str) for i in numbers)
    reference = tuple(_rating(path, place, answer, f"emotion{i}_score") for i in numbers)
    if len({e.lower() for e in emotions}) < N_EMOTIONS:
        raise DataError(path, f"the four emotions must differ: {', '.join(emotions)}", place)
    if abs(sum(reference) - REFERENCE_SUM) > 0.01:
        raise DataError(path, f"the reference sums to {sum(reference):g}, not 10", place)
    try:
        asked = prompt if revise else without_revision(prompt)
    except ValueError as error:
        raise DataError(path, str(error), place) from None
    return Item(item_id, Question(asked, emotions, reference))


def _field(path: Path, place: str, row: Any, name: str, kind: type) -> Any:
    if not isinstance(row, Mapping):
        raise DataError(path, "must be a JSON object", place)
    if name not in row:
        raise DataError(path, f'has no "{name}"', place)
    value = row[name]
    if not isinstance(value, kind) or not value or not str(value).strip():
        wanted = "a text" if kind is str else "an object"
        raise DataError(path, f'"{name}" must be {wanted}, not {value!r:.40}', place)
    return value


def _rating(path: Path, place: str, answer: Mapping[str, Any], name: str) -> float:
    if name not in answer:
        raise DataError(path, f'has no "{name}"', place)
    value = answer[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 10:
        raise DataError(path, f'"{name}" must be a number from 0 to 10, not {value!r:.40}', place)
    return float(value)
