"""What comparisons weigh: every item of a model alike, and what the user or the pack says."""

from types import ModuleType

import numpy as np
import pytest

from eibench import Comparison, Comparisons, DataError, RatingSettings
from eibench.core.ratings import fractional_logit, glicko2
from eibench.core.ratings.arrays import Floats
from eibench.core.ratings.weighing import level

PLAIN = RatingSettings()


def game(item: str, a: str, b: str, margin: int, *, weight: float = 1.0, n: int = 1) -> Comparison:
    """A comparison in one order, which changes with the item."""
    first = "a" if hash_of(item + a + b) % 2 else "b"
    return Comparison(item, n, a, b, first, {"c": margin}, weight=weight)  # type: ignore[arg-type]


def hash_of(text: str) -> int:
    """The same in each process."""
    return sum(map(ord, text))


def per_item(comparisons: Comparisons, model: str) -> Floats:
    """The weight in all that each item has for a model."""
    place = comparisons.models.index(model)
    mine = (comparisons.a == place) | (comparisons.b == place)
    weight = level(comparisons, np.ones(len(comparisons)))
    found = np.bincount(comparisons.item[mine], weight[mine], len(comparisons.items))
    return np.asarray(found[found > 0])


def test_in_a_full_round_robin_each_comparison_weighs_one() -> None:
    """To the last bit."""
    names = [(a, b) for i, a in enumerate("vwxyz") for b in "vwxyz"[:i]]
    whole = Comparisons.of(game(f"i{n}", a, b, 1) for n in range(45) for a, b in names)
    assert (level(whole, np.ones(len(whole))) == 1).all()


def test_an_item_asked_more_often_of_a_new_model_counts_like_its_others() -> None:
    """Six on one item and one each on nine others, on a ladder that met everywhere."""
    items, ladder = [f"i{n}" for n in range(10)], [f"m{n}" for n in range(8)]
    rows = [game(i, a, b, 1) for i in items for k, a in enumerate(ladder) for b in ladder[:k]]
    rows += [game(i, "new", ladder[n % 8], 2) for n, i in enumerate(items)]
    rows += [game("i0", "new", m, 2) for m in ladder[1:6]]
    found = per_item(Comparisons.of(rows), "new")
    assert len(found) == 10
    assert found.max() / found.min() < 1.15  # 6 without weights


@pytest.mark.parametrize("engine", [glicko2, fractional_logit])
def test_the_rating_is_of_all_items_alike_however_often_each_was_asked(engine: ModuleType) -> None:
    """A model that wins one item and loses nine, asked on the first by everybody."""
    items, ladder = [f"i{n}" for n in range(10)], [f"m{n}" for n in range(8)]
    rows = [
        game(i, a, b, 1 if (n + k) % 2 else -1)
        for n, i in enumerate(items)
        for k, a in enumerate(ladder)
        for b in ladder[:k]
    ]
    once = [game(i, "new", "m0", 4 if i == "i0" else -2) for i in items]
    more = [game("i0", "new", m, 4) for m in ladder[1:]]
    rate = engine.rate
    few = rate(Comparisons.of([*rows, *once]), PLAIN)["new"].rating
    many = rate(Comparisons.of([*rows, *once, *more]), PLAIN)["new"].rating
    assert few < 1450
    assert many < 1450  # 8 of 17 comparisons were won by a lot


@pytest.mark.parametrize("engine", [glicko2, fractional_logit])
def test_a_weight_in_the_file_is_what_a_comparison_counts(engine: ModuleType) -> None:
    """A tenth of it moves the rating by less, and the number of comparisons stays."""
    rate = engine.rate
    good = [game(f"i{n}", "x", "y", 1 + n % 2) for n in range(12)]
    bad = [game(f"j{n}", "x", "y", -5) for n in range(6)]
    full = rate(Comparisons.of(good + bad), PLAIN)["x"]
    light = rate(Comparisons.of([*good, *(r._replace(weight=0.1) for r in bad)]), PLAIN)["x"]
    assert full.rating < 1500 < light.rating
    assert light.comparisons == 18


def test_a_weight_of_an_item_is_that_of_each_of_its_comparisons() -> None:
    """Of the settings as of the file."""
    good = [game(f"i{n}", "x", "y", 1 + n % 2) for n in range(12)]
    bad = [game(f"j{n}", "x", "y", -5) for n in range(6)]
    weights = {f"j{n}": 0.1 for n in range(6)}
    message = glicko2.rate(Comparisons.of(good + bad), RatingSettings(item_weights=weights))
    light = [row._replace(weight=0.1) for row in bad]
    assert message["x"] == glicko2.rate(Comparisons.of(good + light), PLAIN)["x"]


@pytest.mark.parametrize("weight", [0, -1, "2", None, float("inf")])
def test_a_weight_that_is_no_number_above_0_is_refused(weight: object) -> None:
    """With its row."""
    row = game("1", "x", "y", 1)._replace(weight=weight)  # type: ignore[arg-type]
    with pytest.raises(DataError, match='row 1: "weight" must be a number above 0'):
        Comparisons.of([row])
