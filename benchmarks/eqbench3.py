"""How close `bench run eqbench3` comes to the shortest time that its chains of calls allow.

    python -m benchmarks.eqbench3                       45 scenarios of the official pack's shape
    python -m benchmarks.eqbench3 --data FOLDER         the official pack itself

A scenario's turns, its debrief and its verdict wait for each other, so no run is
shorter than its longest chain; and none is shorter than all its calls divided by
the concurrency. The ideal is the larger of the two. "First to last" is from the
first request's arrival at the server to its last answer: start-up is outside.
"""

import argparse
import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from .measuring import BENCH, ROOT, Cost, Spread, clean_environment, run, table
from .server import Served, Server, serving

PROMPTS = ROOT / "data" / "eqbench3" / "bundled" / "prompts.toml"
#: Scenarios of the official pack: kind, turns, how many.
SHAPE = (
    ("role-play", 1, 4), ("role-play", 3, 18), ("role-play", 4, 3), ("drafting", 3, 1),
    ("analysis", 1, 19),
)  # fmt: skip


class Chains(NamedTuple):
    """The calls of one iteration.

    Attributes:
        calls: In all.
        longest: That wait for each other.
    """

    calls: int
    longest: int

    def ideal_s(self, latency_s: float, concurrency: int) -> float:
        """The shortest time that there can be."""
        return latency_s * max(self.longest, self.calls / concurrency)


def write_pack(folder: Path) -> None:
    """A pack of random words in the shape of the official one."""
    from .eqbench3_shape import PROMPT, words

    shutil.copy(PROMPTS, folder)
    rows: list[str] = []
    for kind, turns, count in SHAPE:
        for _ in range(count):
            n = len(rows)
            texts = [words(PROMPT, Random(f"{n} {turn}")) for turn in range(turns)]
            fields = {"id": f"s{n}", "title": f"Scenario {n}", "kind": kind, "turns": texts}
            lines = (f"{name} = {json.dumps(value)}" for name, value in fields.items())
            rows.append("[[scenario]]\n" + "\n".join(lines))
    (folder / "scenarios.toml").write_text("\n\n".join(rows), encoding="utf-8")


def chains(pack: Path) -> Chains:
    """How many calls a pack takes, and how many of them in a row."""
    from eibench.core.datasets import find_pack
    from eibench.core.plugins import installed

    benchmark = installed().benchmark("eqbench3")
    options = {option.name: option.default for option in benchmark.options}
    read = benchmark.read_pack(find_pack(benchmark, str(pack), options), options)
    sums = [sum(benchmark.planned_calls(item, options).values()) for item in read.items]
    return Chains(sum(sums), max(sums))


def measure(
    pack: Path, folder: Path, server: Server, calls: int, concurrency: int
) -> tuple[Cost, Served]:
    """One run from nothing to its result.

    Raises:
        RuntimeError: It failed, or made another number of calls.
    """
    url = server.base_url
    command = [
        BENCH, "run", "eqbench3", "--dataset", str(pack), "--model", "openai/x", "--base-url", url,
        "--judge", "openai/y", "--judge-base-url", url, "--concurrency", str(concurrency), "--json",
        "--runs-dir", tempfile.mkdtemp(dir=folder),
    ]  # fmt: skip
    server.served()
    cost = run(command, env=clean_environment(folder), cwd=folder)
    served = server.served()
    if served.answered != calls:
        raise RuntimeError(f"{served.answered} answers, not {calls}")
    return cost, served


def main() -> None:
    """Measure and print."""
    options = _parser().parse_args()
    with tempfile.TemporaryDirectory() as name, serving(options.latency) as server:
        folder = Path(name)
        pack = (options.data or folder / "pack").absolute()
        if options.data is None:
            pack.mkdir()
            write_pack(pack)
        found = chains(pack)
        ideal = found.ideal_s(options.latency, options.concurrency)
        arguments = (pack, folder, server, found.calls, options.concurrency)
        measure(*arguments)  # to warm up
        runs = [measure(*arguments) for _ in range(options.repeats)]
    print(report(found, ideal, runs))


def report(found: Chains, ideal: float, runs: Sequence[tuple[Cost, Served]]) -> str:
    """The runs as a table; each cell is minimum / median / maximum."""
    inside = Spread.of([served.seconds / ideal for _, served in runs])
    wall = Spread.of([cost.wall_s / ideal for cost, _ in runs])
    cpu = Spread.of([cost.cpu_s for cost, _ in runs])
    peak = Spread.of([cost.peak_mb for cost, _ in runs])
    head = ["first to last / ideal", "wall / ideal", "CPU s", "peak MB"]
    row = [inside.text(), wall.text(), cpu.text(), peak.text(1)]
    message = f"{found.calls} calls, {found.longest} in a row, ideal {ideal:.2f} s"
    return f"{message}\n\n{table(head, [row])}\n"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("benchmarks.eqbench3", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder with the official pack")
    parser.add_argument("--latency", type=float, default=0.2, help="seconds")
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--repeats", type=int, default=7)
    return parser


if __name__ == "__main__":
    main()
