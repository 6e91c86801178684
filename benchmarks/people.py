"""Means that people's labels and a judge make together, and judges who are like people.

    python -m benchmarks.people [--worlds N]

People label n of N items. What they think has a standard deviation of 1 over items; the judge goes
with it by a correlation, uses 0.6 of the scale and is 1.3 too kind. The truth is the mean over all
items that could be. The second table has judges who err as people do: how often it is said that one
agrees less, or more, with a person than people do with each other.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from eibench.core.statistics.bootstrap import Floats
from eibench.plugins.labels.calibration import less_people
from eibench.plugins.labels.prediction_powered import PredictionPowered, prediction_powered_mean

from .measuring import table

PUBLISHED = (4, 4, 3, *[2] * 11, *[1] * 12)
"""Sizes of the families of the official eqbench3."""
UNEQUAL = (13, 4, 3, 2, 2, 2, 2, 2, *[1] * 15)
"""One text with 29 % of 45 items."""


@dataclass(frozen=True)
class World:
    """How labels and grades come about.

    Attributes:
        name: In the table.
        items: N.
        labelled: n.
        rho: The judge's correlation with people.
        kind: ``number``; ``binary``: 1 or 0; ``win``: 1, 0.5 or 0 in thirds; ``both``: `binary`,
            and so is the judge, which is right in `rho` of all items.
        share: Of 1, where labels are 1 or 0.
        families: Sizes of families, half of whose variance is in common; each item its own if
            empty.
        raters: How many people.
        strictness: Standard deviation of how strict people are.
        noise: That of a single label of one person.
        stratified: Drawn in three strata of the judge's grades, most from the highest.
    """

    name: str
    items: int
    labelled: int
    rho: float
    kind: str = "number"
    share: float = 0.5
    families: tuple[int, ...] = ()
    raters: int = 1
    strictness: float = 0.0
    noise: float = 0.0
    stratified: bool = False

    def estimated(self, rng: np.random.Generator) -> PredictionPowered:
        """One draw of items, of people and of what they say."""
        families = np.repeat(np.arange(len(self.families)), self.families or ())
        ids = families if self.families else np.arange(self.items)
        shared, own = rng.normal(size=ids.max() + 1)[ids], rng.normal(size=self.items)
        quality = sqrt(0.5) * (shared + own) if self.families else own
        error = sqrt(1 - self.rho**2) * rng.normal(size=self.items)
        grades = 1.3 + 0.6 * (self.rho * quality + error)
        thought = _on_scale(quality, self.kind, self.share)
        if self.kind == "both":
            grades = np.where(rng.random(self.items) < self.rho, thought, 1 - thought)
        drawn, probabilities = self._drawn(grades, rng)
        strict = self.strictness * rng.normal(size=self.raters)
        single = self.noise * rng.normal(size=(self.items, self.raters))
        labels = np.where(drawn[:, None], thought[:, None] + strict + single, np.nan)
        scale = None if self.kind == "number" else (0.0, 1.0)
        return prediction_powered_mean(
            labels, grades, ids, probabilities=probabilities, scale=scale
        )

    def _drawn(self, grades: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
        ranks, share = np.argsort(np.argsort(grades)), self.labelled / self.items
        probabilities = np.full(self.items, share)
        drawn = np.zeros(self.items, dtype=bool)
        if not self.stratified:
            drawn[rng.choice(self.items, self.labelled, replace=False)] = True
            return drawn, probabilities
        strata = ranks * 3 // self.items
        for stratum, part in enumerate((0.5, 1.0, 1.5)):
            members = np.flatnonzero(strata == stratum)
            n = round(part * self.labelled / 3)
            drawn[rng.choice(members, n, replace=False)] = True
            probabilities[members] = n / len(members)
        return drawn, probabilities

    @property
    def truth(self) -> float:
        """The mean over all items that could be."""
        return 0.0 if self.kind == "number" else self.share

    @property
    def formula(self) -> float:
        """The width over that of labels alone, for large n."""
        return sqrt(1 - self.rho**2 * (1 - self.labelled / self.items))


def _on_scale(quality: Floats, kind: str, share: float) -> Floats:
    if kind in ("binary", "both"):
        return (quality > -NormalDist().inv_cdf(share)).astype(float)
    if kind == "win":
        return ((quality > -0.4307).astype(float) + (quality > 0.4307)) / 2
    return quality


WORLDS = [
    *(
        World(f"{n} of {items}, r {rho:g}", items, n, rho)
        for items, n in ((45, 12), (45, 20), (171, 20), (171, 40))
        for rho in (0.0, 0.5, 0.8, 0.9)
    ),
    World("30 of 300, r .8, wins", 300, 30, 0.8, "win"),
    World("20 of 45, r .8, yes or no", 45, 20, 0.8, "binary"),
    World("40 of 171, r .8, yes or no", 171, 40, 0.8, "binary"),
    *(
        World(f"{n} of {items}, yes in {share:g}, judge too", items, n, 0.85, "both", share)
        for items in (45, 171)
        for share in (0.8, 0.9, 0.95)
        for n in (8, 12, 20)
    ),
    World("30 of 171, r .8, more of the best", 171, 30, 0.8, stratified=True),
    World("20 of 45 in 26 families, r .8", 45, 20, 0.8, families=PUBLISHED),
    World("20 of 45 in families of 13, 4, 3 ..., r .8", 45, 20, 0.8, families=UNEQUAL),
    World("20 of 45, r .8, 2 people", 45, 20, 0.8, raters=2, strictness=0.3, noise=0.5),
    World("20 of 45, r .8, 3 people", 45, 20, 0.8, raters=3, strictness=0.3, noise=0.5),
    World("20 of 45, r .8, 4 people", 45, 20, 0.8, raters=4, strictness=0.3, noise=0.5),
    World("20 of 45, r .8, 8 people", 45, 20, 0.8, raters=8, strictness=0.3, noise=0.5),
]


class Covered(NamedTuple):
    """Of many worlds, the shares that hold the truth, mean widths, and how many have none."""

    corrected: float
    labels: float
    judge: float
    width: float
    none: int
    flat: int


def measured(world: World, worlds: int, seed: int = 0) -> Covered:
    """What comes of so many worlds of a kind."""
    rng, hits, widths = np.random.default_rng(seed), np.zeros(3), np.zeros(2)
    none, flat = 0, 0
    for _ in range(worlds):
        found = world.estimated(rng)
        each = (found.mean.ci95, found.labels_alone.ci95, found.judge_alone.ci95)
        if each[0] is None or each[1] is None or each[2] is None:
            none += 1
            continue
        hits += [one is not None and one[0] <= world.truth <= one[1] for one in each]
        wide = [one[1] - one[0] for one in each[:2] if one is not None]
        widths, flat = widths + wide, flat + (min(wide) <= 0)
    hits /= worlds - none
    corrected, labels, judge = hits.tolist()
    return Covered(corrected, labels, judge, float(widths[0] / widths[1]), none, flat)


ALIKE = ((2, 16, False), (3, 16, False), (5, 16, False), (5, 16, True), (8, 16, True),
         (5, 30, False), (8, 30, True))  # fmt: skip
"""People, items that all of them rate, and whether on five steps."""


def differing(people: int, items: int, worlds: int, *, steps: bool) -> tuple[float, float]:
    """Of judges who err as each person does, the shares said to agree less, and more."""
    rng, sides = np.random.default_rng(0), np.zeros(2)
    families = list(map(str, range(items)))
    for _ in range(worlds):
        ratings = rng.normal(size=(items, 1)) + 0.7 * rng.normal(size=(items, people + 1))
        if steps:
            ratings = np.clip(np.round(1.2 * ratings + 3), 1, 5)
        low, high = less_people(ratings, families).ci95 or (-1.0, 1.0)
        sides += high < 0, low > 0
    less, more = (sides / worlds).tolist()
    return less, more


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=1000)
    worlds = parser.parse_args(arguments).worlds
    rows = []
    for world in WORLDS:
        found = measured(world, worlds)
        ratio = f"{found.width:.2f} ({world.formula:.2f})"
        shares = [f"{100 * share:.1f}" for share in found[:3]]
        rows.append((world.name, *shares, ratio, str(found.none), str(found.flat)))
    columns = ("labels", "corrected", "labels alone", "judge alone", "width (formula)", "none",
               "of width 0")  # fmt: skip
    print(table(columns, rows))
    rows = [
        (str(people), str(items), "five steps" if steps else "number", *(f"{100 * s:.1f}" for s in
         differing(people, items, worlds // 2, steps=steps)))
        for people, items, steps in ALIKE
    ]  # fmt: skip
    print(table(("people", "items", "labels", "less", "more"), rows))


if __name__ == "__main__":
    main()
