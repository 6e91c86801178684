"""kill -9 while questions are asked again: what is asked depends on the replies alone."""

from pathlib import Path
from random import Random

import pytest

from eibench.testing import LoopbackServer, ReceivedRequest, uniform_ratings
from tests.plugins.killing import Killed, Ration, assert_none_twice, digest, heard

KILLS = 6
FILL = uniform_ratings()


def respond(request: ReceivedRequest) -> str:
    """A rating, a half of one, or words, by the request alone."""
    kind = digest(request.body)[0]
    whole = str(FILL(request))
    if kind in "012":
        return "I cannot say."
    return whole.partition("Critique")[0] if kind in "345" else whole


@pytest.mark.kills
def test_a_run_that_was_killed_asks_what_an_undisturbed_one_asks(tmp_path: Path) -> None:
    """No question gets a further attempt, or one less, as its replies came in several commands."""
    ration = Ration(0.05)
    with LoopbackServer(respond, latency=ration) as server:
        where = ("--model", "openai/m", "--base-url", server.base_url)
        given = ["eqbench-v1", *where, "--dataset", "bundled"]
        run = Killed(tmp_path, server, ration, given, concurrency=4, most=8)
        states = run.kill(KILLS, Random(3))
        final = run.finish("killed")
        asked = [digest(body) for body in heard(server)]
        begun = len(asked)
        whole = run.finish("whole")
        undisturbed = [digest(body) for body in heard(server)[begun:]]
        assert server.errors == []
    assert_none_twice(states, asked)
    assert set(asked) == set(undisturbed)
    assert 30 < len(undisturbed) < 30 * 5
    assert final["metrics"] == whole["metrics"]
