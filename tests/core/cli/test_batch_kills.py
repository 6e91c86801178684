"""kill -9 around a batch: before, while and after it is sent, while it is waited for and read."""

import asyncio
import json
import os
import re
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from eibench.testing import Response, uniform_ratings
from tests import processes
from tests.fakes.batches import BatchServer
from tests.processes import Process

MOMENTS = {
    "openai": (
        ("POST /v1/files", False), ("POST /v1/files", True), ("POST /v1/batches", False),
        ("GET /v1/batches/batch_0", False), ("GET /v1/batches/batch_0", True),
        ("GET /v1/files/out-batch_0/content", False), ("GET /v1/files/out-batch_0/content", True),
        ("rows", True), ("start", True), ("rows", True),
    ),
    "anthropic": (
        ("POST /v1/messages/batches", True), ("GET /v1/messages/batches", False),
        ("GET /v1/messages/batches", True), ("GET /v1/messages/batches/msgbatch_0", False),
        ("GET /v1/messages/batches/msgbatch_0/results", False),
        ("GET /v1/messages/batches/msgbatch_0/results", True),
        ("rows", True), ("start", True), ("rows", True), ("start", True),
    ),
}  # fmt: skip
"""What the server is asked when the process is killed, and whether it has dealt with it then."""


QUICK = f"""
from eibench.core.clients import batch_settings
batch_settings.PACE = batch_settings.Pace(tick=0.05, first=0.05, longest=0.5, grace=0.25)
{processes.MAIN}
"""
"""`bench`, which looks at a batch all the time."""


class HoldingServer(BatchServer):
    """A batch server that can hold an answer until its client was killed."""

    held = ("", False)

    def hold(self, request: str, *, after: bool) -> None:
        """Hold the next such request, before it is dealt with or after."""
        self.held, self.reached, self.released = (request, after), Event(), Event()

    async def _other(self, raw: Any) -> Response:
        wanted, after = self.held
        if f"{raw.method} {raw.path}" != wanted:
            return await super()._other(raw)
        self.held = ("", False)
        response = await super()._other(raw) if after else None
        self.reached.set()
        while not self.released.is_set():
            await asyncio.sleep(0.005)
        return response or await super()._other(raw)


def _rows(folder: Path) -> int:
    path = folder / "killed" / "bench.sqlite"
    if not path.exists():
        return 0
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        try:
            (n,) = connection.execute("SELECT count(*) FROM calls").fetchone()
        except sqlite3.OperationalError:
            return 0
    return int(n)


def _kill_at(moment: tuple[str, bool], server: HoldingServer, arguments: list[str]) -> bool:
    """Kill a process at a moment; whether it came so far."""
    request, after = moment
    env = {k: v for k, v in os.environ.items() if not k.startswith("BENCH_")}
    if re.match("POST|GET", request):
        server.hold(request, after=after)
    before = _rows(Path.cwd())
    process = Process([*arguments, "--runs-dir", "killed"], Path.cwd(), env, QUICK)
    end = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < end:
        if request == "start" or (request == "rows" and _rows(Path.cwd()) > before):
            break
        if request not in ("start", "rows") and server.reached.is_set():
            break
        time.sleep(0.005)
    came = process.poll() is None
    process.kill()
    process.communicate()
    assert process.returncode in (-signal.SIGKILL, 0)
    server.held = ("", False)
    if request not in ("start", "rows"):
        server.released.set()
    server.settle()
    return came


def _finish(arguments: list[str], env: dict[str, str]) -> processes.Done:
    process = Process(arguments, Path.cwd(), env, QUICK)
    out, err = process.communicate()
    return processes.Done(arguments, process.wait(), out, err)


@pytest.mark.parametrize("form", ["openai", "anthropic"])
def test_ten_kills_around_a_batch_of_500_requests(form: str, empty_place: Path) -> None:
    """One batch; what the server bills is what the journal holds, and the result is equal."""
    with HoldingServer(uniform_ratings(3)) as server, BatchServer(uniform_ratings(3)) as other:
        shared = ["--limit", "25", "--iterations", "20", "--price", "2,8", "--max-cost", "40"]
        shared += ["--batch", "--yes", "--json"]
        run = ["run", "eqbench-v1", "--model", f"{form}/m", "--base-url"]
        arguments = [*run, server.base_url, *shared]
        came = [_kill_at(moment, server, arguments) for moment in MOMENTS[form]]
        env = {k: v for k, v in os.environ.items() if not k.startswith("BENCH_")}
        final = _finish([*arguments, "--runs-dir", "killed"], env)
        whole = _finish([*run, other.base_url, *shared, "--runs-dir", "whole"], env)
    assert (final.returncode, whole.returncode) == (0, 0), final.stderr + whole.stderr
    assert sum(came) >= 8, came
    assert len(server.batches) == 1
    assert len(server.billed) == len(set(server.billed))
    assert len(server.billed) + server.counts["ok"] == 500 == _rows(Path.cwd())

    killed, usual = json.loads(final.stdout), json.loads(whole.stdout)
    assert killed["metrics"] == usual["metrics"]
    assert killed["cost_usd"] == pytest.approx(usual["cost_usd"])
