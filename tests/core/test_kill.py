"""kill -9 at any moment: nothing is lost, nothing is paid for twice, the result is the same."""

import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from eibench.core.journal import Journal

if TYPE_CHECKING:
    from tests.core.conftest import Bench

KILLS = 20
SIZE = 60
CONCURRENCY = 2
LATENCY = 0.15
OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")


class Server(NamedTuple):
    """A loopback server in a process of its own, with the log of what it was asked."""

    url: str
    log: Path

    def asked(self) -> list[str]:
        """The digest of each request's body, once it is answered or given up."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [json.loads(line)["digest"] for line in lines]


@contextmanager
def serving(log: Path, latency: float) -> Iterator[Server]:
    """A server that rates uniformly, until the block ends."""
    command = [sys.executable, "-m", "eibench.core.testing.server", "--uniform-ratings"]
    with subprocess.Popen(
        [*command, "--latency", str(latency), "--requests-log", str(log)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield Server(process.stdout.readline().strip(), log)
        process.terminate()


def arguments(server: Server, runs_dir: str) -> list[str]:
    """The command that is killed and begun again: 60 questions, no two requests alike."""
    pack = ["--dataset", "bundled", "--iterations", "2", "--seed", "1"]
    if OFFICIAL is not None:
        pack = ["--dataset", f"{OFFICIAL}/eqbench-v1/eq_bench_v1_questions_60.json"]
    model = ["--model", "openai/m", "--base-url", server.url]
    rest = ["--concurrency", str(CONCURRENCY), "--runs-dir", runs_dir, "--json"]
    return ["run", "eqbench-v1", *pack, *model, *rest]


def kept(folder: Path) -> dict[str, str]:
    """The replies in a journal, by the digest of the body that was sent for each."""
    if not (folder / "bench.sqlite").exists():
        return {}
    with closing(sqlite3.connect(f"file:{folder}/bench.sqlite?mode=ro", uri=True)) as connection:
        return {
            body_digest(json.loads(messages), json.loads(sent)): text
            for messages, sent, text in connection.execute("SELECT messages, sent, text FROM calls")
        }


def body_digest(messages: list[list[str]], sent: dict[str, Any]) -> str:
    """What the server's log calls a request."""
    said = [{"role": role, "content": content} for role, content in messages]
    body = {"model": "m", "messages": said, **sent}
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def rows(folder: Path) -> dict[tuple[str, int], Any]:
    """Each sample's score and replies."""
    with Journal(folder) as journal:
        (run,) = journal.runs()
        (grader,) = journal.graders(run)
        calls = list(journal.calls(run))
        return {
            (c.item_id, c.iteration): (
                journal.score_of(run, grader.digest, c.item_id, c.iteration),
                c.response.text,
            )
            for c in calls
        }


def kill_somewhere(process: "subprocess.Popen[str]", server: Server, rng: Random) -> None:
    """End it with kill -9 after some answers and a bit, or while it still starts."""
    answers = rng.randint(0, 3)
    until = len(server.asked()) + answers
    time.sleep(rng.uniform(0.1, 1.5) if answers == 0 else 0)
    while len(server.asked()) < until:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    time.sleep(rng.uniform(0, LATENCY))
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    time.sleep(LATENCY + 0.05)  # until the server has logged what was in flight


@pytest.mark.slow
def test_kill_9_at_twenty_moments_changes_nothing(bench: "Bench", tmp_path: Path) -> None:
    """Scores and rows equal an undisturbed run's; no reply is lost, and none asked for twice.

    But for those in flight at a kill: at most one request for each place.
    """
    rng, killed = Random(20), tmp_path / "killed"
    with serving(tmp_path / "log", LATENCY) as server:
        before: dict[str, str] = {}
        states = []
        for _ in range(KILLS):
            kill_somewhere(bench.start(*arguments(server, "killed")), server, rng)
            now = kept(killed)
            assert before.items() <= now.items(), "a reply was lost or changed"
            states.append((now.keys(), len(server.asked())))
            before = now
        final = bench(*arguments(server, "killed"), "--concurrency", "16")
        asked = server.asked()
    with serving(tmp_path / "other-log", 0.0) as server:
        whole = bench(*arguments(server, "whole"))
    assert (final.returncode, whole.returncode) == (0, 0), final.stderr + whole.stderr
    assert json.loads(final.stdout)["metrics"] == json.loads(whole.stdout)["metrics"]
    assert rows(killed) == rows(tmp_path / "whole")
    assert len(rows(killed)) == len(set(asked)) == SIZE
    assert set(asked) == kept(killed).keys()
    assert len(asked) - SIZE <= KILLS * CONCURRENCY
    for known, heard in states:
        assert not known & set(asked[heard:]), "a reply that was kept was asked for again"
