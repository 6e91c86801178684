"""How often 95 % intervals hold, and how often the paired test errs, on the packs' family sizes.

Items are drawn anew for each set: an effect of the family plus one of the item, of which the
family's part is the intraclass correlation (ICC). *Ceiling*: normal, and what lies above the 62 %
quantile is cut to it, as scores near the top are. *Exponential*: a long lower tail, skewness -2.
The intervals are those of `eibench.statistics`, by the same calls that results are made with.

    python -m benchmarks.coverage          prints the tables, in five minutes of one core
    python -m benchmarks.coverage --write  puts them into docs/coverage.md too
"""

import argparse
import re
from collections.abc import Callable, Iterator, Sequence
from math import comb
from pathlib import Path
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eibench.core.statistics.bootstrap import cluster_bootstrap, cluster_sums
from eibench.core.statistics.group_means import group_mean_interval
from eibench.core.statistics.shares import group_share_interval
from eibench.core.statistics.student import quantile
from eibench.core.statistics.wild import wild_tests
from eibench.plugins.kit.simulator import FAMILY_SIZES
from eibench.statistics import (
    Interval,
    icc_agreement,
    mean_interval,
    paired_difference,
    rank_agreement,
    share_interval,
    standard_error,
)

from .measuring import ROOT, table

Floats = npt.NDArray[np.float64]
Draw = Callable[["Design", int, np.random.Generator], Floats]
BATCH = 250
TOP = 0.3
"""The ceiling, in standard deviations above the mean."""
_NORMAL = NormalDist()
_MEAN_BELOW_TOP = TOP * (1 - _NORMAL.cdf(TOP)) - _NORMAL.pdf(TOP)
_PLACE = re.compile(r"(<!-- coverage -->\n).*?(<!-- end -->)", re.DOTALL)


class Design(NamedTuple):
    """Items in families.

    Attributes:
        name: In the tables.
        sizes: How many items each family has.
        icc: The family's part of the variance.
    """

    name: str
    sizes: tuple[int, ...]
    icc: float = 0.0

    @property
    def family(self) -> npt.NDArray[np.intp]:
        """That of each item."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)


OFFICIAL, BUNDLED = ("eqbench3, official", FAMILY_SIZES), ("eqbench3, bundled", (2, *[1] * 18))
DESIGNS = [
    *(Design(*pack, icc) for pack in (OFFICIAL, BUNDLED) for icc in (0.0, 0.5, 0.8)),
    Design("eqbench-v1, official", (1,) * 60),
    Design("eqbench-v2, official", (1,) * 171),
    Design("seceu, official", (1,) * 40),
    Design("emotionqueen, bundled", (1,) * 200),
    Design("8 families", (1,) * 8),
    Design("10 families", (1,) * 10),
]
UNEQUAL = [
    Design("23 unequal families", (13, 4, 3, *(2,) * 5, *(1,) * 15), 0.2),
    Design("one of 20, 9 of 2", (20, *(2,) * 9), 0.2),
]
PAIRED = [*DESIGNS[:3], DESIGNS[3], DESIGNS[6], DESIGNS[10], *UNEQUAL]


def normal(design: Design, sets: int, rng: np.random.Generator) -> Floats:
    """Items of mean 0 and variance 1, shape (sets, n_items)."""
    shared = rng.standard_normal((sets, len(design.sizes)))[:, design.family]
    own = rng.standard_normal((sets, len(design.family)))
    return np.asarray(design.icc**0.5 * shared + (1 - design.icc) ** 0.5 * own)


def ceiling(design: Design, sets: int, rng: np.random.Generator) -> Floats:
    """Items of mean 0, cut at the top."""
    return np.minimum(normal(design, sets, rng), TOP) - _MEAN_BELOW_TOP


def exponential(design: Design, sets: int, rng: np.random.Generator) -> Floats:
    """Items of mean 0 and variance 1 with a long lower tail."""
    shared = 1 - rng.exponential(size=(sets, len(design.sizes)))[:, design.family]
    own = 1 - rng.exponential(size=(sets, len(design.family)))
    return np.asarray(design.icc**0.5 * shared + (1 - design.icc) ** 0.5 * own)


KINDS: dict[str, Draw] = {"normal": normal, "ceiling": ceiling, "exponential": exponential}


class Held(NamedTuple):
    """How many of so many intervals hold the truth."""

    held: int
    sets: int

    def text(self) -> str:
        """Percent, with the Monte-Carlo error of it."""
        share = self.held / self.sets
        error = (share * (1 - share) / self.sets) ** 0.5
        return f"{100 * share:.1f} ± {100 * error:.1f}"


def _batches(draw: Draw, design: Design, sets: int) -> Iterator[Floats]:
    for seed in range(sets // BATCH):
        yield draw(design, BATCH, np.random.default_rng([seed, len(design.sizes)]))


def _holds(intervals: Sequence[Interval | None], truth: float) -> int:
    return sum(i is not None and i[0] <= truth <= i[1] for i in intervals)


def _bootstrapped(items: Floats, design: Design, *, plain: bool = False) -> list[Interval | None]:
    """The interval of each set's mean, as results have it; or by plain percentiles."""
    n = len(items)
    sums = cluster_sums(np.vstack([items, np.ones_like(items[:1])]).T, design.family)
    of_all = [10**6] * n if plain else None  # as if there were so many families: no expansion
    return list(
        cluster_bootstrap(
            sums,
            lambda totals: totals[:, :n] / totals[:, n:],
            rng=np.random.default_rng(0),
            stands_on=of_all,
        )
    )


def means(design: Design, draw: Draw, sets: int) -> list[str]:
    """Cells: plain percentiles, expanded ones, and Student's t."""
    held = np.zeros(3, dtype=int)
    t = quantile(0.975, len(design.sizes) - 1)
    for items in _batches(draw, design, sets):
        held[0] += _holds(_bootstrapped(items, design, plain=True), 0.0)
        held[1] += _holds(_bootstrapped(items, design), 0.0)
        error = np.array([standard_error(row, design.family) for row in items])
        held[2] += int(np.sum(np.abs(items.mean(axis=1)) <= t * error))
    return [Held(int(h), sets // BATCH * BATCH).text() for h in held]


def measure_means(sets: int) -> str:
    """The coverage of the interval of a mean."""
    head = ["pack", "items in families", "ICC", "items", "plain %", "expanded %", "t %"]
    rows = []
    for design in DESIGNS:
        for kind in ("normal", "ceiling"):
            size = f"{sum(design.sizes)} in {len(design.sizes)}"
            cells = means(design, KINDS[kind], sets)
            rows.append([design.name, size, f"{design.icc:g}", kind, *cells])
    return table(head, rows)


def measure_better_pass(sets: int) -> str:
    """The coverage of the better of two passes of 60 questions that agree to 0.8."""
    design, rows = Design("v1", (1,) * 60), []
    for kind, draw in (("normal", normal), ("ceiling", ceiling)):
        for gap in (0.0, 0.3):
            held, done = 0, 0
            for seed in range(sets // BATCH):
                rng = np.random.default_rng([seed, 60])
                first = draw(design, BATCH, rng)
                second = 0.8 * first + 0.6 * draw(design, BATCH, rng) + gap
                held, done = held + _holds(_better(first, second), gap), done + BATCH
            rows.append([kind, f"{gap:g} SD", Held(held, done).text()])
    return table(["items", "second pass better by", "covers the better one's mean %"], rows)


def _better(first: Floats, second: Floats) -> list[Interval | None]:
    n = len(first)
    return list(
        cluster_bootstrap(
            np.vstack([first, second]).T / first.shape[1],
            lambda totals: np.maximum(totals[:, :n], totals[:, n:]),
            rng=np.random.default_rng(0),
        )
    )


def measure_shares(sets: int) -> str:
    """The coverage of a share of 200 statements, and of 40 asked five times."""
    rows = []
    for share in (0.5, 0.9, 0.98):
        cells = []
        for statements, times in ((200, 1), (40, 5)):
            rng, held = np.random.default_rng([statements, int(100 * share)]), 0
            clusters = np.repeat(np.arange(statements), times)
            for _ in range(sets):
                chance = np.repeat(rng.beta(2 * share, 2 * (1 - share), statements), times)
                held += _holds([share_interval(rng.random(chance.size) < chance, clusters)], share)
            cells.append(Held(held, sets).text())
        rows.append([f"{share:g}", *cells])
    return table(["share", "200 statements %", "40 statements, 5 iterations %"], rows)


ATOMS: dict[str, tuple[float, float]] = {
    "0": (0, 0),
    "0 to 100": (0, 100),
    "50 to 100": (50, 100),
    "80 to 100": (80, 100),
}
"""Between what lie those values of a scale to 100 that are not at its top."""
FEW = (8, 12, 20, 24, 42)


def measure_ends(sets: int) -> str:
    """The coverage of means of which so many values are at the top of a scale to 100."""
    rows = []
    for name, (low, high) in ATOMS.items():
        for at_top in (0.9, 0.95):
            truth, cells = 100 * at_top + (1 - at_top) * (low + high) / 2, []
            for n in FEW:
                rng, found = np.random.default_rng([n, int(100 * at_top)]), list[Interval | None]()
                for _ in range(sets):
                    elsewhere = rng.uniform(low, high, n)
                    values = np.where(rng.random(n) < at_top, 100.0, elsewhere)
                    if low == high:
                        of_share = share_interval(values / 100)
                        found.append(of_share and (100 * of_share[0], 100 * of_share[1]))
                    else:
                        draws = np.random.default_rng(0)
                        found.append(mean_interval(values, rng=draws, ends=(0, 100)))
                cells.append(Held(_holds(found, truth), sets).text())
            rows.append([name, f"{at_top:g}", *cells])
    return table(["the others", "at the top", *(f"{n} items %" for n in FEW)], rows)


def measure_few_differ(sets: int) -> str:
    """The coverage of the paired difference of two shares that are near 1."""
    rows = []
    for one, other in ((0.98, 0.9), (0.99, 0.95), (0.95, 0.9), (0.95, 0.95), (0.9, 0.9)):
        cells = []
        for n in FEW:
            rng, found = np.random.default_rng([n, int(100 * one)]), list[Interval | None]()
            for _ in range(sets):
                first, second = rng.random(n) < one, rng.random(n) < other
                gap = paired_difference(first * 1.0, second * 1.0, turns=1999, reach=1.0)
                found.append(gap.interval)
            cells.append(Held(_holds(found, one - other), sets).text())
        rows.append([f"{one:g} and {other:g}", *cells])
    return table(["shares", *(f"{n} items %" for n in FEW)], rows)


TIED = (8, 9, 12, 16, 20, 42)


def measure_signs() -> str:
    """How often the paired test of differences of -1, 0 and 1 rejects a true zero."""
    rows = []
    for differ in (0.2, 0.44, 0.7):
        shares = [_rejected_signs(n, differ) for n in TIED]
        rows.append([f"{differ:g}", *(f"{100 * a:.1f}, {100 * b:.1f}" for a, b in shares)])
    return table(["share that differ", *(f"{n} families" for n in TIED)], rows)


def _rejected_signs(n: int, differ: float) -> tuple[float, float]:
    """The probability of p up to 0.05 and to 0.01, over all numbers of wins and losses."""
    counts = [(won, lost) for won in range(n + 1) for lost in range(n + 1 - won)]
    sums = np.array([[1.0] * w + [-1.0] * lo + [0.0] * (n - w - lo) for w, lo in counts]).T
    chances = np.array(
        [
            comb(n, w + lo)
            * (1 - differ) ** (n - w - lo)
            * comb(w + lo, w)
            * (differ / 2) ** (w + lo)
            for w, lo in counts
        ]
    )
    p = wild_tests(sums, np.ones_like(sums), rng=np.random.default_rng(0), turns=1999, reach=1.0)
    return float(chances[p <= 0.05].sum()), float(chances[p <= 0.01].sum())


GROUPS = {
    "8 of 10": (10,) * 8,
    "40, 20, 10, 5, 5": (40, 20, 10, 5, 5),
    "8 of 3": (3,) * 8,
    "one of 1, 7 of 10": (1, *(10,) * 7),
}
"""Sizes of groups whose means lie up to 0.65 of a share, or two standard deviations, apart."""


def measure_group_means(sets: int) -> str:
    """The coverage of the mean of group means, of numbers with families of two, and of shares."""
    rows = []
    for name, sizes in GROUPS.items():
        group, level = np.repeat(np.arange(len(sizes)), sizes), np.linspace(0.3, 0.95, len(sizes))
        pairs = np.concatenate([1000 * g + np.arange(n) // 2 for g, n in enumerate(sizes)])
        each, rng = np.arange(group.size), np.random.default_rng(len(sizes))
        held = np.zeros(4, dtype=int)
        for seed in range(sets):
            shared = rng.standard_normal(4 * 1000 * len(sizes))[pairs] / np.sqrt(2)
            own = rng.standard_normal(group.size)
            for n, (ids, noise) in enumerate(((each, own), (pairs, own / np.sqrt(2) + shared))):
                draws = np.random.default_rng(seed % 4)
                number = 3 * level[group] + noise * (1 + group / len(sizes))
                hits = rng.random(group.size) < level[group]
                mean = group_mean_interval(number, group, ids, rng=draws)
                share = group_share_interval(hits, group, ids)
                held[2 * n] += _holds([mean], 3 * level.mean())
                held[2 * n + 1] += _holds([share], level.mean())
        rows.append([name, *(Held(int(h), sets).text() for h in held)])
    head = ["groups", "mean %", "share %", "mean, families of two %", "share, families of two %"]
    return table(head, rows)


def measure_test(sets: int, powers: int) -> str:
    """The level of the paired test at 5 %, that of t, and its power."""
    head = ["pack", "ICC", "differences", "rejects at 5 %: t", "wild bootstrap"]
    head += ["power, A higher by 0.3 SD", "B higher by 0.3 SD"]
    rows = []
    for design in PAIRED:
        for kind, draw in KINDS.items():
            items = np.vstack(list(_batches(draw, design, sets)))
            by_t = sum(_rejected_by_t(row, design) for row in items)
            level = _rejected(items, design)
            spread = 0.3 * float(items.std())
            power = [_rejected(items[:powers] + way * spread, design) for way in (1, -1)]
            cells = [Held(by_t, len(items)).text(), Held(level, len(items)).text()]
            cells += [f"{100 * n / powers:.0f}" for n in power]
            rows.append([design.name, f"{design.icc:g}", kind, *cells])
    return table(head, rows)


def _rejected(items: Floats, design: Design) -> int:
    sums = cluster_sums(items.T, design.family)
    sizes = np.broadcast_to(np.array(design.sizes, dtype=float)[:, None], sums.shape)
    p = wild_tests(sums, sizes, rng=np.random.default_rng(0), turns=1999)
    return int(np.sum(p <= 0.05))


def _rejected_by_t(row: Floats, design: Design) -> bool:
    error = standard_error(row, design.family)
    return abs(float(row.mean())) > quantile(0.975, len(design.sizes) - 1) * (error or 0.0)


def measure_agreement(sets: int) -> str:
    """The coverage of two judges' ICC and rho, of transcripts whose grades go together to 0.8."""
    rows = []
    for design in (DESIGNS[1], DESIGNS[4]):
        whole = Design("whole", (2,) * 50_000, design.icc)
        truths = _agreement(whole, np.random.default_rng(1), replicates=1)
        held = np.zeros(2, dtype=int)
        for seed in range(sets):
            found = _agreement(design, np.random.default_rng([seed, 7]), replicates=2000)
            held += [_holds([i], t) for (_, i), (t, _) in zip(found, truths, strict=True)]
        rows.append([design.name, *(Held(int(h), sets).text() for h in held)])
    return table(["pack", "ICC(A,1) %", "Spearman's rho %"], rows)


def _agreement(
    design: Design, rng: np.random.Generator, *, replicates: int
) -> list[tuple[float, Interval | None]]:
    """Both coefficients of halves from 0 to 10 by two judges, the second stricter by half."""
    quality = ceiling(design, 1, rng)[0]
    noise = 0.35 * rng.standard_normal((2, quality.size))
    grades = np.round(2 * np.clip(7 + 2 * (quality + noise), 0, 10)) / 2 - [[0.0], [0.5]]
    found = (
        icc_agreement(grades.T, design.family, replicates=replicates),
        rank_agreement(grades[0], grades[1], design.family, replicates=replicates),
    )
    return [(float(f.value or 0), f.ci95) for f in found]


def measure(sets: int) -> str:
    """All tables, each under its heading."""
    few = max(sets // 8, 1)
    parts = {
        f"Mean of items ({sets:,} sets a row)": measure_means(sets),
        f"Better of two passes ({sets:,} sets)": measure_better_pass(sets),
        f"Shares ({sets:,} sets)": measure_shares(sets),
        f"Nearly all at the top ({few:,} sets; where the others are at 0, a share)": measure_ends(
            few
        ),
        f"Difference of two shares ({few:,} sets)": measure_few_differ(few),
        "Paired test of differences of −1, 0 and 1: % of a true zero rejected at 5 %, and at 1 % "
        "(over all numbers of wins and losses)": measure_signs(),
        f"Mean of group means ({few:,} sets)": measure_group_means(few),
        f"Paired test and its interval, which holds as often as the test does not reject "
        f"({sets:,} sets, power of {few:,})": measure_test(sets, few),
        f"Agreement of two judges ({few:,} sets)": measure_agreement(few),
    }
    return "\n\n".join(f"{heading}:\n\n{made}" for heading, made in parts.items())


def write(made: str, path: Path = ROOT / "docs" / "coverage.md") -> None:
    """Put the tables where the documentation has its own.

    Raises:
        ValueError: The page has no place for them.
    """
    text, n = _PLACE.subn(lambda found: f"{found[1]}{made}\n{found[2]}", path.read_text())
    if n != 1:
        raise ValueError(f"{path} has {n} places between <!-- coverage --> and <!-- end -->")
    path.write_text(text)


def main() -> None:
    """Measure, print, and write if asked."""
    parser = argparse.ArgumentParser("benchmarks.coverage", description=__doc__)
    parser.add_argument("--sets", type=int, default=3000, help="a multiple of 250")
    parser.add_argument("--write", action="store_true", help="into docs/coverage.md too")
    options = parser.parse_args()
    made = measure(options.sets)
    print(made)
    if options.write:
        write(made)


if __name__ == "__main__":
    main()
