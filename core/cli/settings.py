"""``bench.toml`` on the command line: its values are the defaults of options.

Precedence is option, environment, file, default. A file that sends a key to a
host does so only once the user has approved that, so the variables of keys are
no defaults of options: only what looks for endpoints reads them.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from ..clients.families import stated
from ..errors import ConfigError
from ..plugins import installed
from ..reading.names import nearest
from ..settings.file import FILE, SettingsFile, check_names, read_settings
from ..settings.rules import KEY_VARIABLES, VariableRule
from ..settings.run_settings import SETTINGS, option_of
from ..settings.tables import Suite, check_value
from ..types import JsonDict
from .values import as_click_option, env_name, rule_of

SUITE = "eibench.suite"
"""Where a context keeps the suite that is named."""
F = TypeVar("F", bound=Callable[..., object])
_META = "eibench.settings"


def _usable() -> set[str]:
    own = {option.name for b in installed().benchmarks for option in b.options}
    return own | {option_of(name) for name, one in SETTINGS.items() if one.in_file}


def filed_options(command: click.Command) -> list[click.Option]:
    """The options of a command that bench.toml may set, without a benchmark's own."""
    options = (param for param in command.params if isinstance(param, click.Option))
    return [p for p in options if p.name in SETTINGS and SETTINGS[p.name].in_file]


def load(ctx: click.Context, param: click.Parameter, value: str | None) -> Path | None:
    """Make a file's values the defaults of a command; the callback of ``--config``."""
    settings = find_settings(value)
    if suite := ctx.meta.get(SUITE):
        settings = replace(settings, run={**settings.run, **suite.run})
    ctx.meta[_META] = settings
    stated.set(settings.families)
    made = defaults(settings, ctx.command.get_params(ctx))
    ctx.default_map = {name: made[name] for name in made.keys() - KEY_VARIABLES}
    return settings.path


def find_suite(settings: SettingsFile, name: str) -> Suite:
    """The suite of that name."""
    if name in settings.suites:
        return settings.suites[name]
    if settings.path is None:
        raise ConfigError(f"--suite {name} needs a {FILE} here, or --config FILE")
    there = f"; it has {', '.join(settings.suites)}" if settings.suites else "; it has none"
    near = nearest(name, settings.suites) or there
    raise ConfigError(f"{settings.path}: there is no suite {name!r}{near}")


def find_settings(named: str | None) -> SettingsFile:
    """The settings of a named file, else of the working directory's, else none."""
    path = Path(named) if named else Path(FILE)
    if not (named or path.is_file()):
        return SettingsFile()
    settings = read_settings(path)
    used = settings.run or any(suite.run for suite in settings.suites.values())
    check_names(settings, _usable() if used else ())
    return settings


def current(ctx: click.Context | None = None) -> SettingsFile:
    """The settings of the command that is running."""
    found: SettingsFile = (ctx or click.get_current_context()).meta.get(_META, SettingsFile())
    return found


def given_by_user(name: str) -> bool:
    """Whether an option was given with the command or by its variable, and not by a file."""
    source = click.get_current_context().get_parameter_source(name)
    return source in (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)


def defaults(settings: SettingsFile, params: Iterable[click.Parameter]) -> JsonDict:
    """The file's values for those of the options that it sets, by parameter name."""
    here = {setting_name(p): p for p in params if isinstance(p, click.Option)}
    return {
        str(here[name].name): _checked(settings.path, here[name], value)
        for name, value in settings.run.items()
        if name in here
    }


def setting_name(param: click.Option) -> str:
    """What an option is called in the file: its long name, with underscores."""
    return param.opts[0].lstrip("-").replace("-", "_")


def _checked(path: Path | None, param: click.Option, value: object) -> Any:
    """A TOML value as the command line would give it: lists and tables as repeated options."""
    name = setting_name(param)
    rule = VariableRule() if name in KEY_VARIABLES else rule_of(param)
    more = ", or a list of such" if param.multiple else ""
    plain = _as_given(name, param, value)
    for one in plain if isinstance(plain, list) and param.multiple else [plain]:
        check_value(f"{path}: [run]", name, one, rule, more)
    return plain


def _as_given(name: str, param: click.Option, value: object) -> object:
    if isinstance(value, Mapping) and name == "extra_body":
        return json.dumps(value, default=str)
    if isinstance(value, Mapping) and param.multiple:
        return [f"{k}={v}" for k, v in value.items()]
    if isinstance(value, list) and name == "items":
        return ",".join(map(str, value))
    return [value] if param.multiple and isinstance(value, str) else value


def config_option(command: F) -> F:
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
    return [(b.name, as_click_option(o)) for b in installed().benchmarks for o in b.options]
