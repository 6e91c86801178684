"""Ranks by a score: of whole results and partial ones, and what is not known."""

from collections.abc import Sequence
from typing import cast

import numpy as np
import pytest

from eibench import Metric, Pack, PackSource, SampleScore, Score, Summary
from eibench.core.plugins import installed
from eibench.core.reports.ratings import BoardRow
from eibench.core.reports.score_ranks import ItemScores, ScoredItems, item_scores, place_rows

ITEMS = 30


def scores(level: float, seed: int, n: int = ITEMS) -> dict[str, tuple[float, int]]:
    """Scores of items that are as hard for all, around a level."""
    hard = np.random.default_rng(99).normal(size=ITEMS)
    own = hard + level + 0.5 * np.random.default_rng(seed).normal(size=ITEMS)
    return {f"i{k}": (float(value), 1) for k, value in enumerate(own[:n])}


def rows_of(
    items: dict[str, ItemScores | None], partial: Sequence[str] = (), higher: bool = True
) -> list[BoardRow]:
    """Rows of models with these scores, as a board has them before they are placed."""
    rows = []
    for model, own in items.items():
        value = float(np.mean([v for v, _ in own.values()])) if own else 1.0
        metric = {"value": value, "ci95": None, "n": ITEMS, "higher_is_better": higher}
        empty = dict.fromkeys(("rank", "rank_ci95", "rank_ci95_board", "tied_with"))
        row = {"model": model, "partial": model in partial, "metrics": {"s": metric}, **empty}
        rows.append(cast("BoardRow", row))
    return rows


def scored(items: dict[str, ItemScores | None], families: int = ITEMS) -> ScoredItems:
    """What a board knows of them, on a pack of so many families."""
    return ScoredItems("s", items, {f"i{k}": f"f{k % families}" for k in range(ITEMS)})


@pytest.mark.parametrize(("higher", "ranks"), [(True, [1, 2, 2]), (False, [3, 1, 1])])
def test_better_is_what_the_metric_says(higher: bool, ranks: list[int]) -> None:
    """The highest, or the lowest; equal scores share a rank and are tied."""
    items: dict[str, ItemScores | None] = {
        "a": scores(3, 1), "b": scores(0, 2), "c": scores(0, 2),
    }  # fmt: skip
    rows = rows_of(items, higher=higher)
    assert place_rows(rows, scored(items)) == []
    assert [row["rank"] for row in rows] == ranks
    assert [row["tied_with"] for row in rows] == [[], ["c"], ["b"]]
    assert rows[1]["rank_ci95_board"] == ([2, 3] if higher else [1, 2])


def test_partial_ones_make_whole_ones_no_less_sure() -> None:
    """They are ranked below; who of both kinds is tied is said of both."""
    items: dict[str, ItemScores | None] = {
        "best": scores(3, 1), "next": scores(0, 2), "part": scores(0, 3, 20),
    }  # fmt: skip
    rows = rows_of(items, partial=["part"])
    place_rows(rows, scored(items))
    best, near, part = rows
    assert [row["rank_ci95_board"] for row in rows] == [[1, 1], [2, 2], [3, 3]]
    assert (best["tied_with"], near["tied_with"], part["tied_with"]) == ([], ["part"], ["next"])


def test_too_few_families_make_nothing_known() -> None:
    """Ranks by the numbers alone, and why."""
    items: dict[str, ItemScores | None] = {"a": scores(3, 1), "b": scores(0, 2)}
    rows = rows_of(items)
    (said,) = place_rows(rows, scored(items, families=7))
    assert said == "an interval needs items with 8 different texts, here are 7"
    assert [row["rank"] for row in rows] == [1, 2]
    assert {row["rank_ci95"] is None and row["tied_with"] is None for row in rows} == {True}


def test_very_unequal_families_are_warned_of() -> None:
    """21 items in one of ten families: 30^2 / (21^2 + 9) = 2."""
    items: dict[str, ItemScores | None] = {"a": scores(3, 1), "b": scores(0, 2)}
    clusters = {f"i{k}": f"f{max(0, k - 20)}" for k in range(ITEMS)}
    few, unequal = place_rows(rows_of(items), ScoredItems("s", items, clusters))
    assert "fewer than 20" in few
    assert "these 10 texts say as much as 2.0 with as many items each" in unequal


def test_a_metric_that_is_no_mean_of_items_tells_nothing_apart() -> None:
    """Of one model is enough, as all are set against each other."""
    items: dict[str, ItemScores | None] = {"a": scores(3, 1), "b": None}
    rows = rows_of(items)
    (said,) = place_rows(rows, scored(items))
    assert said == "s is no mean of the scores of items: nothing is told apart by it"
    assert [row["tied_with"] for row in rows] == [None, None]


@pytest.mark.parametrize(("value", "is_mean"), [(2.5, True), (2.0, False)])
def test_what_items_scored_has_to_make_the_metric(value: float, is_mean: bool) -> None:
    """Their mean over samples: (1 + 2 + 3 + 4) / 4; a median is none."""
    benchmark = installed().benchmark("mediation-live")
    name = benchmark.values[0].name
    given = [
        SampleScore(f"i{n % 2}", f"i{n % 2}", 1 + n // 2, Score({name: n + 1.0})) for n in range(4)
    ]
    pack = Pack(PackSource("own", "0" * 64, {}), [], "")
    found = item_scores(benchmark, pack, given, {}, Summary({name: Metric(value)}))
    assert found == ({"i0": (4.0, 2), "i1": (6.0, 2)} if is_mean else None)
