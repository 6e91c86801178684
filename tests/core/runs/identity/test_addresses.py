"""Servers at another address, and servers that have another model than before."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eibench import JsonObject
from eibench.core.errors import UsageError
from eibench.core.journal import Journal
from eibench.core.parties.party import Party
from eibench.core.parties.providers import ModelSpec
from eibench.core.sample.progress import TRIAL_QUESTION
from eibench.core.settings.run_config import Endpoint
from eibench.testing import LoopbackServer
from tests.core.conftest import Lab
from tests.core.runs.identity.conftest import Duel, answer, duel_pack

Serve = Callable[..., LoopbackServer]
MODELS: list[JsonObject] = [{"id": "m", "root": f"/models/{name}", "created": 1} for name in "ab"]
A, B = MODELS


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts servers that say the same to the same."""
    with ExitStack() as stack:

        def start(*models: Mapping[str, Any], **more: Any) -> LoopbackServer:
            return stack.enter_context(LoopbackServer(answer, models=models, **more))

        yield start


@pytest.fixture
def desk(tmp_path: Path) -> Lab:
    """A lab for duels, with no server yet."""
    return Lab(tmp_path / "runs", "", Duel(), duel_pack())


def at(server: LoopbackServer, name: str = "m", endpoint: str | None = None) -> Endpoint:
    """A model at a server."""
    return Endpoint(ModelSpec("openai", name), server.base_url, name=endpoint)


def asked(server: LoopbackServer, model: str) -> int:
    """How many answers a server gave as a model, but for the judge's trial."""
    return sum(r.body["model"] == model and r.prompt != TRIAL_QUESTION for r in server.answered)


async def test_a_server_on_another_port_is_asked_only_what_is_missing(
    desk: Lab, serve: Serve
) -> None:
    """The unfinished run goes on there and says so; who is asked is the same, wherever."""
    old, judge, new = serve(A), serve(), serve(A)
    first = await desk.run(model=at(old), judge=at(judge, "j"), limit=1)
    whole = await desk.run(model=at(new), judge=at(judge, "j"))
    assert (whole["run_id"], whole["status"]) == (first["run_id"], "complete")
    assert (asked(old, "m"), asked(new, "m"), asked(judge, "j")) == (1, 2, 3)
    assert desk.said == [f"openai/m was asked at {old.base_url} before, now at {new.base_url}"]
    assert whole["endpoint"] == first["endpoint"] == "local"
    with Journal(desk.runs_dir) as journal:
        (run,) = journal.runs()
        calls = [c for c in journal.calls(run) if c.key.phase == "generate"]
        (model, _) = journal.asked(run)
    assert {c.asked for c in calls} == {Party.of("openai/m", "local")}
    assert [c.address for c in calls] == [s.base_url for s in (old, new, new)]
    assert model.addresses == (old.base_url, new.base_url)


async def test_a_server_that_is_back_is_told_too(desk: Lab, serve: Serve) -> None:
    """Each command that asks elsewhere than the one before says so; one at the same place not."""
    one, two, judge = serve(A), serve(A), at(serve(), "j")
    for limit, server in enumerate((one, two, one, one), 1):
        await desk.run(model=at(server), judge=judge, limit=min(limit, 3))
    told = [line for line in desk.said if "before" in line]
    assert told == [
        f"openai/m was asked at {one.base_url} before, now at {two.base_url}",
        f"openai/m was asked at {two.base_url} before, now at {one.base_url}",
    ]


async def test_a_finished_run_names_the_server_that_it_is_from(desk: Lab, serve: Serve) -> None:
    """Nothing is asked at the new address; --fresh asks there, and is what both mean from then."""
    judge, new = serve(), serve(B)
    plain = {"judge": at(judge, "j")}
    no_list = serve()
    first = await desk.run(model=at(no_list), **plain)
    again = await desk.run(model=at(new), **plain)
    assert again["run_id"] == first["run_id"]
    assert desk.said == [f"result from {no_list.base_url}; --fresh asks {new.base_url}"]
    fresh = await desk.run(model=at(new), **plain, fresh=True)
    assert (fresh["run_id"] != first["run_id"], asked(new, "m")) == (True, 3)
    assert (await desk.run(model=at(new), **plain))["run_id"] == fresh["run_id"]
    assert (await desk.run(model=at(no_list), **plain))["run_id"] == fresh["run_id"]
    assert desk.said[-1] == f"result from {new.base_url}; --fresh asks {no_list.base_url}"


@pytest.mark.parametrize("elsewhere", [False, True], ids=["old address", "new address"])
@pytest.mark.parametrize("limit", [1, None], ids=["unfinished", "finished"])
async def test_another_model_is_refused(
    desk: Lab, serve: Serve, elsewhere: bool, limit: int | None
) -> None:
    """Its server says itself that it is another one; with --name it gets a run of its own."""
    models = [A]
    server = serve(*models)
    server._models = models
    other = serve(B) if elsewhere else server
    first = await desk.run(model=at(server), judge=at(serve(), "j"), limit=limit)
    models[:] = [B]
    heard = len(server.requests)
    with pytest.raises(
        UsageError, match=r"root '/models/b', not '/models/a'.*--name NAME"
    ) as message:
        await desk.run(model=at(other), judge=at(serve(), "j"))
    assert message.value.exit_code == 2
    assert len(server.requests) + len(other.requests) * elsewhere == heard
    named = await desk.run(model=at(other), judge=at(serve(), "j"), name="b")
    assert named["run_id"] != first["run_id"]


@pytest.mark.parametrize(
    ("then", "now", "refused"),
    [
        ([{"id": "m", "meta": {"size": 1}}], [{"id": "m", "meta": {"size": 2}}], True),
        ([{"id": "m", "meta": {"size": 1}}], [{"id": "m", "meta": {"size": 1, "new": 2}}], False),
        ([{"id": "old.gguf"}], [{"id": "new.gguf"}], True),
        ([{"id": "x"}, {"id": "m", "root": "r"}], [{"id": "m", "root": "r"}, {"id": "y"}], False),
        ([{"id": "m", "root": "r"}], [{"id": "m"}], False),
        ([{"id": "m", "root": "r"}], [], False),
        ([{"id": "x"}, {"id": "y"}], [{"id": "m", "root": "s"}], False),
        ([{"id": "m", "created": 1, "owned_by": "a"}], [{"id": "m", "created": 2}], False),
        ([{"id": 5}, "m", None], [{"id": "m", "root": ["odd"]}], False),
    ],
)
async def test_what_tells_two_models_apart(
    desk: Lab,
    serve: Serve,
    then: Sequence[Any],
    now: Sequence[Any],
    refused: bool,
) -> None:
    """Only what both lists say of this model and what cannot change of itself."""
    judge = at(serve(), "j")
    await desk.run(model=at(serve(*then)), judge=judge, limit=1)
    if refused:
        with pytest.raises(UsageError, match="has another model"):
            await desk.run(model=at(serve(*now)), judge=judge)
    else:
        assert (await desk.run(model=at(serve(*now)), judge=judge))["status"] == "complete"


async def test_a_list_that_cannot_be_had_fails_nothing(desk: Lab, serve: Serve) -> None:
    """A server that has gone is not checked, and a finished result needs none."""
    gone = serve(B)
    await desk.run(model=at(serve(A)), judge=at(serve(), "j"))
    gone.close()
    document = await desk.run(model=at(gone), judge=at(serve(), "j"))
    assert document["status"] == "complete"


async def test_a_name_in_bench_toml_goes_with_the_server(desk: Lab, serve: Serve) -> None:
    """Its endpoint is the same at another host, and not that of another name at the old one."""
    one, two, judge = serve(A), serve(A), at(serve(), "j")
    first = await desk.run(model=at(one, endpoint="gpu"), judge=judge, limit=1)
    again = await desk.run(model=at(two, endpoint="gpu"), judge=judge, limit=2)
    other = await desk.run(model=at(one, endpoint="spare"), judge=judge, limit=1)
    plain = await desk.run(model=at(two), judge=judge, limit=2)
    assert again["run_id"] == first["run_id"] != other["run_id"]
    assert again["endpoint"] == "gpu"
    assert plain["run_id"] not in (first["run_id"], other["run_id"])
    assert (asked(one, "m"), asked(two, "m")) == (2, 3)


async def test_a_server_that_is_named_later_is_another_one(desk: Lab, serve: Serve) -> None:
    """The run that has the name is another one, and says so once."""
    server, judge = serve(A), at(serve(), "j")
    first = await desk.run(model=at(server), judge=judge, limit=1)
    for _ in range(2):
        named = await desk.run(model=at(server, endpoint="gpu"), judge=judge, limit=1)
        assert named["run_id"] != first["run_id"]
    assert [line for line in desk.said if "names its server" in line] == [
        "warning: openai/m at gpu, as bench.toml names its server now, is another than "
        "openai/m at local, and is asked anew"
    ]


async def test_a_judge_at_another_address_is_the_same_judge(desk: Lab, serve: Serve) -> None:
    """Nothing is judged twice, in this run or in another one's."""
    model, old, new = at(serve(A)), serve(B), serve(B)
    await desk.run(model=model, judge=at(old, "j"), limit=2)
    whole = await desk.run(model=model, judge=at(new, "j"))
    assert (asked(old, "j"), asked(new, "j")) == (2, 1)
    assert desk.said == [f"openai/j was asked at {old.base_url} before, now at {new.base_url}"]
    assert whole["judge_endpoint"] == "local"
    other = await desk.run(model=at(serve(A), "n"), judge=at(new, "j"))
    assert other["comparisons"] == {
        "total": 6, "read": 6, "unread": 0, "planned": 0, "opponents": ["openai/m"]
    }  # fmt: skip
    again = await desk.run(model=model, judge=at(serve(B), "j"))
    assert [row["comparisons"] for row in again["ratings"]] == [6, 6]
    with Journal(desk.runs_dir) as journal:
        assert len({row.pool for row in journal.comparisons()}) == 1


async def test_another_judge_behind_the_name_is_refused(desk: Lab, serve: Serve) -> None:
    """Also where the model has no run yet; a name in bench.toml makes it another judge."""
    await desk.run(model=at(serve(A)), judge=at(serve(A), "j"), limit=1)
    with pytest.raises(UsageError, match=r"\[endpoints.NAME\], and --judge-base-url NAME"):
        await desk.run(model=at(serve(A), "n"), judge=at(serve(B), "j"), limit=1)
    with Journal(desk.runs_dir) as journal:
        assert len(journal.runs()) == 1
    named = await desk.run(model=at(serve(A), "n"), judge=at(serve(B), "j", "b"), limit=1)
    assert named["status"] == "complete"


async def test_options_in_another_order_are_the_same_run(desk: Lab, serve: Serve) -> None:
    """An identity is what was asked for, not in which order."""
    server = serve(A)
    ids = set()
    for options in ({"tone": "x", "reader": "y"}, {"reader": "y", "tone": "x"}):
        session = desk.session(model=at(server), judge=at(server, "j"))
        session.task = replace(session.task, config=replace(session.task.config, options=options))
        ids.add((await session.run())["run_id"])
    assert len(ids) == 1


async def test_an_older_run_gets_the_entry_when_it_goes_on(desk: Lab, serve: Serve) -> None:
    """Not when it is only printed, as nobody knows whether it is from that model."""
    judge = at(serve(), "j")
    await desk.run(model=at(serve()), judge=judge, limit=1)
    await desk.run(model=at(serve(A)), judge=judge, limit=1)
    assert entries(desk) == [None, None]
    await desk.run(model=at(serve(A)), judge=judge)
    assert entries(desk) == [{"id": "m", "root": "/models/a"}, None]


def entries(desk: Lab) -> list[Any]:
    """What servers have said of the model and of the judge."""
    with Journal(desk.runs_dir) as journal:
        return [a.entry for a in journal.asked()]


async def test_a_list_that_says_the_key_is_kept_without_it(desk: Lab, serve: Serve) -> None:
    """A server may say anything; no key of ours gets into the journal."""
    model = at(serve({"id": "m", "root": "given sk-fake-7-of-mine"}))
    await desk.run(model=replace(model, headers={"X": "sk-fake-7-of-mine"}), judge=at(serve(), "j"))
    with closing(sqlite3.connect(desk.runs_dir / "bench.sqlite")) as database:
        kept = "\n".join(database.iterdump())
    assert "given" in kept
    assert "sk-fake-7" not in kept


def test_the_command_finds_a_named_endpoint_at_its_new_address(
    invoke: Callable[..., Any], empty_place: Path, serve: Serve
) -> None:
    """As bench.toml says it, from one command to the next."""
    run = ("run", "eqbench-v1", "--dataset", "bundled", "--model", "openai/m", "--json")

    def command(server: LoopbackServer, *more: object) -> Any:
        toml = f'[endpoints.gpu]\nbase_url = "{server.base_url}"\n'
        (empty_place / "bench.toml").write_text(toml)
        return invoke(*run, "--base-url", "gpu", *more)

    one, two = serve(A), serve(A)
    first = command(one, "--items", "1")
    again = command(two, "--items", "1")
    assert again.json["run_id"] == first.json["run_id"]
    assert "result from http://127.0.0.1" in again.err
    assert not two.answered
    refused = command(serve(B), "--items", "1")
    assert (refused.code, "--name" in refused.err, refused.err.count("\n") <= 2) == (2, True, True)
