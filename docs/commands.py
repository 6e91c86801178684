"""Makes docs/commands.md from the help of the program: each command, its options and examples.

And the table of settings in docs/configuration.md, from their declaration.

python docs/commands.py
"""

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import click

from eibench.core.cli.app import BenchGroup, app
from eibench.core.cli.command import SECTION
from eibench.core.cli.settings import as_click_option, env_name
from eibench.core.hooks.names import GROUPS
from eibench.core.plugins import installed
from eibench.core.settings.run_settings import SETTINGS, flag_of, option_of

PAGE = Path(__file__).with_suffix(".md")
SETTINGS_PAGE = PAGE.with_name("configuration.md")
START, END = "<!-- Made by docs/commands.py -->", "<!-- as far as here -->"
HEAD = """\
<!-- Made by `python docs/commands.py` from the help of the program: change the help, not this. -->
# Commands

This page is generated from `bench COMMAND --help`.

- Options of `bench run` may be set by [`bench.toml` or by variables](configuration.md) too, which
  have some settings more.
- Results go to standard output, everything else to standard error.
- [Exit codes](runs.md#exit-codes) mean the same everywhere. `--debug` shows an error's traceback.
- `COLUMNS` sets the width of a terminal and, where it is exported, of what goes into a file or a
  pipe ([screens](screens)).
"""


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *(line for name in names() for line in command_lines(name))])


def names() -> Iterator[str]:
    """The commands that come with eibench, in the order of the help; then those of no group."""
    assert isinstance(app, BenchGroup)
    grouped = [name for names in GROUPS.values() for name in names]
    origins = installed().commands.origins
    ours = [n for n in app.list_commands(click.Context(app)) if is_ours(origins.get(n, ""))]
    yield from grouped
    yield from (name for name in ours if name not in grouped)


def is_ours(origin: str) -> bool:
    """Whether what has this origin comes with eibench."""
    return not origin or origin.startswith("eibench ")


def command_lines(name: str) -> Iterator[str]:
    """The section of a command, and those of its own commands."""
    assert isinstance(app, BenchGroup)
    command = app.get_command(click.Context(app), name)
    assert command is not None
    yield from section(command, click.Context(command, info_name=f"bench {name}"), "##")
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            path = f"bench {name} {inner.name}"
            yield from section(inner, click.Context(inner, info_name=path), "###")
    if name == "run":
        yield from benchmark_options()


def section(command: click.Command, ctx: click.Context, level: str) -> Iterator[str]:
    """A heading, the usage, what the help says, the options, examples."""
    usage = " ".join([ctx.command_path, *command.collect_usage_pieces(ctx)])
    yield from (f"{level} {ctx.command_path}", "", "```", usage, "```", "")
    yield from prose(command.help or "")
    yield from tables(command.get_params(ctx)[:-1], ctx)
    yield from prose(command.epilog or "")


def prose(text: str) -> Iterator[str]:
    """The paragraphs of a help text; one that is not to be wrapped is a block."""
    for paragraph in re.split(r"\n\s*\n", textwrap.dedent(text).strip()):
        kept = paragraph.startswith("\b\n")
        lines = paragraph.removeprefix("\b\n").splitlines()
        if kept and lines[0].endswith(":"):
            yield from (lines.pop(0), "")
        if lines:
            body = textwrap.dedent("\n".join(lines))
            yield from ("```", body, "```", "") if kept else (escaped(" ".join(lines)), "")


def tables(params: list[click.Parameter], ctx: click.Context) -> Iterator[str]:
    """The options, a table for each heading of the help; those without one last."""
    sections: dict[str, list[str]] = {}
    for param in params:
        if isinstance(param, click.Option) and (record := param.get_help_record(ctx)):
            title = vars(param).get(SECTION, "")
            sections.setdefault(title, []).append(row(*record))
    rest = sections.pop("", [])
    for title, rows in {**sections, "Other options" if sections else "": rest}.items():
        if rows:
            yield from (f"{title}:", "") if title else ()
            yield from ("| option | meaning |", "|---|---|", *rows, "")


def row(names: str, *more: str) -> str:
    """An option, or a setting, as a row."""
    cells = (", ".join(f"`{name}`" for name in re.split(r", | / ", names)), *map(escaped, more))
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def escaped(text: str) -> str:
    """Words that Markdown must not take for its own."""
    return re.sub(r"([<*])", r"\\\1", " ".join(text.split()))


def benchmark_options() -> Iterator[str]:
    """What benchmarks that come with eibench add to their commands."""
    yield from ("### Options of benchmarks", "", "Of `bench run`, `score` and `prompts`.", "")
    for name, benchmark in installed().benchmarks.things.items():
        if is_ours(installed().benchmarks.origins[name]) and benchmark.options:
            params: list[click.Parameter] = [as_click_option(o) for o in benchmark.options]
            yield from (f"`{name}`:", "", *tables(params, click.Context(click.Command("run"))))


def with_settings(text: str) -> str:
    """The page of settings with the table of those that bench.toml and variables may hold."""
    settings = sorted((option_of(name), name) for name, one in SETTINGS.items() if one.in_file)
    rows = [
        row(key, f"`{env_name(key)}`", f"`{flag_of(name)}`" if one.is_option else one.help)
        for key, name in settings
        for one in [SETTINGS[name]]
    ]
    table = "\n".join(
        [START, "", "| key | variable | option, or meaning |", "|---|---|---|", *rows]
    )
    return re.sub(rf"{START}.*?(?=\n\n{END})", lambda _: table, text, flags=re.S)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    SETTINGS_PAGE.write_text(with_settings(SETTINGS_PAGE.read_text("utf-8")), encoding="utf-8")
