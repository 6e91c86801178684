"""What a stored result says of a run that was only generated, or compared after it was made."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench.core.plugins import installed

Bench = Callable[..., Any]
RUN = ("run", "eqbench3", "--dataset", "bundled", "--limit", 2, "--no-rubric")


def test_a_first_model_says_where_its_rating_is_once_it_has_one(bench: Bench) -> None:
    """Its own result was made before anybody was there."""
    first = bench(*RUN[:-1], "--model", "demo/weak", "--json").json["run_id"]
    assert "rating     none yet" in bench("show", first).out
    bench(*RUN[:-1], "--model", "demo/strong")
    for name in ("show", "rescore"):
        shown = bench(name, first).out
        assert "none yet" not in shown
        board = "bench leaderboard eqbench3 --demo"
        assert f"rating     compared since by demo/strong: {board} has" in shown
    assert bench("show", first, "--json").json["ratings"] == []


def test_samples_that_nobody_graded_are_not_called_scored(bench: Bench) -> None:
    """With --no-rubric; without it they are."""
    run_id = bench(*RUN, "--no-elo", "--json").json["run_id"]
    assert "samples    2 = 2 not graded + 0 unscored + 0 failed" in bench("show", run_id).out
    assert "rubric_score not graded, 2/2" in bench("runs").out
    bench("run", "eqbench3", "--dataset", "bundled", "--limit", 2, "--no-elo")
    assert "samples    2 = 2 scored + 0 unscored + 0 failed" in bench("show", run_id).out


def test_another_board_is_told_so_that_it_can_be_pasted(bench: Bench, court: Any) -> None:
    """After one run was judged by a second judge; its options print that board."""
    for judge in ("one", "two"):
        court.grade(judge, "alpha", *range(1, 9))
    court.rejudge(court.run("alpha", "one"), "two")
    done = bench("leaderboard", "eqbench3")
    assert done.code == 0
    (told,) = (line for line in done.out.splitlines() if line.startswith("1 other board: "))
    options = shlex.split(told.partition(" model: ")[2].rpartition(" (")[0])
    shown = bench("leaderboard", "eqbench3", *options, "--json")
    assert (shown.code, shown.json["judge"]) == (0, options[-1])


@pytest.mark.parametrize("weights", [{}, {"thursday-key": 0.25}])
def test_a_file_of_comparisons_has_the_weights_of_the_pack(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, weights: dict[str, float]
) -> None:
    """So that it is rated as the board is."""
    kind = type(installed().benchmark("eqbench3"))
    monkeypatch.setattr(kind, "item_weights", lambda self, pack, options: weights)
    for model in ("weak", "strong"):
        bench(*RUN, "--model", f"demo/{model}")
    runs = [run["run_id"] for run in bench("runs", "--json").json["runs"]]
    assert bench("export", *runs, "--comparisons", "-o", "c.jsonl").code == 0
    of_file = bench("rate", "c.jsonl", "--json").json["ratings"]
    of_board = bench("rate", "--benchmark", "eqbench3", "--json").json["ratings"]
    assert [r["rating"] for r in of_file] == pytest.approx([r["rating"] for r in of_board])
    assert ('"weight"' in Path("c.jsonl").read_text()) == bool(weights)
