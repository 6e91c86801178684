"""A model none of whose first answers can be read is not asked on."""

from collections.abc import Callable
from typing import Any

from eibench.testing import LoopbackServer

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
