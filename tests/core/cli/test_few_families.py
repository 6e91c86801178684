"""Where results say that there are too few families of items for an interval."""

from collections.abc import Callable
from typing import Any

Bench = Callable[..., Any]
V1 = ("run", "eqbench-v1", "--dataset", "bundled", "--model", "demo/medium")


def test_a_run_of_seven_questions_says_why_it_has_no_interval(bench: Bench) -> None:
    """For each metric in the document, once below the table."""
    done = bench(*V1, "--limit", 7)
    document = bench(*V1, "--limit", 7, "--json").json
    message = "an interval needs items with 8 different texts, here are 7"
    assert {metric["ci95"] for metric in document["metrics"].values()} == {None}
    assert document["metric_reasons"] == dict.fromkeys(document["metrics"], message)
    assert document["warnings"] == []
    assert [line for line in done.out.splitlines() if message in line] == [
        f"no intervals: {message}"
    ]


def test_a_run_of_eight_questions_warns_that_intervals_are_rough(bench: Bench) -> None:
    """They are there, and no metric lacks one."""
    document = bench(*V1, "--limit", 8, "--json").json
    assert None not in [metric["ci95"] for metric in document["metrics"].values()]
    assert "metric_reasons" not in document
    assert document["warnings"] == [
        "the intervals are based on 8 different texts; with fewer than 20 they are approximate"
    ]


def test_a_criterion_of_few_families_is_named(bench: Bench) -> None:
    """Three of the bundled scenarios are analyses; the other metrics have their intervals."""
    run = ("run", "eqbench3", "--dataset", "bundled", "--model", "demo/medium", "--no-elo")
    done = bench(*run)
    document = bench(*run, "--json").json
    assert document["metrics"]["rubric_score"]["ci95"] is not None
    assert document["metrics"]["theory_of_mind"]["ci95"] is None
    message = document["metric_reasons"]["theory_of_mind"]
    assert message == "an interval needs items with 8 different texts, here are 3"
    shown = " ".join(done.out.split())
    assert "no interval for theory_of_mind" in shown
    assert message in shown
