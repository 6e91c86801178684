"""Settings of roles, and fields of a pack that are not sent to a model."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import eibench
from eibench.testing import LoopbackServer, ReceivedRequest, uniform_ratings

Bench = Callable[..., Any]


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    """A model that rates anything, and plays any role."""
    ratings = uniform_ratings(3)

    def respond(request: ReceivedRequest) -> Any:
        return "I hear you. [AGREED]" if request.model == "other" else ratings(request)

    with LoopbackServer(respond) as started:
        yield started


def ask(bench: Bench, server: LoopbackServer, *more: object) -> Any:
    """A run of two questions."""
    model = ("--model", "openai/m", "--base-url", server.base_url)
    return bench("run", "eqbench-v1", *model, "--limit", "2", *more, "--json")


@pytest.mark.parametrize("name", ["temperature", "max-tokens"])
def test_a_field_of_the_pack_is_unset(bench: Bench, server: LoopbackServer, name: str) -> None:
    """It is not sent, makes another run, and the line says so; graded again, it still does."""
    usual = ask(bench, server).json
    server.requests.clear()
    done = ask(bench, server, f"--{name}", "none")
    field = name.replace("-", "_")
    assert done.code == 0, done.err
    assert server.requests and not any(field in request.body for request in server.requests)
    assert done.json["run_id"] != usual["run_id"]
    assert field not in done.json["sampling"] and field in usual["sampling"]
    again = bench("rescore", done.json["run_id"], "--json").json
    if field == "temperature":
        assert "changed: temperature=none" in done.json["comparability"]
        assert "changed: temperature=none" in again["comparability"]
    assert again["metrics"] == done.json["metrics"] and again["sampling"] == done.json["sampling"]


def test_what_the_pack_does_not_send_is_the_same_run(bench: Bench, server: LoopbackServer) -> None:
    """Nothing is changed by leaving out what is not there."""
    usual = ask(bench, server).json
    n = len(server.requests)
    same = ask(bench, server, "--top-p", "none", "--min-p", "none", "--reasoning-effort", "unset")
    assert same.json["run_id"] == usual["run_id"] and len(server.requests) == n


def test_python_and_the_file_say_none_too(bench: Bench, server: LoopbackServer) -> None:
    """All mean the run of the command line; a table of an endpoint does so for who is asked."""
    run_id = ask(bench, server, "--temperature", "none").json["run_id"]
    result = eibench.run("eqbench-v1", model="openai/m", base_url=server.base_url, limit=2,
                         temperature="none")  # fmt: skip
    assert result.run_id == run_id
    Path("bench.toml").write_text('[run]\ntemperature = "none"\n')
    assert ask(bench, server).json["run_id"] == run_id
    table = f'[endpoints.small]\nbase_url = "{server.base_url}"\ntemperature = "none"\n'
    Path("bench.toml").write_text(table)
    model = ("--model", "openai/m", "--base-url", "small", "--limit", "2")
    filed = bench("run", "eqbench-v1", *model, "--json")
    assert "temperature" not in filed.json["sampling"], filed.err
    given = bench("run", "eqbench-v1", *model, "--temperature", "0.4", "--json").json
    assert given["sampling"]["temperature"] == 0.4


TALK = ("run", "mediation-live", "--limit", "1", "--exchanges", "2", "--json")


def roles_of(document: Any) -> Any:
    """How the roles of a run were drawn."""
    with eibench.runs("runs") as runs:
        (run,) = [run for run in runs if run.id == document["run_id"]]
        return run.settings["roles"]


def test_a_role_has_settings(bench: Bench) -> None:
    """They are part of the run; what is set of it goes before what is set of all roles."""
    usual = bench(*TALK).json
    sets = ("temperature=none", "top_p=0.9", "disputants:top_p=0.5")
    done = bench(*TALK, *(word for text in sets for word in ("--role-set", text)))
    assert done.code == 0, done.err
    assert done.json["run_id"] != usual["run_id"]
    sampling = roles_of(done.json)["disputants"]["sampling"]
    assert sampling["top_p"] == 0.5 and "temperature" not in sampling
    assert "disputants temperature=none" in done.json["comparability"]
    assert "disputants top_p=0.5" in done.json["comparability"]
    again = bench("rescore", done.json["run_id"], "--json")
    assert again.code == 0 and again.json["metrics"] == done.json["metrics"], again.err


def test_a_role_without_a_system_message(bench: Bench, server: LoopbackServer) -> None:
    """Its requests have none; it is another run, found again by the same command."""
    url = server.base_url
    players = ("--role", "disputants=openai/other", "--role-base-url", f"disputants={url}",
               "--model", "openai/m", "--base-url", url, "--judge", "openai/m",
               "--judge-base-url", url)  # fmt: skip

    def roles(*more: str) -> list[set[str]]:
        """The roles of the messages of what the players are sent."""
        server.requests.clear()
        bench(*TALK, *players, *more)
        asked = [r for r in server.requests if r.model == "other"]
        return [{message["role"] for message in r.messages} for r in asked]

    assert any("system" in each for each in roles())
    off = roles("--role-set", "system=off", "--role-set", "disputants:max_tokens=50")
    assert off and not any("system" in each for each in off)
    assert not roles("--role-set", "system=off", "--role-set", "disputants:max_tokens=50")


def test_a_role_that_is_none_is_told(bench: Bench) -> None:
    """With those that there are; a benchmark without roles takes no setting of one."""
    done = bench(*TALK, "--role-set", "nobody:temperature=1")
    assert done.code == 2 and "there is no such role here" in json.dumps(done.json)
    done = bench("run", "eqbench-v1", "--role-set", "temperature=1")
    assert done.code == 2 and "eqbench-v1 has no roles" in done.err
    done = bench("run", "eqbench-v1", "--judge-set", "temperature=1")
    assert done.code == 2 and "eqbench-v1 asks no judge" in done.err


# Names


def test_a_model_without_provider_at_an_address(bench: Bench) -> None:
    """The message writes the spec that is meant."""
    done = bench("run", "eqbench-v1", "--model", "base", "--base-url", "http://127.0.0.1:9/v1")
    assert done.code == 2 and "such as openai/base" in done.err
    done = bench("run", "eqbench-v1", "--model", "base")
    assert "such as openai/gpt-4.1" in done.err


def test_a_model_s_own_name_with_a_slash_at_an_address(bench: Bench) -> None:
    """Its first part is no provider, so openai/ is missing before it."""
    at = ("--base-url", "http://127.0.0.1:9/v1")
    done = bench("run", "eqbench-v1", "--model", "Qwen/Qwen3-8B", *at)
    assert done.code == 2 and "openai/Qwen/Qwen3-8B" in done.err


def test_a_name_that_is_as_near_to_several_names_them(bench: Bench) -> None:
    """Not only one of them, which may be the wrong one."""
    done = bench("run", "eqbench-v")
    assert done.code == 2 and "did you mean 'eqbench-v1' or 'eqbench-v2'?" in done.err
