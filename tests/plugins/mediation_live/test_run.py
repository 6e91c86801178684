"""`bench run mediation-live`: the demo, three real parties, shams, and two players."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench import folder
from eibench.testing import LoopbackServer
from tests.plugins.mediation_live.conftest import (
    ABLE,
    BENCHMARK,
    FACTS,
    SHAMS,
    items_of,
    parties,
    plays,
)

Bench = Callable[..., Any]
BUNDLED = folder("mediation_live") / "bundled" / "disputes.toml"


def test_the_demo_runs_offline(bench: Bench) -> None:
    """Without a key, with numbers for all that it says."""
    done = bench("run", "mediation-live", "--limit", "2", "--json")
    assert done.code == 0, done.err
    document = done.json
    assert (document["status"], document["items"]["scored"]) == ("complete", 2)
    assert document["roles"] == {"disputants": {"model": "demo/disputants", "endpoint": None}}
    assert document["metrics"].keys() == {value.name for value in BENCHMARK.values}
    assert all(metric["value"] is not None for metric in document["metrics"].values())
    assert document["metrics"]["broken"]["value"] == 0


def test_the_abler_demo_model_is_the_better(bench: Bench) -> None:
    """In the score, and in what the two make of it."""
    models = ["demo/weak", "demo/medium", "demo/strong"]
    runs = [bench("run", "mediation-live", "--model", model, "--json").json for model in models]
    for name in ("rubric_score", "unlocked", "trust_first"):
        values = [run["metrics"][name]["value"] for run in runs]
        assert values == sorted(values) and len(set(values)) == 3, (name, values)


def test_the_result_and_the_plan_count_who_plays(bench: Bench) -> None:
    """Each party has its calls; the hint for a real model names all of them."""
    planned = bench("run", "mediation-live", "--limit", "1", "--exchanges", "2", "--dry-run").err
    assert "at most 2 calls to demo/medium" in planned
    assert "at most 4 calls to demo/disputants as disputants" in planned
    done = bench("run", "mediation-live", "--limit", "1", "--exchanges", "2")
    assert "calls      2 to the model, 4 to disputants, 1 to the judge" in done.out
    assert "--judge openai/NAME --role disputants=openai/NAME --exchanges 2" in done.err


def test_what_judging_noted_stands_beside_how_the_talk_went(bench: Bench) -> None:
    """The detail that `grade` gives takes nothing away of it."""
    run = bench("run", "mediation-live", "--limit", "1", "--json").json["run_id"]
    shown = bench("show", run, "hundred-and-forty-guests", "--json").json
    (row,) = shown["iterations"]
    assert row["score"]["detail"]["judge_replies"] == 1
    assert "ledger" in row["score"]["detail"]


def test_show_has_what_the_two_think(bench: Bench) -> None:
    """Their whole replies, under the role's name."""
    document = bench("run", "mediation-live", "--limit", "1", "--json").json
    shown = bench("show", document["run_id"], "hundred-and-forty-guests").out
    assert shown.count("demo/disputants (disputants)") == document["calls"]["roles"]["disputants"]
    assert "DEMO: trust" in shown
    assert "system: the same" not in shown


def test_info_names_the_role(bench: Bench) -> None:
    """With what it plays, and how its replies are drawn."""
    assert "  role disputants: Plays both people" in bench("info", "mediation-live").out
    (role,) = bench("info", "mediation-live", "--json").json["roles"]
    assert (role["name"], role["sampling"]["temperature"]) == ("disputants", 0.7)


def test_who_plays_may_be_given_less_room(bench: Bench) -> None:
    """By the file or by the option, which goes first; graded anew, its replies are found."""
    run = ("run", "mediation-live", "--limit", "2", "--exchanges", "2", "--json")
    usual = bench(*run).json
    filed = '[roles.disputants]\nmodel = "demo/disputants"\nmax_tokens = 900\n'
    Path("bench.toml").write_text(filed)
    less = bench(*run).json
    least = bench(*run, "--role-set", "disputants:max_tokens=600").json
    assert "disputants max_tokens=900" in less["comparability"]
    assert "disputants max_tokens=600" in least["comparability"]
    assert len({document["run_id"] for document in (usual, less, least)}) == 3
    again = bench("rescore", least["run_id"], "--json").json
    assert again["metrics"] == least["metrics"] and again["items"]["scored"] == 2


@pytest.mark.parametrize("n", ["0", "9"])
def test_a_talk_has_one_to_eight_exchanges(bench: Bench, n: str) -> None:
    """Others are refused before anything is asked."""
    done = bench("run", "mediation-live", "--exchanges", n)
    assert (done.code, "--exchanges" in done.err) == (2, True)


def test_a_real_model_needs_somebody_who_plays(bench: Bench, server: LoopbackServer) -> None:
    """With what to type."""
    given = [*parties(server)[:8], "--dry-run"]
    done = bench("run", "mediation-live", *given, env={"OPENAI_API_KEY": "sk-fake"})
    assert done.code == 2
    assert "disputants" in done.err and "--role" in done.err


def test_nothing_private_reaches_the_model_or_the_judge(
    bench: Bench, server: LoopbackServer, pack: Path
) -> None:
    """Of all that was sent to either in a whole run."""
    done = bench("run", "mediation-live", *parties(server), "--dataset", pack, "--json")
    assert done.code == 0, done.err
    private = ["Card of", "is sore", "wants the", "goes when", "thinks", "DEMO: trust"]
    private += [text for _, text, _ in FACTS.values()]
    heard = [json.dumps(r.body) for r in server.requests if r.model in (ABLE, "judge")]
    assert len(heard) > 4
    assert [word for word in private for text in heard if word in text] == []
    assert done.json["metrics"]["unlocked"]["value"] == 1


def test_a_run_goes_on_and_asks_for_nothing_twice(
    bench: Bench, server: LoopbackServer, pack: Path
) -> None:
    """The same command again gets all from the journal."""
    run = ["run", "mediation-live", *parties(server), "--dataset", pack, "--json"]
    first = bench(*run).json
    asked = len(server.requests)
    assert bench(*run).json["metrics"] == first["metrics"]
    assert len(server.requests) == asked


def test_two_players_give_two_boards(bench: Bench, server: LoopbackServer, pack: Path) -> None:
    """They never stand in one; the leaderboard says so, and how to choose."""
    run = ("run", "mediation-live", "--dataset", pack, "--json")
    one, other = (
        bench(*run, *parties(server, player=player)).json for player in ("disputants", "guest")
    )
    assert one["run_id"] != other["run_id"]
    assert "disputants played by openai/guest" in other["comparability"]
    board = bench("leaderboard", "mediation-live", "--json").json
    assert [row["run_id"] for row in board["rows"]] == [other["run_id"]]
    (old,) = board["others"]
    assert old["options"] == "--role 'disputants=openai/disputants at local'"
    choice = ("leaderboard", "mediation-live", "--role", "disputants=openai/guest")
    assert "disputants played by openai/guest" in " ".join(bench(*choice).out.split())
    assert [row["run_id"] for row in bench(*choice, "--json").json["rows"]] == [other["run_id"]]


def test_no_sham_is_above_an_able_model(bench: Bench) -> None:
    """Silent, parrot, flatterer, lecturer: in this order, all below one that asks and wonders."""
    items = items_of(BUNDLED)[:3]
    with LoopbackServer(plays(items)) as server:
        runs = {
            model: bench(
                "run", "mediation-live", *parties(server, model), "--limit", "3", "--json"
            ).json
            for model in (ABLE, *SHAMS)
        }
    values = {model: run["metrics"]["rubric_score"]["value"] for model, run in runs.items()}
    unlocked = {model: run["metrics"]["unlocked"]["value"] for model, run in runs.items()}
    trust = {model: run["metrics"]["trust_first"]["value"] for model, run in runs.items()}
    assert values[ABLE] > max(values["silent"], values["parrot"]) + 10
    assert min(values["silent"], values["parrot"]) > values["flatterer"] > values["lecturer"]
    assert max(trust[sham] for sham in SHAMS) < trust[ABLE]
    assert {model for model, share in unlocked.items() if share} == {ABLE}
    assert runs["lecturer"]["metrics"]["left"]["value"] == 1
