"""How many bytes are written for each byte that the journal keeps.

    python -m benchmarks.journal

Runs a benchmark with the calls of EQ-Bench 3 (163 an iteration) on demo models
through `bench run`, and compares what the operating system saw the process
write (`write_bytes` of /proc/PID/io: pages dirtied, so several writes of a page
before a sync count once) with the journal's size at its end. Demo models answer
at once, so calls are committed in groups; at concurrency 1 each call is a
group of its own, which is what a slow provider gives. Linux only.
"""

import argparse
import os
import sqlite3
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from . import eqbench3_shape
from .measuring import BENCH, ROOT, Cost, clean_environment, run, table

_METADATA = "Metadata-Version: 2.1\nName: eibench-benchmarks\nVersion: 0\n"
_ENTRY_POINTS = "[eibench]\nshape = benchmarks.eqbench3_shape\n"
_CONTENT = "SELECT count(*), sum(length(messages) + length(text)), sum(length(text)) FROM calls"


class Written(NamedTuple):
    """One run's bytes.

    Attributes:
        cost: Of the process; holds what it wrote in all.
        kept: Size of the journal at its end.
        content: Characters of requests and replies in it.
        replies: Characters of the replies alone.
    """

    iterations: int
    concurrency: int
    cost: Cost
    kept: int
    calls: int
    content: int
    replies: int


def install(folder: Path) -> dict[str, str]:
    """An environment in which `bench` finds the plugin, without installing it anywhere."""
    package = folder / "site" / "eibench_benchmarks-0.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text(_METADATA)
    (package / "entry_points.txt").write_text(_ENTRY_POINTS)
    (folder / "pack.txt").write_text("nothing\n")
    environment = clean_environment(folder)
    paths = [str(folder / "site"), str(ROOT), environment.get("PYTHONPATH", "")]
    # No .pyc files: they would count as written.
    return environment | {
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def measure(
    folder: Path, environment: dict[str, str], iterations: int, concurrency: int
) -> Written:
    """One run in a runs folder of its own.

    Raises:
        RuntimeError: There are not as many calls in the journal as were to be made.
    """
    runs = folder / f"runs-{iterations}-{concurrency}" / "demo"
    command = [
        BENCH, "run", "eqbench3-shape", "--dataset", str(folder / "pack.txt"), "--model",
        "demo/medium", "--judge", "demo/judge", "--json", "--iterations", str(iterations),
        "--concurrency", str(concurrency), "--runs-dir", str(runs),
    ]  # fmt: skip
    cost = run(command, env=environment, cwd=folder)
    kept = sum(path.stat().st_size for path in runs.glob("bench.sqlite*"))
    held = _content(runs / "bench.sqlite")
    if held[0] != iterations * eqbench3_shape.CALLS:
        raise RuntimeError(f"{held[0]} calls in the journal, not those of {iterations} iterations")
    return Written(iterations, concurrency, cost, kept, *held)


def _content(path: Path) -> tuple[int, int, int]:
    with closing(sqlite3.connect(path)) as journal:
        calls, content, replies = journal.execute(_CONTENT).fetchone()
    return calls, content, replies


def report(found: Sequence[Written]) -> str:
    """The runs as a table."""
    head = ["iterations", "concurrency", "calls", "written / kept", "written MB", "kept MB",
            "requests and replies MB", "replies MB", "wall s", "CPU s"]  # fmt: skip
    return table(head, [_cells(w) for w in found])


def _cells(w: Written) -> list[str]:
    sizes = [f"{size / 1e6:.1f}" for size in (w.cost.written, w.kept, w.content, w.replies)]
    counts = [str(n) for n in (w.iterations, w.concurrency, w.calls)]
    spent = [f"{seconds:.1f}" for seconds in (w.cost.wall_s, w.cost.cpu_s)]
    return [*counts, f"{w.cost.written / w.kept:.2f}", *sizes, *spent]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser("benchmarks.journal", description=__doc__)
    parser.add_argument("--iterations", default="2,5,10", help="several, with commas")
    parser.add_argument("--concurrency", default="64,1", help="likewise; each with each")
    options = parser.parse_args()
    numbers = [[int(n) for n in text.split(",")] for text in vars(options).values()]
    with tempfile.TemporaryDirectory() as folder:
        environment = install(Path(folder))
        found = [measure(Path(folder), environment, n, c) for c in numbers[1] for n in numbers[0]]
    print(report(found))


if __name__ == "__main__":
    main()
