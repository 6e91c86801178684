"""Boards keep protocols apart, and one rule says which of them is meant."""

import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench.core.benchmark import Option
from eibench.core.benchmark.options import option_words
from eibench.core.plugins import installed
from eibench.plugins.kit.responders import uniform_ratings
from eibench.testing import LoopbackServer

Bench = Callable[..., Any]
Questions = Callable[..., Path]
OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")
V1 = ("run", "eqbench-v1", "--dataset", "bundled", "--model")
BOARD = ("leaderboard", "eqbench-v1", "--json")


def shown(document: Any) -> dict[str, float]:
    """The main number of each model on a board."""
    return {r["model"]: next(iter(r["metrics"].values()))["value"] for r in document["rows"]}


@pytest.fixture
def both(bench: Bench) -> list[Any]:
    """The results of two models that were asked for a revision, and of one that was not."""
    asked = [("strong",), ("medium",), ("medium", "--no-revise")]
    return [bench(*V1, f"demo/{m}", *more, "--json").json for m, *more in asked]


@pytest.mark.skipif(OFFICIAL is None, reason="EIBENCH_OFFICIAL_DATA is not set")
def test_two_promptings_are_two_boards(bench: Bench) -> None:
    """Of the official SECEU; neither has pushed a run off the other's, and both can be chosen."""
    run = ("run", "seceu", "--dataset", str(OFFICIAL) + "/seceu", "--model", "demo/medium")
    made = {p: bench(*run, "--prompting", p, "--json").json for p in ("direct", "two-shot-steps")}
    for prompting, document in made.items():
        board = bench("leaderboard", "seceu", "--prompting", prompting, "--json").json
        assert shown(board) == {"demo/medium": document["metrics"]["eq"]["value"]}
    newest = bench("leaderboard", "seceu", "--json").json
    assert newest["options"] == {"prompting": "two-shot-steps"}
    assert [one["options"] for one in newest["others"]] == ["--prompting direct"]


def test_a_run_without_revision_replaces_none_with(bench: Bench, both: list[Any]) -> None:
    """The newest board is meant; the switch chooses the other, with both of its models."""
    newest, old = bench(*BOARD).json, bench(*BOARD, "--revise").json
    assert list(shown(newest)) == ["demo/medium"]
    assert newest["options"] == {"revise": False}
    assert "options" not in old
    assert shown(old)["demo/medium"] == both[1]["metrics"]["score"]["value"]
    assert sorted(shown(old)) == ["demo/medium", "demo/strong"]
    beside = bench("leaderboard", "eqbench-v1").out
    assert "1 other board: 2 models: --revise (bundled)" in beside
    assert "; --no-revise" in beside


def test_another_reader_makes_another_board(bench: Bench) -> None:
    """Its grades are never shown as those of the usual one, nor is a run that it has not read."""
    bench(*V1, "demo/strong")
    bench(*V1, "demo/medium", "--parser", "reference")
    assert list(shown(bench(*BOARD, "--parser", "strict").json)) == ["demo/strong"]
    assert list(shown(bench(*BOARD, "--parser", "reference").json)) == ["demo/medium"]
    bench(*V1, "demo/strong", "--parser", "reference")
    assert sorted(shown(bench(*BOARD, "--parser", "reference").json)) == [
        "demo/medium",
        "demo/strong",
    ]


def test_no_such_board_is_answered_with_commands_that_work(bench: Bench, both: list[Any]) -> None:
    """Each names all that is needed, whatever was typed."""
    done = bench("leaderboard", "eqbench-v1", "--no-revise", "--parser", "reference")
    assert done.code == 2
    commands = done.err.partition("there are: bench ")[2].strip().split("; bench ")
    made = [bench(*shlex.split(command.rpartition(" (")[0]), "--json") for command in commands]
    assert [len(one.json["rows"]) for one in made] == [2, 1]


def test_wishes_for_new_runs_choose_no_protocol(bench: Bench, both: list[Any]) -> None:
    """An option in bench.toml is how the next run is asked."""
    Path("bench.toml").write_text("[run]\nrevise = true\n")
    assert list(shown(bench(*BOARD).json)) == ["demo/medium"]


def test_a_board_without_a_whole_run_is_not_the_newest(bench: Bench, questions: Questions) -> None:
    """A part that was tried later on other data, or a run that came to nothing, is not shown."""
    with LoopbackServer(uniform_ratings(1)) as server:
        real = ("--model", "openai/real", "--base-url", server.base_url)
        bench("run", "eqbench-v1", "--dataset", questions("1,2,3"), *real)
        bench("run", "eqbench-v1", "--dataset", "bundled", *real, "--limit", 2)
    with LoopbackServer() as server:
        real = ("--model", "openai/mute", "--base-url", server.base_url)
        done = bench(*V1[:-1], *real, "--no-revise", "--keep-going", "--json")
        assert done.json["status"] == "fail"
    document = bench(*BOARD).json
    assert (document["dataset"]["name"], list(shown(document))) == ("custom", ["openai/real"])
    assert [one["models"] for one in document["others"]] == [1, 1]


def test_a_board_whose_runs_are_read_otherwise_today_is_not_the_newest(
    bench: Bench, both: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another board has what counts; where none has, the last line says where to look."""
    v1 = installed().benchmark("eqbench-v1")
    monkeypatch.setattr(v1, "grading", f"{v1.grading}+")
    assert bench("leaderboard", "eqbench-v1").out.splitlines()[-1] == (
        "DEMO: no run counts on this board: the warnings say why"
    )
    for document in both[:2]:
        bench("rescore", document["run_id"])
    assert sorted(shown(bench(*BOARD).json)) == ["demo/medium", "demo/strong"]


def test_languages_are_named_in_the_choice(bench: Bench) -> None:
    """They tell packs of one name apart."""
    for language in ("en", "de"):
        bench("run", "eqbench-v2", "--dataset", "bundled", "--limit", 4, "--lang", language)
    document = bench("leaderboard", "eqbench-v2", "--json").json
    assert document["options"] == {"lang": "de"}
    assert [one["options"] for one in document["others"]] == ["--lang en"]


def test_what_the_plugin_lets_meet_stands_on_one_board(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each row that is not of the default says so."""
    v1 = installed().benchmark("eqbench-v1")
    revise = Option("revise", True, "Ask again.", in_requests=True, may_meet=True)
    options = tuple(revise if o.name == "revise" else o for o in v1.options)
    monkeypatch.setattr(v1, "options", options)
    bench(*V1, "demo/strong")
    bench(*V1, "demo/medium", "--no-revise")
    rows = bench(*BOARD).json["rows"]
    assert {r["model"]: r["changed"] for r in rows} == {
        "demo/strong": None,
        "demo/medium": "--no-revise",
    }
    assert bench("leaderboard", "eqbench-v1", "--no-revise").code == 2


def test_several_runs_of_a_model_are_told_apart(bench: Bench, both: list[Any]) -> None:
    """By what was asked otherwise, with each one's last line; the end of a name is enough."""
    first, second = (bench("show", name).out for name in ("demo/medium", "medium"))
    assert first == second
    with_, without = first.splitlines()
    assert f"bench show {both[1]['run_id']}  eqbench-v1 on bundled, revise on; " in with_
    assert "revise off; demo/medium DEMO: score " in without
    named = bench("show", "medium", "1")
    assert named.code == 0 and named.err.startswith("medium: run ")
    named = bench("delete", "medium")
    assert named.code == 2 and "revise off)" in named.err
    assert bench("show", "strong", "--json").json["run_id"] == both[0]["run_id"]
    assert bench("show", "edium").code == 2


@pytest.mark.parametrize("value", [True, False, "x y", 3])
def test_an_option_is_typed_as_it_is_read(value: object) -> None:
    """Words of the command line."""
    words = {True: ["--a-b"], False: ["--no-a-b"]}
    expected = words[value] if isinstance(value, bool) else ["--a-b", str(value)]
    assert option_words("a_b", value) == expected


def test_two_iterations_of_half_the_items_are_no_whole_run(bench: Bench) -> None:
    """As many samples as the pack has items; the board of the whole run is shown all the same."""
    assert bench("run", "eqbench-v1").code == 0
    assert bench("run", "eqbench-v1", "--no-revise", "--limit", 15, "--iterations", 2).code == 0
    board = bench("leaderboard", "eqbench-v1", "--json").json
    assert [row["partial"] for row in board["rows"]] == [False]
