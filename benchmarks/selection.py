"""Whether what `bench items --select` prints of models left out is what new models get.

Worlds of twelve models and 150 items are drawn: abilities, how hard each item is and how far it
parts models, and noise; or the same as yes or no. In each, thirty items are chosen on the twelve,
and the rank correlation with the full score that is printed is set beside that of 200 new models.

    python -m benchmarks.selection            prints the table, in a minute of one core
"""

import argparse
from typing import NamedTuple

import numpy as np

from eibench.plugins.studies.item_analysis import CHOICES, Floats, ItemMatrix, select
from eibench.statistics import spearman

from .measuring import table

MODELS, ITEMS, CHOSEN, NEW = 12, 150, 30, 200


class World(NamedTuple):
    """How models differ, by the standard deviation of their abilities, and what is seen of it."""

    name: str
    spread: float
    yes_or_no: bool = False

    def draw(self, rng: np.random.Generator) -> tuple[ItemMatrix, Floats]:
        """Twelve models, and the scores of new ones on the same items."""
        ability = rng.normal(0, self.spread, MODELS + NEW)
        slope, hard = rng.lognormal(0, 0.5, ITEMS), rng.normal(0, 1.2, ITEMS)
        seen = slope * (ability[:, None] - hard)
        scores: Floats = seen + rng.logistic(size=seen.shape)
        scores = np.where(scores > 0, 100.0, 0.0) if self.yes_or_no else 60 + 10 * scores
        names = tuple(str(n) for n in range(MODELS))
        return ItemMatrix(names, tuple(map(str, range(ITEMS))), scores[:MODELS]), scores[MODELS:]


WORLDS = [World("numbers", 1), World("yes or no", 1, yes_or_no=True), World("close models", 0.3)]


def rank(some: Floats, whole: Floats) -> float:
    """The rank correlation of scores."""
    return spearman(some.tolist(), whole.tolist()).value or 0.0


def measure(world: World, by: str, worlds: int) -> list[float]:
    """Means over worlds.

    Of the choice the correlation that is printed and that of new models, of random packs the one
    that is printed, and how often the choice may be written.
    """
    rows = []
    for n in range(worlds):
        known, new = world.draw(np.random.default_rng(n))
        chosen = select(known, CHOSEN, by)
        at = [known.items.index(item) for item in chosen.items]
        truth = rank(new[:, at].mean(axis=1), new.mean(axis=1))
        rows.append((chosen.measured.rho or 0, truth, chosen.random.rho or 0, chosen.accepted))
    return [float(mean) for mean in np.mean(rows, axis=0)]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser("benchmarks.selection", description=__doc__)
    parser.add_argument("--worlds", type=int, default=60)
    options = parser.parse_args()
    rows = []
    for world in WORLDS:
        for by in CHOICES:
            printed, truth, random, accepted = measure(world, by, options.worlds)
            cells = (f"{printed:.3f}", f"{truth:.3f}", f"{random:.3f}", f"{100 * accepted:.0f}")
            rows.append([world.name, by, *cells])
    head = ["models", "chosen by", "rho printed", "rho of new models", "random packs", "written, %"]
    print(table(head, rows))


if __name__ == "__main__":
    main()
