"""What commands take on a journal of very many replies, beside what the disk and parsing bound.

    python -m benchmarks.large_journal --replies 1000000

Twenty benchmarks (benchmarks/large_shape.py) are run by a demo model, and each run is copied for
49 more names with texts of its own, by bulk inserts of rows as the journal itself seals them. Then
each command is a whole process, begun with none of the journal's pages in memory. The bound is the
time that the disk takes for the bytes a command needs, and one parse of each reply among them.
"""

import argparse
import json
import os
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from eibench.core.journal import Journal, RunRecord
from eibench.core.journal.calls import call_row
from eibench.core.journal.grades import grade_row
from eibench.core.journal.opening import connect
from eibench.core.journal.records import AskedParties
from eibench.core.journal.schema import CALLS, GRADES
from eibench.core.sample.model import key_digest
from eibench.core.types import ChatRequest, Message, Sampling, digest

from .eqbench3_shape import words
from .large_shape import BENCHMARKS, PROMPT, reply_text, verdict_text
from .measuring import BENCH, ROOT, Cost, clean_environment, run, table

MODELS = 50
_METADATA = "Metadata-Version: 2.1\nName: eibench-large\nVersion: 0\n"
_ENTRY_POINTS = "[eibench]\nlarge-shape = benchmarks.large_shape\n"
_SETTINGS_ALONE = ("all_options", "dataset", "notes", "versions")
"""What a run's settings hold that is no part of its identity."""
RUNS = "runs/demo"
_RUN = ("benchmark", "benchmark_version", "model", "demo", "pack_name", "pack_sha256", "endpoint")


class Bounded(NamedTuple):
    """A command, how many samples it goes through, and of how many runs."""

    name: str
    command: list[str]
    samples: int
    runs: int


def install(folder: Path, items: int) -> dict[str, str]:
    """An environment in which `bench` finds the plugin, without installing it anywhere."""
    package = folder / "packages" / "eibench_large-0.dist-info"
    package.mkdir(parents=True, exist_ok=True)
    (package / "METADATA").write_text(_METADATA)
    (package / "entry_points.txt").write_text(_ENTRY_POINTS)
    lines = (words(PROMPT, Random(n)) for n in range(items))
    (folder / "pack.txt").write_text("\n".join(lines) + "\n")
    environment = clean_environment(folder)
    paths = [str(folder / "packages"), str(ROOT), environment.get("PYTHONPATH", "")]
    return environment | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}


def _asking(folder: Path, number: int, name: str) -> list[str]:
    return ["run", f"large-{number:02d}", "--dataset", str(folder / "pack.txt"), "--model",
            "demo/medium", "--judge", "demo/judge", "--name", name,
            "--runs-dir", str(folder / RUNS)]  # fmt: skip


def make(folder: Path, environment: dict[str, str], models: int) -> None:
    """Make the journal; the first name's runs by the command itself."""
    for number in range(BENCHMARKS):
        command = _asking(folder, number, "m00")
        if number < BENCHMARKS - 5:
            command = [word for word in command if word not in ("--judge", "demo/judge")]
        run([BENCH, *command], env=environment, cwd=folder)
    with Journal(folder / RUNS) as journal, closing(connect(journal.path)) as database:
        database.execute("PRAGMA synchronous = OFF")
        for base in journal.runs():
            copier = _Copier(journal, base)
            for n in range(1, models):
                copier.copy(database, f"m{n:02d}")


class _Copier:
    """Copies one run under other names."""

    def __init__(self, journal: Journal, base: RunRecord) -> None:
        self._journal, self._base = journal, base
        self._calls = list(journal.calls(base))
        self._document = journal.document(base)
        ((self._grader, _),) = journal.graders(base)
        clusters = {call.item_id: call.item_id for call in self._calls}
        self._scores = list(journal.grades(base, self._grader, clusters))

    def copy(self, database: sqlite3.Connection, name: str) -> None:
        """Add a run of a name, in which each text and each number is drawn anew."""
        rng, base = Random(f"{self._base.benchmark} {name}"), self._base
        settings = {**base.settings, "name": name}
        meant = {k: v for k, v in settings.items() if k not in _SETTINGS_ALONE}
        columns = {column: getattr(base, column) for column in _RUN}
        identity = digest(meant)
        own = self._journal.add_run(
            **columns, run_id=identity[:8], identity=identity, ordinal=1, name=name,
            settings=settings,
        )  # fmt: skip
        for asked in self._journal.asked(base):
            self._journal.add_asked(own, AskedParties(own.run_id, *asked[1:]))
        self._journal.writer.flush()
        with database:
            rows = ((own.n, *row) for row in self._rows(rng))
            database.executemany(CALLS.adding("INSERT"), rows)
            grades = ((own.n, *row) for row in self._grades(rng))
            database.executemany(GRADES.adding(), grades)
        document: Any = {**(self._document or {}), "run_id": own.run_id, "name": name}
        self._journal.end_run(own, "complete", seconds=1.0, finished=True, document=document)

    def _rows(self, rng: Random) -> Iterator[tuple[object, ...]]:
        texts: dict[str, tuple[str, str]] = {}
        for call in self._calls:
            text, key, messages = reply_text(rng), call.key, call.messages
            if key.phase == "generate":
                texts[call.item_id] = (call.response.text, text)
            elif key.phase == "judge":
                text = verdict_text(rng)
                before, now = texts[call.item_id]
                messages = tuple(Message(m.role, m.content.replace(before, now)) for m in messages)
                sampling = Sampling(**call.response.sent)  # type: ignore[arg-type]
                was, request = (ChatRequest(m, sampling) for m in (call.messages, messages))
                if key_digest(call.asked, None, was) != key.digest:
                    raise RuntimeError("a judge's call is known by something else")
                key = key._replace(digest=key_digest(call.asked, None, request))
            response = replace(call.response, text=text)
            request = ChatRequest(messages)
            yield call_row(
                call.item_id,
                call.iteration,
                key,
                call.asked,
                request,
                response,
                self._base.created_at,
            )

    def _grades(self, rng: Random) -> Iterator[tuple[object, ...]]:
        for one in self._scores:
            full = self._journal.score_of(self._base, self._grader, one.item_id, one.iteration)
            assert full is not None
            values = {name: float(rng.randint(0, 100)) for name in full.values}
            score = replace(full, values=values)
            yield grade_row(self._grader, one.item_id, one.iteration, score, self._base.created_at)


def commands(folder: Path, replies: int, models: int) -> list[Bounded]:
    """What is measured, in its order."""
    runs, place = folder / RUNS, ["--runs-dir", str(folder / RUNS)]
    with Journal(runs) as journal:
        plain = [run.run_id for run in journal.runs() if run.benchmark == "large-00"]
    each, file = replies // (models * BENCHMARKS), str(folder / "out.jsonl")
    pack = ["--dataset", str(folder / "pack.txt")]
    everything = replies - 5 * models * (each - each // 2)
    one_board = ["--benchmark", "large-00"]
    return [
        Bounded("runs", ["runs", *place], 0, 0),
        Bounded("show", ["show", plain[0], *place], each, 1),
        Bounded("show --items", ["show", plain[0], "--items", *place], each, 1),
        Bounded("leaderboard", ["leaderboard", "large-00", *pack, *place], each * models, models),
        Bounded("compare", ["compare", plain[0], plain[1], *place], 2 * each, 2),
        Bounded(
            "run again", _asking(folder, 0, "m07")[:6] + _asking(folder, 0, "m07")[8:], each, 1
        ),
        Bounded("run again, judged", _asking(folder, 19, "m07"), each // 2, 1),
        Bounded("rescore", ["rescore", plain[1], *place], each, 1),
        Bounded("export", ["export", *one_board, "-o", file, *place], each * models, models),
        Bounded(
            "import", ["import", file, "--runs-dir", str(folder / "other")], each * models, models
        ),
        Bounded("site", ["site", "-o", str(folder / "site"), *place], everything, 20 * models),
    ]


def forget(path: Path) -> None:
    """Let the system drop the pages of a file, so that the next reader takes them from the disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def disk_rate(path: Path) -> float:
    """Bytes a second of the journal's file, read from its beginning to a gigabyte at most."""
    forget(path)
    began, size = time.perf_counter(), 0
    with path.open("rb", buffering=0) as file:
        while size < 10**9 and (block := file.read(2**20)):
            size += len(block)
    return size / (time.perf_counter() - began)


def parse_s(path: Path) -> float:
    """Seconds for one reply that is read by SQLite and whose JSON is parsed once."""
    with closing(sqlite3.connect(path)) as database:
        began, rows = time.perf_counter(), 0
        for messages, _ in database.execute("SELECT messages, text FROM calls LIMIT 20000"):
            json.loads(messages)
            rows += 1
    return (time.perf_counter() - began) / rows


def main() -> None:
    """Make, measure and print."""
    parser = argparse.ArgumentParser("benchmarks.large_journal", description=__doc__)
    parser.add_argument("--replies", type=int, default=100_000)
    parser.add_argument("--models", type=int, default=MODELS)
    parser.add_argument("--only", help="names of commands, with commas")
    parser.add_argument("--keep", type=Path, help="a folder to make everything in, and to leave")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.keep or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        environment = install(folder, options.replies // (options.models * BENCHMARKS))
        path = folder / RUNS / "bench.sqlite"
        if not path.exists():
            began = time.perf_counter()
            make(folder, environment, options.models)
            print(f"made in {time.perf_counter() - began:.0f} s")
        rate, parse = disk_rate(path), parse_s(path)
        size = path.stat().st_size
        print(f"{size / 1e6:,.0f} MB, disk {rate / 1e6:,.0f} MB/s, a parse {parse * 1e6:.1f} us")
        names = options.only and options.only.split(",")
        head = ["command", "wall s", "CPU s", "peak MB", "samples/s", "bound s"]
        print(table(head, [["-"] * len(head)]), flush=True)
        for one in commands(folder, options.replies, options.models):
            if names and one.name not in names:
                continue
            forget(path)
            cost = run([BENCH, *one.command], env=environment, cwd=folder, timeout_s=1800)
            bound = size / (BENCHMARKS * options.models) * one.runs / rate + one.samples * parse
            print("| " + " | ".join(_cells(one, cost, bound)) + " |", flush=True)


def _cells(one: Bounded, cost: Cost, bound: float) -> list[str]:
    speed = f"{one.samples / cost.wall_s:,.0f}" if one.samples else "-"
    numbers = [f"{cost.wall_s:.2f}", f"{cost.cpu_s:.2f}", f"{cost.peak_mb:.0f}", speed]
    return [one.name, *numbers, f"{bound:.2f}"]


if __name__ == "__main__":
    main()
