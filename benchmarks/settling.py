"""Whether plans to tell two runs apart hold: what `settling` says, done and tested.

Each pair of runs is drawn: an effect of the family, of the item and of the rerun on the difference
of the two. What is planned from it, more families like these or more iterations of the same items,
is added, and `paired_difference` tests all together. First the true difference is planned for. Then
true differences are anything within five standard errors, each as likely, and the observed one is
planned for, of the pairs that are not told apart. Last, `smallest_difference` is taken from first
pairs and is the true one of new pairs of the same design.

    python -m benchmarks.settling                      prints the table, in half an hour of one core
    python -m benchmarks.settling --runs FOLDER A B    with items that differ as in these two runs
    python -m benchmarks.settling --shown              the last alone, in two minutes
"""

import argparse
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

import numpy as np

from eibench.core.compare.pairs import graded_pair
from eibench.core.plugins import installed
from eibench.core.reports.pairing import Compared
from eibench.core.runs import folders
from eibench.core.statistics.bootstrap import Floats
from eibench.plugins.kit.simulator import FAMILY_SIZES
from eibench.statistics import paired_difference, settling, smallest_difference

from .measuring import table

UNEQUAL = (13, 4, 3, *[2] * 5, *[1] * 15)
MOST = 100
"""Iterations that are drawn: no plan has more."""


class Case(NamedTuple):
    """Pairs of runs.

    Attributes:
        name: In the table.
        sizes: How many items each family has.
        iterations: Of each item at first.
        spreads: Variances of families, of items within them, and of reruns.
        errors: The true difference that is planned for, in standard errors of the first pairs.
        of: Where items' effects come from: `normal`, `exponential`, or real differences.
        items: Whether items are added, or iterations.
    """

    name: str
    sizes: tuple[int, ...]
    iterations: int
    spreads: tuple[float, float, float]
    errors: float
    of: str | Floats = "normal"
    items: bool = True

    @property
    def error(self) -> float:
        """The standard error of the first pairs."""
        n, (family, item, rerun) = sum(self.sizes), self.spreads
        shared = family * sum(size**2 for size in self.sizes) / n**2
        return float((shared + item / n + rerun / n / self.iterations) ** 0.5)

    def draw(self, rng: np.random.Generator, n: int) -> Floats:
        """Effects of mean 0 and variance 1."""
        if isinstance(self.of, str):
            return rng.standard_normal(n) if self.of == "normal" else 1 - rng.exponential(size=n)
        return np.asarray(rng.choice((self.of - self.of.mean()) / self.of.std(), n), np.float64)


TWENTY = (1,) * 20
ONE, V1, V2 = (1,) * 45, (1,) * 30, (1,) * 171
BUNDLED = (2, *[1] * 18)
CASES = [
    Case("eqbench-v1, bundled", V1, 1, (0, 1, 0), 1.4),
    Case("eqbench-v1, bundled, 3 iterations", V1, 3, (0, 0.5, 1), 1.4),
    Case("eqbench-v2, official", V2, 1, (0, 1, 0), 1.4),
    Case("eqbench3, bundled", BUNDLED, 1, (0.3, 0.7, 0), 1.4),
    Case("eqbench3, official", FAMILY_SIZES, 1, (0.3, 0.7, 0), 1.4),
    Case("eqbench3, official, 3 iterations", FAMILY_SIZES, 3, (0.2, 0.4, 1), 1.4),
    Case("eqbench3, official, far less than it seems", FAMILY_SIZES, 1, (0.3, 0.7, 0), 0.7),
    Case("10 items", (1,) * 10, 1, (0, 1, 0), 1.4),
    Case("23 families of 13, 4, 3, 2 and 1", UNEQUAL, 1, (0.3, 0.7, 0), 1.4),
    Case("skewed, higher by the short tail", V1, 1, (0, 1, 0), 1.4, "exponential"),
    Case("skewed, higher by the long tail", V1, 1, (0, 1, 0), -1.4, "exponential"),
    Case("45 items, 2 iterations", ONE, 2, (0, 0.2, 1), 1.7, items=False),
    Case("45 items, 3 iterations", ONE, 3, (0, 0.1, 1), 1.7, items=False),
    Case("eqbench3, official, 3 iterations", FAMILY_SIZES, 3, (0.03, 0.07, 1), 1.7, items=False),
    Case("skewed, 3 iterations", V1, 3, (0, 0.1, 1), 1.7, "exponential", items=False),
]


SHOWN = [
    Case("20 items", TWENTY, 1, (0, 1, 0), 1),
    Case("20 items, exponential, higher by the short tail", TWENTY, 1, (0, 1, 0), 1, "exponential"),
    Case("20 items, exponential, higher by the long tail", TWENTY, 1, (0, 1, 0), -1, "exponential"),
    Case("60 items, exponential, higher by the short tail", (1,) * 60, 1, (0, 1, 0), 1,
         "exponential"),
    Case("60 items, exponential, higher by the long tail", (1,) * 60, 1, (0, 1, 0), -1,
         "exponential"),
    Case("12 items, 3 iterations", (1,) * 12, 3, (0, 0.5, 1), 1),
    Case("eqbench3, bundled", BUNDLED, 1, (0.3, 0.7, 0), 1),
    Case("eqbench3, official", FAMILY_SIZES, 1, (0.3, 0.7, 0), 1),
]  # fmt: skip
"""Of these the smallest difference that is shown is looked at."""


class Outcome(NamedTuple):
    """What came of a pair: told apart before, what was planned and promised, told apart after."""

    before: bool
    more: int | None
    share: float | None
    after: bool = False


class Pair:
    """The differences of two runs, item by item, which grows as a plan says."""

    def __init__(self, case: Case, difference: float, seed: Sequence[int]) -> None:
        self.case, self.difference = case, difference
        self._rng, self._sizes = np.random.default_rng(seed), cycle(case.sizes)
        self.gaps, self.families = np.zeros((0, MOST)), list[str]()
        self.add(sum(case.sizes))

    def add(self, n: int) -> None:
        """Items like these, whole families but for the last, with all iterations they may have."""
        family, item, rerun = (spread**0.5 for spread in self.case.spreads)
        shape = (len(self.families) + n, MOST)
        while len(self.families) < shape[0]:
            size = min(next(self._sizes), shape[0] - len(self.families))
            own = family * self.case.draw(self._rng, 1) + item * self.case.draw(self._rng, size)
            noise = rerun * self._rng.standard_normal((size, MOST))
            self.gaps = np.vstack([self.gaps, self.difference + own[:, None] + noise])
            self.families += [str(len(self.families))] * size

    def told_apart(self, iterations: int) -> bool:
        """By the interval that users see."""
        gaps = self.gaps[:, :iterations].ravel()
        families = np.repeat(self.families, iterations)
        ends = paired_difference(gaps, np.zeros_like(gaps), families, turns=1999).interval
        return ends is not None and not ends[0] <= 0 <= ends[1]

    def follow(self, planned: float | None) -> Outcome:
        """Plan for a difference, or for the observed one, and do what the plan says."""
        case, before = self.case, self.told_apart(self.case.iterations)
        if planned is None and before:
            return Outcome(before, None, None)
        gaps = {(f"{n}", i): float(gap) for n, row in enumerate(self.gaps)
                for i, gap in enumerate(row[: case.iterations])}  # fmt: skip
        families = {str(n): family for n, family in enumerate(self.families)}
        plan = settling(gaps, dict.fromkeys(gaps, 0.0), families, difference=planned)
        if not case.items:
            after = bool(plan.iterations) and self.told_apart(plan.iterations or 0)
            return Outcome(before, plan.iterations, plan.share_by_iterations, after)
        self.add(plan.more_items or 0)
        return Outcome(
            before, plan.more_items, plan.share_by_items, self.told_apart(case.iterations)
        )


def planned_for_the_truth(case: Case, sets: int) -> list[Outcome]:
    """Pairs whose true difference is the planned one, and for which there is a plan."""
    truth = case.errors * case.error
    outcomes = (Pair(case, truth, (n, 1)).follow(truth) for n in range(sets))
    return [outcome for outcome in outcomes if outcome.more is not None]


def planned_for_what_is_observed(case: Case, sets: int) -> list[Outcome]:
    """Pairs that are not told apart, of which the observed difference has a plan."""
    rng = np.random.default_rng(2)
    outcomes = (
        Pair(case, float(rng.uniform(-5, 5)) * case.error, (n, 3)).follow(None) for n in range(sets)
    )
    return [outcome for outcome in outcomes if outcome.more is not None]


def shown(case: Case, sets: int) -> float:
    """How often a difference is told apart that pairs of this design are said to show."""
    told = 0
    for n in range(sets):
        first = Pair(case, 0.0, (n, 5))
        gaps = {(f"{k}", i): float(gap) for k, row in enumerate(first.gaps)
                for i, gap in enumerate(row[: case.iterations])}  # fmt: skip
        families = {str(k): family for k, family in enumerate(first.families)}
        smallest = smallest_difference(gaps, dict.fromkeys(gaps, 0.0), families) or 0.0
        told += Pair(case, case.errors * smallest, (n, 6)).told_apart(case.iterations)
    return told / sets


def share(outcomes: Sequence[Outcome]) -> float:
    """Of the outcomes, how many are told apart."""
    return sum(outcome.after for outcome in outcomes) / max(1, len(outcomes))


def measure(cases: Sequence[Case], sets: int) -> str:
    """A row for each case."""
    rows = []
    for case in cases:
        outcomes, seen = (
            planned_for_the_truth(case, sets), planned_for_what_is_observed(case, 2 * sets)
        )  # fmt: skip
        rest = [outcome for outcome in outcomes if not outcome.before]
        more = np.median([outcome.more or 0 for outcome in outcomes] or [0])
        promised = np.mean([outcome.share or 0 for outcome in seen] or [0])
        way = f"{more:.0f} items" if case.items else f"{more:.0f} iterations in all"
        shares = (share(outcomes), share(rest), share(seen), promised)
        rows.append([case.name, way, *(f"{100 * x:.0f}" for x in shares), str(len(seen))])
    head = ["pairs", "planned (median)", "told apart, %", "of those not before, %",
            "planned from what is observed: told apart, %", "stated, %", "of pairs"]  # fmt: skip
    return table(head, rows)


def differences(folder: Path, a: str, b: str) -> Floats:
    """By item what two stored runs differ by in the metric that ranks."""
    with folders.runs(folder) as stored:
        two = [stored[a], stored[b]]
        pack, both = graded_pair(two)
        compared = Compared(installed().benchmark(two[0].benchmark), pack, *both)
        first, second = compared.main_values()
    return np.array([first[key] - second[key] for key in first if key in second])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser("benchmarks.settling", description=__doc__)
    parser.add_argument("--sets", type=int, default=500)
    parser.add_argument("--runs", nargs=3, metavar=("FOLDER", "A", "B"))
    parser.add_argument("--shown", action="store_true")
    options = parser.parse_args()
    rows = [[case.name, f"{100 * shown(case, options.sets):.0f}"] for case in SHOWN]
    print(table(["pairs", "the smallest difference shown, told apart, %"], rows))
    if options.shown:
        return
    cases = CASES
    if options.runs:
        folder, a, b = options.runs
        gaps = differences(Path(folder), a, b)
        cases = [Case(f"{a} and {b}", (1,) * gaps.size, 1, (0, 1, 0), 1.4, gaps)]
    print(measure(cases, options.sets))


if __name__ == "__main__":
    main()
