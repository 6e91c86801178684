"""Suites of bench.toml: several benchmarks and models under one name."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import ConfigError
from ..reading.names import nearest
from .tables import plain_names, tables_of

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
    return {name: _read(name, table, path) for name, table in tables_of(raw, path, "suite").items()}


def _read(name: str, raw: object, path: Path) -> Suite:
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
