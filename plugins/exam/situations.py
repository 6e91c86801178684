"""The situations of an exam: a good reply each, and that reply with six faults in three doses.

A file holds the good reply and, for each fault and dose, the passages that are replaced beside
those of smaller doses; the texts of the situations are those of bundled packs, first turns alone.
Each situation has a canary too: a reply that says nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from eibench import DataError, ExamSituation, Item, JsonObject, folder, read_toml

FAULTS = ("flattering", "moralising", "cold", "generic", "misread", "ignoring")
"""Flattering without substance, moralising, correct and cold, generic, wrong about who feels what,
and ignoring what was asked."""
DOSES = ("small", "medium", "coarse")
LENGTHS = (0.72, 1.2)
"""Words of a version, as a share of those of the good reply."""
_PACKS = {
    "eqbench3": ("scenarios.toml", "scenario"),
    "mediation-live": ("disputes.toml", "dispute"),
}
_TO = " … "
"""Between the first and the last words of a long passage."""
_KEYS = {"id", "pack", "item", "good", "names", *FAULTS}
CANARIES = folder("judge_exam") / "canaries.toml"
_STEP = 7
"""From a situation's canary to the next one's, so that a few situations have several kinds."""


class Canary(NamedTuple):
    """A reply that says nothing.

    Attributes:
        kind: As the file of canaries calls it.
        text: What it says.
        first: Whether it is shown first in a comparison.
    """

    kind: str
    text: str
    first: bool


@dataclass(frozen=True, slots=True)
class Versions:
    """What an item of the exam holds.

    Attributes:
        situation: What the replies answer.
        good: The good reply.
        versions: By fault and dose, the same reply damaged.
        names: Names in the situation, and others that may stand for them.
        number: Of the situation among all, from 0 on: what it is asked follows from it.
        benchmark: Whose prompts the judge is given.
        canary: A reply to the situation that says nothing.
    """

    situation: ExamSituation
    good: str
    versions: Mapping[tuple[str, str], str]
    names: Mapping[str, str]
    number: int
    benchmark: str
    canary: Canary

    def version(self, fault: str, dose: str) -> str:
        """A version; the good reply where there is no dose."""
        return self.versions[fault, dose] if dose else self.good


def read_situations(paths: Sequence[Path], benchmark: str) -> list[Item[Versions]]:
    """The situations of the exam, in the order of their files.

    Raises:
        DataError: A file is not of the form; the message names the place.
    """
    texts = {name: _texts(name) for name in _PACKS}
    rows = [(path, read_toml(path)) for path in paths]
    goods = [str(raw.get("good")).strip() for _, raw in rows]
    return [
        Item(str(raw.get("id")), _replies(path, raw, texts, n, benchmark, goods=goods))
        for n, (path, raw) in enumerate(rows)
    ]


def _replies(
    path: Path, raw: JsonObject, texts: Mapping[str, Mapping[str, ExamSituation]], number: int,
    benchmark: str, *, goods: Sequence[str],
) -> Versions:  # fmt: skip
    if strange := sorted(set(raw) - _KEYS):
        raise DataError(path, f'has "{strange[0]}", which is none of {", ".join(sorted(_KEYS))}')
    fields = {name: raw.get(name) for name in ("id", "pack", "item", "good")}
    for name, text in fields.items():
        if not isinstance(text, str) or not text.strip():
            raise DataError(path, f'needs "{name}", a text')
    situation = texts.get(str(raw["pack"]), {}).get(str(raw["item"]))
    if situation is None:
        raise DataError(path, f"no bundled pack {raw['pack']} has an item {raw['item']!r}")
    good = str(raw["good"]).strip()
    versions = {
        (fault, dose): _version(path, good, raw, fault, dose) for fault in FAULTS for dose in DOSES
    }
    table = raw.get("names")
    names = {name: str(other) for name, other in table.items()} if isinstance(table, dict) else {}
    if not names or not all(names.values()):
        raise DataError(path, "needs [names]: names in the situation, and others in their place")
    text = situation.text.casefold()
    if absent := [name for name in names if name.casefold() not in text]:
        raise DataError(path, f"[names]: the situation has no {absent[0]!r}")
    canary = _canary(number, situation.text, goods)
    return Versions(situation, good, versions, names, number, benchmark, canary)


def _canary(number: int, situation: str, goods: Sequence[str]) -> Canary:
    """The canary of a situation: one of the file's, in turn."""
    texts = _canary_texts()
    n = _STEP * number % len(texts)
    kind, text = texts[n]
    text = {"prompt": situation, "other-item": goods[(number + 1) % len(goods)]}.get(kind, text)
    return Canary(kind, text, n % 2 == 0)


@cache
def _canary_texts() -> list[tuple[str, str]]:
    """The kind and the words of each canary; the words of some kinds are those of a situation."""
    return [(one["kind"], text) for one in read_toml(CANARIES)["canary"] for text in one["texts"]]


def _version(path: Path, good: str, raw: JsonObject, fault: str, dose: str) -> str:
    """The good reply with the passages of a dose replaced, and those of smaller doses."""
    spans: list[tuple[int, int, str]] = []
    for name in reversed(DOSES[: DOSES.index(dose) + 1]):
        for span in _spans(path, good, raw.get(fault), f"{fault}, {name}"):
            if all(span[1] <= start or span[0] >= end for start, end, _ in spans):
                spans.append(span)
            elif name == dose:
                raise DataError(path, "two passages overlap", f"{fault}, {name}")
    version = good
    for start, end, text in sorted(spans, reverse=True):
        version = version[:start] + text + version[end:]
    low, high = LENGTHS
    share = len(version.split()) / len(good.split())
    if not low <= share <= high:
        message = f"has {share:.2f} x the words of the good reply; {low} to {high} are allowed"
        raise DataError(path, message, f"{fault}, {dose}")
    return version


def _spans(path: Path, good: str, table: object, position: str) -> list[tuple[int, int, str]]:
    """Where the passages of a dose begin and end, and what replaces each."""
    edits = table.get(position.split(", ")[1]) if isinstance(table, dict) else None
    if not isinstance(edits, list) or not edits or not all(map(_is_edit, edits)):
        raise DataError(path, "needs pairs of a passage and what replaces it", position)
    spans = []
    for passage, text in edits:
        first, _, last = passage.partition(_TO)
        start = good.find(first)
        end = good.find(last, start + len(first)) + len(last) if last else start + len(first)
        if good.count(first) != 1 or (last and good.count(last) != 1):
            raise DataError(path, f"{passage[:60]!r} must stand once in the good reply", position)
        spans.append((start, end, text))
    return spans


def _is_edit(edit: object) -> bool:
    return isinstance(edit, list) and len(edit) == 2 and all(isinstance(t, str) and t for t in edit)


def _texts(pack: str) -> dict[str, ExamSituation]:
    """What is asked in the first turn of each item of a bundled pack, by id."""
    file, table = _PACKS[pack]
    path = folder(pack.replace("-", "_")) / "bundled" / file
    make = _of_dispute if pack == "mediation-live" else _of_scenario
    return {row["id"]: make(row) for row in read_toml(path)[table]}


def _of_scenario(row: Mapping[str, Any]) -> ExamSituation:
    return ExamSituation(row["id"], row["turns"][0].strip(), row["notes"].strip(), row["kind"])


def _of_dispute(row: Mapping[str, Any]) -> ExamSituation:
    openings = [f"{one['name'].upper()}: {one['opening'].strip()}" for one in row["person"]]
    text = "\n\n".join([row["situation"].strip(), *openings])
    return ExamSituation(row["id"], text, row["note"].strip())
