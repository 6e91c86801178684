"""Tables of bench.toml: servers, suites, who plays roles; their values are held to the rules."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from ..errors import ConfigError, UsageError
from ..parties.providers import check_base_url
from ..reading.names import nearest
from ..types.rules import Rule, TextRule, UnfitValue
from .rules import MAY_HOLD_KEYS, RULES, VariableRule

# A name can be no address, or the file could send elsewhere what a user types.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_NAMES = ("base_url", "api_key_env", "rpm", "tpm", "concurrency", "timeout")
_OF_ENDPOINT: dict[str, Rule] = {name: RULES[name] for name in _NAMES} | {
    "api_key_env": VariableRule()
}


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
    return {name: _read_endpoint(name, table, path) for name, table in tables}


def _read_endpoint(name: str, table: object, path: object) -> EndpointSettings:
    place = f"{path}: [endpoints.{name}]"
    if not NAME.fullmatch(name):
        raise ConfigError(f"{place}: a name has letters, digits, dots, dashes and underscores")
    made = read_table(place, table, _OF_ENDPOINT, {"base_url": ""})
    try:
        made["base_url"] = check_base_url(made["base_url"])
    except UsageError as error:
        raise ConfigError(f"{place} base_url: {error}".replace("--base-url ", "")) from None
    return EndpointSettings(name, **made)


ALIASES = {"models": "model", "judges": "judge"}
"""What a suite may call a setting of which it has several."""


@dataclass(frozen=True, slots=True)
class Suite:
    """What ``[suite.NAME]`` says.

    Attributes:
        name: Its own.
        benchmarks: Names, in the order in which they are run.
        run: Values for options, as in ``[run]``, which they go before.
        options: By benchmark values for its own options alone.
    """

    name: str
    benchmarks: tuple[str, ...]
    run: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def read_suites(raw: object, path: Path) -> dict[str, Suite]:
    """The suites of a file, by name.

    Raises:
        ConfigError: One names no benchmark, or holds what is no table where one belongs.
    """
    return {n: _read_suite(n, table, path) for n, table in tables_of(raw, path, "suite").items()}


def _read_suite(name: str, raw: object, path: Path) -> Suite:
    place = f"{path}: [suite.{name}]"
    table = plain_names(place, raw)
    benchmarks, options = table.pop("benchmarks", None), table.pop("options", {})
    if not (isinstance(benchmarks, list) and benchmarks and _are_names(benchmarks)):
        raise ConfigError(f'{place} needs benchmarks, such as benchmarks = ["eqbench-v1", "seceu"]')
    if twice := next((b for b in benchmarks if benchmarks.count(b) > 1), None):
        raise ConfigError(f"{place} names {twice} twice")
    for benchmark in _table(place, options):
        if benchmark not in benchmarks:
            there = nearest(benchmark, benchmarks)
            raise ConfigError(f"{place} has options of {benchmark}, which it does not run{there}")
    own = {b: plain_names(f"{path}: [suite.{name}.options.{b}]", o) for b, o in options.items()}
    return Suite(name, tuple(benchmarks), _settings(place, table), own)


def _are_names(values: list[object]) -> bool:
    return all(isinstance(value, str) for value in values)


def _table(place: str, value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise ConfigError(f"{place}: options must hold a table for each benchmark")
    return value


def _settings(place: str, table: Mapping[str, object]) -> dict[str, Any]:
    """The settings by the names of options."""
    for many, one in ALIASES.items():
        if many in table and one in table:
            raise ConfigError(f"{place} has both {one} and {many}; leave one out")
    return {ALIASES.get(name, name): value for name, value in table.items()}


_OF_PLAYER: dict[str, Rule] = {
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
        name: RolePlayer(**read_table(f"{path}: [roles.{name}]", table, _OF_PLAYER, needed))
        for name, table in tables_of(raw, path, "roles").items()
    }


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
