"""The first run of a real model: a small one, slow, that does not keep to the form."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from eibench.core.console import live
from tests.fakes.small_model import SmallModelServer

Bench = Callable[..., Any]


@pytest.fixture(autouse=True)
def lines_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server's time passes a hundred times as fast, so lines have to come as often."""
    monkeypatch.setattr(live, "PLAIN_EVERY_S", 0.03)


def command(server: SmallModelServer, *more: object) -> tuple[object, ...]:
    """That of the README, with the address of the server."""
    where = ("--model", "openai/my-model", "--base-url", server.base_url)
    return ("run", "eqbench-v1", *where, *more)


def on_the_way(said: str) -> list[str]:
    """The lines of a run's progress."""
    return [line for line in said.splitlines() if line.startswith("eqbench-v1 openai/my-model: ")]


@pytest.mark.parametrize("seed", [0, 1])
def test_a_small_model_gets_its_number_within_six_minutes(bench: Bench, seed: int) -> None:
    """150 calls in twelve minutes and no number before: its ratings have no headings."""
    with SmallModelServer(speed=100, seed=seed) as server:
        done = bench(*command(server))
        assert server.busy_s < 360
        assert len(server.requests) <= 2 * 30 + 5
    assert re.search(r"score -?\d+\.\d\d .*first pass", done.out.splitlines()[-1])
    assert any(re.search(r" \d+ of \d+ replies read ", line) for line in on_the_way(done.err))


def test_one_that_is_never_read_ends_within_two_minutes_with_a_reason(bench: Bench) -> None:
    """And the screen says on the way that nothing could be read."""
    with SmallModelServer(speed=100, readable=0) as server:
        done = bench(*command(server))
        assert server.busy_s < 120
        assert len(server.requests) == 10
    assert done.code == 1
    assert any(re.search(r" 0 of \d+ repl(y|ies) read ", line) for line in on_the_way(done.err))
    assert "none of the first 10 replies could be read (" in done.err
    assert "no section 'First pass scores'" in done.err and "--no-revise" in done.err


def test_four_at_a_time_are_stopped_within_fourteen_requests(bench: Bench) -> None:
    """Thirty items of two seconds each on a server that never gives a readable reply."""
    with SmallModelServer(speed=100, readable=0, loops=0, reply_s=2, slots=4) as server:
        done = bench(*command(server, "--concurrency", 4))
        assert len(server.requests) <= 14
    assert "none of the first 10 replies could be read (10 x no section" in done.err
