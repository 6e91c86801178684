"""Roles: parties that a benchmark asks beside the model and the judge."""

import asyncio
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from eibench import (
    ChatRequest,
    Item,
    Message,
    Model,
    Options,
    Pack,
    PackSource,
    Role,
    Sampling,
    Score,
    UsageError,
    read_rows,
    run_async,
)
from eibench.core.journal import Journal
from eibench.core.parties.providers import ModelSpec
from eibench.core.run.plan import make_plan
from eibench.core.run.rescore import regrade
from eibench.core.runs.stored_run import StoredRun
from eibench.core.settings.run_config import Endpoint, identity
from eibench.testing import LoopbackServer, ReceivedRequest, ScriptedModel
from tests.core.conftest import Lab, Talk, make_pack

TURNS = 3


class Visit(Talk):
    """A visitor speaks, the model replies; the visitor leaves when it says so."""

    name = "visit"
    roles = (Role("visitor", "Plays who comes.", Sampling(temperature=0.9)),)

    def planned_calls(self, item: Item, options: Options) -> dict[str, int]:
        """At most three exchanges."""
        return {"model": TURNS, "visitor": TURNS, "judge": 1}

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """An item a line."""
        (path,) = source.files.values()
        rows = read_rows(path, {"id": str})
        return Pack(source, [Item(str(row["id"])) for row in rows], "beside nothing")

    async def generate(self, item: Item, model: Model, options: Options) -> list[str]:
        """What the model said."""
        visitor, said = model.role("visitor"), list[str]()
        for turn in range(TURNS):
            words = json.loads((await visitor.chat(f"{item.id}: turn {turn}, {said}")).text)
            if words["leaves"]:
                break
            said.append((await model.chat([Message("user", words["says"])])).text)
        return said

    async def grade(
        self, item: Item, transcript: list[str], judge: Model | None, options: Options
    ) -> Score:
        """How many replies, and what the judge says of them."""
        assert judge is not None
        verdict = await judge.chat(f"judge {item.id} {transcript}")
        return Score({"replies": float(len(transcript)), "verdict": float(verdict.text)})

    def demo_reply(self, item: Item, request: ChatRequest, ability: float, rng: Random) -> str:
        """Anything."""
        return "I see."

    def demo_verdict(self, item: Item, request: ChatRequest, rng: Random) -> str:
        """Always the same."""
        return "1"

    def demo_role(self, role: str, item: Item, request: ChatRequest, rng: Random) -> str:
        """Leaves after two turns."""
        leaves = "turn 2" in request.messages[-1].content
        return json.dumps({"says": f"{role} speaks", "leaves": leaves})


def plays(request: ReceivedRequest) -> str:
    """The visitor of item 1 leaves at once, the others never; the judge counts letters."""
    if request.model in ("visitor", "guest"):
        return json.dumps({"says": f"hello {request.n}", "leaves": request.prompt[0] == "1"})
    return str(len(request.prompt)) if request.model == "judge" else "I hear you."


@pytest.fixture
def visits(tmp_path: Path) -> Any:
    """A lab of visits, whose server plays all parties."""
    with LoopbackServer(plays) as server:
        lab = Lab(tmp_path / "runs", server.base_url, Visit(), make_pack(3))
        lab.server = server  # type: ignore[attr-defined]
        yield lab


def players(lab: Lab, name: str = "visitor") -> dict[str, Any]:
    """The changes that give the role a player."""
    return {"roles": {"visitor": lab.endpoint(name)}}


async def test_each_party_is_asked_with_its_own_sampling(visits: Lab) -> None:
    """The visitor with the role's, the model with the run's."""
    document = await visits.run(**players(visits))
    sent = {(r.model, r.body["temperature"]) for r in visits.server.requests}  # type: ignore[attr-defined]
    assert {("visitor", 0.9), ("model", 0.5), ("judge", 0.0)} == sent
    assert document["status"] == "complete"


async def test_the_result_names_who_played_and_counts_their_calls(visits: Lab) -> None:
    """One turn of item 1, three of each other."""
    document = await visits.run(**players(visits))
    assert document["roles"] == {"visitor": {"model": "openai/visitor", "endpoint": "local"}}
    assert document["calls"]["roles"] == {"visitor": 7}
    assert document["calls"]["model"] == 6
    assert "visitor played by openai/visitor at local" in document["comparability"]


async def test_a_second_run_asks_nobody(visits: Lab) -> None:
    """The visitor's words come from the journal like all others."""
    first = await visits.run(**players(visits))
    asked = len(visits.server.requests)  # type: ignore[attr-defined]
    again = await visits.run(**players(visits))
    assert len(visits.server.requests) == asked  # type: ignore[attr-defined]
    assert again["metrics"] == first["metrics"]


async def test_another_player_is_another_run(visits: Lab) -> None:
    """Who plays is part of a run's identity."""
    one, two = [await visits.run(**players(visits, name)) for name in ("visitor", "guest")]
    assert one["run_id"] != two["run_id"]


@pytest.mark.parametrize("sets", [{"max_tokens": 77}, {"visitor": {"max_tokens": 77}}])
async def test_room_for_a_role_s_replies(
    visits: Lab, tmp_path: Path, sets: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The role's calls alone are sent it; it makes another run, and the line says so."""
    server: LoopbackServer = visits.server  # type: ignore[attr-defined]
    monkeypatch.setenv("OPENAI_API_KEY", "sk-fake")
    given: dict[str, Any] = {
        "model": "openai/model", "base_url": server.base_url, "judge": "openai/judge",
        "judge_base_url": server.base_url, "roles": {"visitor": "openai/visitor"},
        "role_base_url": {"visitor": server.base_url}, "dataset": _items(tmp_path),
        "runs_dir": visits.runs_dir,
    }  # fmt: skip
    usual = await run_async(Visit(), **given)
    server.requests.clear()
    result = await run_async(Visit(), **given, role_set=sets)
    rooms = {(r.model, r.body.get("max_tokens")) for r in server.requests}
    assert ("visitor", 77) in rooms and not {("model", 77), ("judge", 77)} & rooms
    assert result.document["run_id"] != usual.document["run_id"]
    assert "changed: visitor max_tokens=77" in result.document["comparability"]


async def test_a_run_without_roles_is_what_it_was(lab: Lab) -> None:
    """Its identity says nothing of roles."""
    assert "roles" not in identity(lab.session().task.config, lab.pack)


async def test_a_player_that_moved_is_found_again(visits: Lab) -> None:
    """At another port of this machine; nothing is asked."""
    first = await visits.run(**players(visits))
    with LoopbackServer(plays) as elsewhere:
        moved = Endpoint(ModelSpec("openai", "visitor"), elsewhere.base_url)
        again = await visits.run(roles={"visitor": moved})
        assert not [r for r in elsewhere.requests if r.model]
    assert again["run_id"] == first["run_id"]


async def test_a_transcript_is_read_from_the_journal_alone(visits: Lab) -> None:
    """Grading anew gets the visitor's words too."""
    first = await visits.run(**players(visits))
    with Journal(visits.runs_dir) as journal:
        (run,) = journal.runs()
        config = visits.session(**players(visits)).task.config
        about = (StoredRun(journal, run), config, visits.pack)
        regraded = await regrade(*about)
    assert regraded.document["metrics"] == first["metrics"]


async def test_the_plan_has_a_line_for_each_role(visits: Lab) -> None:
    """At most three calls an item, and nothing once they are made."""
    session = visits.session(**players(visits))
    about = (session.task, session)
    planned = await asyncio.to_thread(make_plan, *about)
    assert {p.phase: p.calls for p in planned.parties} == {
        "generate": 9, "role:visitor": 9, "judge": 3,
    }  # fmt: skip
    await visits.run(**players(visits))
    planned = await asyncio.to_thread(make_plan, *about)
    assert not any(p.calls for p in planned.parties)


async def test_a_role_that_is_not_declared_is_the_benchmark_s_mistake(visits: Lab) -> None:
    """The sample fails with the roles that there are."""

    class Wrong(Visit):
        async def generate(self, item: Item, model: Model, options: Options) -> list[str]:
            return [(await model.role("guest").chat("hello")).text]

    visits.benchmark = Wrong()
    document = await visits.run(**players(visits))
    assert "there is no role 'guest' here; there are: visitor" in document["failed"][0]["reason"]


async def test_demo_models_play_with_demo_players(visits: Lab, tmp_path: Path) -> None:
    """No role is named, and nothing is asked of any server."""
    result = await run_async(Visit(), dataset=_items(tmp_path), runs_dir=tmp_path / "demo")
    assert result.document["roles"]["visitor"]["model"] == "demo/visitor"
    assert result.document["calls"]["roles"] == {"visitor": 9}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"model": "openai/x"}, "visit needs the role visitor: Plays who comes. Name who plays it"),
        ({"roles": {"guest": "openai/x"}}, "roles guest: there is no such role; visit has visitor"),
        ({"role_set": {"guest": {"seed": 9}}}, "role_set guest:seed: there is no such role here"),
        ({"role_set": {"max_tokens": 0}}, "role_set max_tokens must be a whole number from 1 to"),
        ({"roles": {"visitor": "demo/guest"}}, "demo/guest does not play the role visitor"),
        (
            {"model": "openai/x", "roles": {"visitor": "demo/visitor"}, "judge": "openai/j"},
            "the demo visitor does not play with openai/x; name a real one with roles visitor=SPEC",
        ),
        (
            {"role_base_url": {"visitor": "http://127.0.0.1:1/v1"}},
            "the role visitor has no player; name one with roles visitor=SPEC",
        ),
    ],
)
async def test_players_that_cannot_be_are_refused(
    tmp_path: Path, given: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is sent, with what to do."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-fake")
    with pytest.raises(UsageError, match=message):
        await run_async(Visit(), dataset=_items(tmp_path), runs_dir=tmp_path / "no", **given)


async def test_a_script_has_roles_too() -> None:
    """For the tests of a benchmark's author."""
    visitor = ScriptedModel('{"says": "hello", "leaves": false}', '{"leaves": true}')
    model = ScriptedModel("welcome", roles={"visitor": visitor})
    said = await Visit().generate(Item("1"), model, {})
    assert said == ["welcome"]
    assert len(visitor.requests) == 2


def _items(folder: Path) -> Path:
    """A file with three items."""
    path = folder / "items.jsonl"
    path.write_text("\n".join(json.dumps({"id": str(n)}) for n in range(1, 4)))
    return path
