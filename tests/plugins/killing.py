"""Runs that are killed and begun again, by what of their requests is kept."""

import asyncio
import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

from eibench.testing import LoopbackServer, ReceivedRequest
from tests import processes
from tests.processes import Process

BENCH = (sys.executable, "-c", "from eibench.core.cli import main; main()")


def digest(body: object) -> str:
    """What a request is known by here."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def kept(folder: Path) -> dict[str, str]:
    """The replies in a journal, by the digest of the body that was sent for each."""
    if not (folder / "bench.sqlite").exists():
        return {}
    sql = "SELECT asked, messages, sent, text FROM calls WHERE phase != 'trial'"
    with closing(sqlite3.connect(f"file:{folder}/bench.sqlite?mode=ro", uri=True)) as connection:
        return {
            digest(
                {
                    "model": json.loads(asked)["name"],
                    "messages": [{"role": r, "content": c} for r, c in json.loads(messages)],
                    **json.loads(sent),
                }
            ): text
            for asked, messages, sent, text in connection.execute(sql)
        }


def heard(server: LoopbackServer) -> list[Mapping[str, Any]]:
    """The bodies of all requests so far, but for those that tried the judge."""
    return [request.body for request in server.requests if not request.is_trial]


class Ration:
    """Lets a server answer so many requests and holds the others; its `latency`.

    So a process cannot come to its end before it is killed, however fast the machine is.

    Args:
        seconds: What each answer takes at least.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._left: float = float("inf")
        self._lifted = 0
        self._counts: Callable[[ReceivedRequest], bool] = lambda request: True

    async def __call__(self, request: ReceivedRequest) -> None:
        """Return when the request may be answered."""
        await asyncio.sleep(self.seconds)
        lifted = self._lifted
        if not self._counts(request):
            return
        while self._left < 1 and self._lifted == lifted:
            await asyncio.sleep(0.002)
        self._left -= 1

    def allow(
        self, answers: int, of: Callable[[ReceivedRequest], bool] = lambda request: True
    ) -> None:
        """Hold what comes after so many answers to such requests from now on."""
        self._left, self._counts = answers, of

    def lift(self) -> None:
        """Hold none, neither those that wait nor those that come."""
        self._left = float("inf")
        self._lifted += 1


class Killed:
    """One `bench run` that is killed and begun again.

    Args:
        folder: Where it works, and keeps ``killed`` and other folders of runs.
        server: Whom it asks.
        ration: That server's.
        arguments: After `bench run`, without folder and concurrency.
        concurrency: Of each process that is killed.
        most: So many answers a process gets at most.
    """

    def __init__(
        self,
        folder: Path,
        server: LoopbackServer,
        ration: Ration,
        arguments: Sequence[str],
        concurrency: int,
        most: int,
    ) -> None:
        self.folder = folder
        self.server = server
        self.ration = ration
        self.concurrency = concurrency
        self.most = most
        self._arguments = ["run", *arguments, "--json"]
        self._env = {k: v for k, v in os.environ.items() if not k.startswith("BENCH_")}

    def kill(self, times: int, rng: Random) -> list[tuple[set[str], int]]:
        """Kill it so often: after each, the requests whose replies are kept, and how many came."""
        before: dict[str, str] = {}
        states = []
        for _ in range(times):
            self._kill_somewhere(rng)
            now = kept(self.folder / "killed")
            assert before.items() <= now.items(), "a reply was lost or changed"
            states.append((set(now), len(heard(self.server))))
            before = now
        return states

    def kill_at(self, answers: int, of: Callable[[ReceivedRequest], bool]) -> None:
        """End it with kill -9 when so many such requests were answered and the next one waits."""
        self.ration.allow(answers, of)
        asked, answered = len(self.server.requests), len(self.server.answered)
        process = self._start()

        def is_there() -> bool:
            come = sum(map(of, self.server.requests[asked:]))
            return come > answers <= sum(map(of, self.server.answered[answered:]))

        self._wait(process, is_there)
        self._end(process)

    def _kill_somewhere(self, rng: Random) -> None:
        """End it with kill -9 after some answers and a bit, or while it still starts."""
        answers = rng.randint(0, self.most)
        self.ration.allow(answers)
        process = self._start()
        until = len(self.server.answered) + answers
        time.sleep(rng.uniform(0, 0.3) if answers == 0 else 0)
        self._wait(process, lambda: len(self.server.answered) >= until)
        time.sleep(rng.uniform(0, self.ration.seconds))
        self._end(process)

    def _start(self) -> Process:
        more = ["--runs-dir", "killed", "--concurrency", str(self.concurrency)]
        return Process([*self._arguments, *more], self.folder, self._env)

    def _wait(self, process: Process, until: Callable[[], bool]) -> None:
        while not until():
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)

    def _end(self, process: Process) -> None:
        process.kill()
        process.communicate()
        self.ration.lift()
        assert process.returncode == -signal.SIGKILL
        self.server.settle()

    def finish(self, runs: str, code: int = 0, *, anew: bool = True) -> Any:
        """Its result, undisturbed from here on; `anew` by a process that imports all itself."""
        given = [*self._arguments, "--runs-dir", runs, "--concurrency", "16"]
        if anew:
            done = subprocess.run(
                [*BENCH, *given], cwd=self.folder, env=self._env, capture_output=True, text=True,
                timeout=60,
            )  # fmt: skip
        else:
            done = processes.run(given, self.folder, self._env)
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout)


def assert_none_twice(states: Sequence[tuple[set[str], int]], asked: Sequence[str]) -> None:
    """Nothing whose reply was kept at a kill was asked for after it."""
    for known, before in states:
        assert not known & set(asked[before:]), "a reply that was kept was asked for again"
