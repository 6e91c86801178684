"""`bench items`: what items say of models, and smaller packs."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eibench import UsageError
from eibench.plugins.studies.item_analysis import (
    BY_DIFFICULTY,
    BY_DISCRIMINATION,
    ItemMatrix,
    evenly,
    left_out,
    reliability,
    select,
    study_items,
)
from eibench.plugins.studies.items_command import among_models

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
    assert reliability(_table(7, 40)) == (None, None, "needs at least 8 models, and there are 7")


def test_an_item_that_points_the_wrong_way_is_named() -> None:
    """Its correlation with the others is below 0 with its whole interval."""
    table = _table(20, 30)
    table.scores[:, 4] = 100 - table.scores.mean(axis=1)
    studied = study_items(table)
    assert [one.item_id for one in studied if one.wrong_way] == ["i4"]


def test_an_item_s_mean_has_an_interval_within_the_scale() -> None:
    """Student's, of eight models by hand: t(.975, 7) = 2.3646; it ends where a score does."""
    column = np.array([80.0, 90, 95, 100, 100, 100, 100, 100])
    names, table = tuple("abcdefgh"), np.stack([column, column[::-1], np.full(8, 7.0)], axis=1)
    free, _, alike = study_items(ItemMatrix(names, ("i", "j", "k"), table))
    half = 2.3646 * column.std(ddof=1) / 8**0.5
    assert free.ci95 == pytest.approx((column.mean() - half, column.mean() + half), abs=0.01)
    within = study_items(ItemMatrix(names, ("i", "j", "k"), table, ends=(0, 100)))[0]
    assert within.ci95 == pytest.approx((column.mean() - half, 100), abs=0.01)
    assert column.mean() + half > 100
    assert alike.ci95 is None and alike.discrimination is None


def test_of_few_models_nothing_is_said_over_models() -> None:
    """Below eight neither an interval nor a correlation, which of three is 1 or -1 by chance."""
    for one in study_items(_table(7, 5)):
        assert (one.ci95, one.discrimination, one.discrimination_ci95) == (None, None, None)


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


def test_items_are_those_of_the_board(bench: Bench) -> None:
    """In the order of the pack, on the metric's scale; which board, and what is left out."""
    for name, limit in (("strong", "11"), ("weak", "12"), ("medium", "12")):
        bench("run", "eqbench-v1", "--model", f"demo/{name}", "--limit", limit)
    document = bench("items", "eqbench-v1", "--json").json
    assert [one["item_id"] for one in document["items"]] == [str(n) for n in range(1, 12)]
    score = [bench("show", name, "--json").json["metrics"]["score"]["value"]
             for name in ("strong", "weak")]  # fmt: skip
    assert min(score) - 5 < np.mean([one["difficulty"] for one in document["items"]])
    shown = bench("items", "eqbench-v1").out
    assert "3 models, 11 items; score; pack bundled" in shown
    assert "Left out, as not every model has a number: 19 items (12, 13," in shown
    assert "intervals and correlations over models need at least 8 models" in shown


def test_distances_are_shown_as_they_are(bench: Bench) -> None:
    """Where less is better high is hard, and no number is turned round."""
    for name in ("strong", "weak"):
        bench("run", "seceu", "--model", f"demo/{name}", "--limit", "8")
    document = bench("items", "seceu", "--json").json
    assert document["higher_is_better"] is False
    assert all(one["difficulty"] >= 0 for one in document["items"])
    assert "mean (high is hard)" in bench("items", "seceu").out


def test_the_best_models_are_those_with_the_smallest_distances() -> None:
    """Of `--among top:2`."""
    scores = np.array([[3.0, 3], [1, 1], [2, 2]])
    table = ItemMatrix(("a", "b", "c"), ("i", "j"), scores, higher_is_better=False)
    assert among_models(table, "top:2").models == ("b", "c")


def test_a_model_left_out_is_ranked_among_the_others_on_its_selection() -> None:
    """Selections of unequal hardness do not take rank correlation away."""
    table = _table(12, 60, noise=0.0)

    def unequal(of: ItemMatrix, count: int) -> list[int]:
        hardest = np.argsort(table.scores.mean(axis=0))
        at = next(n for n in range(12) if table.models[n] not in of.models)
        return [int(k) for k in hardest[at * 4 : at * 4 + count]]

    assert left_out(table, 10, unequal).rho == pytest.approx(1)
