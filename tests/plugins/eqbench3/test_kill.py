"""kill -9 in each phase of a run: nothing is lost, nothing is paid for twice."""

import json
import re
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from eibench.core.journal import Journal
from eibench.testing import LoopbackServer, ReceivedRequest
from tests import processes
from tests.plugins.killing import Killed, Ration, assert_none_twice, digest, heard, kept

KILLS = 20
CONCURRENCY = 3
LATENCY = 0.12
TALKS, ANALYSES = 20, 6
WORDS = "I wonder what it is like for her to wait there, while nobody says so. " * 4


def rows() -> list[dict[str, Any]]:
    """Twenty role-plays of two turns and six analyses."""
    made = []
    for n in range(TALKS + ANALYSES):
        kind, parts = ("role-play", 2) if n < TALKS else ("analysis", 1)
        turns = [f"Scene s{n}, part {part}." for part in range(parts)]
        made.append({"id": f"s{n}", "title": "t", "kind": kind, "turns": turns})
    return made


def phase(body: Any) -> str:
    """Where in a run a request belongs."""
    if body["model"] == "judge":
        return "comparison" if "[RESPONDENT" in body["messages"][-1]["content"] else "verdict"
    return "turn" if "min_p" in body else "debrief"


def graded(folder: Path) -> dict[str, Any]:
    """Each sample's score with its detail."""
    with Journal(folder) as journal:
        (run,) = journal.runs()
        ((grader, _),) = journal.graders(run)
        return {row["id"]: journal.score_of(run, grader, row["id"], 1) for row in rows()}


MOMENTS = (("start", 0), ("turn", 3), ("debrief", 2), ("verdict", 2), ("comparison", 3))
"""Where a run is killed: in which phase, after how many answers of that phase."""


def named(folder: Path) -> set[str]:
    """Which requests have their replies in a journal: each reply has its request's digest."""
    sql = "SELECT text FROM calls WHERE phase != 'trial'"
    with closing(sqlite3.connect(f"file:{folder}/bench.sqlite?mode=ro", uri=True)) as connection:
        return {re.findall(r"[0-9a-f]{64}", text)[0] for (text,) in connection.execute(sql)}


def test_kill_9_in_each_phase_changes_nothing(
    tmp_path: Path, own_pack: Callable[..., Path], grades: Callable[..., dict[str, Any]]
) -> None:
    """Five kills: before the first answer, and amid turns, debriefs, verdicts and comparisons.

    The result is that of a run that nobody disturbed, no reply is lost, and none that is kept is
    asked for again. What else there is of kinds of run and of moments, `pytest -m kills` has.
    """

    def respond(request: ReceivedRequest) -> str:
        name = digest(request.body)
        if request.model != "judge" or request.is_trial:
            return f"Reply {name}: {WORDS}"
        reply: dict[str, Any] = {"chain_of_thought_reasoning": name}
        if codes := re.findall(r"^\[RESPONDENT (A\d+)\]", request.prompt, re.M):
            criteria = re.findall(r'^  "(\w+)": "code and plus signs"', request.prompt, re.M)
            better = codes[int(name[0], 16) % 2] + "+" * (1 + int(name[1], 16) % 3)
            return json.dumps(reply | dict.fromkeys(criteria, better))
        return json.dumps(grades(request.prompt, int(name[:2], 16) / 25.6) | reply)

    def belongs(wanted: str) -> Callable[[ReceivedRequest], bool]:
        return lambda r: wanted == "start" or (not r.is_trial and phase(r.body) == wanted)

    ration, killed = Ration(0.01), tmp_path / "killed"
    with LoopbackServer(respond, latency=ration) as server:
        url, pack = server.base_url, str(own_pack(*rows()[:8]))
        judge = ("--judge", "openai/judge", "--judge-base-url", url)
        common = ["eqbench3", "--base-url", url, *judge, "--dataset", pack]
        first = ["run", *common, "--model", "openai/n", "--no-elo", "--runs-dir", "killed"]
        assert processes.run(first, tmp_path).returncode == 0
        shutil.copytree(killed, tmp_path / "whole")
        before, begun, states = named(killed), len(heard(server)), []
        given = [*common, "--model", "openai/m"]
        run = Killed(tmp_path, server, ration, given, concurrency=3, most=0)
        for wanted, answers in MOMENTS:
            run.kill_at(answers, belongs(wanted))
            now = named(killed)
            assert before <= now, "a reply was lost"
            states.append((now, len(heard(server))))
            before = now
        final = run.finish("killed", anew=False)
        asked = [digest(body) for body in heard(server)]
        whole = run.finish("whole", anew=False)
        assert server.errors == []
    for part in ("metrics", "ratings", "notes", "flags"):
        assert final[part] == whole[part]
    assert final["comparisons"]["read"] > 0
    assert_none_twice(states, asked)
    assert set(asked) == named(killed) == named(tmp_path / "whole")
    assert len(asked) - len(set(asked)) <= len(MOMENTS) * run.concurrency
    there = [[phase(b) for b in heard(server)[begun:n]] for _, n in states]
    for (wanted, answers), before_kill in zip(MOMENTS[1:], there[1:], strict=True):
        assert before_kill.count(wanted) > answers


@pytest.mark.kills
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
