"""Runs whose server sends more than anybody can hold, as processes of their own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from eibench.testing import Fault, LoopbackServer, ReceivedRequest, uniform_ratings

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs the resource module")
MOST_MB = 400
# Between the test and the command, so that the peak is the command's alone.
_MEASURED = """
import json, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
mb = peak * (1 if sys.platform == "darwin" else 1024) / 1e6
print(json.dumps([done.returncode, done.stdout, done.stderr, mb]))
"""


class Done(NamedTuple):
    """What a run came to."""

    code: int
    document: dict[str, Any]
    peak_mb: float


def run(folder: Path, server: LoopbackServer, *more: str, **variables: str) -> Done:
    """`bench run` on the bundled questions."""
    env = {
        k: v for k, v in os.environ.items() if not k.startswith(("OPENAI_", "BENCH_"))
    } | variables
    bench = str(Path(sys.executable).with_name("bench"))
    command = [bench, "run", "eqbench-v1", "--model", "openai/m", "--base-url", server.base_url]
    command += ["--dataset", "bundled", "--json", *more]
    measured = [sys.executable, "-c", _MEASURED, *command]
    done = subprocess.run(
        measured, cwd=folder, env=env, capture_output=True, text=True, timeout=240, check=True
    )
    code, out, err, peak_mb = json.loads(done.stdout)
    assert out, err
    return Done(code, json.loads(out), peak_mb)


def first_items(kind: str, count: int) -> Callable[[ReceivedRequest], Fault | None]:
    """A plan in which the first so many prompts get this fault, whenever they are asked."""
    unlucky: list[str] = []

    def plan(request: ReceivedRequest) -> Fault | None:
        if len(unlucky) < count and request.prompt not in unlucky:
            unlucky.append(request.prompt)
        return Fault(kind) if request.prompt in unlucky else None

    return plan


@pytest.mark.parametrize(("kind", "count"), [("endless", 2), ("gzip-bomb", 2), ("endless", 12)])
def test_a_reply_that_is_too_large_fails_its_sample_alone(
    kind: str, count: int, tmp_path: Path
) -> None:
    """It is asked for once, memory stays small, and the run goes on to its end."""
    with LoopbackServer(uniform_ratings(), faults=first_items(kind, count)) as server:
        done = run(tmp_path, server, "--limit", "14")
    assert done.code == 1
    assert done.document["items"]["failed"] == count
    assert {one["kind"] for one in done.document["failed"]} == {"too_large"}
    assert all("[run] max_reply in bench.toml" in one["reason"] for one in done.document["failed"])
    assert server.counts[kind] == count
    assert len(server.answered) >= 14 - count
    assert done.peak_mb < MOST_MB


def test_how_much_is_read_is_a_setting(tmp_path: Path) -> None:
    """With a smaller one ordinary replies are too large, and are not asked for again."""
    with LoopbackServer(uniform_ratings()) as server:
        done = run(tmp_path, server, "--limit", "3", BENCH_MAX_REPLY="0.1kB")
    assert (done.code, len(server.requests)) == (1, 3)
    assert {one["kind"] for one in done.document["failed"]} == {"too_large"}
