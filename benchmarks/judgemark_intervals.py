"""How often Judgemark's interval holds the separability that fresh prompts would give.

python -m benchmarks.judgemark_intervals [TRIALS]
"""

import sys

import numpy as np

from eibench.plugins.creative_writing.separation import Table, interval, parts

WRITERS, ITEMS, REPEATS = 19, 19, 3


def table(spread: float, noise: float, rng: np.random.Generator, items: int = ITEMS) -> Table:
    """Grades of writers a spread apart, whose texts differ by .7 points and repeats by `noise`."""
    writers = np.linspace(-spread, spread, WRITERS)[:, None, None]
    texts = rng.normal(0, 0.7, (WRITERS, items, 1))
    grades: Table = 6 + writers + texts + rng.normal(0, noise, (WRITERS, items, REPEATS))
    return grades


def main() -> None:
    """A line for each spread of writers."""
    trials, rng = int(sys.argv[1]) if len(sys.argv) > 1 else 200, np.random.default_rng(0)
    for spread in (0.3, 0.6, 1.0):
        drawn = [table(spread, 0.5, rng) for _ in range(trials)]
        truth = float(np.mean([_separability(table(spread, 0.5, rng)) for _ in range(500)]))
        ends = [interval(one, _separability) for one in drawn]
        held = np.mean([e is not None and e[0] <= truth <= e[1] for e in ends])
        width = np.mean([e[1] - e[0] for e in ends if e])
        print(f"spread {spread}: separability {truth:.2f}, held {held:.1%}, width {width:.2f}")


def _separability(grades: Table) -> float:
    """Of grades whose repeats are grades too: the tau of repeats is not needed here."""
    return parts(grades.reshape(len(grades), -1, 1)).separability


if __name__ == "__main__":
    main()
