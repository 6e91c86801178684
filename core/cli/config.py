"""`bench config`: each setting of `bench run` with its value and where that came from."""

from typing import Any

import click
from click.core import ParameterSource

from ..reports.files import as_text
from ..reports.sections import Table
from . import options
from .benchmark_command import env_name
from .run import run_command
from .settings import FILE, load

_ORIGINS = {
    ParameterSource.ENVIRONMENT: "environment",
    ParameterSource.DEFAULT_MAP: "file",
    ParameterSource.DEFAULT: "default",
}
_NOT_SETTINGS = {"benchmark", "config", "help", "json_output"}


@click.command("config")
@click.option("--config", type=click.Path(dir_okay=False), envvar=env_name("config"),
              help=f"Settings file (default: {FILE}).")  # fmt: skip
@options.json_option
def config_command(config: str | None, json_output: bool) -> None:
    """Print each setting with its origin: environment, file or default."""
    rows = _settings(config)
    if json_output:
        click.echo(as_text({"settings": rows}))
        return
    from ..console import output, tables

    cells = [(row["name"], _plain(row["value"]), row["origin"]) for row in rows]
    output.show(tables.table(Table("settings of bench run", ("setting", "value", "from"), cells)))


def _settings(config: str | None) -> list[dict[str, Any]]:
    context = click.Context(run_command, info_name="run")
    path = load(context, run_command.params[0], config)
    rows = []
    for param in run_command.params:
        if not isinstance(param, click.Option) or param.name in _NOT_SETTINGS:
            continue
        value, source = param.consume_value(context, {})
        value = param.type_cast_value(context, value)
        origin = _ORIGINS.get(source, str(source))
        name = param.opts[0].lstrip("-")
        if origin == "environment":
            origin += f" {env_name(name)}"
        if origin == "file":
            origin += f" {path}"
        if name == "header":
            value = [text.partition("=")[0] + "=[hidden]" for text in value]
        rows.append({"name": name, "value": _jsonable(value), "origin": origin})
    return rows


def _jsonable(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return value if value is None or isinstance(value, bool | int | float | list) else str(value)


def _plain(value: Any) -> str:
    if value is None or value == []:
        return "–"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
