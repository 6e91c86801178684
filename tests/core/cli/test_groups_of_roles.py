"""A group of roles: each member a party of its own, named together."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from eibench import (
    Benchmark,
    ChatRequest,
    ChatResponse,
    Item,
    Model,
    Options,
    Role,
    Score,
    Value,
    run,
)
from eibench.core.plugins import installed
from eibench.core.text import by_player
from eibench.testing import LoopbackServer, ScriptedModel

Bench = Callable[..., Any]


class Ring(Benchmark):
    """Three opponents say something, then the model does."""

    name = "ring"
    version = "1"
    title = "A benchmark of the tests"
    fields: Mapping[str, object] = {"id": str}
    single_turn = False
    roles = Role.several("opponents", "Play against the model.", 3)
    values = (Value("length", range=(0, 1000)),)

    def planned_calls(self, item: Item, options: Options) -> dict[str, int]:
        """Two of each opponent."""
        return {"model": 1, "opponents": 2}

    async def generate(self, item: Item, model: Model, options: Options) -> ChatResponse:
        """The reply to what each opponent said twice."""
        said = [
            (await model.role("opponents", n).chat(f"{item.id}, round {turn}")).text
            for turn in (1, 2)
            for n in (1, 2, 3)
        ]
        return await model.chat(" ".join(said))

    async def grade(
        self, item: Item, transcript: ChatResponse, judge: Model | None, options: Options
    ) -> Score:
        """How long it is."""
        return Score({"length": float(len(transcript.text))})

    def demo_reply(self, item: Item, request: ChatRequest, ability: float, rng: Random) -> str:
        """What was said."""
        return request.messages[-1].content

    def demo_role(self, role: str, item: Item, request: ChatRequest, rng: Random) -> str:
        """Which one it is."""
        return role


@pytest.fixture
def ring(invoke: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Bench, list[str]]]:
    """`bench`, and the options of a run on two items at a server."""
    monkeypatch.setitem(installed().benchmarks.things, "ring", Ring())
    monkeypatch.setitem(installed().benchmarks.origins, "ring", "ring-dist 1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-fake")
    Path("ring.jsonl").write_text('{"id": "1"}\n{"id": "2"}\n')
    with LoopbackServer(lambda request: f"I am {request.model}.") as server:
        monkeypatch.setattr(Ring, "server", server, raising=False)
        where = ("--base-url", server.base_url, "--role-base-url", f"opponents={server.base_url}")
        yield invoke, ["ring", "--dataset", "ring.jsonl", "--model", "openai/m", *where]


def sent() -> Counter[str]:
    """How often each model was asked."""
    return Counter(request.model for request in Ring.server.requests)  # type: ignore[attr-defined]


def test_one_player_plays_all_of_them(ring: tuple[Bench, list[str]]) -> None:
    """Six calls an item, under three parties; the same request of each is its own."""
    bench, words = ring
    plan = bench("run", *words, "--role", "opponents=openai/a", "--dry-run")
    assert "at most 4 calls each to openai/a" in plan.err + plan.out
    assert "as opponents 1–3" in plan.err + plan.out
    done = bench("run", *words, "--role", "opponents=openai/a", "--json")
    document = done.json
    assert document["status"] == "complete"
    assert sent() == {"a": 12, "m": 2}
    assert document["calls"]["roles"] == {f"opponents_{n}": 4 for n in (1, 2, 3)}
    assert {who["model"] for who in document["roles"].values()} == {"openai/a"}
    assert "opponents 1–3 played by openai/a" in document["comparability"]
    again = bench("run", *words, "--role", "opponents=openai/a", "--json").json
    assert (again["run_id"], sent()) == (document["run_id"], {"a": 12, "m": 2})


def test_several_play_in_turn_and_one_by_name(ring: tuple[Bench, list[str]]) -> None:
    """The first one again after the last; who is named for a seat has it. Another run each."""
    bench, words = ring
    two = ("--role", "opponents=openai/a", "--role", "opponents=openai/b")
    document = bench("run", *words, *two, "--json").json
    assert [who["model"][-1] for who in document["roles"].values()] == ["a", "b", "a"]
    assert "opponents 1, 3 played by openai/a" in document["comparability"]
    named = bench("run", *words, *two, "--role", "opponents_3=openai/c", "--json").json
    assert [who["model"][-1] for who in named["roles"].values()] == ["a", "b", "c"]
    assert named["run_id"] != document["run_id"]
    which = ("--role", "opponents_3=openai/c", "--role", "opponents_1=openai/a")
    board = bench("leaderboard", "ring", "--dataset", "custom", *which, "--json")
    assert board.code == 0, board.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "ring needs the role opponents: Play against the model. Name who plays it, such as "
             "--role opponents=openai/gpt-4.1"),
        (("--role", "opponents_4=openai/a"), "--role opponents_4: there is no such role; ring has "
             "opponents (opponents_1 to opponents_3)"),
        (("--role", "opponents=openai/a") * 4, "--role opponents names 4 players, and there are 3"),
        (("--role", "opponents_1=openai/a") * 2, "--role opponents_1 is given twice"),
        (("--role", "opponents_1=openai/a"), "the role opponents_2 has no player"),
    ],
)  # fmt: skip
def test_players_that_do_not_fit_are_refused(
    ring: tuple[Bench, list[str]], words: tuple[str, ...], message: str
) -> None:
    """Before anything is sent."""
    bench, options = ring
    options = options if words else options[:-2]
    done = bench("run", *options, *words)
    assert (done.code, not sent()) == (2, True)
    assert message in " ".join(done.err.split())


def test_python_and_the_file_name_them_alike(ring: tuple[Bench, list[str]]) -> None:
    """A list of players, and a table of the group in bench.toml."""
    bench, words = ring
    server = words[words.index("--base-url") + 1]
    result = run(
        "ring", model="openai/m", base_url=server, dataset="ring.jsonl",
        roles={"opponents": ["openai/a", "openai/b"]}, role_base_url={"opponents": server},
    )  # fmt: skip
    assert result.document["roles"]["opponents_2"]["model"] == "openai/b"
    Path("bench.toml").write_text(f'[roles.opponents]\nmodel = "openai/f"\nbase_url = "{server}"\n')
    document = bench("run", *words[:-2], "--json").json
    assert {who["model"] for who in document["roles"].values()} == {"openai/f"}


def test_a_group_has_settings_and_a_member_its_own(ring: tuple[Bench, list[str]]) -> None:
    """What is set of a member goes before its group's, and that before what is set of all."""
    bench, words = ring
    sets = ("seed=1", "opponents:seed=2", "opponents:top_p=0.5", "opponents_2:seed=3")
    given = (word for text in sets for word in ("--role-set", text))
    done = bench("run", *words, "--role", "opponents=openai/a", *given, "--json")
    assert done.code == 0, done.err
    asked = [r.body for r in Ring.server.requests if r.model == "a"]  # type: ignore[attr-defined]
    assert {body["top_p"] for body in asked} == {0.5}
    assert Counter(body["seed"] for body in asked) == {2: 8, 3: 4}


def test_demo_players_have_the_name_of_their_group(ring: tuple[Bench, list[str]]) -> None:
    """Each knows which one it is."""
    bench, _ = ring
    done = bench("run", "ring", "--dataset", "ring.jsonl", "--model", "demo/medium", "--json")
    assert {who["model"] for who in done.json["roles"].values()} == {"demo/opponents"}
    assert "--role opponents=openai/NAME --dataset ring.jsonl" in done.err
    said = " ".join(f"opponents_{n}" for n in (1, 2, 3, 1, 2, 3))
    assert done.json["metrics"]["length"]["value"] == len(said)


def test_info_names_them_together(
    ring: tuple[Bench, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the calls to each in a full run, and in the lists of parties by the group's name."""
    bench, _ = ring
    files = [{"name": "rows", "path": "ring.jsonl"}]
    packs = {"bundled": {"title": "two", "licence": "CC0-1.0", "files": files}}
    Path("manifest.json").write_text(json.dumps({"packs": packs}))
    monkeypatch.setattr(Ring, "data", Path.cwd())
    out = bench("info", "ring").out
    assert "calls: model 2, opponents 1–3 4 each\n" in out
    assert "\n  role opponents 1–3: Play against the model. Sampling" in out
    facts = bench("info", "ring", "--json").json
    assert facts["parties"] == ["model", "opponents"]
    assert facts["full_run"]["calls"] == {"model": 2} | {f"opponents_{n}": 4 for n in (1, 2, 3)}


async def test_a_script_has_members_by_number() -> None:
    """For an author's tests."""
    three = {f"opponents_{n}": ScriptedModel(*f"{n}{n}") for n in (1, 2, 3)}
    model = ScriptedModel("Well.", roles=three)
    await Ring().generate(Item("1"), model, {})
    assert model.requests[0].messages[0].content == "1 2 3 1 2 3"


def test_members_of_one_player_are_named_together() -> None:
    """Others are left as they are."""
    players = {"user": "a", "user_2": "a", "x_1": "a", "x_2": "b", "x_3": "a", "x_4": "a"}
    assert by_player(players) == {
        "user": "a", "user_2": "a", "x 1, 3, 4": "a", "x_2": "b",
    }  # fmt: skip
    assert json.dumps([*by_player({"x_2": "a", "x_3": "a"})]) == '["x 2\\u20133"]'
