"""The cards of a pack, with errors that name the place."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from eibench import DataError, Item, PackSource, read_toml
from eibench.judges import reachable

FAMILIES = ("self-image", "power", "reality", "exclusion", "ordinary")
MOVES = ("heard", "helped", "warmed", "asked", "stayed", "allowed")
"""What an `unlock` asks for, in a word; only the demo player goes by it."""
ASSISTANT = "assistant"
CORE_WEIGHT = 3.0
"""What the core counts, where each other point counts 1."""
_PERSON = ("name", "is", "feels", "prefers", "sensitive", "leaves", "opening")
ADULT = 18


class PersonCard(NamedTuple):
    """The person as who plays them has it, but for what is locked."""

    name: str
    age: int
    is_: str
    feels: str
    prefers: str
    sensitive: str
    leaves: str
    opening: str


class HiddenPoint(NamedTuple):
    """What the person does not say at first."""

    id: str
    text: str
    unlock: str
    after: str
    core: bool
    move: str

    @property
    def weight(self) -> float:
        """What it counts."""
        return CORE_WEIGHT if self.core else 1.0


class ConfidantCard(NamedTuple):
    """A card: who is played, who the model is to them, and what is hidden."""

    relation: str
    role: str
    person: PersonCard
    facts: tuple[HiddenPoint, ...]

    @property
    def core(self) -> HiddenPoint:
        """The one that is hardest to say."""
        return next(fact for fact in self.facts if fact.core)


def read_cards(source: PackSource) -> list[Item[ConfidantCard]]:
    """The cards of all files of a pack.

    Raises:
        DataError: A card is not of the form, or can never be opened; the message names it.
    """
    items = [item for path in source.files.values() for item in _cards(path)]
    ids = [item.id for item in items]
    if twice := next((name for name in ids if ids.count(name) > 1), None):
        raise DataError(next(iter(source.files.values())), f"card {twice} is there twice")
    return items


def _cards(path: Path) -> Iterator[Item[ConfidantCard]]:
    rows = read_toml(path).get("card")
    if not isinstance(rows, list) or not rows:
        raise DataError(path, "has no [[card]]")
    for n, row in enumerate(rows, 1):
        name = row.get("id") if isinstance(row, dict) else None
        try:
            card = _card(row)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            why = f"lacks {error}" if isinstance(error, KeyError) else str(error)
            raise DataError(path, f"[[card]] {n} ({name}): {why}") from None
        yield Item(str(name), card, tags={"family": row["family"], "relation": card.relation})


def _card(row: dict[str, Any]) -> ConfidantCard:
    person = row["person"]
    texts = {key: _text(person, key) for key in _PERSON}
    if type(person["age"]) is not int or person["age"] < ADULT:
        raise ValueError(f"age is no whole number from {ADULT} on: only adults are played")
    if row["family"] not in FAMILIES:
        raise ValueError(f"family is none of {', '.join(FAMILIES)}")
    facts = tuple(_fact(fact) for fact in row["fact"])
    relation, role = _text(row, "relation"), str(row.get("role", ""))
    if (relation == ASSISTANT) == bool(role):
        raise ValueError("role says who the model is, for any relation but assistant")
    if (cores := sum(fact.core for fact in facts)) != 1:
        raise ValueError(f"has {cores} facts with core = true, and needs one")
    if len({fact.id for fact in facts}) < len(facts):
        raise ValueError("two facts have the same id")
    opened = set[str]()
    while more := reachable(facts, opened):
        opened |= {fact.id for fact in more}
    if never := [fact.id for fact in facts if fact.id not in opened]:
        raise ValueError(f"{never[0]} can never be opened: look at its after")
    is_ = texts.pop("is")
    return ConfidantCard(
        relation, role, PersonCard(is_=is_, age=person["age"], **texts), facts
    )  # fmt: skip


def _fact(row: dict[str, Any]) -> HiddenPoint:
    id, text, unlock = (_text(row, key) for key in ("id", "text", "unlock"))
    move = row.get("move", "asked")
    if move not in MOVES:
        raise ValueError(f"the move of {id} is none of {', '.join(MOVES)}")
    return HiddenPoint(id, text, unlock, str(row.get("after", "")), row.get("core") is True, move)


def _text(row: dict[str, Any], key: str) -> str:
    text = row[key]
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"{key} is no text")
    return text.strip()
