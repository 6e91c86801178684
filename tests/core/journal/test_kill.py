"""kill -9 at any moment: nothing is lost, nothing is paid for twice, the result is the same."""

import hashlib
import json
import os
import signal
import sqlite3
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from eibench.core.journal import Journal
from eibench.testing import LoopbackServer, uniform_ratings
from tests.processes import Process

if TYPE_CHECKING:
    from tests.core.conftest import Bench

KILLS = 20
SIZE = 60
CONCURRENCY = 2
LATENCY = 0.15
OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")


def arguments(server: LoopbackServer, runs_dir: str, concurrency: int = CONCURRENCY) -> list[str]:
    """The command that is killed and begun again: 60 questions, no two requests alike."""
    pack = ["--dataset", "bundled", "--iterations", "2", "--seed", "1"]
    if OFFICIAL is not None:
        pack = ["--dataset", f"{OFFICIAL}/eqbench-v1/eq_bench_v1_questions_60.json"]
    model = ["--model", "openai/m", "--base-url", server.base_url]
    rest = ["--concurrency", str(concurrency), "--runs-dir", runs_dir, "--json"]
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
    """The digest of the body that was sent with these messages and parameters."""
    said = [{"role": role, "content": content} for role, content in messages]
    return digest({"model": "m", "messages": said, **sent})


def digest(body: Mapping[str, Any]) -> str:
    """Names a request."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def rows(folder: Path) -> dict[tuple[str, int], Any]:
    """Each sample's score and replies."""
    with Journal(folder) as journal:
        (run,) = journal.runs()
        ((grader, _),) = journal.graders(run)
        calls = list(journal.calls(run))
        return {
            (c.item_id, c.iteration): (
                journal.score_of(run, grader, c.item_id, c.iteration),
                c.response.text,
            )
            for c in calls
        }


def kill_somewhere(process: Process, server: LoopbackServer, rng: Random) -> None:
    """End it with kill -9 after some answers and a bit, or while it still starts."""
    answers = rng.randint(0, 3)
    until = len(server.answered) + answers
    time.sleep(rng.uniform(0, 0.3) if answers == 0 else 0)
    while len(server.answered) < until:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    time.sleep(rng.uniform(0, LATENCY))
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    server.settle()


@pytest.mark.kills
def test_kill_9_at_twenty_moments_changes_nothing(bench: "Bench", tmp_path: Path) -> None:
    """Scores and rows equal an undisturbed run's; no reply is lost, and none asked for twice.

    But for those in flight at a kill: at most one request for each place.
    """
    rng, killed = Random(20), tmp_path / "killed"
    with LoopbackServer(uniform_ratings(), latency=LATENCY) as server:
        before: dict[str, str] = {}
        states = []
        for _ in range(KILLS):
            kill_somewhere(bench.start(*arguments(server, "killed")), server, rng)
            now = kept(killed)
            assert before.items() <= now.items(), "a reply was lost or changed"
            states.append((now.keys(), len(server.requests)))
            before = now
        final = bench(*arguments(server, "killed", 16))
        asked = [digest(request.body) for request in server.requests]
    with LoopbackServer(uniform_ratings()) as server:
        whole = bench.anew(*arguments(server, "whole", 16))
    assert (final.returncode, whole.returncode) == (0, 0), final.stderr + whole.stderr
    assert json.loads(final.stdout)["metrics"] == json.loads(whole.stdout)["metrics"]
    assert rows(killed) == rows(tmp_path / "whole")
    assert len(rows(killed)) == len(set(asked)) == SIZE
    assert set(asked) == kept(killed).keys()
    assert len(asked) - SIZE <= KILLS * CONCURRENCY
    for known, heard in states:
        assert not known & set(asked[heard:]), "a reply that was kept was asked for again"
