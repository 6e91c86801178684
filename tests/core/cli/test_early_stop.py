"""A model none of whose first answers can be read is not asked on."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from eibench.testing import LoopbackServer, ReceivedRequest

Bench = Callable[..., Any]


def asked(server: LoopbackServer, *more: object) -> tuple[object, ...]:
    """The command of a run of thirty questions, one at a time."""
    model = ("--model", "openai/m", "--base-url", server.base_url)
    return ("run", "eqbench-v1", "--dataset", "bundled", *model, "--concurrency", 1, *more)


def test_ten_unreadable_answers_are_enough(bench: Bench) -> None:
    """Each was asked for five times; then the run says what to do, and keeps what it has."""
    with LoopbackServer(lambda request: "I would rather not say.") as server:
        done = bench(*asked(server))
        assert (done.code, len(server.requests)) == (1, 50)
    assert "none of the first 10 answers could be read" in done.err
    assert "--items says why no answer could be read" in done.err and "--keep-going" in done.err
    assert " FAIL: " in done.out.splitlines()[-1]


def test_the_rest_is_asked_when_that_is_wanted(bench: Bench) -> None:
    """What was answered is not asked again."""
    with LoopbackServer(lambda request: "I would rather not say.") as server:
        bench(*asked(server))
        done = bench(*asked(server, "--keep-going", "--json"))
        assert (done.code, len(server.requests)) == (1, 150)
    assert done.json["status"] == "fail"
    assert done.json["items"]["unscored"] == 30


def test_ten_items_are_asked_to_the_last(bench: Bench) -> None:
    """As nothing is saved by a stop at the end."""
    with LoopbackServer(lambda request: "I would rather not say.") as server:
        done = bench(*asked(server, "--limit", 10))
    assert done.code == 1 and "could be read, so" not in done.err


def on_a_terminal(answer: str, *words: object) -> tuple[str, int]:
    """What `bench` says on a terminal whose user gives that answer, and its exit code."""
    pty = pytest.importorskip("pty", reason="no terminals of POSIX here")
    mine, its = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", "from eibench.core.cli import main; main()", *map(str, words)],
        env={**os.environ, "TERM": "dumb", "OPENAI_API_KEY": "sk-none"},
        stdin=its,
        stdout=its,
        stderr=its,
    )
    os.close(its)
    os.write(mine, f"{answer}\n".encode())
    seen, deadline = b"", time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            more = os.read(mine, 4096)
        except OSError:  # the other side is closed
            break
        if not more:
            break
        seen += more
    os.close(mine)
    return seen.decode(), process.wait(timeout=60)


@pytest.mark.parametrize(("answer", "asked_for"), [("y", 150), ("n", 50), ("", 50)])
def test_on_a_terminal_the_user_decides(answer: str, asked_for: int) -> None:
    """The first answer is shown; no is the default, and yes asks for nothing twice."""
    with LoopbackServer(lambda request: "I would rather not say.") as server:
        seen, code = on_a_terminal(answer, *asked(server))
        assert (code, len(server.requests)) == (1, asked_for)
    assert "I would rather not say." in seen
    assert "Send the rest all the same? [y/N]" in seen


def mute_judge(request: ReceivedRequest) -> str:
    """A model that says much, a judge that gives no verdict, and one that does."""
    if request.model == "mute":
        return "Nobody knows."
    if request.model == "judge":
        return json.dumps(dict.fromkeys(re.findall(r'"(\w+)": 0-', request.prompt), 5))
    return "It thinks of it, and of what came before it, and waits. " * 5


def test_ten_unread_verdicts_are_enough(bench: Bench) -> None:
    """What the model said is kept: another judge reads it."""
    run = ("run", "eqbench3", "--dataset", "bundled", "--no-elo", "--concurrency", 1)
    with LoopbackServer(mute_judge) as server:
        where = ("--base-url", server.base_url, "--judge-base-url", server.base_url)
        model = (*run, "--model", "openai/m", *where)
        done = bench(*model, "--judge", "openai/mute")
        assert done.code == 1
        assert "none of the first 10 verdicts could be read" in done.err
        assert "transcripts are kept" in done.err and "why no verdict could be read" in done.err
        before = sum(request.model == "m" for request in server.requests)
        again = bench(*model, "--judge", "openai/judge", "--json")
        assert again.json["items"]["scored"] == 20
        whole = sum(request.model == "m" for request in server.requests)
        bench(*model, "--judge", "openai/judge", "--json", "--runs-dir", "other")
        alone = sum(request.model == "m" for request in server.requests) - whole
        assert 0 < before < whole == alone
