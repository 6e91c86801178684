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
_NEEDED, _OPTIONAL = ("id", "title", "kind"), ("category", "family", "notes")
_REASONING = re.compile(r'"chain_of_thought_reasoning":\s*"([^"\n]*)"')
_OUR_REASONING = "what you saw, and how it bears on each criterion"


class ScenarioContent(NamedTuple):
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
        DataError: A file is missing or not of its form.
    """
    is_ours = OWN_FORM in source.files
    needed = (OWN_FORM, _OWN_PROTOCOL) if is_ours else _upstream_files()
    if missing := [name for name in needed if name not in source.files]:
        path = next(iter(source.files.values()))
        raise DataError(
            path, f"is no pack of EQ-Bench 3 by itself; beside it belong {', '.join(missing)}"
        )
    return _read_own(source) if is_ours else _read_upstream(source)


def _item(id: str, scenario: ScenarioContent, family: str = "") -> Item:
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
    position = f"scenario {row.get('id', n) if isinstance(row, dict) else n}"
    if wrong := _wrong(row, protocol):
        raise DataError(path, wrong, position)
    turns = tuple(turn.strip() for turn in row["turns"])
    category, notes = row.get("category", ""), row.get("notes", "").strip()
    kind = protocol.kinds[row["kind"]]
    scenario = ScenarioContent(row["title"], category, kind, turns, notes, protocol)
    return _item(row["id"], scenario, row.get("family", ""))


def _wrong(row: object, protocol: Protocol) -> str | None:
    """What is wrong with a scenario of our form, if anything is."""
    if not isinstance(row, dict):
        return "is no table"
    known = (*_NEEDED, *_OPTIONAL, "turns")
    if strange := [key for key in row if key not in known]:
        return f'has "{strange[0]}", which is none of {", ".join(known)}'
    if empty := [name for name in _NEEDED if not _is_text(row.get(name))]:
        return f'needs "{empty[0]}", a text'
    if odd := [name for name in _OPTIONAL if not isinstance(row.get(name, ""), str)]:
        return f'its "{odd[0]}" is no text'
    if row["kind"] not in protocol.kinds:
        return f"its kind {row['kind']!r} is none of {', '.join(protocol.kinds)}"
    turns = row.get("turns")
    if not isinstance(turns, list) or not turns or not all(map(_is_text, turns)):
        return 'needs "turns", a list of texts'
    return None


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _refuse_twins(path: Path, ids: list[str]) -> None:
    if twice := next((id for id in ids if ids.count(id) > 1), None):
        raise DataError(path, "is there twice", f"scenario {twice}")


# Upstream's form: a text with headings, notes, and a file per prompt

_SCENARIO = re.compile(r"########\s*(\S+)[^\S\n]*(?:\|([^|]*))?(?:\|(.*))?")
_TEXTS = ("prompt", "judge", "criteria", "pairwise")
_PROMPT = re.compile(r"#######\s*Prompt(\d+)")


def _upstream_protocol() -> Path:
    return folder("eqbench3") / "official_protocol.toml"


def _upstream_files() -> list[str]:
    """The files that our protocol names of an upstream pack."""
    raw = read_toml(_upstream_protocol())
    kinds = [kind.get(part) for kind in raw["kinds"].values() for part in _TEXTS]
    return list(dict.fromkeys(n for n in [*raw["files"].values(), *kinds] if n))


def _read_upstream(source: PackSource) -> Scenarios:
    path = _upstream_protocol()
    raw = read_toml(path)
    names: Mapping[str, str] = raw["files"]

    def text_of(name: str) -> str:
        return read_text(source.files[name])

    match = _REASONING.search(text_of(names["reasoning"]))
    protocol = read_protocol(path, raw, text_of, match[1] if match else _OUR_REASONING)
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
    note = notes.get(block.id, "")
    return _item(
        block.id, ScenarioContent(block.title, block.category, kind, block.turns, note, protocol)
    )
