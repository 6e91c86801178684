"""``bench.toml``: defaults for the options of `bench run`, under ``[run]``.

Precedence is option, environment, file, default. The file may not send a key
to a host: a key's variable for another host is named by the user, not by
whatever project folder a command is run in.
"""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from ..errors import ConfigError
from .benchmark_command import as_click_option, env_name

FILE = "bench.toml"
#: Options of `bench run` that are no settings: they belong to one command.
NOT_SETTINGS = frozenset({"benchmark", "config", "help", "json_output", "dry_run", "fresh"})
_NO_KEYS = ("api_key_env", "judge_api_key_env")


def read_settings(path: Path) -> dict[str, Any]:
    """The defaults in a file by the option's name, with underscores.

    Raises:
        ConfigError: It is missing, not TOML (with the line), or has an unknown table.
    """
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not TOML: {error}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    if unknown := [name for name in raw if name != "run"]:
        raise ConfigError(f"{path}: unknown table or key {unknown[0]!r}; settings go under [run]")
    if not isinstance(raw.get("run", {}), dict):
        raise ConfigError(f"{path}: run must be a table; write [run]")
    return {name.replace("-", "_"): value for name, value in raw.get("run", {}).items()}


def load(ctx: click.Context, param: click.Parameter, value: str | None) -> Path | None:
    """Make a file's values the defaults of a command; the callback of ``--config``."""
    path = Path(value) if value else Path(FILE)
    if value is None and not path.is_file():
        return None
    here = {setting_name(p): p for p in ctx.command.get_params(ctx) if isinstance(p, click.Option)}
    ctx.default_map = {
        str(here[name].name): _checked(path, here[name], value)
        for name, value in checked_names(path, read_settings(path)).items()
        if name in here
    }
    return path


def setting_name(param: click.Option) -> str:
    """What an option is called in the file: its long name, with underscores."""
    return param.opts[0].lstrip("-").replace("-", "_")


def checked_names(path: Path, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The values again.

    Raises:
        ConfigError: One has a name that `bench run` does not know, or may not be set in a file.
    """
    usable = _usable()
    for name in values:
        if name in _NO_KEYS:
            raise ConfigError(
                f"{path}: {name} may not be set in a file, as that would send your key wherever "
                f"the file says; use --{name.replace('_', '-')} or {env_name(name)}"
            )
        if name not in usable:
            from difflib import get_close_matches

            near = get_close_matches(name, usable, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise ConfigError(f"{path}: [run] has no setting {name}{hint}")
    return values


def _usable() -> set[str]:
    from ..plugins import installed
    from .run import run_command

    common = [p for p in run_command.params if isinstance(p, click.Option)]
    own = {option.name for b in installed().benchmarks for option in b.options}
    return own | {setting_name(p) for p in common if p.name not in NOT_SETTINGS} - {*_NO_KEYS}


def _checked(path: Path, param: click.Option, value: Any) -> Any:
    """A TOML value as the command line would give it: lists and tables as repeated options."""
    name = setting_name(param)
    plain = _as_given(name, param, value)
    wanted = _wanted(param)
    each = plain if param.multiple else [plain]
    if not isinstance(each, list) or not all(_is(v, wanted) for v in each):
        many = ", or a list of such" if param.multiple else ""
        told = json.dumps(value, default=str)
        raise ConfigError(f"{path}: [run] {name} must be {_WORDS[wanted]}{many}, not {told}")
    try:
        for one in each:
            param.type.convert(one, param, None)
    except click.BadParameter as error:
        raise ConfigError(f"{path}: [run] {name}: {error.message}") from None
    return plain


def _as_given(name: str, param: click.Option, value: Any) -> Any:
    if isinstance(value, Mapping) and name == "extra_body":
        return json.dumps(value, default=str)
    if isinstance(value, Mapping) and param.multiple:
        return [f"{k}={v}" for k, v in value.items()]
    if isinstance(value, list) and name == "items":
        return ",".join(map(str, value))
    return [value] if param.multiple and isinstance(value, str) else value


_WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


def _wanted(param: click.Option) -> type:
    if param.is_flag:
        return bool
    if isinstance(param.type, click.types.IntParamType):
        return int
    return float if isinstance(param.type, click.types.FloatParamType) else str


def _is(value: Any, wanted: type) -> bool:
    if isinstance(value, bool):
        return wanted is bool
    return isinstance(value, int | float if wanted is float else wanted)


def config_option(command: Any) -> Any:
    """``--config``, read before all other options."""
    option = click.option(
        "--config",
        type=click.Path(dir_okay=False),
        is_eager=True,
        expose_value=False,
        callback=load,
        envvar=env_name("config"),
        metavar="FILE",
        help=f"Settings file (default: {FILE} in the working directory, if it is there).",
    )
    return option(command)


def own_settings() -> list[tuple[str, click.Option]]:
    """The own options of every benchmark, with the benchmark's name."""
    from ..plugins import installed

    return [(b.name, as_click_option(o)) for b in installed().benchmarks for o in b.options]
