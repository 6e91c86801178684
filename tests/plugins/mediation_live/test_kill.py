"""kill -9 during talks of three parties: nothing is lost, nothing is paid for twice."""

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from eibench.core.journal import Journal
from eibench.plugins.mediation_live.prompts import RUBRIC
from eibench.testing import LoopbackServer, ReceivedRequest
from tests.plugins.killing import Killed, Ration, assert_none_twice, digest, heard, kept
from tests.plugins.mediation_live.conftest import (
    NO_ONE,
    dispute_row,
    met,
    parties,
    said,
    write_pack,
)

KILLS = 20
CONCURRENCY = 8
LATENCY = 0.1
DISPUTES, EXCHANGES = 36, 2
BROKEN = "d1"
"""How the ids of disputes begin in which the first reply to a turn has to be drawn again."""


def respond(request: ReceivedRequest) -> str:
    """All three parties; no two requests have the same reply."""
    name = digest(request.body)[:8]
    if request.model == "judge":
        return json.dumps(dict.fromkeys(RUBRIC.criteria, int(name[:2], 16) / 25.6))
    if request.model != "disputants":
        return f"Mediator of {name}: why the shed?"
    if "[CONDITIONS]" in request.prompt:
        return met(the_shed="why the shed") if name[0] in "01234567" else NO_ONE
    if f" of {BROKEN}" in str(request.messages) and "earlier reply" not in request.prompt:
        return f"They shrug, {name}."
    leaves = ["Bo"] if name[0] == "0" else []
    return said(("Ada", f"So {name}."), trust={"Ada": int(name[1], 16) / 2, "Bo": 3}, leaves=leaves)


def phase(body: Any) -> str:
    """Whose reply a request asks for."""
    if body["model"] != "disputants":
        return str(body["model"])
    return "gate" if "[CONDITIONS]" in body["messages"][-1]["content"] else "speech"


def graded(folder: Path) -> dict[str, Any]:
    """Each talk's score, with its ledger."""
    with Journal(folder) as journal:
        (run,) = journal.runs()
        ((grader, _),) = journal.graders(run)
        ids = [f"d{n}" for n in range(DISPUTES)]
        return {id: journal.score_of(run, grader, id, 1) for id in ids}


@pytest.mark.kills
def test_kill_9_at_twenty_moments_changes_nothing(tmp_path: Path) -> None:
    """Scores, ledgers and replies of all parties equal an undisturbed run's.

    No reply is lost and none asked for twice, but for those in flight at a kill.
    """
    rows = [dispute_row(f"d{n}") for n in range(DISPUTES)]
    pack = write_pack(tmp_path / "disputes.toml", *rows)
    ration = Ration(LATENCY)
    with LoopbackServer(respond, latency=ration) as server:
        given = ["mediation-live", *parties(server), "--dataset", str(pack)]
        given += ["--exchanges", str(EXCHANGES)]
        run = Killed(tmp_path, server, ration, given, CONCURRENCY, most=16)
        states = run.kill(KILLS, Random(14))
        final = run.finish("killed")
        bodies = heard(server)
        whole = run.finish("whole")
        assert server.errors == []
    asked, killed = list(map(digest, bodies)), tmp_path / "killed"
    assert final["metrics"] == whole["metrics"]
    assert graded(killed) == graded(tmp_path / "whole")
    assert kept(killed) == kept(tmp_path / "whole")
    assert kept(killed).keys() == set(asked)
    assert len(asked) - len(set(asked)) <= KILLS * CONCURRENCY
    assert_none_twice(states, asked)
    phases = Counter(map(phase, bodies))
    assert phases.keys() == {"able", "gate", "speech", "judge"}
    assert (
        final["calls"]["roles"]["disputants"]
        == len(kept(killed)) - final["calls"]["model"] - DISPUTES
    )
    assert final["metrics"]["broken"]["value"] == 0 < final["metrics"]["unlocked"]["value"]
