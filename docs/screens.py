"""Makes docs/screens/: what commands print to terminals of 80 x 24 and 100 x 30, and to a pipe.

The commands are run in this process with demo models, in an empty folder, with no setting and no
cached data pack. A run is made first, and the screen is that of the same command again: all that
is printed at its end, without the live display. Times are not shown, as they differ.

    python docs/screens.py
"""

import contextlib
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from click.testing import CliRunner

from eibench.core.cli.app import app

FOLDER = Path(__file__).with_name("screens")
TERMINALS = {"80x24": 80, "100x30": 100, "pipe": 0}
"""Their columns; none in a pipe."""
LINES = {80: 24, 100: 30}
BENCHMARKS = ("eqbench-v1", "eqbench-v2", "seceu", "emotionqueen", "mediation-live")
MODELS = ("weak", "medium", "strong")
NINE = [(model, n) for n in (1, 2, 3) for model in MODELS]
BOARD = "eqbench3"
SCREENS = {
    **{name: f"bench run {name}" for name in BENCHMARKS},
    BOARD: f"bench run {BOARD} --model demo/medium --name demo/medium-3 --seed 3 --runs-dir nine",
    "leaderboard": f"bench leaderboard {BOARD} --runs-dir nine",
    "runs": "bench runs --runs-dir nine",
    "judge-report": f"bench judge-report --benchmark {BOARD} --runs-dir nine",
}
_CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_TIME = re.compile(r"\b\d+(\.\d)? (s|min)(?=$|,)", re.MULTILINE)
_MINUTE = re.compile(r"\d{4}-\d\d-\d\d\s+\d\d:\d\d")


def printed(command: str, columns: int = 0) -> str:
    """What a `bench` command prints, on a terminal of so many columns, or in a pipe.

    Raises:
        RuntimeError: The command failed.
    """
    result = CliRunner().invoke(app, command.split()[1:], env=environment(columns))
    if result.exit_code != 0:
        raise RuntimeError(f"{command} ended with {result.exit_code}: {result.output}")
    shown = _TIME.sub("TIME", _CODES.sub("", result.output))
    return "\n".join(map(str.rstrip, _MINUTE.sub("DAY AND TIME", shown).splitlines()))


def environment(columns: int) -> Mapping[str, str | None]:
    """The variables to set, or with None to unset: a terminal, or none, and nothing configured."""
    unset = [name for name in os.environ if name.startswith("BENCH_")]
    unset += ["FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "COLUMNS", "LINES"]
    terminal = {"FORCE_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": str(columns)}
    terminal["LINES"] = str(LINES.get(columns, 0))
    return {**dict.fromkeys(unset), **(terminal if columns else {})}


@contextlib.contextmanager
def fresh_place() -> Iterator[None]:
    """An empty working directory, and an empty cache."""
    before = os.environ.get("XDG_CACHE_HOME")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        os.environ["XDG_CACHE_HOME"] = folder
        try:
            yield
        finally:
            os.environ.pop("XDG_CACHE_HOME")
            os.environ.update({"XDG_CACHE_HOME": before} if before else {})


def nine_models() -> None:
    """Nine demo models of three abilities, compared with each other."""
    for model, n in NINE:
        name = f"--name demo/{model}-{n} --seed {n} --runs-dir nine"
        printed(f"bench run {BOARD} --model demo/{model} {name}")


def screens(names: Mapping[str, str] = SCREENS) -> Iterator[tuple[str, str]]:
    """File names with what stands in them: the command, and what it prints."""
    for name, command in names.items():
        if command.startswith("bench run"):
            printed(command)
        for terminal, columns in TERMINALS.items():
            yield f"{name}-{terminal}.txt", f"$ {command}\n{printed(command, columns)}\n"


def main() -> None:
    """Write the files."""
    FOLDER.mkdir(exist_ok=True)
    with fresh_place():
        nine_models()
        for name, text in screens():
            (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
