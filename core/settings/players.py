"""``[roles.NAME]`` of bench.toml: who plays a role of a benchmark, where, with which key."""

from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import ConfigError
from ..reading.names import nearest
from ..types.rules import Rule, TextRule
from .rules import RULES, VariableRule
from .tables import check_value, plain_names

_RULES: dict[str, Rule] = {
    "model": TextRule(),
    "base_url": TextRule(),
    "api_key_env": VariableRule(),
    "max_tokens": RULES["max_tokens"],
}


@dataclass(frozen=True, slots=True)
class RolePlayer:
    """What the file says of who plays a role."""

    model: str
    base_url: str | None = None
    """An address, or an endpoint of the file."""
    api_key_env: str | None = None
    max_tokens: int | None = None


def read_players(raw: object, path: object) -> dict[str, RolePlayer]:
    """Who plays roles, by role.

    Args:
        raw: What ``roles`` holds: a table of tables.
        path: The file, for messages.

    Raises:
        ConfigError: A key or a value is wrong.
    """
    if not isinstance(raw, Mapping):
        raise ConfigError(f"{path}: roles must be tables; write [roles.NAME]")
    return {name: _read(f"{path}: [roles.{name}]", table) for name, table in raw.items()}


def _read(place: str, table: object) -> RolePlayer:
    values = plain_names(place, table)
    for key in values:
        if key not in _RULES:
            raise ConfigError(f"{place} has no setting {key}{nearest(key, _RULES)}")
    if "model" not in values:
        raise ConfigError(f'{place}: model is missing; write model = "PROVIDER/NAME"')
    return RolePlayer(**{k: check_value(place, k, v, _RULES[k]) for k, v in values.items()})
