"""The scenarios of a pack, from either form, with errors that name the place."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from eibench import DataError, Item, PackSource, folder, read_text, read_toml

from .protocol import Kind, Protocol, read_protocol

OWN_FORM = "scenarios.toml"
_OWN_PROTOCOL = "prompts.toml"
_REASONING = re.compile(r'"chain_of_thought_reasoning":\s*"([^"\n]*)"')
_OUR_REASONING = "what you saw, and how it bears on each criterion"


class Scenario(NamedTuple):
    """What an item of EQ-Bench 3 holds."""

    title: str
    category: str
    kind: Kind
    turns: tuple[str, ...]
    """What the user says, turn by turn, before the kind's prompt is put around it."""
    notes: str
    """For the judge; empty where the pack has none."""
    protocol: Protocol


class Scenarios(NamedTuple):
    """A pack that has been read."""

    items: list[Item]
    protocol: Protocol
    warnings: tuple[str, ...] = ()


def read_scenarios(source: PackSource) -> Scenarios:
    """The scenarios of a pack in pack order, with its protocol.

    Raises:
        DataError: A file is not of its form.
    """
    return _read_own(source) if OWN_FORM in source.files else _read_upstream(source)


def _item(id: str, scenario: Scenario, family: str = "") -> Item:
    return Item(id, scenario, family or scenario.protocol.families.get(id, ""))


# Our form: two TOML files


def _read_own(source: PackSource) -> Scenarios:
    path, protocol_path = source.files[OWN_FORM], source.files[_OWN_PROTOCOL]
    raw = read_toml(protocol_path)
    texts = raw.get("texts", {})
    reasoning = str(raw.get("reasoning", _OUR_REASONING))
    protocol = read_protocol(protocol_path, raw, lambda name: texts[name].strip(), reasoning)
    rows = read_toml(path).get("scenario")
    if not isinstance(rows, list) or not rows:
        raise DataError(path, "holds no [[scenario]]")
    items = [_own_item(path, n, row, protocol) for n, row in enumerate(rows, start=1)]
    _refuse_twins(path, [item.id for item in items])
    return Scenarios(items, protocol)


def _own_item(path: Path, n: int, row: Any, protocol: Protocol) -> Item:
    place = f"scenario {row.get('id', n) if isinstance(row, dict) else n}"
    for name in ("id", "title", "kind"):
        if not isinstance(row.get(name), str) or not row[name].strip():
            raise DataError(path, f'needs "{name}", a text', place)
    if row["kind"] not in protocol.kinds:
        there = ", ".join(protocol.kinds)
        raise DataError(path, f"its kind {row['kind']!r} is none of {there}", place)
    turns = row.get("turns")
    if not isinstance(turns, list) or not turns or not all(_is_text(turn) for turn in turns):
        raise DataError(path, 'needs "turns", a list of texts', place)
    category, notes = str(row.get("category", "")), str(row.get("notes", "")).strip()
    spoken = tuple(turn.strip() for turn in turns)
    kind = protocol.kinds[row["kind"]]
    scenario = Scenario(row["title"], category, kind, spoken, notes, protocol)
    return _item(row["id"], scenario, str(row.get("family", "")))


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _refuse_twins(path: Path, ids: list[str]) -> None:
    if twice := next((id for id in ids if ids.count(id) > 1), None):
        raise DataError(path, "is there twice", f"scenario {twice}")


# Upstream's form: a text with headings, notes, and a file per prompt

_SCENARIO = re.compile(r"########\s*(\S+)[^\S\n]*(?:\|([^|]*))?(?:\|(.*))?")
_PROMPT = re.compile(r"#######\s*Prompt(\d+)")


def _read_upstream(source: PackSource) -> Scenarios:
    path = folder("eqbench3") / "official_protocol.toml"
    raw = read_toml(path)
    names: Mapping[str, str] = raw["files"]

    def text_of(name: str) -> str:
        return read_text(source.files[name])

    found = _REASONING.search(text_of(names["reasoning"]))
    protocol = read_protocol(path, raw, text_of, found[1] if found else _OUR_REASONING)
    notes = dict(_notes(text_of(names["notes"])))
    scenarios = source.files[names["scenarios"]]
    blocks = list(_blocks(read_text(scenarios)))
    _refuse_twins(scenarios, [block.id for block in blocks])
    items = [_upstream_item(block, protocol, notes) for block in blocks if block.turns]
    if not items:
        raise DataError(scenarios, "holds no scenario: no heading ######## ID with a Prompt1")
    warnings = tuple(_left_out(block) for block in blocks if not block.turns)
    return Scenarios(items, protocol, warnings)


class _Block(NamedTuple):
    """A scenario's part of the file, from its heading to the next."""

    id: str
    category: str
    title: str
    line: int
    turns: tuple[str, ...]


def _left_out(block: _Block) -> str:
    return (
        f"scenario {block.id} (line {block.line}) has no heading '####### Prompt1', so it is left "
        "out, as the published code leaves it out"
    )


def _blocks(text: str) -> Iterator[_Block]:
    lines = text.split("\n")
    starts = [n for n, line in enumerate(lines) if _SCENARIO.match(line.strip())]
    for start, end in pairwise([*starts, len(lines)]):
        match = _SCENARIO.match(lines[start].strip())
        assert match is not None
        id, category, title = (part.strip() if part else "" for part in match.groups())
        yield _Block(id, category, title, start + 1, tuple(_turns(lines[start + 1 : end])))


def _turns(lines: list[str]) -> Iterator[str]:
    """The texts under a scenario's prompt headings; what stands before the first is no turn."""
    starts = [n for n, line in enumerate(lines) if _PROMPT.match(line.strip())]
    for start, end in pairwise([*starts, len(lines)]):
        if text := "\n".join(line.rstrip("\r") for line in lines[start + 1 : end]).strip():
            yield text


def _notes(text: str) -> Iterator[tuple[str, str]]:
    for part in re.split(r"^# ", text, flags=re.MULTILINE)[1:]:
        heading, _, body = part.partition("\n")
        yield heading.strip("# \r"), body.strip()


def _upstream_item(block: _Block, protocol: Protocol, notes: Mapping[str, str]) -> Item:
    kind = protocol.kinds[protocol.ids.get(block.id, "role-play")]
    about = notes.get(block.id, "")
    return _item(
        block.id, Scenario(block.title, block.category, kind, block.turns, about, protocol)
    )
