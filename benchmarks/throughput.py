"""How fast, and at what cost, `bench run` gets its answers; beside other clients.

    python -m benchmarks.throughput                    600 and 3,000 requests, 200 ms, 128 at a time
    python -m benchmarks.throughput --large 20000      and the peak memory at 20,000

Each is a whole process against a loopback server in another one. "wall / ideal"
includes start-up, scoring and the result; "first to last" is from the first
request's arrival at the server to its last answer, over the same ideal. What a
further request costs is the difference of the two loads; what is left of the
smaller one is the start-up. Each round takes all clients in turn, and ratios
are of one round, as the machine is never quiet.
"""

import argparse
import json
import math
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from .measuring import BENCH, ROOT, Cost, Spread, clean_environment, run, table
from .peers import BARE, PEERS
from .server import Served, Server, serving

BUNDLED = ROOT / "data" / "eqbench_v1" / "bundled" / "questions.json"


class Load(NamedTuple):
    """What is asked of a client."""

    items: int
    iterations: int
    latency_s: float
    concurrency: int

    @property
    def requests(self) -> int:
        """How many requests there are."""
        return self.items * self.iterations

    @property
    def ideal_s(self) -> float:
        """Full waves of requests, and nothing else."""
        return math.ceil(self.requests / self.concurrency) * self.latency_s


class Run(NamedTuple):
    """One client's run, from both ends."""

    cost: Cost
    served: Served


def write_pack(path: Path, items: int) -> None:
    """A pack of so many different questions, made from the bundled ones."""
    bundled = list(json.loads(BUNDLED.read_text(encoding="utf-8")).values())
    questions = {}
    for n in range(items):
        question = bundled[n % len(bundled)]
        questions[str(n + 1)] = question | {"prompt": f"Dialogue {n + 1}.\n{question['prompt']}"}
    path.write_text(json.dumps(questions), encoding="utf-8")


class Bed:
    """A folder with one load's data, and the commands that send it."""

    def __init__(self, folder: Path, load: Load) -> None:
        folder.mkdir(exist_ok=True)
        self._folder = folder
        self._environment = clean_environment(folder)
        self._load = load
        self._runs = 0
        self._pack = folder / f"questions-{load.items}.json"
        write_pack(self._pack, load.items)

    def _own(self, command: str, *more: str) -> list[str]:
        load = self._load
        size = ["--dataset", str(self._pack), "--iterations", str(load.iterations)]
        return [BENCH, command, "eqbench-v1", *size, *more]

    def _requests_file(self) -> Path:
        """The same requests as lines, for peers."""
        path = self._folder / "requests.jsonl"
        if not path.exists():
            run(self._own("prompts", "-o", str(path)), env=self._environment, cwd=self._folder)
        return path

    def bench(self, server: Server) -> Run:
        """`bench run`, from nothing to the printed result."""
        self._runs += 1
        command = self._own(
            "run", "--model", "openai/x", "--base-url", server.base_url, "--json",
            "--concurrency", str(self._load.concurrency), "--runs-dir", f"runs-{self._runs}",
        )  # fmt: skip
        return self._measured(command, server, self._folder)

    def peer(self, server: Server, name: str) -> Run:
        """Another client with the same requests."""
        words = [name, server.base_url, str(self._requests_file()), str(self._load.concurrency)]
        return self._measured([sys.executable, "-m", "benchmarks.peers", *words], server, ROOT)

    def _measured(self, command: Sequence[str], server: Server, cwd: Path) -> Run:
        server.served()
        cost = run(command, env=self._environment, cwd=cwd)
        served = server.served()
        if served.answered != self._load.requests:
            raise RuntimeError(f"{served.answered} answers, not {self._load.requests}: {command}")
        return Run(cost, served)


class Round(NamedTuple):
    """One client's runs of the smaller and of the larger load, one after the other."""

    small: Run
    large: Run


def compare(small: Load, large: Load, peers: Sequence[str], repeats: int) -> dict[str, list[Round]]:
    """Rounds of `bench run` and of its peers, in turn, after one of each to warm up."""
    with tempfile.TemporaryDirectory() as folder, serving(small.latency_s) as server:
        beds = [Bed(Path(folder, name), load) for name, load in (("s", small), ("l", large))]
        clients: dict[str, Callable[[Bed], Run]] = {"bench run": lambda bed: bed.bench(server)}
        for name in peers:
            clients[PEERS[name][0]] = lambda bed, name=name: bed.peer(server, name)  # type: ignore[misc]
        for client in clients.values():
            client(beds[0])
        rounds = [
            {name: Round(*map(client, beds)) for name, client in clients.items()}
            for _ in range(repeats)
        ]
        return {name: [done[name] for done in rounds] for name in clients}


def report(load: Load, found: Mapping[str, Sequence[Run]]) -> str:
    """The runs of one load as a table; each cell is minimum / median / maximum."""
    rows = [[name, *_cells(load, runs)] for name, runs in found.items()]
    head = ["client", "wall / ideal", "first to last / ideal", "CPU ms a request", "peak MB"]
    title = f"{load.requests} requests ({load.items} questions x {load.iterations}), "
    title += f"{load.latency_s * 1000:g} ms, concurrency {load.concurrency}, "
    return f"{title}ideal {load.ideal_s:.2f} s\n\n{table(head, rows)}\n"


def _cells(load: Load, runs: Sequence[Run]) -> list[str]:
    wall = Spread.of([r.cost.wall_s / load.ideal_s for r in runs])
    served = Spread.of([r.served.seconds / load.ideal_s for r in runs])
    cpu = Spread.of([r.cost.cpu_s * 1000 / load.requests for r in runs])
    peak = Spread.of([r.cost.peak_mb for r in runs])
    return [wall.text(), served.text(), cpu.text(), peak.text(1)]


def report_growth(small: Load, large: Load, found: Mapping[str, Sequence[Round]]) -> str:
    """What starting costs and what each further request does, and both beside the bare loop."""
    bare = found.get(PEERS[BARE][0], ())
    further = large.requests - small.requests
    rows = []
    for name, rounds in found.items():
        cpu = [(r.large.cost.cpu_s - r.small.cost.cpu_s) / further for r in rounds]
        start = [
            r.small.cost.cpu_s - small.requests * each for r, each in zip(rounds, cpu, strict=True)
        ]
        cells = [Spread.of(start).text(), Spread.of([each * 1e6 for each in cpu]).text(0)]
        own = [(r.large.cost.cpu_s - r.small.cost.cpu_s, r.large.cost.wall_s) for r in rounds]
        theirs = [(r.large.cost.cpu_s - r.small.cost.cpu_s, r.large.cost.wall_s) for r in bare]
        for n in (0, 1):
            ratios = [a[n] / b[n] for a, b in zip(own, theirs, strict=False)]
            cells.append(Spread.of(ratios).text() if ratios else "")
        rows.append([name, *cells])
    head = ["client", "start-up, CPU s", "CPU us a further request", "over the bare loop"]
    head.append(f"wall of {large.requests} over the bare loop's")
    title = f"{large.requests} requests less {small.requests}; the bare loop is {PEERS[BARE][0]}"
    return f"{title}\n\n{table(head, rows)}\n"


def main() -> None:
    """Measure and print."""
    options = _parser().parse_args()
    small = _load(options, options.requests, options.latency)
    large = _load(options, options.more, options.latency)
    found = compare(small, large, [p for p in options.peers.split(",") if p], options.repeats)
    print(report(small, {name: [r.small for r in rounds] for name, rounds in found.items()}))
    print(report_growth(small, large, found))
    if options.large:
        largest = _load(options, options.large, options.large_latency)
        many = compare_once(largest)
        print(report(largest, {"bench run": [many]}))
        least = min(r.small.cost.peak_mb for r in found["bench run"])
        print(f"peak memory at {largest.requests} / at {small.requests}: "
              f"{many.cost.peak_mb / least:.2f}")  # fmt: skip


def compare_once(load: Load) -> Run:
    """One run of `bench run` alone: for memory, which hardly varies."""
    with tempfile.TemporaryDirectory() as folder, serving(load.latency_s) as server:
        return Bed(Path(folder), load).bench(server)


def _load(options: argparse.Namespace, requests: int, latency_s: float) -> Load:
    iterations = math.ceil(requests / options.items)
    return Load(options.items, iterations, latency_s, options.concurrency)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("benchmarks.throughput", description=__doc__)
    parser.add_argument("--requests", type=int, default=600)
    parser.add_argument("--more", type=int, default=3000, help="requests of the larger load")
    parser.add_argument("--items", type=int, default=60, help="questions; the rest is iterations")
    parser.add_argument("--latency", type=float, default=0.2, help="seconds")
    parser.add_argument("--concurrency", type=int, default=128)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--peers", default="streams,aiohttp,threads,sdk", help=", ".join(PEERS))
    parser.add_argument("--large", type=int, default=0, metavar="N", help="also this many")
    parser.add_argument("--large-latency", type=float, default=0.02, help="seconds")
    return parser


if __name__ == "__main__":
    main()
