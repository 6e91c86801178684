"""`bench show`: the stored result, and what the journal holds beside it."""

from collections.abc import Callable
from typing import Any

Bench = Callable[..., Any]


def test_the_result_by_any_judge_can_be_shown(bench: Bench, court: Any) -> None:
    """A second judge's result replaces the stored one; the first judge's is still there."""
    court.grade("strict", "alpha", *[5] * 8)
    court.grade("mild", "alpha", *[9] * 8)
    run_id = court.run("alpha", "strict")
    first = bench("show", run_id, "--json").json
    court.rejudge(run_id, "mild")
    stored = bench("show", run_id, "--json").json
    assert stored["judge"] == "openai/mild"
    again = bench("show", run_id, "--judge", court.label("strict"), "--json").json
    assert (again["judge"], again["metrics"]) == (first["judge"], first["metrics"])
    assert bench("show", run_id, "--judge", "openai/strict", "--json").json == again
    assert bench("show", run_id, "--json").json == stored


def test_another_judge_s_grades_are_told(bench: Bench, court: Any) -> None:
    """With the command that shows them; not where there is only one judge."""
    court.grade("strict", "alpha", *[5] * 8)
    court.grade("mild", "alpha", *[9] * 8)
    run_id = court.run("alpha", "strict")
    assert "note:" not in bench("show", run_id).out
    court.rejudge(run_id, "mild")
    assert f"bench show {run_id} --judge '{court.label('strict')}'" in bench("show", run_id).out


def test_a_judge_that_graded_nothing_is_refused(bench: Bench, court: Any) -> None:
    """And those that did are named."""
    court.grade("strict", "alpha", *[5] * 8)
    run_id = court.run("alpha", "strict")
    done = bench("show", run_id, "--judge", "openai/nobody")
    assert (done.code, court.label("strict") in done.err) == (2, True)
    assert bench("show", run_id, "1", "--judge", "openai/strict").code == 2


def test_a_result_of_fewer_samples_says_so(bench: Bench, court: Any) -> None:
    """A trial of one item replaces the stored result; the command shows all eight."""
    court.grade("strict", "alpha", *[5] * 8)
    run_id = court.run("alpha", "strict")
    court.run("alpha", "strict", "--limit", 1)
    shown = bench("show", run_id).out
    assert "this is the result of 1 of the 8 samples that the journal holds: bench show" in shown
    by = bench("show", run_id, "--judge", "openai/strict", "--json").json
    assert by["items"]["scored"] == 8


def test_a_trial_without_a_judge_points_to_rescore(bench: Bench) -> None:
    """Which makes the result of all samples the stored one."""
    run = ("run", "eqbench-v1", "--dataset", "bundled", "--model", "demo/strong", "--json")
    run_id = bench(*run, "--limit", 3).json["run_id"]
    bench(*run, "--limit", 1)
    assert f"1 of the 3 samples that the journal holds: bench rescore {run_id}" in (
        bench("show", run_id).out
    )
    bench("rescore", run_id)
    assert "note:" not in bench("show", run_id).out
