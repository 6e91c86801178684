"""The statements of a pack: JSON lines, read with errors that name the line."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from eibench import DataError, Item, read_rows

TASKS = ("key-event", "mixed-event", "implicit-emotion", "intention")
LIFE_SCENARIOS = ("achievements", "family-and-friends", "health", "economic-status", "accidents")
POLARITIES = ("positive", "negative")
CHOICES: Mapping[str, tuple[str, ...]] = {
    "task": TASKS,
    "life_scenario": LIFE_SCENARIOS,
    "polarity": POLARITIES,
}
FIELDS = {"id": str, **CHOICES, "statement": str, "look_for": str, "made_by": str | None}
"""Of a line, in the order of `Statement`."""


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
    """The items of a pack, in file order; all of them or none are marked as generated.

    Raises:
        DataError: A line is not of the form, or its id is that of another.
    """
    rows: list[dict[str, Any]] = read_rows(path, FIELDS)
    for row in rows:
        if blank := [n for n in FIELDS if row[n] is not None and not row[n].strip()]:
            raise DataError(path, f'"{blank[0]}" is blank', f'statement "{row["id"]}"')
    if len({row["made_by"] is None for row in rows}) > 1:
        raise DataError(
            path, 'some lines have "made_by" and some have not: generated statements are kept apart'
        )
    names = [name for name in FIELDS if name != "id"]
    return [Item(row["id"], Statement(*(row[name] for name in names))) for row in rows]
