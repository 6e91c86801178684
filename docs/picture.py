"""Makes docs/terminal.svg: what `bench run eqbench-v1` prints on a fresh machine.

The command itself is run, in this process, in an empty folder, with no setting
and no cached data pack. The picture loads nothing: rich's template names a font
on the network, which is taken out.

    python docs/picture.py
"""

import contextlib
import io
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from click.testing import CliRunner
from rich.console import Console
from rich.text import Text

from eibench.core.cli.app import app

FILE = Path(__file__).with_name("terminal.svg")
COMMAND = "bench run eqbench-v1"
COLUMNS = 96


def run(command: str) -> str:
    """What a `bench` command prints to standard output, with its colours.

    Raises:
        RuntimeError: The command failed.
    """
    runner = CliRunner()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        result = runner.invoke(app, command.split()[1:], env=fresh_environment(folder))
    if result.exit_code != 0:
        raise RuntimeError(f"{command} ended with {result.exit_code}: {result.output}")
    return result.stdout


def fresh_environment(folder: str) -> Mapping[str, str | None]:
    """The variables to set, or with None to unset: a colour terminal and nothing configured."""
    silent = [name for name in os.environ if name.startswith("BENCH_")]
    return {
        **dict.fromkeys([*silent, "NO_COLOR"]),
        "FORCE_COLOR": "1",
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "COLUMNS": str(COLUMNS),
        "HOME": folder,
        "XDG_CACHE_HOME": folder,
    }


def draw(command: str, printed: str) -> str:
    """The SVG of a terminal that shows a command and what it printed."""
    console = Console(
        record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, highlight=False
    )
    console.print(Text(f"$ {command}", style="bold green"))
    console.print(Text.from_ansi(printed.rstrip("\n")))
    return without_fonts(console.export_svg(title=command))


def without_fonts(svg: str) -> str:
    """The picture without fonts from the network: every viewer has these two families.

    Raises:
        RuntimeError: Something in it would still be loaded.
    """
    svg = re.sub(r"\s*@font-face\s*\{[^}]*\}", "", svg)
    svg = re.sub(r"font-family: Fira Code[^;]*;", "font-family: monospace;", svg)
    svg = re.sub(r"font-family: arial;", "font-family: sans-serif;", svg)
    if "url(http" in svg or "<image" in svg or "Fira" in svg:
        raise RuntimeError("the picture would load something from the network")
    return svg


if __name__ == "__main__":
    FILE.write_text(draw(COMMAND, run(COMMAND)), encoding="utf-8")
