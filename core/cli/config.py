"""`bench config`: each setting of `bench run` with its value and where that came from."""

from collections.abc import Iterator
from typing import Any

import click
from click.core import ParameterSource

from ..reports.files import as_text
from ..reports.sections import Table
from . import options
from .benchmark_command import env_name
from .run import run_command
from .settings import FILE, NOT_SETTINGS, load, own_settings, setting_name

_SECRET = {"headers"}


@click.command("config")
@click.option("--config", type=click.Path(dir_okay=False), envvar=env_name("config"),
              metavar="FILE", help=f"Settings file (default: {FILE}).")  # fmt: skip
@options.json_option
def config_command(config: str | None, json_output: bool) -> None:
    """Print each setting with its value and where that came from.

    Where: an environment variable, the settings file, or the default.
    """
    rows = list(_settings(config))
    if json_output:
        click.echo(as_text({"settings": rows}))
        return
    from ..console import output, tables

    cells = [(_named(row), _plain(row["value"]), row["origin"]) for row in rows]
    title = "Settings of bench run; an option on the command line goes before all of these"
    output.show(tables.table(Table(title, ("setting", "value", "from"), cells)))


def _settings(config: str | None) -> Iterator[dict[str, Any]]:
    common = [(None, p) for p in run_command.params if isinstance(p, click.Option)]
    for benchmark, param in [*common, *own_settings()]:
        if param.name not in NOT_SETTINGS:
            yield _setting(config, benchmark, param)


def _setting(config: str | None, benchmark: str | None, param: click.Option) -> dict[str, Any]:
    """One option as `bench run` would see it if it were not given."""
    command = click.Command("run", params=[param])
    probe = click.Context(command)
    path = load(probe, param, config)
    context = command.make_context("run", [], default_map=probe.default_map)
    name = str(param.name)
    value = context.params[name]
    if name in _SECRET:
        value = [text.partition("=")[0] + "=[hidden]" for text in value]
    return {
        "name": setting_name(param),
        "benchmark": benchmark,
        "value": _jsonable(value),
        "origin": _origin(context.get_parameter_source(name), param, path),
    }


def _origin(source: ParameterSource | None, param: click.Option, path: object) -> str:
    if source is ParameterSource.ENVIRONMENT:
        return f"environment {param.envvar}"
    return f"file {path}" if source is ParameterSource.DEFAULT_MAP else "default"


def _named(row: dict[str, Any]) -> str:
    return f"{row['name']} ({row['benchmark']})" if row["benchmark"] else str(row["name"])


def _jsonable(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return value if value is None or isinstance(value, bool | int | float | list) else str(value)


def _plain(value: Any) -> str:
    if value is None or value == []:
        return "–"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
