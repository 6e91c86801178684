"""How judges are graded whose leanings are planted: none, not shown, weak, strong or not tested.

    python -m benchmarks.grades [--boards N]

Boards are those of `benchmarks.equals`, of equal models where nothing else is said, lengths drawn
anew for each. A leaning of twice what counts as slight should be called none in 2.5 % at most, and
flips of a judge without a leaning strong in 5 % at most. Panels are those of `benchmarks.judges`.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple, get_args

import numpy as np

from eibench.core.ratings.auditing.conclusions import conclude
from eibench.core.ratings.auditing.estimates import unknown
from eibench.core.ratings.auditing.grades import EffectSizes, grade_leaning, grade_share
from eibench.core.reports.judge_words import DISORDER, OF_SPREAD
from eibench.core.statistics.correlation import spearman
from eibench.core.statistics.estimate import Estimate
from eibench.core.statistics.kin import liking_for_kin
from eibench.core.types.result_document import Grade

from . import judges
from .equals import Liking, draw
from .measuring import table


class Board(NamedTuple):
    """Boards of one kind.

    Attributes:
        name: In the table.
        subjects: What is looked at.
        liking: What the judge likes.
        models: How many there are.
        spread: The best model's ability; the worst has as much less than 0.
    """

    name: str
    subjects: tuple[str, ...]
    liking: Liking
    models: int = 10
    spread: float = 0.0


ALL = ("place", "length", "flips")
BOARDS = (
    Board("no leaning", ALL, Liking()),
    Board("no leaning, noisy judge", ALL, Liking(noise=3.0)),
    Board("no leaning, spread models", ALL, Liking(), spread=1.2),
    Board("no leaning, 3 models, 20 items", ALL, Liking(items=20), 3),
    Board("no leaning, 3 models, 8 items", ALL, Liking(items=8), 3),
    Board("place twice slight", ("place",), Liking(place=0.118)),
    Board("place twice slight, 3 models, 20 items", ("place",), Liking(place=0.118, items=20), 3),
    Board("place twice slight, one order", ("place",), Liking(place=0.31, orders="one")),
    Board("flips twice slight", ("flips",), Liking(place=0.376)),
    Board("flips twice slight, 3 models, 20 items", ("flips",), Liking(place=0.376, items=20), 3),
    Board("length twice slight", ("length",), Liking(length=0.28)),
    Board("length twice slight, 20 items", ("length",), Liking(length=0.32, items=20)),
    Board("length twice slight, 3 models", ("length",), Liking(length=0.28), 3),
    Board("length 0.5, which tells equals apart", ("length",), Liking(length=0.5)),
    Board("place strong: flips too", ("place", "flips"), Liking(place=0.66)),
)


def boards(number: int) -> list[list[str]]:
    """A row for each kind of board and subject."""
    return [row for board in BOARDS for row in _rows(board, number)]


def _rows(board: Board, number: int) -> list[list[str]]:
    ability = np.linspace(board.spread, -board.spread, board.models)
    found: dict[str, list[tuple[Grade, float | None]]] = {name: [] for name in board.subjects}
    for seed in range(number):
        made = draw(ability, board.liking, 10_000 + seed)
        for one in conclude(made, unknown("simulated")):
            if one["about"] in found:
                found[one["about"]].append((one["verdict"], one["value"]))
    return [_row(f"{board.name}: {name}", grades) for name, grades in found.items()]


def _row(name: str, found: Sequence[tuple[Grade, float | None]]) -> list[str]:
    counts = Counter(grade for grade, _ in found)
    known = [value for _, value in found if value is not None]
    shares = [f"{100 * counts[grade] / len(found):.1f}" for grade in get_args(Grade)]
    return [name, f"{np.mean(known):.3f}" if known else "-", *shares]


def kin(world: int, share: float) -> tuple[Grade, float | None]:
    """Of the first judge, who likes its family by so many standard deviations of the models."""
    case = judges.Liking("", (share, 1.0, 1.0), models=40)
    means = case.graded(np.random.default_rng([world, 3])).mean(axis=1)
    made = liking_for_kin(means, case.kin(), 0)
    slight, strong = (limit * float(means.mean(axis=1).std(ddof=1)) for limit in OF_SPREAD)
    return grade_leaning(made, 0.0, EffectSizes(slight, strong)), made.value


def order(world: int, disorder: float) -> tuple[Grade, float | None]:
    """Of 40 models whose order by a judge and by all correlates at 1 less this in truth."""
    r = 2 * np.sin(np.pi * (1 - disorder) / 6)  # Spearman's to Pearson's of normals
    rng = np.random.default_rng([world, 4])
    one, other = rng.normal(size=(2, 40))
    made = spearman(one, r * one + np.sqrt(1 - r * r) * other).estimate()
    assert made.value is not None and made.ci95 is not None
    ends = (1 - made.ci95[1], 1 - made.ci95[0])
    return grade_share(Estimate(1 - made.value, ends, None), DISORDER), 1 - made.value


def panels(number: int) -> list[list[str]]:
    """A row for each planted size, of panels of 40 models."""
    cases: list[tuple[str, Callable[[int, float], tuple[Grade, float | None]], float]] = [
        ("kin, no liking", kin, 0.0),
        ("kin, twice slight", kin, 0.4),
        ("order of models, twice slight", order, 0.2),
    ]
    return [_row(name, [ask(world, size) for world in range(number)]) for name, ask, size in cases]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boards", type=int, default=400)
    number = parser.parse_args(arguments).boards
    head = [f"{grade} %" for grade in get_args(Grade)]
    print(table(["board", "mean value", *head], boards(number)))
    print()
    print(table(["panel", "mean value", *head], panels(number)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
