"""A set of questions for people, and what of it they must not see.

The set lies in the runs folder, ``labels/ID.json``: which run and item is behind each entry, and
with which probability it was drawn. The page and the table that people get hold none of that.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from eibench import DataError, JsonDict, UsageError, read_json

KINDS = ("single", "pair", "take")
FOLDER = "labels"
PAIR = "win"
"""What a pair's rating is called in the journal, in place of a value's name."""
ANSWERS = {"left": 1.0, "neither": 0.5, "right": 0.0}
"""What can be said of a pair: how the left one did."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One question.

    Attributes:
        id: Within its set.
        item_id, iteration: Of the sample; of a test that people take, of the item.
        run: Whose transcript is shown; of a pair, the one on the left. Empty in a test.
        run_b: Whose is on the right; empty where one is shown.
        probability: With which the item was drawn.
        stratum: Of those that the drawing told apart, or empty.
        repeats: The entry that this one shows again, or empty.
        transcript, transcript_b: Digests of what is shown of each run.
        shown: Digest of all that the entry shows.
        options: Of a test, what is to be rated.
    """

    item_id: str
    iteration: int
    probability: float
    stratum: str = ""
    run: str = ""
    run_b: str = ""
    transcript: str = ""
    transcript_b: str = ""
    options: tuple[str, ...] = ()
    repeats: str = ""
    shown: str = ""
    id: str = ""


@dataclass(frozen=True)
class LabelSet:
    """A set with all that is known of it.

    Attributes:
        id: Twelve hexadecimal digits.
        benchmark: Its name.
        kind: One of `KINDS`.
        value: The name of what is rated; `PAIR` for pairs, empty for a test.
        scale: What can be answered, ascending; of a test its lowest and highest number.
        total: What the numbers of one question of a test sum to; ``None`` for anything.
        seed: Of the drawing.
        drawn, population: Items that were drawn, and of how many.
        recruited: How people were found.
        salt: Makes pseudonyms, which nobody can undo without it.
        entries: In the order in which they are shown.
    """

    id: str
    benchmark: str
    kind: str
    value: str
    scale: tuple[float, ...]
    total: float | None
    seed: int
    drawn: int
    population: int
    recruited: str
    salt: str
    entries: tuple[Entry, ...]

    @cached_property
    def by_id(self) -> Mapping[str, Entry]:
        """Its entries."""
        return {entry.id: entry for entry in self.entries}

    def pseudonym(self, code: str) -> str:
        """What a person is called in the journal: of this set alone."""
        digest = hmac.new(self.salt.encode(), code.strip().encode(), hashlib.sha256)
        return f"p-{digest.hexdigest()[:8]}"

    def write(self, folder: Path) -> Path:
        """Put it into a runs folder, where nobody may look who is to answer, nor another user.

        Raises:
            UsageError: It cannot be written.
        """
        path = folder / FOLDER / f"{self.id}.json"
        text = json.dumps(asdict(self), indent=1, ensure_ascii=False)
        write_text(path, text + "\n", 0o600)
        return path


def new_id() -> str:
    """A set's id."""
    return secrets.token_hex(6)


def write_text(path: Path, text: str, mode: int = 0o666) -> None:
    """A file with this text, in a folder that is made if need be; a new one has these rights.

    Raises:
        UsageError: It cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error


def find_set(folder: Path, set_id: str) -> LabelSet | None:
    """The set of an id; ``None`` where the runs folder has none.

    Raises:
        DataError: Its file is damaged.
    """
    path = folder / FOLDER / f"{set_id}.json"
    if not (len(set_id) == 12 and set_id.isalnum() and path.exists()):
        return None
    return _set(path, read_json(path))


def _set(path: Path, value: Any) -> LabelSet:
    try:
        rows: Sequence[JsonDict] = value["entries"]
        entries = tuple(Entry(**{**row, "options": tuple(row["options"])}) for row in rows)  # type: ignore[arg-type]
        rest = {one.name: value[one.name] for one in fields(LabelSet)}
        return LabelSet(**{**rest, "scale": tuple(value["scale"]), "entries": entries})
    except (KeyError, TypeError) as error:
        message = "is not a set that bench label wrote; restore it from a copy"
        raise DataError(path, f"{message} ({error})") from None
