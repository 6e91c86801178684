"""kill -9 in generation, debrief and judging: nothing is lost, nothing is paid for twice."""

import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from eibench.core.journal import Journal
from eibench.testing import LoopbackServer, ReceivedRequest
from tests.processes import Process

KILLS = 20
CONCURRENCY = 3
LATENCY = 0.12
TALKS, ANALYSES = 20, 6
BENCH = (sys.executable, "-c", "from eibench.core.cli import main; main()")


def rows() -> list[dict[str, Any]]:
    """Twenty role-plays of two turns and six analyses."""
    made = []
    for n in range(TALKS + ANALYSES):
        kind, parts = ("role-play", 2) if n < TALKS else ("analysis", 1)
        turns = [f"Scene s{n}, part {part}." for part in range(parts)]
        made.append({"id": f"s{n}", "title": "t", "kind": kind, "turns": turns})
    return made


def digest(body: object) -> str:
    """What a request is known by here."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def phase(body: Any) -> str:
    """Where in a sample a request belongs."""
    if body["model"] == "judge":
        return "verdict"
    return "turn" if "min_p" in body else "debrief"


def kept(folder: Path) -> dict[str, str]:
    """The replies in a journal, by the digest of the body that was sent for each."""
    if not (folder / "bench.sqlite").exists():
        return {}
    sql = "SELECT model, messages, sent, text FROM calls WHERE phase != 'trial'"
    with closing(sqlite3.connect(f"file:{folder}/bench.sqlite?mode=ro", uri=True)) as connection:
        return {
            digest(
                {
                    "model": model.partition(" at ")[0].removeprefix("openai/"),
                    "messages": [{"role": r, "content": c} for r, c in json.loads(messages)],
                    **json.loads(sent),
                }
            ): text
            for model, messages, sent, text in connection.execute(sql)
        }


def graded(folder: Path) -> dict[str, Any]:
    """Each sample's score with its detail."""
    with Journal(folder) as journal:
        (run,) = journal.runs()
        (grader,) = journal.graders(run)
        return {row["id"]: journal.score_of(run, grader.digest, row["id"], 1) for row in rows()}


class Killed:
    """One `bench run` that is killed and begun again."""

    def __init__(self, folder: Path, pack: Path, server: LoopbackServer) -> None:
        url = server.base_url
        self.folder = folder
        self.server = server
        self._arguments = [
            "run", "eqbench3", "--model", "openai/m", "--base-url", url, "--judge",
            "openai/judge", "--judge-base-url", url, "--dataset", str(pack), "--json",
        ]  # fmt: skip

        self._env = {k: v for k, v in os.environ.items() if not k.startswith("BENCH_")}

    def kill_somewhere(self, rng: Random) -> None:
        """End it with kill -9 after some answers and a bit, or while it still starts."""
        given = [*self._arguments, "--runs-dir", "killed", "--concurrency", str(CONCURRENCY)]
        process, answers = Process(given, self.folder, self._env), rng.randint(0, 4)
        until = len(self.server.answered) + answers
        time.sleep(rng.uniform(0, 0.3) if answers == 0 else 0)
        while len(self.server.answered) < until:
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        time.sleep(rng.uniform(0, LATENCY))
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        self.server.settle()

    def finish(self, runs: str) -> Any:
        """Its result, undisturbed from here on, by a process that imports everything itself."""
        done = subprocess.run(
            [*BENCH, *self._arguments, "--runs-dir", runs, "--concurrency", "16"],
            cwd=self.folder, env=self._env, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


def heard(server: LoopbackServer) -> list[Mapping[str, Any]]:
    """The bodies of all requests so far, but for those that tried the judge."""
    return [request.body for request in server.requests if not request.is_trial]


@pytest.mark.slow
def test_kill_9_at_twenty_moments_changes_nothing(
    tmp_path: Path, own_pack: Callable[..., Path], grades: Callable[..., dict[str, Any]]
) -> None:
    """Result, grades and replies equal an undisturbed run's, and no reply is asked for again.

    But for those in flight at a kill: at most one request for each place. Some verdicts
    have to be asked for twice, so that kills fall between the two as well.
    """

    def respond(request: ReceivedRequest) -> str:
        if request.model != "judge" or request.is_trial:
            return f"Reply {digest(request.body)[:8]}: I wait."
        if "Scene s1" in request.prompt and "An earlier reply" not in request.prompt:
            return "It depends."
        return json.dumps(grades(request.prompt, int(digest(request.prompt)[:2], 16) / 25.6))

    rng, killed = Random(3), tmp_path / "killed"
    with LoopbackServer(respond, latency=LATENCY) as server:
        run = Killed(tmp_path, own_pack(*rows()), server)
        before: dict[str, str] = {}
        states = []
        for _ in range(KILLS):
            run.kill_somewhere(rng)
            now = kept(killed)
            assert before.items() <= now.items(), "a reply was lost or changed"
            states.append((now.keys(), len(heard(server))))
            before = now
        final = run.finish("killed")
        asked = [digest(body) for body in heard(server)]
        phases = Counter(map(phase, heard(server)))
        whole = run.finish("whole")
        assert server.errors == []
    again = [n for n in range(TALKS + ANALYSES) if str(n).startswith("1")]
    calls = TALKS * 4 + ANALYSES * 2 + len(again)
    assert final["metrics"] == whole["metrics"]
    assert final["notes"] == whole["notes"]
    assert final["flags"]["re-asked"] == len(again)
    assert graded(killed) == graded(tmp_path / "whole")
    assert kept(killed) == kept(tmp_path / "whole")
    assert len(kept(killed)) == len(set(asked)) == calls
    assert len(asked) - calls <= KILLS * CONCURRENCY
    for known, before_it in states:
        assert not known & set(asked[before_it:]), "a reply that was kept was asked for again"
    assert phases.keys() == {"turn", "debrief", "verdict"}
