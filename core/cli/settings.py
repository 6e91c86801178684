"""``bench.toml``: defaults for options, servers, prices.

Precedence is option, environment, file, default. A file that sends a key to a
host does so only once the user has approved that, so the variables of keys are
no defaults of options: `targets` alone reads them.
"""

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ..arguments import PANELS
from ..endpoints.parties import OF_MODEL, PartyOptions
from ..errors import ConfigError
from ..files import read_text
from ..names import nearest
from .benchmark_command import as_click_option, env_name
from .endpoints import EndpointSettings, find_endpoint, read_endpoints
from .values import WORDS, VariableName, checked, is_kind, kind_of, plain_names

if TYPE_CHECKING:
    from ..spending.prices import Price

FILE = "bench.toml"
_LARGEST = 4 * 2**20
#: Options of `bench run` that are no settings: they belong to one command.
NOT_SETTINGS = frozenset(
    {"benchmark", "config", "help", "json_output", "dry_run", "fresh", "yes"}
)  # fmt: skip
TABLES = ("run", "endpoints", "prices")
#: Of those that name a key.
KEY_VARIABLES = frozenset({"api_key_env", "judge_api_key_env"})
_MAY_HOLD_KEYS = KEY_VARIABLES | {"base_url", "extra_body", "header", "judge_base_url"}
_META = "eibench.settings"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a settings file says.

    Attributes:
        run: Values for options by their long names with underscores, as TOML gave them.
        endpoints: By name.
        prices: By model spec.
        path: ``None`` when there is no file.
    """

    run: Mapping[str, Any] = field(default_factory=dict)
    endpoints: Mapping[str, EndpointSettings] = field(default_factory=dict)
    prices: "Mapping[str, Price]" = field(default_factory=dict)
    path: Path | None = None

    def endpoint(self, text: str | None, party: PartyOptions = OF_MODEL) -> EndpointSettings | None:
        """The endpoint of that name or address; ``None`` for another address, or for none.

        Raises:
            UsageError: It is neither a name nor an address, or the address of several.
        """
        return find_endpoint(self.endpoints, text, party)


def read_settings(path: Path) -> Settings:
    """What a file says.

    Raises:
        ConfigError: It is missing, not TOML (with the line), or something in it is unknown or
            wrong; the message names the file and the key.
    """
    raw = _toml(path)
    for name in raw:
        if name not in TABLES:
            near = nearest(name, TABLES)
            message = f"unknown table or key {name!r}{near}"
            raise ConfigError(f"{path}: {message}" + ("" if near else "; settings go under [run]"))
    if not isinstance(raw.get("run", {}), dict):
        raise ConfigError(f"{path}: run must be a table; write [run]")
    return Settings(
        run=_known(path, plain_names(f"{path}: [run]", raw.get("run", {}))),
        endpoints=read_endpoints(raw.get("endpoints", {}), path),
        prices=_prices(raw["prices"], path) if "prices" in raw else {},
        path=path,
    )


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(path, _LARGEST))
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not TOML: {error}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 text (byte {error.start})") from None
    except RecursionError:
        raise ConfigError(f"{path}: not TOML: nested too deeply") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None


def _prices(raw: Any, path: Path) -> "dict[str, Price]":
    from ..spending.book import read_prices  # only a file with prices needs it

    return read_prices(raw, path)


def _known(path: Path, values: dict[str, Any]) -> dict[str, Any]:
    """The values again, if `bench run` knows their names."""
    usable = _usable() if values else set()
    for name in values:
        if name not in usable:
            raise ConfigError(f"{path}: [run] has no setting {name}{nearest(name, usable)}")
    return values


def _usable() -> set[str]:
    from ..plugins import installed
    from .run import run_command

    common = [p for p in run_command.params if isinstance(p, click.Option)]
    own = {option.name for b in installed().benchmarks for option in b.options}
    return own | {setting_name(p) for p in common if p.name not in NOT_SETTINGS}


def load(ctx: click.Context, param: click.Parameter, value: str | None) -> Path | None:
    """Make a file's values the defaults of a command; the callback of ``--config``."""
    settings = find_settings(value)
    ctx.meta[_META] = settings
    made = defaults(settings, ctx.command.get_params(ctx))
    ctx.default_map = {name: made[name] for name in made.keys() - KEY_VARIABLES}
    return settings.path


def find_settings(named: str | None) -> Settings:
    """The settings of a named file, else of the working directory's, else none."""
    path = Path(named) if named else Path(FILE)
    return read_settings(path) if named or path.is_file() else Settings()


def current(ctx: click.Context | None = None) -> Settings:
    """The settings of the command that is running."""
    found: Settings = (ctx or click.get_current_context()).meta.get(_META, Settings())
    return found


def given_by_user(name: str, ctx: click.Context | None = None) -> bool:
    """Whether an option was given with the command or by its variable, and not by a file."""
    source = (ctx or click.get_current_context()).get_parameter_source(name)
    return source in (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)


def defaults(settings: Settings, params: Iterable[click.Parameter]) -> dict[str, Any]:
    """The file's values for those of the options that it sets, by parameter name.

    Raises:
        ConfigError: A value is not what its option takes.
    """
    here = {setting_name(p): p for p in params if isinstance(p, click.Option)}
    return {
        str(here[name].name): _checked(settings.path, here[name], value)
        for name, value in settings.run.items()
        if name in here
    }


def setting_name(param: click.Option) -> str:
    """What an option is called in the file: its long name, with underscores."""
    return param.opts[0].lstrip("-").replace("-", "_")


def _checked(path: Path | None, param: click.Option, value: Any) -> Any:
    """A TOML value as the command line would give it: lists and tables as repeated options."""
    name = setting_name(param)
    place = f"{path}: [run] {name}"
    type_: Any = click.BOOL if param.is_flag else param.type
    if name in KEY_VARIABLES:
        type_ = VariableName()
    plain = _as_given(name, param, value)
    each = plain if param.multiple else [plain]
    if not isinstance(each, list) or not all(is_kind(v, kind_of(type_)) for v in each):
        many = ", or a list of such" if param.multiple else ""
        many += f"; {PANELS}" if name == "judge" and isinstance(value, list) else ""
        shown = "" if name in _MAY_HOLD_KEYS else f", not {json.dumps(value, default=str)}"
        raise ConfigError(f"{place} must be {WORDS[kind_of(type_)]}{many}{shown}")
    for one in each:
        checked(place, one, type_)
    return plain


def _as_given(name: str, param: click.Option, value: Any) -> Any:
    if isinstance(value, Mapping) and name == "extra_body":
        return json.dumps(value, default=str)
    if isinstance(value, Mapping) and param.multiple:
        return [f"{k}={v}" for k, v in value.items()]
    if name == "max_reply" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, list) and name == "items":
        return ",".join(map(str, value))
    return [value] if param.multiple and isinstance(value, str) else value


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
