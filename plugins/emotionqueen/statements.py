"""The statements of a pack: JSON lines, read with errors that name the line."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from eibench import DataError, Item, JsonObject, read_jsonl

TASKS = ("key-event", "mixed-event", "implicit-emotion", "intention")
LIFE_SCENARIOS = ("achievements", "family-and-friends", "health", "economic-status", "accidents")
POLARITIES = ("positive", "negative")
CHOICES: Mapping[str, tuple[str, ...]] = {
    "task": TASKS,
    "life_scenario": LIFE_SCENARIOS,
    "polarity": POLARITIES,
}


class Statement(NamedTuple):
    """What an item of EmotionQueen holds."""

    task: str
    life_scenario: str
    polarity: str
    text: str
    """What the model is given."""
    look_for: str
    """For the judge: what an answer has to recognise."""
    made_by: str | None = None
    """The model that wrote it; ``None`` for one that is not marked as generated."""


def read_statements(path: Path) -> list[Item]:
    """The items of a pack, in file order; all of them or none are marked as generated."""
    items = [_item(path, f"line {number}", row) for number, row in read_jsonl(path)]
    if not items:
        raise DataError(path, "holds no statement")
    times = Counter(item.id for item in items)
    if twice := next((id for id, n in times.items() if n > 1), None):
        raise DataError(path, f"the id {twice!r} stands twice")
    if len({item.content.made_by is None for item in items}) > 1:
        raise DataError(
            path, 'some lines have "made_by" and some have not: generated statements are kept apart'
        )
    return items


def _item(path: Path, place: str, row: object) -> Item:
    if not isinstance(row, Mapping):
        raise DataError(path, "must be a JSON object", place)
    for name, choices in CHOICES.items():
        if _text(path, place, row, name) not in choices:
            message = f'"{name}" must be one of {", ".join(choices)}, not {row[name]!r:.40}'
            raise DataError(path, message, place)
    text, look_for = (_text(path, place, row, name) for name in ("statement", "look_for"))
    made_by = _text(path, place, row, "made_by") if "made_by" in row else None
    belongs = (row["task"], row["life_scenario"], row["polarity"])
    return Item(_text(path, place, row, "id"), Statement(*belongs, text, look_for, made_by))


def _text(path: Path, place: str, row: JsonObject, name: str) -> str:
    if name not in row:
        raise DataError(path, f'has no "{name}"', place)
    value = row[name]
    if not isinstance(value, str) or not value.strip():
        raise DataError(path, f'"{name}" must be a text, not {value!r:.40}', place)
    return value
