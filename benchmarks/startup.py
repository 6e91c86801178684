"""How long `bench` takes to say something, beside the interpreter alone and `llm`.

    python -m benchmarks.startup [--llm PATH]

`llm` (pip install llm, in an environment of its own) is a command of the same
make: click and pluggy. Without it that row and the ratio are left out. The demo
run is the first command of the README: 30 questions, no network.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from .measuring import BENCH, Cost, Spread, clean_environment, run, table

HELP = "bench --help"


def commands(llm: str | None) -> dict[str, list[str]]:
    """What is started, by the name it has in the table."""
    found = {
        "python -c pass": [sys.executable, "-c", "pass"],
        HELP: [BENCH, "--help"],
        "bench --version": [BENCH, "--version"],
        "bench run --help": [BENCH, "run", "eqbench-v1", "--help"],
        "bench list": [BENCH, "list"],
        "bench run eqbench-v1 (demo)": [BENCH, "run", "eqbench-v1", "--fresh"],
    }
    return found | ({"llm --help": [llm, "--help"]} if llm else {})


def measure(started: Mapping[str, Sequence[str]], repeats: int) -> dict[str, list[Cost]]:
    """Each command's runs, taken in turn after one of each to warm up."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        # So that no setting of llm's user is read, and none is made.
        environment = clean_environment(home) | {"LLM_USER_PATH": str(home / "llm")}
        rounds = [
            {name: run(words, env=environment, cwd=home) for name, words in started.items()}
            for _ in range(repeats + 1)
        ]
    return {name: [done[name] for done in rounds[1:]] for name in started}


def report(found: Mapping[str, Sequence[Cost]]) -> str:
    """The runs as a table, and the ratio that has a target."""
    rows = [[name, *_cells(costs)] for name, costs in found.items()]
    text = table(["command", "wall ms", "CPU ms", "peak MB"], rows)
    if "llm --help" in found:
        text += f"\n\n{HELP} / llm --help, run by run: {_ratios(found)}"
    return text


def _cells(costs: Sequence[Cost]) -> list[str]:
    wall = Spread.of([c.wall_s * 1000 for c in costs])
    cpu = Spread.of([c.cpu_s * 1000 for c in costs])
    return [wall.text(0), cpu.text(0), Spread.of([c.peak_mb for c in costs]).text(0)]


def _ratios(found: Mapping[str, Sequence[Cost]]) -> str:
    """Of wall time, which has the target, and of CPU time, which a busy machine changes less."""
    pairs = list(zip(found[HELP], found["llm --help"], strict=True))
    wall = Spread.of([ours.wall_s / theirs.wall_s for ours, theirs in pairs])
    cpu = Spread.of([ours.cpu_s / theirs.cpu_s for ours, theirs in pairs])
    return f"wall {wall.text()}, CPU {cpu.text()}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser("benchmarks.startup", description=__doc__)
    parser.add_argument("--llm", default=shutil.which("llm"), help="path of the llm command")
    parser.add_argument("--repeats", type=int, default=15)
    options = parser.parse_args()
    print(report(measure(commands(options.llm), options.repeats)))


if __name__ == "__main__":
    main()
