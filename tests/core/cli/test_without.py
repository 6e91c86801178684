"""`--without MODEL` in `leaderboard`, `rate` and `judge-report`: gone before anything is rated."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.core.cli.conftest import ITEMS

Bench = Callable[..., Any]
SOME = ("--dataset", "bundled", "--items", ITEMS, "--no-rubric")


@pytest.fixture
def compared(bench: Bench, demos: Callable[[], Any]) -> Bench:
    """Three demo models, compared with each other."""
    demos()
    return bench


def names(rows: Any) -> list[str]:
    """Of the models in rows."""
    return [row["model"] for row in rows]


def test_the_board_is_as_if_it_had_never_been_run(compared: Bench) -> None:
    """Ratings, ranks and counts are those of the others' comparisons with each other."""
    rows = compared("leaderboard", "eqbench3", "--without", "demo/medium", "--json").json["rows"]
    rated = compared("rate", "--benchmark", "eqbench3", "--without", "demo/medium", "--json").json
    assert names(rows) == names(rated["ratings"]) == ["demo/strong", "demo/weak"]
    compared("delete", medium(compared), "--yes")
    left = compared("leaderboard", "eqbench3", "--json").json["rows"]
    assert [(r["rating"], r["ci95"], r["rank"], r["comparisons"]) for r in rows] == [
        (r["rating"], r["ci95"], r["rank"], r["comparisons"]) for r in left
    ]


def medium(bench: Bench) -> str:
    """The run of demo/medium."""
    runs = bench("runs", "--json").json["runs"]
    return next(str(run["run_id"]) for run in runs if run["name"] == "demo/medium")


def test_the_report_leaves_its_comparisons_out(compared: Bench) -> None:
    """Of the journal, and of a file."""
    report = ("judge-report", "--json", "--without", "demo/medium")
    of_journal = compared(*report, "--benchmark", "eqbench3").json
    assert of_journal["counts"] == {
        "comparisons": 18, "pairs": 9, "items": 9, "families": 9, "models": 2,
    }  # fmt: skip
    ids = [run["run_id"] for run in compared("runs", "--json").json["runs"]]
    compared("export", *ids, "--comparisons", "-o", "all.jsonl")
    assert compared(*report, "all.jsonl").json["counts"] == of_journal["counts"]
    rated = compared("rate", "all.jsonl", "--without", "demo/medium", "--json").json
    assert names(rated["ratings"]) == ["demo/strong", "demo/weak"]


def test_several_can_be_left_out(compared: Bench) -> None:
    """All but one leave a board without ratings; all leave none."""
    two = ("--without", "demo/medium", "--without", "demo/weak")
    rows = compared("leaderboard", "eqbench3", *two, "--json").json["rows"]
    assert [row["rating"] for row in rows] == [None] * len(rows)
    done = compared("leaderboard", "eqbench3", *two, "--without", "demo/strong")
    assert (done.code, "--without leaves no model" in done.err) == (2, True)


@pytest.mark.parametrize(
    "command",
    [
        ("leaderboard", "eqbench3"),
        ("rate", "--benchmark", "eqbench3"),
        ("judge-report", "--benchmark", "eqbench3"),
        ("rate", "all.jsonl"),
        ("judge-report", "all.jsonl"),
    ],
)
def test_an_unknown_model_is_refused_with_the_nearest(
    compared: Bench, command: tuple[str, ...]
) -> None:
    """A usage error, in every command."""
    ids = [run["run_id"] for run in compared("runs", "--json").json["runs"]]
    compared("export", *ids, "--comparisons", "-o", "all.jsonl")
    done = compared(*command, "--without", "demo/mediun")
    assert done.code == 2
    assert "--without demo/mediun: no such model; did you mean demo/medium?" in done.err


def test_a_board_of_scores_leaves_models_out_too(
    bench: Bench, questions: Callable[..., Path]
) -> None:
    """Where nothing is compared."""
    for model in ("demo/weak", "demo/strong"):
        bench("run", "eqbench-v1", "--dataset", questions("1,2,3"), "--model", model)
    board = bench("leaderboard", "eqbench-v1", "--without", "demo/strong", "--json").json
    assert names(board["rows"]) == ["demo/weak"]
    text = bench("leaderboard", "eqbench-v1", "--without", "demo/strong", "--csv").out
    assert "demo/strong" not in text
    assert json.dumps(board).count("demo/strong") == 0


def planned(bench: Bench, *more: object) -> Any:
    """The plan of a further demo model."""
    run = ("run", "eqbench3", *SOME, "--model", "demo/strong", "--name", "other", "--dry-run")
    return bench(*run, "--json", *more)


def test_a_run_leaves_a_model_out(compared: Bench) -> None:
    """It is not compared with it, and its ratings are as if it had never been run."""
    run = ("run", "eqbench3", *SOME, "--model", "demo/strong", "--name", "other", "--json")
    done = compared(*run, "--schedule", "all", "--without", "demo/medium", "--without", "demo/weak")
    assert done.code == 0, done.err
    assert set(names(done.json["ratings"])) == {"other", "demo/strong"}
    assert done.json["comparisons"]["total"] == 18
    again = compared(*run, "--schedule", "all", "--without", "demo/weak").json
    assert set(names(again["ratings"])) == {"other", "demo/strong", "demo/medium"}


def test_the_plan_counts_without_it(compared: Bench) -> None:
    """Nine items, both orders, two opponents instead of three."""
    plans = [
        planned(compared, "--schedule", "all", *more).json["runs"][0]
        for more in ((), ("--without", "demo/medium"))
    ]
    assert [plan["comparisons"]["most"] for plan in plans] == [54, 36]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--without", "demo/medum"), "no such model; did you mean demo/medium?"),
        (
            ("--without", "demo/weak", "--opponents", "demo/weak"),
            "--opponents and --without both name demo/weak",
        ),
        (("--without", "demo/weak", "--no-elo"), "--without is about comparisons"),
    ],
)
def test_a_run_refuses_to_leave_out_what_is_not_there(
    compared: Bench, more: tuple[str, ...], message: str
) -> None:
    """Before anything is asked."""
    run = ("run", "eqbench3", *SOME, "--model", "demo/strong", "--name", "other")
    done = compared(*(word for word in run if word != "--no-rubric"), *more)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_a_benchmark_without_comparisons_leaves_nobody_out(bench: Bench) -> None:
    """There is nothing to leave anybody out of."""
    done = bench("run", "eqbench-v1", "--without", "demo/weak")
    assert done.code == 2
    assert "eqbench-v1 compares no models; leave --without out" in done.err
