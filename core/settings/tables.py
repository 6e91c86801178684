"""Tables of bench.toml: servers, suites, who plays roles; their values are held to the rules."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from ..errors import ConfigError, UsageError
from ..parties.party import LOCAL, is_local
from ..parties.providers import check_base_url
from ..reading.files import exists
from ..reading.names import nearest
from ..types.rules import Rule, TextRule, UnfitValue
from .rules import MAY_HOLD_KEYS, RULES, VariableRule
from .run_settings import SETTINGS, option_of
from .set_options import KEYS

# A name can be no address, or the file could send elsewhere what a user types.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_ENDPOINT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
"""A name with a dot could be the host of another endpoint."""
_NAMES = ("base_url", "api_key_env", "rpm", "tpm", "concurrency", "timeout")
_OF_ENDPOINT: dict[str, Rule] = {
    **{name: RULES[name] for name in _NAMES}, "api_key_env": VariableRule(), **KEYS
}  # fmt: skip


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
    settings: Mapping[str, Any] = field(default_factory=dict)
    """How whoever is asked there is asked, by the keys of ``--judge-set``."""

    def stated(self) -> dict[str, Any]:
        """What the file says, by key."""
        apart = ("name", "settings")
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in apart}
        return {name: value for name, value in values.items() if value is not None}


def read_endpoints(raw: object, path: object) -> dict[str, EndpointSettings]:
    """The endpoints of a settings file by name.

    Raises:
        ConfigError: A name, a key or a value is wrong.
    """
    tables = tables_of(raw, path, "endpoints").items()
    return {name: _read_endpoint(name, table, path) for name, table in tables}


def _read_endpoint(name: str, table: object, path: object) -> EndpointSettings:
    where = f"{path}: [endpoints.{name}]"
    if not _ENDPOINT_NAME.fullmatch(name):
        raise ConfigError(f"{where}: a name has letters, digits, dashes and underscores")
    values = read_table(where, table, _OF_ENDPOINT, {"base_url": ""})
    try:
        values["base_url"] = check_base_url(values["base_url"])
    except UsageError as error:
        raise ConfigError(f"{where} base_url: {error}".replace("--base-url ", "")) from None
    if name == LOCAL and not is_local(values["base_url"]):
        raise ConfigError(
            f"{where}: {LOCAL} is what servers on this machine and in private networks are called; "
            "choose another name"
        )
    return EndpointSettings(name, **_with_settings(values))


ALIASES = {"models": "model", "judges": "judge"}
"""What a suite may call a setting of which it has several."""


@dataclass(frozen=True, slots=True)
class Suite:
    """What ``[suite.NAME]`` says.

    Attributes:
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
    where = f"{path}: [suite.{name}]"
    table = plain_names(where, raw)
    benchmarks, options = table.pop("benchmarks", None), table.pop("options", {})
    named = isinstance(benchmarks, list) and all(isinstance(name, str) for name in benchmarks)
    if not (named and benchmarks):
        raise ConfigError(f'{where} needs benchmarks, such as benchmarks = ["eqbench-v1", "seceu"]')
    if twice := next((b for b in benchmarks if benchmarks.count(b) > 1), None):
        raise ConfigError(f"{where} names {twice} twice")
    if not isinstance(options, dict):
        raise ConfigError(f"{where}: options must hold a table for each benchmark")
    for many, one in ALIASES.items():
        if many in table and one in table:
            raise ConfigError(f"{where} has both {one} and {many}; leave one out")
    for benchmark in options:
        if benchmark not in benchmarks:
            near = nearest(benchmark, benchmarks)
            raise ConfigError(f"{where} has options of {benchmark}, which it does not run{near}")
    plain_options = {
        b: plain_names(f"{path}: [suite.{name}.options.{b}]", o) for b, o in options.items()
    }
    values = {ALIASES.get(key, key): value for key, value in table.items()}
    return Suite(name, tuple(benchmarks), values, plain_options)


_OF_PLAYER: dict[str, Rule] = {
    "model": TextRule(),
    "base_url": TextRule(),
    "api_key_env": VariableRule(),
    **KEYS,
}


@dataclass(frozen=True, slots=True)
class RolePlayer:
    """What the file says of who plays a role."""

    model: str
    base_url: str | None = None
    """An address, or an endpoint of the file."""
    api_key_env: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    """How it is asked, by the keys of ``--role-set``."""


def read_players(raw: object, path: object) -> dict[str, RolePlayer]:
    """Who plays roles, by role.

    Raises:
        ConfigError: A key or a value is wrong.
    """
    needed = {"model": '; write model = "PROVIDER/NAME"'}
    tables = {
        name: read_table(f"{path}: [roles.{name}]", table, _OF_PLAYER, needed)
        for name, table in tables_of(raw, path, "roles").items()
    }
    return {name: RolePlayer(**_with_settings(values)) for name, values in tables.items()}


def read_judges(raw: object, path: object) -> dict[str, dict[str, Any]]:
    """How judges are asked, by the keys of ``--judge-set``, by judge.

    Raises:
        ConfigError: A key or a value is wrong.
    """
    return {
        name: read_table(f'{path}: [judges."{name}"]', table, KEYS, {})
        for name, table in tables_of(raw, path, "judges").items()
    }


_PLAIN = frozenset(map(option_of, SETTINGS)) - {"system", "template", "dataset"}
"""Settings that name no file whose words are sent."""


def refuse_outside(where: str, values: Mapping[str, Any], file: Path) -> None:
    """Refuse a file that a settings file names, and that does not lie in its folder.

    What a benchmark's own options name counts as well.

    Raises:
        ConfigError: There is one: its words would be sent where somebody else has said.
    """
    for name, value in values.items():
        if name in _PLAIN:
            continue
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and _is_outside(name, text, file.parent):
                raise ConfigError(
                    f"{where}{name}: {text:.80} is not in this file's folder; it is read from "
                    "the folder of the command: run it there, or give the file with the command"
                )


def _is_outside(name: str, text: str, folder: Path) -> bool:
    if name == "system" and not text.startswith("@"):
        return False
    path = Path(text.removeprefix("@") if name == "system" else text)
    try:
        return exists(path) and not path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # nobody can read it
        return False


def _with_settings(values: Mapping[str, Any]) -> dict[str, Any]:
    """A table's values with how whoever it is about is asked as one of them."""
    settings = {key: value for key, value in values.items() if key in KEYS}
    return {key: value for key, value in values.items() if key not in KEYS} | {"settings": settings}


def check_value(where: str, key: str, value: object, rule: Rule, more: str = "") -> Any:
    """A value of a settings file as it is used, held to the rule of the option.

    `where` is the file and the table, `more` what else the value may be, for messages.

    Raises:
        ConfigError: It is not what the rule wants.
    """
    try:
        return rule.check(value)
    except UnfitValue as error:
        shown = "" if key in MAY_HOLD_KEYS else f", not {json.dumps(value, default=str)}"
        raise ConfigError(f"{where} {key} must be {error}{more}{shown}") from None


def tables_of(raw: object, path: object, kind: str) -> Mapping[str, object]:
    """What a file says under a heading such as ``endpoints``, by name."""
    if not isinstance(raw, Mapping):
        raise ConfigError(f"{path}: {kind} must be tables; write [{kind}.NAME]")
    return raw


def read_table(
    where: str, table: object, rules: Mapping[str, Rule], needed: Mapping[str, str]
) -> dict[str, Any]:
    """A table of a settings file, each value held to its rule.

    Of `needed` keys each has what to do where it is missing.

    Raises:
        ConfigError: A key is unknown or missing, or a value is wrong.
    """
    values = plain_names(where, table)
    for key in values:
        if key not in rules:
            raise ConfigError(f"{where} has no setting {key}{nearest(key, rules)}")
    for key, way_out in needed.items():
        if key not in values:
            raise ConfigError(f"{where}: {key} is missing{way_out}")
    return {key: check_value(where, key, value, rules[key]) for key, value in values.items()}


def plain_names(where: str, table: object) -> dict[str, Any]:
    """A table of a settings file, with underscores for dashes in its keys.

    Raises:
        ConfigError: It is no table, or two of its keys mean the same.
    """
    if not isinstance(table, Mapping):
        raise ConfigError(f"{where} must be a table")
    values: dict[str, Any] = {}
    for key, value in table.items():
        name = key.replace("-", "_")
        if name in values:
            raise ConfigError(f"{where} {name} is set twice, once with dashes")
        values[name] = value
    return values
