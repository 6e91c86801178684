"""kill -9 during a declared role-play with a panel and comparisons changes nothing."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from eibench.testing import LoopbackServer, ReceivedRequest
from tests.plugins.killing import Killed, Ration, assert_none_twice, digest, heard, kept

CONCURRENCY = 4
JUDGES = ("first", "second", "third")
CRITERIA = ("attunement", "pressing")


def respond(request: ReceivedRequest) -> str:
    """All parties; no two requests have the same reply."""
    name = digest(request.body)[:8]
    number = int(name[:4], 16)
    if request.model == "player":
        turn = {"says": f"So {name}.", "trust": number % 11, "leaves": number % 6 == 0}
        return json.dumps(turn)
    if request.model not in JUDGES or request.is_trial:
        return f"I hear you, {name}."
    if codes := re.findall(r"^\[REPLY (A\d+)\]$", request.prompt, re.MULTILINE):
        picks = {c: codes[number >> n & 1] + "++" for n, c in enumerate(CRITERIA)}
        return json.dumps(picks)
    return json.dumps({c: (number >> 4 * n) % 11 for n, c in enumerate(CRITERIA)})


@pytest.mark.parametrize("kills", [2, pytest.param(10, marks=pytest.mark.kills)])
def test_kills_change_no_talk_no_verdict_and_no_rating(
    kills: int, declared: Callable[[str], Path], bench: Callable[..., Any]
) -> None:
    """Nothing that was kept is asked for again, whoever is asked, and the ratings are the same."""
    folder = declared("visits").parent
    ration = Ration(0.02)
    with LoopbackServer(respond, latency=ration) as server:
        given = ["visits.toml", "--base-url", server.base_url, "--judge-base-url", server.base_url]
        given += ["--role", "user=openai/player", "--role-base-url", f"user={server.base_url}"]
        given += [part for judge in JUDGES for part in ("--judge", f"openai/{judge}")]
        for model in ("m0", "m1")[: 1 + (kills > 2)]:
            done = bench("run", *given, "--model", f"openai/{model}", "--runs-dir", "whole")
            assert done.code == 0, done.err
        shutil.copytree("whole", "killed")
        before = set(kept(folder / "killed"))
        run = Killed(folder, server, ration, [*given, "--model", "openai/m2"], CONCURRENCY, most=10)
        states = run.kill(kills, Random(5))
        known = set(kept(folder / "killed")) - before
        final = run.finish("killed", anew=False)
        bodies = heard(server)
        whole = run.finish("whole", anew=False)
        assert server.errors == []
    for part in ("metrics", "judges", "panel", "items", "ratings", "comparisons"):
        assert final[part] == whole[part], part
    assert kept(folder / "killed") == kept(folder / "whole")
    assert known, "killed before anything was kept"
    assert final["comparisons"]["read"] > 0
    assert_none_twice(states, list(map(digest, bodies)))
