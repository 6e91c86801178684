"""A command that refuses an option given twice; click would take the last and say nothing."""

import contextlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from ..errors import UsageError
from ..hints import place


class Command(click.Command):
    """A command whose options are given once each, but for those that may be repeated."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments.

        Raises:
            click.UsageError: An option is given twice.
        """
        refuse_repeated(self, ctx, args)
        left = super().parse_args(ctx, args)
        place.set(tuple(_place(ctx)))
        return left

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; an error about a value that was not typed says where it is set."""
        try:
            return super().invoke(ctx)
        except UsageError as error:
            error.args = (f"{error}{_set_by(ctx, str(error))}",)
            raise


def _set_by(ctx: click.Context, message: str) -> str:
    """Where the value is set of the option that a message begins with; nothing if it was typed."""
    for param in ctx.command.get_params(ctx):
        if message.split(" ")[0] in param.opts and param.name is not None:
            source = ctx.get_parameter_source(param.name)
            if source is ParameterSource.ENVIRONMENT:
                return f" (set by {param.envvar})"
            if source is ParameterSource.DEFAULT_MAP:
                return f" (set in {_file(ctx)})"
    return ""


def _place(ctx: click.Context) -> Iterator[str]:
    """The options that say where runs and settings are, as they were given."""
    for option, value in (("--runs-dir", ctx.params.get("runs_dir")), ("--config", _file(ctx))):
        source = ctx.get_parameter_source(option[2:].replace("-", "_"))
        if value and source in (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT):
            yield from (option, str(value))


def _file(ctx: click.Context) -> Path | None:
    from .settings import current

    return current(ctx).path


def refuse_repeated(command: click.Command, ctx: click.Context, args: list[str]) -> None:
    """Refuse an option that stands twice and cannot.

    Raises:
        click.UsageError: There is one.
    """
    given: list[Any] = []
    with contextlib.suppress(click.UsageError):  # which parsing in earnest tells
        _, _, given = command.make_parser(ctx).parse_args(list(args))
    for param, count in Counter(given).items():
        if count > 1 and isinstance(param, click.Option) and not _may_repeat(param):
            name = max(param.opts, key=len)
            raise click.UsageError(f"{name} is given {_times(count)}: give it once", ctx)


def _may_repeat(param: click.Option) -> bool:
    return param.multiple or param.count or (param.is_flag and not param.secondary_opts)


def _times(count: int) -> str:
    return "twice" if count == 2 else f"{count} times"


class Group(click.Group):
    """A group of such commands."""

    command_class = Command
