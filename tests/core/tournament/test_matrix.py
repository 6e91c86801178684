"""Several models in one command are planned with the comparisons that are possible by then."""

from typing import Any

import pytest

Table = Any
FEW = ("--no-rubric", "--orders", "one", "--limit", "2")
"""Two comparisons for each pair of models."""


def planned(table: Table, *models: str, more: tuple[str, ...] = ()) -> Any:
    """The document of a dry run."""
    done = table.run(*models, more=(*FEW, *more, "--dry-run"))
    assert done.code == 0, done.err
    return done.json


def comparisons(document: Any) -> list[int]:
    """The most of each run."""
    return [run["comparisons"]["most"] for run in document["runs"]]


def test_each_model_meets_those_before_it(table: Table) -> None:
    """Where nothing is stored yet; and so many are made."""
    plan = planned(table, "m0", "m1", "m2")
    assert comparisons(plan) == [0, 2, 4]
    assert plan["total"]["calls"]["comparisons"] == [6, 6]
    assert plan["total"]["calls"]["judges"] == [7, 7]  # it is tried once
    assert table.run("m0", "m1", "m2", more=FEW).code == 0
    assert table.bought() == 6


def test_each_model_meets_those_of_the_journal_too(table: Table) -> None:
    """Also one that the command names again: its comparisons are planned once."""
    assert table.run("m0", more=FEW).code == 0
    assert comparisons(planned(table, "m1", "m0", "m2")) == [2, 0, 4]
    assert table.run("m1", "m0", "m2", more=FEW).code == 0
    assert table.bought() == 6


def test_a_fresh_run_takes_the_place_of_the_stored_one(table: Table) -> None:
    """A whole one of all items, which is compared with everybody anew."""
    whole = ("--no-rubric", "--orders", "one")
    table.placed("m0", "m1", more=whole)
    done = table.run("m0", "m2", more=(*whole, "--fresh", "--dry-run"))
    assert comparisons(done.json) == [9, 18]


def test_who_is_left_out_is_not_planned_for(table: Table) -> None:
    """By name, or as one that is not among the opponents that are named."""
    assert table.run("m0", more=FEW).code == 0
    named = planned(table, "m1", "m2", more=("--opponents", "openai/m0"))
    without = planned(table, "m1", "m2", more=("--without", "openai/m0"))
    assert (comparisons(named), comparisons(without)) == ([2, 2], [0, 2])


def test_a_limit_of_comparisons_holds_for_each_model(table: Table) -> None:
    """However many opponents there are by then."""
    plan = planned(table, "m0", "m1", "m2", "m3", more=("--max-comparisons", "3"))
    assert comparisons(plan) == [0, 2, 3, 3]


@pytest.mark.parametrize("rule", ["mean", "rotate"])
def test_each_judge_of_a_panel_is_planned_for_what_it_reads(table: Table, rule: str) -> None:
    """All comparisons, or exactly those that are drawn for it."""
    panel = ("--judge", "openai/second", "--panel", rule)
    plan = planned(table, "m0", "m1", "m2", more=panel)
    calls = plan["total"]["calls"]
    assert calls["comparisons"][0] == calls["comparisons"][1]
    assert table.run("m0", "m1", "m2", more=(*FEW, *panel)).code == 0
    asked = [r for r in table.server.answered if "[/RESPONDENT" in r.prompt]
    assert len(asked) == calls["comparisons"][1]


def test_adaptive_placements_say_about_how_many(table: Table) -> None:
    """With opponents of which none is there yet."""
    plan = planned(table, *(f"m{n}" for n in range(3)), more=("--schedule", "adaptive"))
    _, second, third = (run["comparisons"] for run in plan["runs"])
    assert (second["most"], third["most"]) == (2, 4)
    assert 0 < second["about"] <= 2
    assert plan["total"]["calls"]["comparisons"] == [0, 6]
