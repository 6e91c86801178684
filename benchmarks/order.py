"""Whether boards of equals tell nobody apart, and whether P(one is better) is what it says.

All models of a board are equal in truth, so that whatever is told apart is told wrongly. Scores of
items share a part of their variance with those of other models, as real ones do (0.27), and of what
is left a part with the family. Comparisons are drawn as in `equals`.

    python -m benchmarks.order [--boards N] [--rated N] [--part scores|ratings|said]
"""

import argparse
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eibench import RatingSettings
from eibench.core.ratings.arrays import Floats
from eibench.core.ratings.ordering import FEWEST_MODELS
from eibench.core.statistics.group_means import equal_clusters, group_mean_terms
from eibench.core.statistics.score_order import ItemTable, order_scores
from eibench.plugins.kit.simulator import FAMILY_SIZES
from eibench.statistics import paired_difference

from .equals import ENGINES, Liking, draw, play
from .measuring import table

COMMON = 0.27
"""The part of the variance of scores that all models share, as in EQ-Bench v2's published runs."""
FAMILIES = {
    "8 of 1": (1,) * 8,
    "20 of 1": (1,) * 20,
    "26 of eqbench3": FAMILY_SIZES,
    "23 unequal": (13, 4, 3, *(2,) * 5, *(1,) * 15),
    "one of 20, 9 of 2": (20, *(2,) * 9),
}
GROUPS = {"8 groups of 2": (2,) * 8, "8 groups of 3": (3,) * 8, "5 groups of 8": (8,) * 5}
"""How many items each group has, whose means have one mean as the score."""


class Wrong(NamedTuple):
    """Of boards of equals the shares that are wrong.

    Attributes:
        own: Models whose own rank interval leaves out a rank.
        board: Whether any model's joint one does.
        pair: Whether the paired test of the first two tells them apart.
    """

    own: float
    board: float
    pair: float


def scores(n: int, sizes: Sequence[int], of_family: float, seed: int) -> ItemTable:
    """A board of `n` equal models."""
    rng = np.random.default_rng([seed, n, len(sizes)])
    families = np.repeat(np.arange(len(sizes)), sizes)
    shared = rng.normal(size=len(families))
    own = (1 - of_family) ** 0.5 * rng.normal(size=(n, len(families)))
    own += of_family**0.5 * rng.normal(size=(n, len(sizes)))[:, families]
    values = COMMON**0.5 * shared + (1 - COMMON) ** 0.5 * own
    return ItemTable(values, np.ones_like(values), families)


def grouped(n: int, sizes: Sequence[int], seed: int) -> ItemTable:
    """A board of `n` equal models whose score is the mean of the means of groups of items."""
    groups, items = np.repeat(np.arange(len(sizes)), sizes), np.arange(sum(sizes))
    values = scores(n, (1,) * len(items), 0.0, seed).sums
    terms = np.array([group_mean_terms(of_model, groups, items) for of_model in values])
    return ItemTable(terms, np.ones_like(terms), items, equal=equal_clusters(groups, items))


def wrong(made: ItemTable) -> Wrong:
    """What a board says wrongly."""
    found, n = order_scores(made), len(made.sums)
    own, board = ((ends != [1, n]).any(axis=1) for ends in (found.of_row, found.board))
    alone = paired_difference(made.sums[0], made.sums[1], made.families, equal=made.equal)
    return Wrong(own.mean(), board.any(), alone.p is not None and alone.p < 0.05)


def measure_scores(boards: int) -> str:
    """Boards of scores of 3, 10 and 20 equal models."""
    head = ["families", "effective", "family's part", "models", "own rank", "board", "pair alone"]
    rows = []
    for name, sizes in FAMILIES.items():
        for part in (0.0, 0.2) if max(sizes) > 1 else (0.0,):
            for n in (3, 10, 20):
                found = [wrong(scores(n, sizes, part, seed)) for seed in range(boards)]
                effective = order_scores(scores(n, sizes, part, 0)).effective
                cells = [_percent(column) for column in zip(*found, strict=True)]
                rows.append([name, f"{effective:.1f}", f"{part}", str(n), *cells])
    for name, sizes in GROUPS.items():
        for n in (3, 8, 20):
            found = [wrong(grouped(n, sizes, seed)) for seed in range(boards)]
            effective = grouped(2, sizes, 0).equal
            cells = [_percent(column) for column in zip(*found, strict=True)]
            rows.append([name, f"{effective:g}", "0.0", str(n), *cells])
    return f"scores, all models equal, {boards} boards: % wrong\n\n{table(head, rows)}"


def _percent(shares: npt.ArrayLike) -> str:
    values = np.asarray(shares, dtype=np.float64)
    return f"{100 * values.mean():.1f} ± {100 * values.std() / len(values) ** 0.5:.1f}"


RATED = {
    "10 models, 26 families": (10, FAMILY_SIZES, 45),
    "20 models, half the items": (20, FAMILY_SIZES, 22),
    "10 models, 8 items": (10, (1,) * 8, 8),
    "10 models, 23 unequal families": (10, FAMILIES["23 unequal"], 45),
}


def measure_ratings(boards: int) -> str:
    """Boards of ratings of equal models."""
    head = ["board", "engine", "own rank", "board", "pair alone"]
    rows = []
    for name, (n, sizes, items) in RATED.items():
        for engine in ("glicko2", "fractional-logit"):
            liking = Liking(items=min(items, sum(sizes)))
            found = play(ENGINES[engine], np.zeros(n), liking, boards, sizes)
            cells = [_percent(column) for column in (1 - found.own, 1 - found.board, found.apart)]
            rows.append([name, engine, *cells])
    return f"ratings, all models equal, {boards} boards: % wrong\n\n{table(head, rows)}"


SPREAD = 0.15
BINS = (0.5, 0.8, 0.9, 0.95, 1.0)


def measure_said(boards: int) -> str:
    """Models whose abilities hardly differ: how likely the better is said to be, and is."""
    head = ["models", "items", *(f"said {low:g} to {high:g}: mean / true" for low, high in _bins())]
    head += ["first too high, errors", "shrunk"]
    rows = [
        [str(n), str(items), *_said(n, items, boards)]
        for n in (10, FEWEST_MODELS)
        for items in (45, 20, 8)
    ]
    return f"glicko2, abilities of SD {SPREAD}, {boards} boards\n\n{table(head, rows)}"


def _bins() -> list[tuple[float, float]]:
    return list(pairwise(BINS))


def _said(n: int, items: int, boards: int) -> list[str]:
    sizes = FAMILY_SIZES if items == 45 else (1,) * items
    made = [_close_board(n, items, sizes, seed) for seed in range(boards)]
    p, better, ratings, errors, high, truth = (np.array(c) for c in zip(*made, strict=True))
    # What ability is worth in points: the slope over all boards, which noise does not bend.
    apart = truth - truth.mean(axis=1, keepdims=True)
    worth = (ratings * apart).sum() / (apart**2).sum()
    centred = ratings - ratings.mean(axis=1, keepdims=True)
    first = (centred - worth * apart)[:, 0]
    shown = [_held(p, better, low, high) for low, high in _bins()]
    above, shrunk = first / errors[:, 0], (first - high) / errors[:, 0]
    return [*shown, f"{above.mean():.2f}", f"{shrunk.mean():.2f}"]


def _close_board(n: int, items: int, sizes: Sequence[int], seed: int) -> tuple[npt.ArrayLike, ...]:
    """P of each pair and whether it is so, ratings, their errors, the first's excess, abilities."""
    ability = SPREAD * np.random.default_rng(seed).normal(size=n)
    found = ENGINES["glicko2"](draw(ability, Liking(items=items), seed, sizes), RatingSettings())
    truth = ability[[int(row.model.rpartition("-")[2]) for row in found.rows]]
    assert found.above is not None
    pairs = np.triu_indices(n, 1)
    ratings = np.array([row.rating for row in found.rows])
    errors = np.array([(row.half_width or np.nan) / 1.96 for row in found.rows])
    better = (truth[:, None] > truth[None, :])[pairs]
    return (
        found.above[pairs],
        better,
        ratings,
        errors,
        found.diagnostics["first_too_high"][0],
        truth,
    )


def _held(said: Floats, true: npt.NDArray[np.bool_], low: float, high: float) -> str:
    own = (said >= low) & (said < high + (high == 1))
    return f"{said[own].mean():.3f} / {true[own].mean():.3f} ({own.sum()})" if own.any() else "-"


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boards", type=int, default=400)
    parser.add_argument("--rated", type=int, default=100)
    parser.add_argument("--part", choices=("scores", "ratings", "said"))
    options = parser.parse_args()
    if options.part in (None, "scores"):
        print(measure_scores(options.boards), end="\n\n")
    if options.part in (None, "ratings"):
        print(measure_ratings(options.rated), end="\n\n")
    if options.part in (None, "said"):
        print(measure_said(options.rated), end="\n\n")


if __name__ == "__main__":
    main()
