"""How a judge or a role is asked otherwise than the benchmark says.

What changes what it says is part of who it is (`PartySettings.identity`): how its replies are
drawn, and whether it gets its system text as a system message. Room and schema only decide
whether a reply can be read, so they are no part of it, and the journal keeps them with each call.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from ..types import SAMPLING, Sampling, SamplingChanges, canonical, digest
from ..types.rules import Rule, UnfitValue

AS_JUDGE = "as_judge"
"""The setting of a run whose model is a judge: the judge's own settings, where it has some."""
NO_SYSTEM = "no_system_message"
"""The setting of a run, or of who plays a role, whose system text is no message of its own."""
ROOM, SCHEMA, SYSTEM = "max_tokens", "schema", "system"
_IN_IDENTITY = (SAMPLING.keys() - {ROOM}) | {SYSTEM}
_CALLED = {"reasoning_effort": "effort", "extra_body": "extra body"}
_LONGEST = 60
"""Characters of an extra body that words show; a longer one is told by its digest."""


_NO_CHANGES = SamplingChanges()


@dataclass(frozen=True, slots=True)
class PartySettings:
    """What a person sets of one party that is asked.

    Attributes:
        changes: Of how its replies are drawn, and of its room.
        system: Whether its system text goes out as a system message; else it stands before the
            first user message.
        schema: Whether a JSON schema is sent where the benchmark has one.
    """

    changes: SamplingChanges = _NO_CHANGES
    system: bool = True
    schema: bool = True

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "PartySettings":
        """That of values by key, as their rules have checked them."""
        drawing = {n: v for n, v in values.items() if n not in (SCHEMA, SYSTEM)}
        system, schema = values.get(SYSTEM, True), values.get(SCHEMA, True)
        return cls(SamplingChanges.of(drawing), system, schema)

    @property
    def values(self) -> dict[str, Any]:
        """What is set, by key and in one order; ``None`` stands for what is not sent."""
        drawing = {**self.changes.values.sent(), **dict.fromkeys(self.changes.unset)}
        switches = {SYSTEM: self.system, SCHEMA: self.schema}
        off = {name: False for name, on in switches.items() if not on}
        return {name: drawing[name] for name in SAMPLING if name in drawing} | off

    @property
    def identity(self) -> str:
        """What of it changes what a party says, as JSON; empty where nothing does."""
        values = {n: v for n, v in self.values.items() if n not in (ROOM, SCHEMA)}
        return canonical(values) if values else ""

    @property
    def words(self) -> str:
        """What is set, in words such as ``temperature none, effort low``; empty for nothing."""
        return ", ".join(_word(name, value) for name, value in self.values.items())

    @property
    def texts(self) -> list[str]:
        """What is set, as ``KEY=VALUE`` texts of an option."""
        return [f"{name}={_option_text(name, value)}" for name, value in self.values.items()]

    def drawn(self, base: Sampling) -> Sampling:
        """How replies are drawn that a benchmark draws as `base`; the room stays what it was."""
        return replace(self.changes.applied_to(base), max_tokens=base.max_tokens)


PLAIN = PartySettings()
"""As the benchmark says."""


def wrong_identity(value: object) -> str | None:
    """What is wrong with a JSON value that shall be an identity; ``None`` where nothing is."""
    if not (isinstance(value, dict) and value):
        return "must be an object with the settings of a judge"
    for name, one in value.items():
        if name not in _IN_IDENTITY:
            return f'has an unknown field "{name!s:.40}"'
        if name == SYSTEM:
            fits = one is False
        else:
            rule = SAMPLING[name].rule
            fits = one is None or (_fits(rule, one) if rule else isinstance(one, dict))
        if not fits:
            return f'"{name}" is no value of that setting'
    return None


def _fits(rule: Rule, value: object) -> bool:
    try:
        rule.check(value)
    except UnfitValue:
        return False
    return True


@lru_cache(256)
def settings_in(identity: str) -> PartySettings:
    """The settings that `PartySettings.identity` gave."""
    stored: dict[str, Any] = json.loads(identity) if identity else {}
    system = stored.pop(SYSTEM, True)
    unset = tuple(name for name, value in stored.items() if value is None)
    sampling = Sampling(**{name: value for name, value in stored.items() if value is not None})
    return PartySettings(SamplingChanges(sampling, unset), system)


@lru_cache(256)
def identity_words(identity: str) -> str:
    """What `PartySettings.identity` says, in words."""
    return settings_in(identity).words


def _option_text(name: str, value: object) -> str:
    if value is False:
        return "off"
    if value is None:
        return SAMPLING[name].unset
    return canonical(value) if isinstance(value, Mapping) else str(value)


def _word(name: str, value: object) -> str:
    if value is False:
        return {SYSTEM: "no system message", SCHEMA: "no schema"}[name]
    if value is None:
        return f"{_CALLED.get(name, name)} {SAMPLING[name].unset}"
    text = _option_text(name, value)
    text = text if len(text) <= _LONGEST else digest(value)[:8]
    return f"{_CALLED.get(name, name)} {text}"
