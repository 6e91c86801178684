"""The disputes of a pack, with errors that name the place."""

from pathlib import Path
from typing import NamedTuple, TypeVar

from eibench import DataError, Item, JsonDict, PackSource, read_toml

T = TypeVar("T", "Person", "Fact")


class Person(NamedTuple):
    """One of the two; all but the name and the opening is for who plays them."""

    name: str
    card: str
    feels: str
    wants: str
    breaking_point: str
    opening: str


class Fact(NamedTuple):
    """What one of the two knows, and who plays them does not before a turn unlocks it.

    `after` is the fact that has to be open before; empty for none.
    """

    id: str
    person: str
    text: str
    unlock: str
    after: str = ""


class Dispute(NamedTuple):
    """What an item holds: the situation for all, the note for the judge alone."""

    situation: str
    note: str
    people: tuple[Person, ...]
    facts: tuple[Fact, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Who the two are."""
        return tuple(person.name for person in self.people)

    @property
    def openings(self) -> str:
        """What the two said first."""
        return "\n\n".join(f"{person.name}: {person.opening}" for person in self.people)


def read_disputes(source: PackSource) -> list[Item]:
    """The disputes of a pack, in its order.

    Raises:
        DataError: The file holds none, or one that is not of the form.
    """
    (path,) = source.files.values()
    rows = read_toml(path).get("dispute")
    if not isinstance(rows, list) or not rows:
        raise DataError(path, "holds no [[dispute]]")
    return [_item(path, n, row) for n, row in enumerate(rows, start=1)]


def _item(path: Path, n: int, row: object) -> Item:
    name = row.get("id") if isinstance(row, dict) else None
    if not isinstance(row, dict) or not isinstance(name, str):
        raise DataError(path, 'needs "id", a text', f"dispute {n}")
    try:
        return Item(name, _dispute(row), str(row.get("family", "")))
    except ValueError as error:
        raise DataError(path, str(error), f"dispute {name}") from None


def _dispute(row: JsonDict) -> Dispute:
    people = tuple(_from_table(Person, one) for one in _tables(row, "person"))
    facts = tuple(_from_table(Fact, one) for one in _tables(row, "fact"))
    names, ids = [person.name for person in people], [fact.id for fact in facts]
    if len(set(names)) != 2 or len(names) != 2:
        raise ValueError("needs two [[dispute.person]] of different names")
    for n, fact in enumerate(facts):
        if fact.person not in names or fact.id in ids[:n]:
            raise ValueError(f"fact {fact.id}: is of nobody there, or its id stands twice")
        if fact.after and fact.after not in ids[:n]:
            raise ValueError(f"fact {fact.id}: no fact before it is called {fact.after!r}")
    texts = {name: row.get(name) for name in ("situation", "note")}
    return Dispute(**_texts(texts), people=people, facts=facts)


def _tables(row: JsonDict, name: str) -> list[JsonDict]:
    tables = row.get(name)
    if not isinstance(tables, list) or not tables or not all(isinstance(t, dict) for t in tables):
        raise ValueError(f"needs [[dispute.{name}]]")
    return [table for table in tables if isinstance(table, dict)]


def _from_table(kind: type[T], row: JsonDict) -> T:
    """A table as what it is, each of its texts there and none besides."""
    known = kind._fields
    if strange := sorted(set(row) - set(known)):
        raise ValueError(f'has "{strange[0]}", which is none of {", ".join(known)}')
    texts = _texts({**dict.fromkeys(known), **kind._field_defaults, **row})
    return kind(**texts)


def _texts(row: JsonDict) -> dict[str, str]:
    texts = dict[str, str]()
    for name, text in row.items():
        if not isinstance(text, str) or (not text.strip() and name != "after"):
            raise ValueError(f'needs "{name}", a text')
        texts[name] = text.strip()
    return texts
