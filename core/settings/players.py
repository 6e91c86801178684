"""``[roles.NAME]`` of bench.toml: who plays a role of a benchmark, where, with which key."""

from dataclasses import dataclass

from ..types.rules import Rule, TextRule
from .rules import RULES, VariableRule
from .tables import read_table, tables_of

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
    needed = {"model": '; write model = "PROVIDER/NAME"'}
    return {
        name: RolePlayer(**read_table(f"{path}: [roles.{name}]", table, _RULES, needed))
        for name, table in tables_of(raw, path, "roles").items()
    }
