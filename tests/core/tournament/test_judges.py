"""`bench judges`: how far a ranking hangs on who judges, from the journal."""

from typing import Any

import pytest

KIN = ("--judge", "openai/gpt-judge", "--judge", "openai/claude-judge", "--no-elo")


@pytest.fixture
def judged(table: Any) -> Any:
    """Four models by two judges, of which the first likes its own family."""
    names = ("gpt-m", "claude-m", "qwen-m", "llama-m")
    table.world.abilities = {name: 0.5 * n for n, name in enumerate(names)}
    kinder = type(table.world)({**table.world.abilities, "gpt-m": 2.4})

    def before(request: Any, compares: bool) -> Any:
        likes = request.model == "gpt-judge" and "This is gpt-m" in request.prompt
        return kinder(request) if likes else None

    table.world.before = before
    args = [one for one in table.arguments(*names) if one not in ("--judge", "openai/judge")]
    table.stage("judged by two", lambda: table.bench(*args, *KIN))
    return table


def test_a_planted_liking_is_told_with_its_interval(judged: Any) -> None:
    """24 of 100 points beyond what the other judge gives it, and the ranking without it."""
    found = judged.bench("judges", "eqbench3", "--json").json
    own = {row["family"]: row["liking_for_kin"] for row in found["judges"]}
    assert own["openai"]["value"] == pytest.approx(24.0)
    ranks = {row["model"]: (row["rank"], row["rank_without_kin"]) for row in found["models"]}
    assert ranks["openai/gpt-m"] == (2.0, 4.0)


def test_two_judges_of_a_benchmark_are_set_beside_each_other_value_by_value(judged: Any) -> None:
    """As of the runs that count."""
    found = judged.bench("judges", "eqbench3", "--json").json
    runs = [row["run_id"] for row in found["models"]]
    two = ("--judge", "openai/claude-judge", "--judge", "openai/gpt-judge")
    alone = judged.bench("judges", *runs, *two, "--json").json
    assert found["agreement"]["agreement"] == alone["agreement"] != {}
    assert "ICC(A,1)" in judged.bench("judges", "eqbench3").out


def test_the_tables_name_judges_pairs_and_models(judged: Any) -> None:
    """And few models are warned of."""
    done = judged.bench("judges", "eqbench3")
    for title in ("eqbench3: judges", "Pairs of judges", "Models"):
        assert title in done.out
    assert "4 models tell little of judges; eight or more are wanted" in done.err


def test_a_model_that_a_judge_has_not_graded_is_left_out_and_named(judged: Any) -> None:
    """With the command that adds it."""
    judged.world.abilities["late-m"] = 1.0
    args = [one for one in judged.arguments("late-m") if one not in ("--judge", "openai/judge")]
    judged.bench(*args, "--judge", "openai/gpt-judge", "--no-elo")
    done = judged.bench("judges", "eqbench3")
    assert "openai/late-m is left out: not graded by openai/claude-judge" in done.err
    assert "--judge openai/claude-judge --judge-base-url http://127.0.0.1:" in done.err


def test_one_judge_is_too_few(table: Any) -> None:
    """With what to do."""
    table.placed("m0", more=("--no-elo",))
    done = table.bench("judges", "eqbench3")
    assert done.code == 2
    assert "needs two judges of the same runs" in done.err
    assert "bench rejudge" in done.err


def test_a_benchmark_without_a_judge_is_refused(table: Any) -> None:
    """There is nothing to say of its judges."""
    assert "seceu asks no judge" in table.bench("judges", "seceu").err
