"""Demo models and real ones never meet, in whatever order they are run in one runs folder."""

from typing import Any

import pytest

from eibench.testing import Fault

Table = Any
DEMO = ("demo/weak", "demo/medium", "demo/strong")
QUICK = ("--no-rubric",)


def demo_command(table: Table, *models: str) -> list[object]:
    """The command that runs demo models with the demo judge, in the folder of the real ones."""
    named = [part for model in models for part in ("--model", model)]
    return ["run", "eqbench3", *named, "--dataset", table.pack, "--runs-dir", "runs", "--json"]


def run_demo(table: Table, *models: str, more: tuple[object, ...] = ()) -> Any:
    """The result of demo models."""
    done = table.bench(*demo_command(table, *models), *more)
    assert done.code == 0, done.err
    return done.json


def board(table: Table, *more: object) -> Any:
    """The leaderboard as a document."""
    done = table.bench("leaderboard", "eqbench3", "--json", *more)
    assert done.code == 0, done.err
    return done.json


def models(document: Any) -> set[str]:
    """Those on a board, or in the ratings of a run."""
    return {row["model"] for row in document.get("rows") or document["ratings"]}


def run_demos(table: Table) -> Any:
    """The three demo models of the quick start."""
    table.world.unsigned = 0.5
    return table.stage("demos", lambda: table.bench(*demo_command(table, *DEMO)))


@pytest.fixture
def after_demos(table: Table) -> Table:
    """A folder in which the three demo models of the quick start were run."""
    run_demos(table)
    return table


def test_the_plan_of_a_first_real_run_speaks_of_no_comparison(after_demos: Table) -> None:
    """Neither in words nor in the counts."""
    arguments = [a for a in after_demos.arguments("m0") if a != "--json"]
    done = after_demos.bench(*arguments, "--dry-run")
    assert (done.code, "comparison" in done.err + done.out) == (0, False)
    dry = after_demos.run("m0", more=("--dry-run",))
    assert dry.json["runs"][0]["calls"] == {"model": 9, "judge": 9}


def test_a_first_real_run_is_compared_with_no_demo_model(after_demos: Table) -> None:
    """It pays for its verdicts alone, and has no rating yet."""
    done = after_demos.run("m0")
    assert (done.code, done.json["status"]) == (0, "complete")
    assert (after_demos.bought(), done.json["ratings"]) == (0, [])


def test_a_demo_run_rates_no_real_model(table: Table) -> None:
    """Its judge counts words; the real models have a judge of their own."""
    table.placed("m0", "m1", more=QUICK)
    (result,) = [run_demo(table, "demo/medium")]
    assert (result["ratings"], result["comparisons"]["total"]) == ([], 0)
    assert {str(row.judge.spec) for row in table.rows()} == {"openai/judge"}


def test_a_demo_run_does_not_rate_a_real_run_that_was_stopped(table: Table) -> None:
    """It has transcripts, and no verdict."""
    table.world.before = lambda request, compares: (
        Fault("401") if request.model == "judge" else None
    )
    assert table.run("m0").code == 4
    result = run_demo(table, "demo/medium", "demo/strong")["runs"][-1]
    assert models(result) == {"demo/medium", "demo/strong"}


def test_real_models_meet_as_before(after_demos: Table) -> None:
    """Two of them are compared with each other."""
    after_demos.run("m0", more=QUICK)
    done = after_demos.run("m1", more=QUICK)
    assert models(done.json) == {"openai/m0", "openai/m1"}


def test_a_plain_leaderboard_shows_the_real_models(after_demos: Table) -> None:
    """The demo board is there when there is no other, and with --demo."""
    assert models(board(after_demos)) == set(DEMO)
    for model in ("m0", "m1"):
        after_demos.run(model)
    shown = board(after_demos)
    assert models(shown) == {"openai/m0", "openai/m1"}
    assert (shown["demo"], shown["others"]) == (False, [])
    assert models(board(after_demos, "--demo")) == set(DEMO)
    assert "DEMO" not in after_demos.bench("leaderboard", "eqbench3").out


def test_a_demo_model_under_another_name_is_one_still(table: Table) -> None:
    """Its run knows, whatever it is called."""
    run_demo(table, "demo/weak", more=("--name", "openai/mine"))
    done = table.run("m0", more=("--dry-run", *QUICK))
    assert done.json["runs"][0]["calls"]["judge"] == 0
    table.run("m0")
    assert models(board(table)) == {"openai/m0"}


def test_scores_of_demo_models_stand_apart_too(table: Table) -> None:
    """On a board without comparisons."""
    table.placed("m0", more=("--no-elo",))
    run_demo(table, "demo/strong", more=("--no-elo",))
    assert models(board(table)) == {"openai/m0"}
