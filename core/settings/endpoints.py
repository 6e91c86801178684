"""``[endpoints.NAME]`` of bench.toml: where a server is, its key's variable, its limits."""

import re
from dataclasses import dataclass, fields
from typing import Any

from ..errors import ConfigError, UsageError
from ..parties.providers import check_base_url
from ..types.rules import Rule
from .rules import RULES, VariableRule
from .tables import read_table, tables_of

# A name can be no address, or the file could send elsewhere what a user types.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_NAMES = ("base_url", "api_key_env", "rpm", "tpm", "concurrency", "timeout")
_RULES: dict[str, Rule] = {name: RULES[name] for name in _NAMES} | {"api_key_env": VariableRule()}


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """What the file says of one server; ``None`` where it says nothing."""

    name: str
    base_url: str
    api_key_env: str | None = None
    rpm: float | None = None
    tpm: float | None = None
    concurrency: int | None = None
    timeout: float | None = None

    def given(self) -> dict[str, Any]:
        """What the file says, by key."""
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "name"}
        return {name: value for name, value in values.items() if value is not None}


def read_endpoints(raw: object, path: object) -> dict[str, EndpointSettings]:
    """The endpoints of a settings file by name.

    Args:
        raw: What ``endpoints`` holds: a table of tables.
        path: The file, for messages.

    Raises:
        ConfigError: A name, a key or a value is wrong.
    """
    tables = tables_of(raw, path, "endpoints").items()
    return {name: _read(name, table, path) for name, table in tables}


def _read(name: str, table: object, path: object) -> EndpointSettings:
    place = f"{path}: [endpoints.{name}]"
    if not NAME.fullmatch(name):
        raise ConfigError(f"{place}: a name has letters, digits, dots, dashes and underscores")
    made = read_table(place, table, _RULES, {"base_url": ""})
    try:
        made["base_url"] = check_base_url(made["base_url"])
    except UsageError as error:
        raise ConfigError(f"{place} base_url: {error}".replace("--base-url ", "")) from None
    return EndpointSettings(name, **made)
