"""kill -9 while three judges grade, one of them with garbage: nothing is lost or paid for twice."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from eibench.core.journal import Journal
from eibench.testing import LoopbackServer, ReceivedRequest
from tests.plugins.eqbench3.test_kill import rows as all_rows
from tests.plugins.killing import Killed, Ration, assert_none_twice, digest, heard, kept

KILLS = 20
CONCURRENCY = 8
LATENCY = 0.1
JUDGES = ("first", "second", "garbler")
ROWS = [row for row in all_rows() if row["kind"] == "role-play"]
GARBLED = [row["id"] for row in ROWS if row["id"][-1] in "123"]
"""Three in ten, about which the last judge never says anything that can be read."""


def graded(folder: Path) -> dict[tuple[str, str], Any]:
    """Each sample's score by the panel and by each judge."""
    with Journal(folder) as journal:
        (run,) = journal.runs()
        return {
            (str(grader.judge), row["id"]): journal.score_of(run, grader, row["id"], 1)
            for grader, _ in journal.graders(run)
            for row in ROWS
        }


@pytest.mark.kills
def test_kill_9_at_twenty_moments_changes_nothing_for_a_panel(
    tmp_path: Path, own_pack: Callable[..., Path], grades: Callable[..., dict[str, Any]]
) -> None:
    """The panel's numbers and each judge's equal an undisturbed run's.

    No reply that was kept is asked for again; the garbage is counted for its judge, every sample
    has a score by the quorum of two, and the run is incomplete for so much garbage.
    """

    def respond(request: ReceivedRequest) -> str:
        name = digest(request.body)[:8]
        if request.model not in JUDGES or request.is_trial:
            return f"Reply {name}: I wait."
        if request.model == "garbler" and any(f"Scene {id}," in request.prompt for id in GARBLED):
            return f"It depends, {name}."
        return json.dumps(grades(request.prompt, int(name[:2], 16) / 25.6))

    ration = Ration(LATENCY)
    with LoopbackServer(respond, latency=ration) as server:
        url, pack = server.base_url, str(own_pack(*ROWS))
        given = ["eqbench3", "--model", "openai/m", "--base-url", url, "--dataset", pack]
        given += ["--judge-base-url", url, "--no-elo"]
        given += [part for judge in JUDGES for part in ("--judge", f"openai/{judge}")]
        run = Killed(tmp_path, server, ration, given, CONCURRENCY, most=10)
        states = run.kill(KILLS, Random(9))
        final = run.finish("killed", code=1)
        bodies = heard(server)
        whole = run.finish("whole", code=1)
        assert server.errors == []
    asked, killed = list(map(digest, bodies)), tmp_path / "killed"
    for part in ("metrics", "judges", "panel", "robustness", "items"):
        assert final[part] == whole[part]
    assert graded(killed) == graded(tmp_path / "whole")
    assert kept(killed) == kept(tmp_path / "whole")
    assert kept(killed).keys() == set(asked)
    # A sample asks all judges at once, so that as many are in flight for each of the eight.
    assert len(asked) - len(set(asked)) <= KILLS * CONCURRENCY * len(JUDGES)
    assert_none_twice(states, asked)
    assert [row["unread"] for row in final["judges"]] == [0, 0, len(GARBLED)]
    assert (final["panel"]["quorum"], final["items"]["scored"]) == (2, len(ROWS))
    assert (final["panel"]["whole"], final["status"]) == (2, "incomplete")
    once = Counter(json.loads(body)["model"] for body in {json.dumps(b) for b in bodies})
    n = len(ROWS)
    assert once == {"m": 3 * n, "first": n, "second": n, "garbler": n + 2 * len(GARBLED)}
