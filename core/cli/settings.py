"""``bench.toml``: defaults for the options of `bench run`, under ``[run]``.

Precedence is option, environment, file, default. The file may not send a key
to a host: a key's variable for another host is named by the user, not by
whatever project folder a command is run in.
"""

import tomllib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from ..errors import ConfigError
from .benchmark_command import env_name

FILE = "bench.toml"


def read_settings(path: Path) -> dict[str, Any]:
    """The defaults in a file by parameter name.

    Raises:
        ConfigError: It is missing, not TOML (with the line), or has an unknown table.
    """
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not TOML: {error}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from None
    if unknown := [name for name in raw if name != "run"]:
        raise ConfigError(f"{path}: unknown table [{unknown[0]}]; there is [run]")
    if not isinstance(raw.get("run", {}), dict):
        raise ConfigError(f"{path}: run must be a table; write [run]")
    return {name.replace("-", "_"): value for name, value in raw.get("run", {}).items()}


def load(ctx: click.Context, param: click.Parameter, value: str | None) -> Path | None:
    """Make a file's values the defaults of a command; the callback of ``--config``."""
    path = Path(value) if value else Path(FILE)
    if value is None and not path.is_file():
        return None
    values = read_settings(path)
    known = {p.name for p in ctx.command.get_params(ctx) if p.name}
    _check_names(path, values, known | _of_all_benchmarks())
    ctx.default_map = {name: _as_given(v) for name, v in values.items() if name in known}
    return path


def _of_all_benchmarks() -> set[str]:
    from ..plugins import installed

    return {option.name for b in installed().benchmarks for option in b.options}


def _check_names(path: Path, values: Iterable[str], known: Iterable[str]) -> None:
    usable = set(known) - {"benchmark", "config", "help", "json_output"}
    for name in values:
        if name not in usable:
            near = get_close_matches(name, usable, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise ConfigError(f"{path}: [run] has no setting {name}{hint}")
        if name in ("api_key_env", "judge_api_key_env"):
            raise ConfigError(
                f"{path}: {name} may not be set in a file, as that would send your key wherever "
                f"the file says; use --{name.replace('_', '-')} or {env_name(name)}"
            )


def _as_given(value: Any) -> Any:
    """A TOML value as the command line would give it: lists and tables as repeated options."""
    if isinstance(value, Mapping):
        return [f"{k}={v}" for k, v in value.items()]
    return value


def config_option(command: Any) -> Any:
    """``--config``, read before all other options."""
    option = click.option(
        "--config",
        type=click.Path(dir_okay=False),
        is_eager=True,
        callback=load,
        envvar=env_name("config"),
        help=f"Settings file (default: {FILE} in the working directory, if it is there).",
    )
    return option(command)
