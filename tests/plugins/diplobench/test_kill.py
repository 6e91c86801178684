"""kill -9 during a game of seven changes no order, no letter and no score."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from eibench import ChatRequest, Message, Sampling
from eibench.plugins.diplobench import demo
from eibench.testing import LoopbackServer, ReceivedRequest
from tests.plugins.killing import Killed, Ration, assert_none_twice, digest, heard, kept

pytest.importorskip("diplomacy", reason="the engine, eibench[diplobench], is not installed")
CONCURRENCY = 4


def respond(request: ReceivedRequest) -> str:
    """All powers by the demo's rules; the same request has the same reply."""
    messages = tuple(Message(m["role"], m["content"]) for m in request.messages)
    return demo.reply(ChatRequest(messages, Sampling()), 0.7, Random(digest(request.body)))


@pytest.mark.parametrize("kills", [2, pytest.param(10, marks=pytest.mark.kills)])
def test_kills_change_nothing_of_a_game(kills: int, bench: Callable[..., Any]) -> None:
    """Nothing is lost, nothing that was kept is asked for again, and the game is the same."""
    folder, ration = Path.cwd(), Ration(0.05)
    years = "1" if kills == 2 else "3"
    with LoopbackServer(respond, latency=ration) as server:
        url = server.base_url
        command = ["diplobench", "--model", "openai/m", "--base-url", url, "--limit", "1"]
        command += ["--role", "opponents=openai/x", "--role-base-url", f"opponents={url}"]
        command += ["--rounds", "1", "--max-years", years]
        run = Killed(folder, server, ration, command, CONCURRENCY, most=12)
        states = run.kill(kills, Random(3))
        known = kept(folder / "killed")
        final = run.finish("killed", anew=False)
        bodies = heard(server)
        whole = run.finish("whole", anew=False)
        assert server.errors == []
    for part in ("metrics", "items", "flags"):
        assert final[part] == whole[part], part
    assert kept(folder / "killed") == kept(folder / "whole")
    assert 0 < len(known) < len(kept(folder / "whole")), "no kill came in the midst of the game"
    games = [bench("show", end["run_id"], "first", "--json", "--runs-dir", runs).json
             for end, runs in ((final, "killed"), (whole, "whole"))]  # fmt: skip
    killed, undisturbed = (game["iterations"][0]["score"] for game in games)
    assert killed == undisturbed
    assert_none_twice(states, list(map(digest, bodies)))
