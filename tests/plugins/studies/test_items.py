"""`bench items` and `bench power`: what items say, smaller packs, and what a difference takes."""

import csv
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from eibench import UsageError
from eibench.plugins.studies.item_analysis import (
    BY_DIFFICULTY,
    BY_DISCRIMINATION,
    ItemMatrix,
    evenly,
    reliability,
    select,
    study_items,
)
from eibench.plugins.studies.power_command import plan_pair

Bench = Callable[..., Any]


def _table(models: int, items: int, seed: int = 1, noise: float = 10.0) -> ItemMatrix:
    """Abilities with SD 8, difficulties with SD 12, and noise."""
    rng = np.random.default_rng(seed)
    ability, difficulty = rng.normal(60, 8, models), rng.normal(0, 12, items)
    scores = ability[:, None] - difficulty + rng.normal(0, noise, (models, items))
    names = tuple(f"model-{n}" for n in range(models))
    return ItemMatrix(names, tuple(f"i{k}" for k in range(items)), scores)


def test_reliability_is_that_of_the_truth() -> None:
    """Hoyt's: var(ability) / (var(ability) + noise^2 / items), and its interval holds it."""
    truth, inside = 64 / (64 + 100 / 40), 0
    for seed in range(100):
        said_of = reliability(_table(15, 40, seed))
        assert said_of.ci95 is not None
        inside += said_of.ci95[0] <= truth <= said_of.ci95[1]
    assert 88 <= inside <= 100


def test_reliability_is_not_said_of_few_models() -> None:
    """Below eight."""
    assert reliability(_table(7, 40)) == (None, None, "there are 7 models; not below 8")


def test_an_item_that_points_the_wrong_way_is_named() -> None:
    """Its correlation with the others is below 0 with its whole interval."""
    table = _table(20, 30)
    table.scores[:, 4] = 100 - table.scores.mean(axis=1)
    studied = study_items(table)
    assert [one.item_id for one in studied if one.wrong_way] == ["i4"]


def test_difficulty_has_an_interval_over_models() -> None:
    """Student's: of two models the same by hand, t(.975, 1) = 12.706."""
    one = study_items(ItemMatrix(("a", "b"), ("i",), np.array([[4.0], [6.0]])))[0]
    assert one.difficulty == 5
    assert one.ci95 == pytest.approx((5 - 12.706, 5 + 12.706), abs=0.01)
    assert one.discrimination is None


def test_a_selection_is_even_over_difficulty() -> None:
    """Of items 0 to 9 in order of difficulty five are the second, fourth, and so on."""
    scores = np.tile(np.arange(10.0), (4, 1))
    table = ItemMatrix(tuple("abcd"), tuple(map(str, range(10))), scores)
    assert evenly(table, 5) == [1, 3, 5, 7, 9]


def test_a_selection_keeps_the_score_better_than_chance() -> None:
    """Of models that were left out of the choice; the share of noise as on real boards."""
    chosen = select(_table(12, 120, noise=8), 30, BY_DIFFICULTY)
    assert chosen.accepted
    assert chosen.measured.rms < chosen.random.rms
    assert len(chosen.items) == 30


def test_discrimination_needs_models_and_left_out_ones() -> None:
    """Not with fewer than twelve; and where items differ in nothing it is not accepted."""
    with pytest.raises(UsageError, match="needs 12 models"):
        select(_table(11, 40), 10, BY_DISCRIMINATION)
    assert not select(_table(12, 60, noise=8), 15, BY_DISCRIMINATION).accepted


def test_a_file_of_scores_gives_a_selection(bench: Bench, tmp_path: Path) -> None:
    """The ids go to the file with its parent named; a choice that is not accepted does not."""
    table, path = _table(12, 60, noise=8), tmp_path / "scores.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["model", *table.items])
        writer.writerows(
            [name, *map(str, row)] for name, row in zip(table.models, table.scores, strict=True)
        )
    args = ("items", "eqbench-v2", "--scores", str(path), "--select", "15")
    done = bench(*args, "-o", "small.txt", "--among", "top:8")
    assert done.code == 0, done.err
    lines = Path("small.txt").read_text("utf-8").splitlines()
    assert lines[0].startswith("# 15 of 60 items of eqbench-v2, by difficulty")
    assert len(lines) == 2 + 15
    refused = bench(*args, "--by", "discrimination", "-o", "other.txt")
    assert refused.code == 2
    assert not Path("other.txt").exists()
    assert bench("items", "eqbench-v2", "--scores", str(path), "--among", "nobody").code == 2


def test_the_journal_s_runs_give_items_and_a_plan(bench: Bench) -> None:
    """On the scale of the metric; one of demo runs says so."""
    for name in ("strong", "weak"):
        bench("run", "eqbench-v1", "--model", f"demo/{name}", "--iterations", "2")
    document = bench("items", "eqbench-v1", "--json").json
    means = [one["difficulty"] for one in document["items"]]
    assert 20 < sum(means) / len(means) < 95
    plan = bench("power", "eqbench-v1", "--difference", "3", "--demo", "--json").json
    assert plan["demo"] is True
    (pair,) = plan["pairs"]
    assert pair["items"] == 30 and pair["shows"] > 1
    refused = bench("power", "seceu", "--difference", "3")
    assert refused.code == 2
    assert "is known from two" in refused.err


def test_the_smallest_difference_is_found_in_80_of_100_runs() -> None:
    """Simulated with the planned difference: 75 to 85 % by the pair's own t test, about."""
    rng, families = Random(3), {str(k): str(k) for k in range(40)}

    def pair(gap: float) -> tuple[dict[tuple[str, int], float], dict[tuple[str, int], float]]:
        one = {(str(k), 1): rng.gauss(50, 20) for k in range(40)}
        other = {key: value - gap + rng.gauss(0, 10) for key, value in one.items()}
        return one, other

    shows = [plan_pair(("a", "b"), *pair(5), families, 5).shows or 0.0 for _ in range(30)]
    middle = sorted(shows)[15]
    shown = 0
    for _ in range(400):
        one, other = pair(middle)
        gaps = np.array([one[key] - other[key] for key in one])
        shown += abs(gaps.mean()) / (gaps.std(ddof=1) / 40**0.5) > 2.023
    assert 0.72 <= shown / 400 <= 0.9
