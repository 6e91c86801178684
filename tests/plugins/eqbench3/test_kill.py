"""kill -9 in generation, debrief and judging: nothing is lost, nothing is paid for twice."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from eibench.core.journal import Journal
from eibench.testing import LoopbackServer, ReceivedRequest
from tests.plugins.killing import Killed, Ration, assert_none_twice, digest, heard, kept

KILLS = 20
CONCURRENCY = 3
LATENCY = 0.12
TALKS, ANALYSES = 20, 6


def rows() -> list[dict[str, Any]]:
    """Twenty role-plays of two turns and six analyses."""
    made = []
    for n in range(TALKS + ANALYSES):
        kind, parts = ("role-play", 2) if n < TALKS else ("analysis", 1)
        turns = [f"Scene s{n}, part {part}." for part in range(parts)]
        made.append({"id": f"s{n}", "title": "t", "kind": kind, "turns": turns})
    return made


def phase(body: Any) -> str:
    """Where in a sample a request belongs."""
    if body["model"] == "judge":
        return "verdict"
    return "turn" if "min_p" in body else "debrief"


def graded(folder: Path) -> dict[str, Any]:
    """Each sample's score with its detail."""
    with Journal(folder) as journal:
        (run,) = journal.runs()
        ((grader, _),) = journal.graders(run)
        return {row["id"]: journal.score_of(run, grader, row["id"], 1) for row in rows()}


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
    ration = Ration(LATENCY)
    with LoopbackServer(respond, latency=ration) as server:
        url, pack = server.base_url, str(own_pack(*rows()))
        model, judge = ("openai/m", "--base-url", url), ("openai/judge", "--judge-base-url", url)
        given = ["eqbench3", "--model", *model, "--judge", *judge, "--dataset", pack]
        run = Killed(tmp_path, server, ration, given, CONCURRENCY, most=8)
        states = run.kill(KILLS, rng)
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
    assert_none_twice(states, asked)
    assert phases.keys() == {"turn", "debrief", "verdict"}
