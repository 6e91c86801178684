"""A server that has another model at the end of a run than at its beginning; named checkpoints."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from eibench.testing import LoopbackServer, ReceivedRequest, uniform_ratings
from tests import processes


def entry(root: str) -> list[dict[str, Any]]:
    """What a server's list says of its one model."""
    return [{"id": "m", "object": "model", "root": root}]


def test_a_model_that_changes_while_it_is_asked_ends_the_run(tmp_path: Path) -> None:
    """The run is not complete, and is not gone on with at a server with the other weights."""
    answer: Callable[[ReceivedRequest], Any] = uniform_ratings(1)

    def respond(request: ReceivedRequest) -> Any:
        listed[0]["root"] = "step-2"
        return answer(request)

    listed = entry("step-1")
    args = ["run", "eqbench-v2", "--model", "openai/m", "--limit", "2", "--json"]
    with LoopbackServer(respond, models=listed) as server:
        args += ["--base-url", server.base_url]
        done = processes.run(args, tmp_path)
        again = processes.run(args, tmp_path)
        fresh = processes.run([*args, "--fresh"], tmp_path)
    assert done.returncode == 2 and "has another model now than when the run began" in done.stdout
    assert again.returncode == 2 and "has another model than the one that run" in again.stdout
    assert json.loads(fresh.stdout)["status"] == "complete"


def test_another_checkpoint_is_another_run(tmp_path: Path) -> None:
    """Under one served name, at one address; the same one again is the same run."""
    with LoopbackServer(uniform_ratings(1)) as server:
        args = ["run", "eqbench-v2", "--model", "openai/m", "--base-url", server.base_url,
                "--limit", "2", "--json"]  # fmt: skip
        one, other, same, none = (
            json.loads(processes.run([*args, *more], tmp_path).stdout)
            for more in (["--checkpoint", "a"], ["--checkpoint", "b"], ["--checkpoint", "a"], [])
        )
    assert one["run_id"] == same["run_id"] and one["checkpoint"] == "a"
    assert len({one["run_id"], other["run_id"], none["run_id"]}) == 3 and "checkpoint" not in none
