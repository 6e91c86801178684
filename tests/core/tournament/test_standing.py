"""Who is better than whom: ratings of models whose strength is known."""

import math
from collections.abc import Callable
from itertools import combinations, pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from eibench.core.plugins import installed

MODELS = [f"m{n}" for n in range(8)]


def order(document: dict[str, Any]) -> list[str]:
    """The models of a result, the best first."""
    return [row["model"].removeprefix("openai/") for row in document["ratings"]]


def kendall(found: list[str], planted: list[str]) -> float:
    """Kendall's tau of two orders without ties: (concordant - discordant) / pairs."""
    pairs = list(combinations(planted, 2))
    right = sum(found.index(a) < found.index(b) for a, b in pairs)
    return (2 * right - len(pairs)) / len(pairs)


def test_a_judge_of_strong_likings_does_not_hide_the_order(
    table: Any, make_pack: Callable[..., Path]
) -> None:
    """It likes who is first and who is long more than the next better model; tau >= 0.9."""
    table.world.abilities = {name: 0.8 * n for n, name in enumerate(MODELS)}
    table.world.position, table.world.length, table.world.noise = 1.5, 1.0, 1.0
    table.pack = make_pack(10, 10)
    began = list(MODELS)
    Random(3).shuffle(began)
    for model in began:
        done = table.run(model, more=("--orders", "one", "--no-rubric"))
        assert done.code == 0, done.err
    assert kendall(order(done.json), MODELS[::-1]) >= 0.9
    shown = table.bench("leaderboard", "eqbench3", "--json").json
    assert order({"ratings": shown["rows"]}) == order(done.json)


def test_the_first_model_alone_is_told_what_to_do_next(table: Any) -> None:
    """No rating, no error, and the command that makes one."""
    done = table.placed("m0")
    assert (done.json["status"], done.json["ratings"]) == ("complete", [])
    assert done.json["comparisons"] == {
        "total": 0, "read": 0, "unread": 0, "planned": 0, "opponents": [],
    }  # fmt: skip
    shown = table.bench("show", table.run_id("m0")).out
    assert "rating     none yet" in shown
    assert "bench run eqbench3 --model SPEC --judge openai/judge" in " ".join(shown.split())
    assert table.bought() == 0


def test_two_models_are_compared_on_everything_in_both_orders(table: Any) -> None:
    """Each with an interval, the better one first, and the document counts what was bought."""
    done = table.placed("m0", "m5")
    document = done.json
    assert order(document) == ["m5", "m0"]
    assert document["comparisons"] == {
        "total": 18, "read": 18, "unread": 0, "planned": 0, "opponents": ["openai/m0"],
    }  # fmt: skip
    assert document["calls"] == {"model": 9, "judge": 9 + 18, "replayed": 0, "retries": 0}
    assert all(row["ci95"] and row["comparisons"] == 18 for row in document["ratings"])
    assert document["notes"]["rating"]["engine"] == "glicko2"
    assert document["notes"]["rating"]["stopped"]["kind"] == "exhausted"
    assert table.bought() == 18
    assert set(table.compared().values()) == {1}


def test_a_model_that_wins_everything_has_a_finite_rating(table: Any) -> None:
    """By five pluses on every criterion of every item."""
    table.world.abilities |= {"m0": -40.0, "m1": 40.0}
    table.run("m0")
    rows = table.run("m1").json["ratings"]
    assert [row["model"] for row in rows] == ["openai/m1", "openai/m0"]
    assert all(math.isfinite(row["rating"]) and row["rd"] > 0 for row in rows)


def test_models_that_say_the_same_are_tied(table: Any) -> None:
    """Both orders are then one prompt, which is asked once and counts for either side alike."""
    base = ("run", "eqbench3", "--dataset", table.pack, "--json", "--model", "demo/medium")
    assert table.bench(*base, "--name", "one").code == 0
    done = table.bench(*base, "--name", "two")
    assert done.code == 0, done.err
    first, second = done.json["ratings"]
    assert first["rating"] == pytest.approx(second["rating"], abs=1e-6)
    assert first["tied_with"] == [second["model"]]
    assert done.json["comparisons"]["read"] == 18


def test_two_opponents_that_say_the_same_do_not_disturb_each_other(table: Any) -> None:
    """The judge is asked once for what is one question."""
    base = ("run", "eqbench3", "--dataset", table.pack, "--json", "--no-rubric")
    for name in ("one", "two"):
        assert table.bench(*base, "--model", "demo/medium", "--name", name).code == 0
    done = table.bench(*base, "--model", "demo/strong")
    assert done.code == 0, done.err
    assert done.json["comparisons"]["read"] == 3 * 18
    rows = {row["model"]: row for row in done.json["ratings"]}
    assert rows["one"]["rating"] == pytest.approx(rows["two"]["rating"], abs=1e-6)


def test_a_pool_in_two_parts_is_rated_in_parts(table: Any) -> None:
    """With a warning, and no error."""
    table.placed("m0")
    table.run("m1", more=("--opponents", "openai/m0"))
    table.run("m2", more=("--no-elo",))
    done = table.run("m3", more=("--opponents", "openai/m2"))
    assert done.code == 0
    assert len(done.json["ratings"]) == 4
    assert any("2 groups that no comparison connects" in t for t in done.json["warnings"])
    assert sorted(row["rank"] for row in done.json["ratings"]) == [1, 1, 2, 2]


def test_without_the_packs_anchors_the_scale_is_not_anchored(table: Any) -> None:
    """And the result says so."""
    done = table.placed("m0", "m1")
    assert done.json["notes"]["rating"]["anchors"] == []
    assert any("no anchors are given" in message for message in done.json["warnings"])
    shown = table.bench("show", done.json["run_id"]).out
    assert "not anchored" in shown


def test_the_packs_anchors_fix_the_scale(table: Any, make_pack: Callable[..., Path]) -> None:
    """By the last part of the spec, where both are there and far enough apart."""
    anchors = {"[profile]": '[[anchors]]\n"m7" = 1500\n"m0" = 200\n\n[profile]'}
    table.pack = make_pack(9, 9, prompts=anchors)
    for model in ("m0", "m4", "m7"):
        document = table.run(model).json
    ratings = {row["model"]: row["rating"] for row in document["ratings"]}
    assert (ratings["openai/m7"], ratings["openai/m0"]) == (1500, 200)
    assert 200 < ratings["openai/m4"] < 1500
    assert [a["model"] for a in document["notes"]["rating"]["anchors"]] == [
        "openai/m7", "openai/m0",
    ]  # fmt: skip
    board = table.bench("leaderboard", "eqbench3", "--json").json
    assert board["anchors"] == document["notes"]["rating"]["anchors"]


def test_comparisons_of_two_judges_never_meet(table: Any) -> None:
    """Each has a rating of its own; the leaderboard has one, and names the other."""
    table.placed("m0", "m1")
    for model in ("m1", "m0"):
        done = table.run(model, judge="other")
        assert done.json["comparisons"]["read"] == 18
    assert table.bought() == 36
    board = table.bench("leaderboard", "eqbench3", "--json").json
    assert board["judge"].startswith("openai/judge at")
    assert [one["options"].startswith("--judge 'openai/other at") for one in board["others"]] == [
        True
    ]
    chosen = table.bench("leaderboard", "eqbench3", "--judge", "openai/other", "--json")
    assert chosen.json["judge"].startswith("openai/other at")
    assert [row["comparisons"] for row in chosen.json["rows"]] == [18, 18]


def test_the_demo_models_stand_in_their_order(table: Any) -> None:
    """Strong over medium over weak, with intervals that do not touch, by the demo judge."""
    base = ("run", "eqbench3", "--dataset", table.pack, "--json", "--no-rubric")
    for model in ("weak", "strong", "medium"):
        done = table.bench(*base, "--model", f"demo/{model}")
        assert done.code == 0
    rows = done.json["ratings"]
    assert [row["model"] for row in rows] == ["demo/strong", "demo/medium", "demo/weak"]
    assert all(a["ci95"][0] > b["ci95"][1] for a, b in pairwise(rows))
    assert all(row["tied_with"] == [] for row in rows)


def test_one_order_is_rated_by_the_default_engine(table: Any) -> None:
    """The run, the board and `bench rate` use the same, with a term for place."""
    table.placed("m0")
    done = table.run("m1", more=("--orders", "one"))
    assert done.json["comparisons"]["read"] == 9
    assert done.json["notes"]["rating"]["engine"] == "glicko2"
    rated = table.bench("rate", "--benchmark", "eqbench3", "--json").json
    assert rated["engine"] == "glicko2"
    board = table.bench("leaderboard", "eqbench3", "--json").json
    assert [row["rating"] for row in board["rows"]] == [row["rating"] for row in rated["ratings"]]
    assert [row["rating"] for row in done.json["ratings"]] == [
        row["rating"] for row in rated["ratings"]
    ]


def test_the_engines_that_rate_are_installed() -> None:
    """Both that the framework chooses between."""
    names = [engine.name for engine in installed().rating_engines]
    assert {"glicko2", "fractional-logit"} <= set(names)


def test_a_clear_rank_asks_for_nothing_more(table: Any) -> None:
    """Nobody is tied, so that more iterations would tell nothing."""
    stopped = table.placed("m0", "m7").json["notes"]["rating"]["stopped"]
    assert stopped["kind"] == "exhausted"
    assert stopped["told"].endswith("; its rank is clear, so there is nothing left to learn")


def test_who_is_tied_is_named_with_what_may_tell_them_apart(table: Any) -> None:
    """Now, and when the same command is given again after another model came."""
    base = ("run", "eqbench3", "--dataset", table.pack, "--json", "--model")
    table.bench(*base, "demo/medium", "--name", "one")
    for _ in range(2):
        done = table.bench(*base, "demo/medium", "--name", "two")
        message = done.json["notes"]["rating"]["stopped"]["told"]
        assert message.endswith("; more iterations may tell it apart from one")
        table.bench(*base, "demo/strong")
