"""`bench power`: what a difference takes, by the board's models or by a stated spread."""

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

from eibench import benchmarks
from eibench.core.compare.board_samples import BoardSamples
from eibench.statistics import smallest_difference

Bench = Callable[..., Any]
FEW_TEXTS = {"buzzbench", "diplobench"}
"""Benchmarks whose bundled packs have fewer than eight texts: nothing is planned with them."""


@pytest.mark.parametrize("name", sorted({*benchmarks()} - FEW_TEXTS))
def test_the_error_is_that_of_compare(bench: Bench, name: str) -> None:
    """Of every benchmark, in the metric that ranks; where that is no mean it is refused."""
    limit = "1" if name == "judgemark" else "8"
    for model in ("weak", "strong"):
        bench("run", name, "--model", f"demo/{model}", "--limit", limit)
    power = bench("power", name, "--difference", "0.01", "--json")
    if name == "judgemark":
        assert power.code == 2 and "is no mean over samples" in power.err
        return
    row = bench("compare", "weak", "strong", "--json").json["main"]["row"]
    assert power.json["pairs"][0]["error"] == pytest.approx(row["standard_error"], rel=1e-9)


def test_the_board_is_that_of_the_leaderboard(bench: Bench) -> None:
    """Runs on other packs and by other options do not mix in; the screen names it and the rest."""
    for name in ("strong", "weak"):
        bench("run", "eqbench-v1", "--model", f"demo/{name}", "--limit", "10")
    bench("run", "eqbench-v1", "--model", "demo/medium", "--limit", "10", "--no-revise")
    ask = ("power", "eqbench-v1", "--difference", "3")
    other = bench(*ask)
    assert other.code == 2 and "1 model with a run on this board" in other.err
    shown = bench(*ask, "--revise").out
    assert "in score; pack bundled  DEMO" in shown
    assert "Medians over 1 pairs of 2 models" in shown


def test_an_empty_folder_has_a_plan_by_a_stated_spread(bench: Bench) -> None:
    """It is taken as exact: by scipy's noncentral t with n - 1 degrees of freedom."""
    stated = bench("power", "eqbench3", "--difference", "5", "--sd", "15", "--json").json
    assert (stated["metric"], stated["pack"], stated["pairs"]) == ("rubric_score", "bundled", [])
    spread = stated["spread"]
    assert (spread["sd"], spread["source"], spread["items"]) == (15, "as given", 20)
    assert spread["needed"] == 73 and 9.8 < spread["shows"] < 10
    few = bench("power", "eqbench-v2", "--difference", "90", "--sd", "5").out
    assert "8; the 26 of the pack suffice" in few


def test_an_empty_folder_has_a_plan_by_published_results(bench: Bench) -> None:
    """It says of which questions these are, and states nothing of runs that there are not."""
    published = bench("power", "eqbench-v2", "--difference", "3").out
    assert "differ by 3 in score; pack bundled" in published
    assert "1,196; the pack has 26" in published
    assert "66 pairs of the 12 models" in published and "official questions" in published
    assert "now" not in published and "iterations" not in published
    neither = bench("power", "seceu", "--difference", "3")
    assert neither.code == 2 and "needs runs of at least two models" in neither.err


def test_a_difference_that_the_scale_has_no_room_for_is_refused(bench: Bench) -> None:
    """As the benchmark declares its scale, or its metric's label ends with it."""
    for name in ("strong", "weak"):
        bench("run", "humanebench", "--model", f"demo/{name}", "--limit", "8")
    for name, too_far, most in (
        ("humanebench", "5", "from -1 to 1, so no two models differ by more than 2"),
        ("emobench", "2", "from 0 to 1, so no two models differ by more than 1"),
        ("spiral-bench", "101", "from 0 to 100, so no two models differ by more than 100"),
        ("eqbench3", "101", "rubric score is from 0 to 100"),
    ):
        stated = ("--sd", "15") if name != "humanebench" else ()
        refused = bench("power", name, "--difference", too_far, *stated)
        assert refused.code == 2 and most in refused.err


def test_a_stated_spread_of_what_is_no_mean_is_refused(bench: Bench) -> None:
    """Separability is of all texts together."""
    refused = bench("power", "judgemark", "--difference", "1", "--sd", "3")
    assert refused.code == 2 and "is no mean over samples" in refused.err


def test_of_many_models_each_is_in_as_many_pairs() -> None:
    """Of ten all pairs are taken; of more each model in as many, no pair twice."""
    for n, pairs in ((2, 1), (10, 45), (12, 48), (40, 80)):
        board = BoardSamples(None, None, "", {str(k): {} for k in range(n)})  # type: ignore[arg-type]
        taken = [tuple(sorted(pair)) for pair in board.pairs()]
        assert len(set(taken)) == len(taken) == pairs
        counts = [sum(str(k) in pair for pair in taken) for k in range(n)]
        assert len(set(counts)) == 1


def test_the_smallest_difference_is_found_in_80_of_100_runs() -> None:
    """Simulated with the planned difference: 75 to 85 % by the pair's own t test, about."""
    rng, families = Random(3), {str(k): str(k) for k in range(40)}

    def pair(gap: float) -> tuple[dict[tuple[str, int], float], dict[tuple[str, int], float]]:
        one = {(str(k), 1): rng.gauss(50, 20) for k in range(40)}
        other = {key: value - gap + rng.gauss(0, 10) for key, value in one.items()}
        return one, other

    shows = [smallest_difference(*pair(5), families) or 0.0 for _ in range(30)]
    middle = sorted(shows)[15]
    shown = 0
    for _ in range(400):
        one, other = pair(middle)
        gaps = np.array([one[key] - other[key] for key in one])
        shown += abs(gaps.mean()) / (gaps.std(ddof=1) / 40**0.5) > 2.023
    assert 0.72 <= shown / 400 <= 0.9
