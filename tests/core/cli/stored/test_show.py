"""`bench show`: the stored result, and what the journal holds beside it."""

from collections.abc import Callable
from typing import Any

Bench = Callable[..., Any]


def test_the_result_by_any_judge_can_be_shown(bench: Bench, court: Any) -> None:
    """The first judge's is the run's own, and stays it; the second judge's is there too."""
    court.grade("strict", "alpha", *[5] * 9)
    court.grade("mild", "alpha", *[9] * 9)
    run_id = court.run("alpha", "strict")
    first = bench("show", run_id, "--json").json
    court.rejudge(run_id, "mild")
    assert bench("show", run_id, "--json").json == first
    again = bench("show", run_id, "--judge", court.label("strict"), "--json").json
    assert (again["judge"], again["metrics"]) == (first["judge"], first["metrics"])
    other = bench("show", run_id, "--judge", "openai/mild", "--json").json
    assert (other["judge"], other["metrics"] != first["metrics"]) == ("openai/mild", True)
    assert bench("show", run_id, "--json").json == first


def test_another_judge_s_grades_are_told(bench: Bench, court: Any) -> None:
    """With the command that shows them; not where there is only one judge."""
    court.grade("strict", "alpha", *[5] * 9)
    court.grade("mild", "alpha", *[9] * 9)
    run_id = court.run("alpha", "strict")
    assert "samples that the journal holds" not in bench("show", run_id).out
    court.rejudge(run_id, "mild")
    assert f"bench show {run_id} --judge '{court.label('mild')}'" in bench("show", run_id).out


def test_a_judge_that_graded_nothing_is_refused(bench: Bench, court: Any) -> None:
    """And those that did are named."""
    court.grade("strict", "alpha", *[5] * 9)
    run_id = court.run("alpha", "strict")
    done = bench("show", run_id, "--judge", "openai/nobody")
    assert (done.code, court.label("strict") in done.err) == (2, True)
    assert bench("show", run_id, "1", "--judge", "openai/strict").code == 2


def test_a_result_of_fewer_samples_says_so(bench: Bench, court: Any) -> None:
    """Two parts were asked for, and the first is the run's own; the command shows both."""
    court.grade("strict", "alpha", *[5] * 9)
    run_id = court.run("alpha", "strict", "--items", 1)
    court.run("alpha", "strict", "--items", "2,3")
    shown = bench("show", run_id).out
    assert "this is the result of 1 of the 3 samples that the journal holds: bench show" in shown
    by = bench("show", run_id, "--judge", "openai/strict", "--json").json
    assert by["items"]["scored"] == 3


def test_a_trial_without_a_judge_points_to_rescore(bench: Bench) -> None:
    """Which makes the result of all samples the stored one."""
    run = ("run", "eqbench-v1", "--dataset", "bundled", "--model", "demo/strong", "--json")
    run_id = bench(*run, "--items", "1").json["run_id"]
    bench(*run, "--items", "2,3")
    assert f"1 of the 3 samples that the journal holds: bench rescore {run_id}" in (
        bench("show", run_id).out
    )
    bench("rescore", run_id)
    assert "samples that the journal holds" not in bench("show", run_id).out
