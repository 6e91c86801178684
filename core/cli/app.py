"""The command group: finds commands, shows errors as one line, sets exit codes.

Exit codes: 0 complete; 1 finished, but something is missing; 2 usage; 3
configuration, data or plugin; 4 provider, judge or journal; 130 interrupted.
"""

import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from typing import Any, NoReturn

import click

from .. import __version__
from ..clients.keys import redact
from ..errors import BenchError
from ..plugins import installed

#: Our commands and where they are; imported when used.
COMMANDS = {
    "run": "run",
    "score": "answers",
    "prompts": "answers",
    "runs": "runs",
    "show": "runs",
    "delete": "runs",
    "rescore": "rescore",
    "list": "catalogue",
    "info": "catalogue",
    "config": "config",
}


class BenchGroup(click.Group):
    """Our commands, then those that plugins add."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return [*COMMANDS, *_plugin_commands()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        if cmd_name in COMMANDS:
            module = import_module(f".{COMMANDS[cmd_name]}", __package__)
            command: click.Command = getattr(module, f"{cmd_name}_command")
            return command
        return _plugin_commands().get(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments name, or an error with the nearest name."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            broken = "".join(f"; {plugin}" for plugin in installed().broken)
            raise click.UsageError(error.format_message() + broken, ctx) from None

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run a command and exit."""
        given = list(kwargs.pop("args", None) or (args[0] if args else sys.argv[1:]))
        debug = "--debug" in given
        kwargs |= {"standalone_mode": False, "args": [a for a in given if a != "--debug"]}
        sys.exit(_guarded(lambda: super(BenchGroup, self).main(**kwargs), debug))


def _guarded(command: Callable[[], Any], debug: bool) -> int:
    """The exit code of a command; an error is shown as one line, with `debug` in full."""
    try:
        return int(command() or 0)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return error.exit_code
    except click.ClickException as error:
        return _failed(error.format_message() + _help_hint(error), error.exit_code, debug)
    except BenchError as error:
        return _failed(str(error), error.exit_code, debug)
    except (click.Abort, KeyboardInterrupt):
        return _failed("interrupted", 130, debug)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output went away: nobody to tell
        return 141


def _failed(message: str, code: int, debug: bool) -> int:
    if debug:
        click.echo(redact(traceback.format_exc()), err=True)
    click.echo(redact(f"Error: {' '.join(message.split())}"), err=True)
    return code


def _help_hint(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    return f" (see {context.command_path} --help)" if context else ""


def _plugin_commands() -> dict[str, click.Command]:
    catalogue = installed()
    return {n: c for n, c in catalogue.commands.things.items() if n not in COMMANDS}


@click.group(cls=BenchGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="bench")
def app() -> None:
    """Emotional-intelligence benchmarks for language models.

    Start with: bench run eqbench-v1 (offline, free, a demo model). Add --debug to any
    command to see where an error came from.
    """
