"""How often `bench verify` finds what was invented, and accuses who is honest.

    python -m benchmarks.submissions [--bundles N]

`--rejudge 5%` of 135 verdicts of judges of four kinds of noise: of some of the verdicts the value
is one that the judge never gives. `--reask 10%` of bundles of three shapes: the model that is asked
again is the same, or worse by what is said to be told in at least 80 % of draws, by the true
spread. Its lead differs from item to item.
"""

import argparse
from collections.abc import Callable, Sequence
from math import ceil, sqrt
from typing import NamedTuple

import numpy as np

from eibench.core.statistics.bootstrap import Floats
from eibench.core.statistics.redrawing import (
    LEVEL,
    chance_drawn,
    is_outside,
    most_redraws,
    redrawn,
)
from eibench.core.statistics.student import student_quantile

from .measuring import table

VERDICTS, SHARE = 135, 0.05
INVENTED = (0, 1, 7, 14, 27)
Noise = Callable[[np.random.Generator, Floats, int], Floats]


def normal(rng: np.random.Generator, means: Floats, n: int) -> Floats:
    """Grades of standard deviation 3 around means, shape (means, n)."""
    return np.asarray(means[:, None] + rng.normal(0, 3, (means.size, n)))


def heavy(rng: np.random.Generator, means: Floats, n: int) -> Floats:
    """The same with tails of Student's t of two degrees of freedom."""
    return np.asarray(means[:, None] + rng.standard_t(2, (means.size, n)))


def coarse(rng: np.random.Generator, means: Floats, n: int) -> Floats:
    """Whole grades in steps of 10, nine of ten the nearest."""
    near = np.round(means / 10) * 10
    return np.asarray(
        near[:, None] + 10 * rng.choice([-1, 0, 1], (means.size, n), p=[0.05, 0.9, 0.05])
    )


def same(rng: np.random.Generator, means: Floats, n: int) -> Floats:
    """Always the same grade."""
    return np.repeat(means[:, None], n, axis=1)


NOISES: dict[str, Noise] = {
    "always alike": same,
    "steps": coarse,
    "normal": normal,
    "t of 2": heavy,
}


def rejudged(rng: np.random.Generator, noise: Noise, invented: int) -> tuple[bool, int]:
    """Whether a bundle is accused, and how many verdicts were asked for."""
    means = rng.uniform(30, 80, VERDICTS)
    known = noise(rng, means, 1)[:, 0]
    known[:invented] = 1e6  # beyond all that any of these judges gives
    drawn = rng.choice(VERDICTS, ceil(SHARE * VERDICTS), replace=False)
    most, accused, asked = most_redraws(len(drawn)), False, 0
    for n in drawn:
        anew, done = noise(rng, means[n : n + 1], most)[0].tolist(), 0
        while done < most and is_outside(known[n], anew[:done]):  # as `asking` does
            done = min(most, done + min(max(1, done), 16))
        asked += done
        accused = accused or is_outside(known[n], anew[:done])
    return accused, asked


class Shape(NamedTuple):
    """Items that are asked again, how often each was asked, and how grades come about."""

    name: str
    items: int
    iterations: int
    noise: float
    lead: float
    kind: str

    @property
    def spread(self) -> float:
        """The true standard deviation of an item's difference, with the spread of the lead."""
        return sqrt(2 * self.noise**2 / self.iterations + self.lead**2)

    @property
    def shows(self) -> float:
        """The difference that is told in 80 % of draws, by Student's t."""
        df = np.array([self.items - 1.0])
        quantiles = (float(student_quantile(p, df)[0]) for p in (1 - LEVEL / 2, 0.8))
        return sum(quantiles) * self.spread / sqrt(self.items)

    def grades(self, rng: np.random.Generator, means: Floats) -> Floats:
        """Grades of items, shape (items, iterations)."""
        size = (self.items, self.iterations)
        if self.kind == "normal":
            return np.asarray(means[:, None] + rng.normal(0, self.noise, size))
        skewed = rng.gamma(1, self.noise, size) - self.noise  # long to one side
        return np.asarray(means[:, None] - skewed)

    def accused(self, rng: np.random.Generator, difference: float) -> tuple[bool, float]:
        """Whether a bundle is, whose model is so much better than the one that is asked again."""
        means = rng.normal(60, 15, self.items)
        leads = difference + (rng.normal(0, self.lead, self.items) if difference else 0.0)
        one = redrawn(
            self.grades(rng, means + leads).tolist(), self.grades(rng, means).tolist(), rng, 999
        )
        return one.p is not None and one.p <= LEVEL, one.shows or 0.0


SHAPES = (
    [Shape("45 x 3, 10 %", 5, 3, 6.0, 3.0, kind) for kind in ("normal", "skewed")]
    + [Shape("171 x 1, 10 %", 18, 1, 10.0, 4.0, kind) for kind in ("normal", "skewed")]
    + [Shape("96 x 3, 10 %", 10, 3, 8.0, 3.0, kind) for kind in ("normal", "skewed")]
)


def main() -> None:
    """Both tables, each figure with its standard error."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--bundles", type=int, default=200)
    n = parser.parse_args().bundles
    rng = np.random.default_rng(51)
    drawn = ceil(SHARE * VERDICTS)
    rows = list[Sequence[str]]()
    for name, noise in NOISES.items():
        for invented in INVENTED:
            times = n if invented else 10 * n
            each = [rejudged(rng, noise, invented) for _ in range(times)]
            stated = chance_drawn(invented, drawn, VERDICTS)
            asked = np.mean([asked for _, asked in each])
            rows.append((name, str(invented), f"{stated:.3f}", share([a for a, _ in each]),
                         f"{asked:.0f}"))  # fmt: skip
    print(table(("judge's noise", "invented of 135", "stated", "accused", "verdicts asked"), rows))
    rows = list[Sequence[str]]()
    for shape in SHAPES:
        honest = [shape.accused(rng, 0.0) for _ in range(10 * n)]  # few are accused
        better = [shape.accused(rng, shape.shows) for _ in range(n)]
        printed = np.median([shows for _, shows in better])
        rows.append((shape.name, shape.kind, share([a for a, _ in honest]), f"{shape.shows:.1f}",
                     f"{printed:.1f}", share([a for a, _ in better])))  # fmt: skip
    print(table(("bundle", "noise", "honest accused", "true difference", "printed, median",
                 "found (stated: .800 or more)"), rows))  # fmt: skip


def share(each: list[bool]) -> str:
    """A share with its standard error."""
    p = float(np.mean(each))
    return f"{p:.3f} ± {sqrt(p * (1 - p) / len(each)):.3f}"


if __name__ == "__main__":
    main()
