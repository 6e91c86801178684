"""A tournament of six writers that is killed five times: their order, and nothing paid twice."""

import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from eibench.testing import LoopbackServer, ReceivedRequest
from tests import processes
from tests.plugins.creative_writing.conftest import PROMPTS, WRITTEN, verdict
from tests.plugins.killing import Killed, Ration, assert_none_twice, digest, heard

WRITERS = [f"writer-{n}" for n in range(6)]
CONCURRENCY = 4
ROWS = {f"well-{n}": {**PROMPTS["well"], "writing_prompt": f"Well {n}. <SEED>"} for n in range(8)}
MOMENTS = (("piece", 3), ("verdict", 2), ("comparison", 1), ("piece", 2), ("comparison", 60))
"""When it is killed: after so many answers of a kind."""


def kind(request: ReceivedRequest) -> str:
    """What is asked for; each answer has the digest of its request."""
    if request.is_trial:
        return "trial"
    if request.model in WRITERS:
        return "piece"
    return "comparison" if "[WRITER" in request.prompt else "verdict"


def of(wanted: str) -> Callable[[ReceivedRequest], bool]:
    """Whether a request is of a kind."""
    return lambda request: kind(request) == wanted


def answer(request: ReceivedRequest) -> str:
    """A piece that shows how good its writer is, a grade by that, a comparison with some luck."""
    name, luck = digest(request.body), Random(request.prompt)
    worths = list(map(int, re.findall(r"Worth (\d)", request.prompt)))
    if kind(request) == "piece":
        return f"Worth {request.model[-1]}: {name}. {WRITTEN}"
    if kind(request) == "verdict":
        return f"{name}\n" + verdict(Wit=3 * worths[0] + luck.choice((0, 1, 2)))
    if kind(request) == "trial":
        return "OK"
    codes = re.findall(r"^\[WRITER (A\d+)\]", request.prompt, re.M)
    better = codes[worths[0] - worths[1] + luck.gauss(0, 1) < 0] + "++"
    return json.dumps({"chain_of_thought_reasoning": name, "wit": better, "coherence": better})


def named(folder: Path) -> set[str]:
    """Which requests have their replies in a journal."""
    sql = "SELECT text FROM calls WHERE phase != 'trial'"
    with closing(sqlite3.connect(f"file:{folder}/bench.sqlite?mode=ro", uri=True)) as connection:
        return {re.findall(r"[0-9a-f]{64}", text)[0] for (text,) in connection.execute(sql)}


@pytest.mark.kills
def test_six_writers_come_out_in_their_order_whatever_is_killed(
    tmp_path: Path, pack: Callable[..., Path]
) -> None:
    """Ratings rank them as they are; no reply that was kept is asked for again."""
    ration, states = Ration(0.01), []
    with LoopbackServer(answer, latency=ration) as server:
        urls = ("--base-url", server.base_url, "--judge-base-url", server.base_url)
        models = [word for name in WRITERS for word in ("--model", f"openai/{name}")]
        given = ("creative-writing-v3", "--judge", "openai/judge", *urls, *models)
        data = ("--dataset", str(pack(ROWS)), "--iterations", "1")
        run = Killed(tmp_path, server, ration, [*given, *data], CONCURRENCY, most=0)
        for wanted, answers in MOMENTS:
            run.kill_at(answers, of(wanted))
            states.append((named(tmp_path / "killed"), len(heard(server))))
        run.finish("killed")
        asked = [digest(body) for body in heard(server)]
        assert server.errors == []
    assert_none_twice(states, asked)
    assert all(before <= now for (before, _), (now, _) in pairwise(states))
    assert set(asked) == named(tmp_path / "killed")
    assert len(asked) - len(set(asked)) <= len(MOMENTS) * CONCURRENCY
    board = ["leaderboard", "creative-writing-v3", "--runs-dir", "killed", "--json"]
    rows = json.loads(processes.run(board, tmp_path).stdout)["rows"]
    names = [row["model"].partition("@")[0] for row in rows]
    assert names == [f"openai/{name}" for name in reversed(WRITERS)]
    ratings = [row["rating"] for row in rows]
    assert None not in ratings and ratings == sorted(ratings, reverse=True)
