"""Tables of a settings file: their keys, and values held to the rules."""

import json
from collections.abc import Mapping
from typing import Any

from ..errors import ConfigError
from ..reading.names import nearest
from ..types.rules import Rule, UnfitValue
from .rules import MAY_HOLD_KEYS


def check_value(place: str, key: str, value: object, rule: Rule, more: str = "") -> Any:
    """A value of a settings file as it is used.

    Args:
        place: The file and the table, for messages.
        key: Where in it the value stands.
        value: As TOML gave it.
        rule: What it must be; that of the option, so that both are judged alike.
        more: What else it may be, for messages.

    Raises:
        ConfigError: It is not what the rule wants.
    """
    try:
        return rule.check(value)
    except UnfitValue as error:
        shown = "" if key in MAY_HOLD_KEYS else f", not {json.dumps(value, default=str)}"
        raise ConfigError(f"{place} {key} must be {error}{more}{shown}") from None


def tables_of(raw: object, path: object, kind: str) -> Mapping[str, object]:
    """What a file says under a heading such as ``endpoints``, by name.

    Raises:
        ConfigError: It is no table.
    """
    if not isinstance(raw, Mapping):
        raise ConfigError(f"{path}: {kind} must be tables; write [{kind}.NAME]")
    return raw


def read_table(
    place: str, table: object, rules: Mapping[str, Rule], needed: Mapping[str, str]
) -> dict[str, Any]:
    """A table of a settings file, each value held to its rule.

    Args:
        place: The file and the table, for messages.
        table: As TOML gave it.
        rules: By key.
        needed: The keys that must be there, each with what to do where it is not.

    Raises:
        ConfigError: A key is unknown or missing, or a value is wrong.
    """
    values = plain_names(place, table)
    for key in values:
        if key not in rules:
            raise ConfigError(f"{place} has no setting {key}{nearest(key, rules)}")
    for key, way_out in needed.items():
        if key not in values:
            raise ConfigError(f"{place}: {key} is missing{way_out}")
    return {key: check_value(place, key, value, rules[key]) for key, value in values.items()}


def plain_names(place: str, table: object) -> dict[str, Any]:
    """A table of a settings file, with underscores for dashes in its keys.

    Raises:
        ConfigError: It is no table, or two of its keys mean the same.
    """
    if not isinstance(table, Mapping):
        raise ConfigError(f"{place} must be a table")
    made: dict[str, Any] = {}
    for key, value in table.items():
        name = key.replace("-", "_")
        if name in made:
            raise ConfigError(f"{place} {name} is set twice, once with dashes")
        made[name] = value
    return made
