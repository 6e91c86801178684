"""`bench judges` of runs: two judges on the same runs."""

from collections.abc import Callable
from typing import Any

import pytest

from eibench.testing import LoopbackServer

Bench = Callable[..., Any]
GRADES = (1, 2, 3, 4, 5, 6, 7, 8, 9)


@pytest.fixture
def shifted(court: Any) -> str:
    """A run that `kind` grades one higher than `strict` throughout."""
    court.grade("strict", "alpha", *GRADES)
    court.grade("kind", "alpha", *[g + 1 for g in GRADES])
    run_id = str(court.run("alpha", "strict"))
    court.rejudge(run_id, "kind")
    return run_id


def test_a_judge_who_is_higher_by_a_constant(bench: Bench, shifted: str, court: Any) -> None:
    """The order agrees in full, the mean differs by it, and absolute agreement suffers.

    Grades 1 to 9 and 2 to 10: MSR = 2 x 60 / 8 = 15, MSC = 9 x 2 x 0.25 = 4.5, MSE = 0, so
    ICC = 15 / (15 + 2 x 4.5 / 9) = 15/16.
    """
    document = bench("judges", shifted, "--json").json
    assert document["judges"] == [court.label("kind"), court.label("strict")]
    assert (document["families"], document["order"]) == (8, None)
    row = document["agreement"]["correctness"]
    assert row["n"] == 9
    assert row["means"] == [6, 5]
    difference = row["mean_difference"]
    assert (difference["value"], difference["ci95"]) == (1, None)
    assert "here they are alike" in difference["reason"]
    assert row["spearman"]["value"] == pytest.approx(1)
    assert row["icc"]["value"] == pytest.approx(15 / 16)
    low, high = row["icc"]["ci95"]
    assert low < 15 / 16 < high < 1
    rubric = document["agreement"]["rubric"]
    assert rubric["mean_difference"]["value"] == pytest.approx(10)


def test_the_judges_stand_in_the_order_they_are_named(
    bench: Bench, shifted: str, court: Any
) -> None:
    """Strict minus kind is below 0; ICC and rho are the same either way."""
    named = ("--judge", "openai/strict", "--judge", court.label("kind"))
    document = bench("judges", shifted, *named, "--json").json
    assert document["judges"] == [court.label("strict"), court.label("kind")]
    row = document["agreement"]["correctness"]
    assert row["mean_difference"]["value"] == -1
    assert row["icc"]["value"] == pytest.approx(15 / 16)


def test_the_table_names_judges_runs_and_counts(bench: Bench, shifted: str, court: Any) -> None:
    """Who they are, what they graded, and each value with its interval."""
    done = bench("judges", shifted)
    assert done.code == 0
    for message in (court.label("strict"), court.label("kind"), shifted, "9 transcripts by both"):
        assert message in done.out
    for heading in ("ICC(A,1)", "Spearman", "1 − 2", "correctness", "0.94"):
        assert heading in done.out


def test_transcripts_that_only_one_judge_could_read_are_counted(bench: Bench, court: Any) -> None:
    """They are left out of every number."""
    court.grade("strict", "alpha", 1, 2, None, 4, 5, 6, 7, None, 9)
    court.grade("kind", "alpha", 2, None, 4, 5, 6, 7, 8, None, 10)
    run_id = court.run("alpha", "strict")
    court.rejudge(run_id, "kind")
    done = bench("judges", run_id)
    document = bench("judges", run_id, "--json").json
    one = {"total": 1, "unscored": 1, "failed": 0, "pending": 0}
    counts = {"both": 6, "only_first": one, "only_second": one, "neither": 1}
    assert document["transcripts"] == document["runs"][0]["transcripts"] == counts
    row = document["agreement"]["correctness"]
    assert (row["n"], row["only_first"], row["only_second"]) == (6, 1, 1)
    assert row["mean_difference"]["value"] == 1
    assert "6 transcripts by both judges + 1 by judge 1 alone" in done.out
    assert "+ 1 by neither" in done.out


def test_a_judge_who_never_varies_has_no_rank_correlation(bench: Bench, court: Any) -> None:
    """Null with a reason, told below the table; the mean difference is there."""
    court.grade("strict", "alpha", *GRADES)
    court.grade("kind", "alpha", *[9] * 9)
    run_id = court.run("alpha", "strict")
    court.rejudge(run_id, "kind")
    row = bench("judges", run_id, "--json").json["agreement"]["correctness"]
    message = "a rater tells no two apart"
    assert row["spearman"] == {"value": None, "ci95": None, "reason": message}
    assert row["mean_difference"]["value"] == 4
    assert f"Spearman: {message}" in bench("judges", run_id).out.replace("\n", " ")


def test_two_transcripts_are_too_few(bench: Bench, court: Any) -> None:
    """Null with a reason that counts them."""
    for judge in ("strict", "kind"):
        court.grade(judge, "alpha", 1, 2)
    run_id = court.run("alpha", "strict", "--limit", 2)
    court.rejudge(run_id, "kind")
    row = bench("judges", run_id, "--json").json["agreement"]["rubric"]
    assert row["icc"] == {
        "value": None,
        "ci95": None,
        "reason": "2 pairs that both rated; 3 are needed",
    }


def test_nothing_read_by_both_is_told_without_numbers(bench: Bench, court: Any) -> None:
    """One judge could read all, the other none: counted, and every number is null."""
    court.grade("strict", "alpha", *GRADES)
    run_id = court.run("alpha", "strict")
    court.rejudge(run_id, "kind")
    document = bench("judges", run_id, "--json").json
    row = document["agreement"]["rubric"]
    assert document["transcripts"]["only_second"]["total"] == 9
    assert (row["n"], row["means"]) == (0, [None, None])
    assert [row[key]["value"] for key in ("icc", "spearman", "mean_difference")] == [None] * 3
    assert not any("with 0 families" in warning for warning in document["warnings"])
    assert bench("judges", run_id).code == 0


def orders(court: Any, second: tuple[int, ...]) -> list[str]:
    """Runs of models that `strict` grades 2, 4, 6, ..., and `kind` as said."""
    runs = []
    for place, grade in enumerate(second, start=1):
        model = ("alpha", "beta", "gamma", "delta")[place - 1]
        court.grade("strict", model, *[2 * place] * 8, 2 * place + 1)
        court.grade("kind", model, *[grade] * 9)
        runs.append(court.run(model, "strict"))
        court.rejudge(runs[-1], "kind")
    return runs


def test_judges_who_order_models_the_other_way_round(bench: Bench, court: Any) -> None:
    """Rho and tau are -1 in every resample: no interval, and with three models a warning."""
    runs = orders(court, (7, 5, 3))
    document = bench("judges", *runs, "--json").json
    order = document["order"]
    assert (order["value"], order["models"]) == ("rubric", 3)
    for name in ("spearman", "kendall"):
        assert order[name]["value"] == pytest.approx(-1)
        assert order[name]["ci95"] is None
        assert "here they are alike" in order[name]["reason"]
    assert [row["name"] for row in order["means"]] == [
        "openai/alpha",
        "openai/beta",
        "openai/gamma",
    ]
    # (20 x 8 + 30) / 9 for strict's first model.
    assert order["means"][0]["means"] == pytest.approx([70.0, 190 / 9])
    assert any("3 models are too few to show" in w for w in document["warnings"])


def test_orders_that_agree_in_part(bench: Bench, court: Any) -> None:
    """Orders 1 2 3 4 and 1 3 2 4: rho = 1 - 6 x 2 / 60 = 0.8, tau = (5 - 1) / 6."""
    runs = orders(court, (2, 6, 4, 8))
    order = bench("judges", *runs, "--json").json["order"]
    assert order["spearman"]["value"] == pytest.approx(0.8)
    assert order["kendall"]["value"] == pytest.approx(4 / 6)
    out = bench("judges", *runs).out
    assert "Order of 4 models by mean rubric" in out
    assert "Kendall's tau-b 0.67" in out


def test_two_models_are_too_few_for_an_order(bench: Bench, court: Any) -> None:
    """Null with a reason, and the transcripts of both are taken together."""
    document = bench("judges", *orders(court, (3, 5)), "--json").json
    message = "2 models that both rated; an order needs 3"
    assert document["order"]["kendall"] == {"value": None, "ci95": None, "reason": message}
    assert document["agreement"]["rubric"]["n"] == 18
    assert document["agreement"]["rubric"]["families"] == 8


def test_a_run_that_is_named_twice_counts_once(bench: Bench, shifted: str) -> None:
    """By its whole id or by the beginning of it."""
    document = bench("judges", shifted, shifted[:5], "--json").json
    assert len(document["runs"]) == 1
    assert document["agreement"]["rubric"]["n"] == 9


def test_more_than_two_judges_are_listed(bench: Bench, shifted: str, court: Any) -> None:
    """None is chosen silently; two names settle it."""
    court.grade("third", "alpha", *reversed(GRADES))
    court.rejudge(shifted, "third")
    done = bench("judges", shifted)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert all(court.label(judge) in done.err for judge in ("strict", "kind", "third"))
    assert "--judge LABEL --judge LABEL" in done.err
    named = ("--judge", "openai/strict", "--judge", "openai/third", "--json")
    row = bench("judges", shifted, *named).json["agreement"]["rubric"]
    assert row["spearman"]["value"] == pytest.approx(-1)


@pytest.mark.parametrize(
    ("judges", "message"),
    [
        (("openai/strict",), "give --judge twice, or not at all"),
        (("openai/strict", "openai/strict"), "twice"),
        (("openai/strict", "openai/nobody"), "--judge openai/nobody adds them"),
    ],
)
def test_wrong_judges_are_told(
    bench: Bench, shifted: str, judges: tuple[str, ...], message: str
) -> None:
    """One line that says what to do."""
    named = [part for judge in judges for part in ("--judge", judge)]
    done = bench("judges", shifted, *named)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert message in done.err


def test_one_judge_has_nobody_to_agree_with(bench: Bench, court: Any) -> None:
    """The message has the command that adds another."""
    court.grade("strict", "alpha", *GRADES)
    run_id = court.run("alpha", "strict")
    done = bench("judges", run_id)
    assert done.code == 2
    assert court.label("strict") in done.err
    assert f"bench rejudge {run_id} --judge SPEC" in done.err


def test_a_run_that_one_of_the_judges_has_not_graded_is_named(
    bench: Bench, shifted: str, court: Any
) -> None:
    """With several runs it is the one that lacks a judge."""
    court.grade("strict", "beta", *GRADES)
    other = court.run("beta", "strict")
    assert f"bench rejudge {other} --judge SPEC" in bench("judges", shifted, other).err
    named = ("--judge", "openai/kind", "--judge", "openai/strict")
    done = bench("judges", shifted, other, *named)
    assert f"run {other} has no grades by the judge openai/kind" in done.err


def test_a_benchmark_without_a_judge_is_refused(bench: Bench) -> None:
    """Its grades come from no judge."""
    run_id = bench("run", "eqbench-v1", "--limit", 1, "--json").json["run_id"]
    done = bench("judges", run_id)
    assert done.code == 2
    assert "without a judge's grades" in done.err


def test_runs_of_two_benchmarks_are_refused(bench: Bench, shifted: str) -> None:
    """As for bench compare."""
    with LoopbackServer("x") as server:
        one = ("run", "eqbench-v1", "--model", "openai/m", "--base-url", server.base_url)
        other = bench(*one, "--limit", 1, "--json").json["run_id"]
    done = bench("judges", shifted, other)
    assert done.code == 2
    assert "name runs of one benchmark" in done.err


def test_demo_runs_say_demo(bench: Bench, court: Any) -> None:
    """Their transcripts are no model's, whoever judges them."""
    more = ("--model", "demo/strong", "--dataset", court.pack, "--no-elo", "--json")
    run_id = bench("run", "eqbench3", *more).json["run_id"]
    court.rejudge(run_id, "strict")
    document = bench("judges", run_id, "--json").json
    assert document["demo"] is True
    assert "DEMO" in bench("judges", run_id).out
