"""kill -9 during rated talks with a played person and three judges changes nothing."""

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from eibench import ChatRequest, Item, Message, Sampling
from eibench.plugins.confidant import demo
from eibench.testing import LoopbackServer, ReceivedRequest
from tests.plugins.confidant.test_confidant import BENCHMARK, CARDS
from tests.plugins.killing import Killed, Ration, assert_none_twice, digest, heard, kept

CONCURRENCY = 4
JUDGES = ("first", "second", "third")


def respond(request: ReceivedRequest) -> str:
    """All parties by the demo's rules; the same request has the same reply."""
    messages = tuple(Message(m["role"], m["content"]) for m in request.messages)
    asked, rng = ChatRequest(messages, Sampling()), Random(digest(request.body))
    if request.is_trial:
        return "OK"
    if request.model in ("m0", "m1"):
        return (demo.listener if request.model == "m1" else demo.flatterer)(asked, rng)
    everything = "\n".join(m.content for m in messages)
    card = next(
        card
        for card in CARDS.values()
        if card.person.name in everything or any(f.unlock in everything for f in card.facts)
    )
    if request.model == "actor":
        return demo.person(card, asked, rng)
    return BENCHMARK.demo_verdict(Item(card.person.name, card), asked, rng)


@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.kills)])
def test_kills_change_no_talk_no_verdict_and_no_rating(
    kills: int, bench: Callable[..., Any]
) -> None:
    """Nothing is lost, nothing that was kept is asked for again, and the ratings are the same."""
    folder, ration = Path.cwd(), Ration(0.02)
    with LoopbackServer(respond, latency=ration) as server:
        url, limit = server.base_url, str(2 if kills == 2 else 8)
        given = ["confidant", "--base-url", url, "--judge-base-url", url, "--elo"]
        given += ["--role", "person=openai/actor", "--role-base-url", f"person={url}"]
        given += [part for judge in JUDGES for part in ("--judge", f"openai/{judge}")]
        given += ["--limit", limit, "--exchanges", "4"]
        done = bench("run", *given, "--model", "openai/m0", "--runs-dir", "whole")
        assert done.code == 0, done.err
        shutil.copytree("whole", "killed")
        before = set(kept(folder / "killed"))
        run = Killed(folder, server, ration, [*given, "--model", "openai/m1"], CONCURRENCY, most=16)
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
