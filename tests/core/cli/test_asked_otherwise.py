"""Models and players of roles that were asked otherwise than meant: what screens say of them."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from eibench import ChatResponse, Item, Model, Options, Role, Sampling
from eibench.core.plugins import installed
from eibench.testing import LoopbackServer, ReceivedRequest, Reply, Response
from tests.core.cli.test_groups_of_roles import Ring

Bench = Callable[..., Any]


class Duet(Ring):
    """A partner says something, then the model does."""

    name = "duet"
    title = "A benchmark of the tests"
    sampling = Sampling(temperature=0.7, top_p=0.95, max_tokens=900)
    roles = (Role("partner", "Speaks first.", Sampling(temperature=0.9)),)

    def planned_calls(self, item: Item, options: Options) -> dict[str, int]:
        """One of each."""
        return {"model": 1, "partner": 1}

    async def generate(self, item: Item, model: Model, options: Options) -> ChatResponse:
        """The reply to what the partner said."""
        return await model.chat((await model.role("partner").chat(item.id)).text)


class Server:
    """Refuses fields of some models: `refused` has their names by the model's."""

    def __init__(self) -> None:
        self.refused: dict[str, tuple[str, ...]] = {}

    def __call__(self, request: ReceivedRequest) -> Reply:
        """The model's name, or why not."""
        refused = [f for f in self.refused.get(request.model, ()) if f in request.body]
        if not refused:
            return f"I am {request.model}."
        (field, *_) = refused
        error = {"message": f"Unsupported parameter: '{field}'", "param": field}
        return Response(400, json.dumps({"error": error}).encode())


@pytest.fixture
def duet(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Server, Bench]]:
    """A server, and `bench run duet` of a model there with a partner there."""
    monkeypatch.setitem(installed().benchmarks.things, "duet", Duet())
    monkeypatch.setitem(installed().benchmarks.origins, "duet", "duet-dist 1")
    Path("duet.jsonl").write_text('{"id": "1"}\n{"id": "2"}\n')
    answers = Server()
    with LoopbackServer(answers) as server:
        url = server.base_url
        words = ["run", "duet", "--dataset", "duet.jsonl", "--base-url", url, "--role",
                 "partner=openai/p", "--role-base-url", f"partner={url}", "--json"]  # fmt: skip
        yield answers, lambda model, *more: bench(*words, "--model", f"openai/{model}", *more)


def test_who_played_otherwise_is_another_player(duet: tuple[Server, Bench], bench: Bench) -> None:
    """The result says so, its board is another, and nothing combines the two."""
    server, run = duet
    assert "asked_otherwise" not in run("a").json
    server.refused = {"p": ("temperature",)}
    document = run("b").json
    assert document["asked_otherwise"] == {"role partner": {"temperature": "not sent"}}
    assert "who plays partner does not take temperature" in " ".join(document["warnings"])
    assert "partner played by openai/p" in document["comparability"]
    assert "without temperature" in document["comparability"]
    board = bench("leaderboard", "duet", "--json").json
    assert [row["model"] for row in board["rows"]] == ["openai/b"]
    assert board["asked_otherwise"] == document["asked_otherwise"]
    (other,) = board["others"]
    assert other["options"].startswith("--role 'partner=openai/p at local")
    plain = bench("leaderboard", "duet", "--role", "partner=openai/p", "--json")
    assert [row["model"] for row in plain.json["rows"]] == ["openai/a"]
    apart = ("--role", "partner=openai/p at local without temperature")
    assert bench("leaderboard", "duet", *apart, "--json").json["rows"] == board["rows"]
    done = bench("compare", "openai/a", "openai/b")
    assert done.code == 2
    assert "who plays partner was asked without temperature in run" in done.err


def test_a_model_asked_otherwise_is_marked(duet: tuple[Server, Bench], bench: Bench) -> None:
    """On the board as changed, in `compare` as what differs; it stays on its board."""
    server, run = duet
    run("a")
    server.refused = {"b": ("temperature",)}
    document = run("b").json
    assert document["not_sent"] == ["temperature"]
    assert document["asked_otherwise"] == {"model": {"temperature": "not sent"}}
    assert "changed: temperature not sent;" in document["comparability"]
    rows = bench("leaderboard", "duet", "--json").json["rows"]
    assert {row["model"]: row["changed"] for row in rows} == {
        "openai/a": None, "openai/b": "temperature not sent"
    }  # fmt: skip
    compared = bench("compare", "openai/a", "openai/b", "--json").json
    assert compared["changed"]["model asked"] == [None, "without temperature"]


def test_a_reply_that_was_not_meant_to_have_a_field_says_nothing_of_it(
    duet: tuple[Server, Bench], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One more question without top_p: top_p is not sent at all, and not partly; also resumed."""

    async def asked_twice(self: Duet, item: Item, model: Model, options: Options) -> ChatResponse:
        await model.chat((await model.role("partner").chat(item.id)).text)
        return await model.chat("And what else?", top_p=None)

    monkeypatch.setattr(Duet, "generate", asked_twice)
    monkeypatch.setattr(Duet, "planned_calls", lambda *_: {"model": 2, "partner": 1})
    server, run = duet
    server.refused = {"a": ("top_p",)}
    for more in (("--limit", "1"), ()):
        document = run("a", *more).json
        assert document["asked_otherwise"] == {"model": {"top_p": "not sent"}}
        assert "changed: top_p not sent;" in document["comparability"]


def test_an_option_that_was_not_sent_is_told_once(duet: tuple[Server, Bench]) -> None:
    """As asked for and not sent: it is no change that took place."""
    server, run = duet
    server.refused = {"a": ("top_p",)}
    line = run("a", "--top-p", "0.9").json["comparability"]
    assert "; changed: top_p=0.9 asked for and not sent; not comparable" in line
    server.refused = {"b": ("temperature",)}
    line = run("b", "--top-p", "0.9").json["comparability"]
    assert "; changed: top_p=0.9, temperature not sent; not comparable" in line


def test_details_tell_what_changes_no_reply(duet: tuple[Server, Bench], bench: Bench) -> None:
    """A limit of tokens that was not sent, on a line of its own; no warning, and no mark."""
    server, run = duet
    server.refused = {"a": ("max_tokens", "max_completion_tokens")}
    document = run("a").json
    assert document["asked_otherwise"] == {"model": {"max_tokens": "not sent"}}
    assert "max_tokens" not in " ".join([document["comparability"], *document["warnings"]])
    assert "asked      model: max_tokens not sent" in bench("show", "openai/a", "--details").out
