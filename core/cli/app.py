"""The command group: finds commands, shows errors as one line, sets exit codes.

Exit codes: 0 complete; 1 finished, but something is missing; 2 usage; 3
configuration, data or plugin; 4 provider, judge or journal; 5 spending limit;
130 interrupted.
What only some commands need is imported in functions: `bench --help` is quick.
"""

import contextlib
import errno
import signal
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

import click
from click.core import ParameterSource

from .. import __version__
from ..console.streams import silence
from ..errors import BenchError
from ..hooks.names import COMMANDS, ELSEWHERE, EXAMPLES, GROUPS, OF_OUR_PLUGINS
from ..hooks.on_demand import others
from ..sample.signals import ending_signals, handling

if TYPE_CHECKING:
    from ..plugins import Catalogue

_SHORT = 76  # columns of a plugin's command in `bench --help`


class BenchGroup(click.Group):
    """Our commands, then those that plugins add."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return [*COMMANDS, *_lines_of_plugins()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        if cmd_name in COMMANDS:
            module = import_module(f".{COMMANDS[cmd_name].module}", __package__)
            command: click.Command = getattr(module, f"{cmd_name.replace('-', '_')}_command")
            return command
        return (
            _installed().commands.things.get(cmd_name) if cmd_name in _lines_of_plugins() else None
        )

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands, without importing ours."""
        left = {name: entry.help for name, entry in COMMANDS.items()} | _lines_of_plugins()
        groups = {
            title: {n: left.pop(n) for n in names if n in left} for title, names in GROUPS.items()
        }
        for title, rows in (groups | {"Others": left}).items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(list(rows.items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write examples."""
        with formatter.section("Examples"):
            formatter.write_dl(EXAMPLES)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments name, or an error with the nearest name."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            raise click.UsageError(_unknown(error.format_message(), args[0]), ctx) from None

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; what that of a plugin raises is told with the plugin's name."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BenchError, OSError):
            raise
        except Exception as error:
            if ctx.invoked_subcommand in COMMANDS or ctx.invoked_subcommand is None:
                raise
            from ..guard.calls import PluginCall, raise_for

            command = _installed().commands.things[ctx.invoked_subcommand]
            raise_for(PluginCall(command, "command"), error)

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run a command and exit."""
        words = kwargs.pop("args", None) if not args else args[0]
        words = list(sys.argv[1:] if words is None else words)
        if words[:1] == ["help"]:  # bench help CMD
            words = [*words[1:], "--help"]
        kwargs |= {"standalone_mode": False, "args": [word for word in words if word != "--debug"]}
        fail = partial(_fail, debug="--debug" in words, as_json=_wants_json(words))
        with _ended_by_signals():
            code = _guarded(lambda: super(BenchGroup, self).main(**kwargs), fail)
        _flush()
        sys.exit(code)


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end a command as Ctrl-C does, so that it removes what is half made."""

    def interrupt(number: int, frame: object) -> NoReturn:
        raise KeyboardInterrupt

    numbers = [n for n in ending_signals() if signal.getsignal(n) is signal.SIG_DFL]
    with handling(numbers, interrupt):
        yield


def _wants_json(words: list[str]) -> bool:
    """Whether JSON is asked for: an error before options are read is JSON too."""
    options = words[: words.index("--")] if "--" in words else words
    return "--json" in options


def _flush() -> None:
    """Write what is left to be said; if nobody reads it, that changes no exit code."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            silence(stream)


def _unknown(message: str, name: str) -> str:
    from difflib import get_close_matches

    if name in ELSEWHERE:
        command = ELSEWHERE[name]
        return f"No such command {name!r}; bench {command}: {_lines_of_plugins()[command]}"
    if "did you mean" not in message.lower():
        near = get_close_matches(name, [*COMMANDS, *_lines_of_plugins()], n=1)
        message = message.rstrip(".") + (f"; did you mean {near[0]!r}?" if near else "")
    return message + "".join(f"; {plugin}" for plugin in _installed().broken)


def _guarded(command: Callable[[], int | None], fail: Callable[..., int]) -> int:
    """The exit code of a command; an error is shown as one line."""
    try:
        return int(command() or 0)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return error.exit_code
    except click.ClickException as error:
        message = error.format_message() + _help_hint(error)
        return fail(message, 3 if _variable(error) else error.exit_code, "usage")
    except BenchError as error:
        from .errors import kind_of

        return fail(str(error), error.exit_code, kind_of(error))
    except (click.Abort, KeyboardInterrupt):
        return fail("interrupted", 130, "interrupted")
    except BrokenPipeError:  # the reader of our output went away: nobody to tell
        return 141
    except Exception as error:  # noqa: BLE001 - a bug, ours or a plugin's: still one line
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            rest = "make room, and run the same command again: what was answered is saved"
            return fail(f"cannot write: {error.strerror}; {rest}", 4, "journal")
        if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
            return fail(f"{str(error.filename)!r:.60}: {error.strerror}", 3, "data")
        message = f"unexpected {type(error).__name__}: {error}; add --debug to see where"
        return fail(message, 3, "unexpected")


def _fail(message: str, code: int, kind: str, *, debug: bool, as_json: bool) -> int:
    """Say what went wrong, with `debug` in full; the exit code."""
    from ..clients.keys import redact
    from ..text import as_text, harmless, line

    text = line(redact(f"Error: {message}"))
    if debug:
        import traceback

        text = harmless(redact(traceback.format_exc())) + text
    with contextlib.suppress(OSError):  # nobody reads it
        click.echo(text, err=True)
        if as_json:
            from .errors import error_of

            click.echo(as_text({"error": error_of(kind, message, code)}))
    return code


def _help_hint(error: click.ClickException) -> str:
    if variable := _variable(error):
        return f" (set by {variable})"
    if isinstance(error, click.NoSuchOption) and (hint := _key_instead(error.option_name)):
        return hint
    context = getattr(error, "ctx", None)
    return f" (see {context.command_path} --help)" if context else ""


def _key_instead(option: str) -> str:
    """What to do in place of an option that only bench.toml has."""
    from ..settings.run_settings import SETTINGS
    from .settings import env_name

    name = option.lstrip("-").replace("-", "_")
    if name not in SETTINGS or SETTINGS[name].is_option:
        return ""
    return f" It is a key of bench.toml: {name} = ... under [run]; or the variable {env_name(name)}"


def _variable(error: click.ClickException) -> str:
    """The environment variable that holds what is wrong, if one does."""
    param, context = getattr(error, "param", None), getattr(error, "ctx", None)
    if context is None or param is None or param.name is None:
        return ""
    source = context.get_parameter_source(param.name)
    return str(param.envvar) if source is ParameterSource.ENVIRONMENT else ""


def _lines_of_plugins() -> dict[str, str]:
    """What `bench --help` says of the commands that plugins add."""
    if not others():
        return OF_OUR_PLUGINS
    return {
        name: getattr(thing, "title", None) or thing.get_short_help_str(_SHORT)
        for name, thing in _installed().commands.declared.items()
    }


def _installed() -> "Catalogue":
    from ..plugins import installed

    return installed()


@click.group(
    cls=BenchGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="bench")
@click.pass_context
def app(ctx: click.Context) -> None:
    """Emotional-intelligence benchmarks for language models.

    bench help CMD says more of a command. Add --debug to any command to see where an error
    came from.
    """
    if ctx.invoked_subcommand is None:
        click.echo("Emotional-intelligence benchmarks for language models. To begin:\n")
        for command, what in EXAMPLES[:2] + EXAMPLES[3:]:
            click.echo(f"  {command}\n      {what}")
        click.echo("\nbench help lists all commands, bench help CMD explains one.")
