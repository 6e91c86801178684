"""Whether rating intervals are what they say, and how fast ratings are.

    python -m benchmarks.ratings [--choix PYTHON] [--part coverage|boards|speed]

Rounds are simulated (`eibench.testing.Tournament`): 40 models, 45 scenarios in 26 families, 8
criteria, transcripts re-used across comparisons, a judge with noise, a leaning for the first
place and for length, and unread replies. Its constants are assumptions: trust coverage and
ratios, not points. `--choix` names an interpreter that has choix (pip install choix, in an
environment of its own), for the row of that peer.
"""

import argparse
import json
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from benchmarks.simulated_rounds import Rate, Repetitions, World, play_rounds
from eibench import Anchor, AnchorSet, Comparisons, RatingSettings
from eibench.core.ratings import fractional_logit, glicko2, trueskill
from eibench.core.ratings.arrays import Floats, Ints
from eibench.core.ratings.reading import read_comparisons
from eibench.core.statistics.student import quantile
from eibench.plugins.kit.simulator import FAMILY_SIZES
from eibench.testing import Noise, Tournament

from .equals import measure_boards, measure_equals, measure_invariance
from .measuring import Spread, table

CALLS = 6720
MODELS = 100
Orders = Literal["one", "both"]


class Contender(NamedTuple):
    """An engine, and what is bought for it."""

    rate: Rate
    orders: Orders
    noise: Noise = Noise()


BY_FAMILY: dict[str, Rate] = {
    "glicko2": glicko2.rate,
    "fractional-logit": fractional_logit.rate,
}
"""Engines whose intervals stand on families."""
CONTENDERS = {
    "glicko2, both orders": Contender(glicko2.rate, "both"),
    "fractional-logit, one order": Contender(fractional_logit.rate, "one"),
    "fractional-logit, both orders": Contender(fractional_logit.rate, "both"),
    "fractional-logit, one order, judge without length bias": Contender(
        fractional_logit.rate, "one", Noise(length=0)
    ),
    "trueskill, both orders": Contender(trueskill.rate, "both"),
}


def measure_coverage(n_worlds: int, n_repetitions: int, only: str = "") -> str:
    """Engines on the same worlds, pooled."""
    head = ["engine", "holds its mean %", "holds the truth %", "holds the rank %", "SE / spread"]
    head += ["Spearman mean / worst", "RMSE"]
    rows = [
        [name, *_cells(_play(contender, n_worlds, n_repetitions))]
        for name, contender in CONTENDERS.items()
        if name.startswith(only)
    ]
    message = (
        f"{n_worlds} worlds x {n_repetitions} repetitions, {CALLS} calls each; anchors left out"
    )
    return f"{message}\n\n{table(head, rows)}"


def _play(contender: Contender, n_worlds: int, n_repetitions: int) -> list[Repetitions]:
    found = []
    for number in range(n_worlds):
        world = World.draw(number, noise=contender.noise)
        seeds = [1000 * number + i for i in range(n_repetitions)]
        rate, orders = contender.rate, contender.orders
        found.append(play_rounds(rate, world, seeds, n_calls=CALLS, orders=orders))
    return found


def _cells(found: Sequence[Repetitions]) -> list[str]:
    t = quantile(0.975, len(FAMILY_SIZES) - 1)
    if np.mean([repetitions.coverage() for repetitions in found]) < 0.6:
        t = 1.96  # trueskill's intervals are normal ones
    shares = [
        [each.coverage() for each in found],
        [each.coverage_of_truth() for each in found],
        [each.coverage_of_ranks() for each in found],
    ]
    spearman = np.concatenate([each.spearman() for each in found])
    return [
        *(f"{100 * np.mean(share):.1f}" for share in shares),
        f"{np.mean([each.error_ratio(t) for each in found]):.2f}",
        f"{spearman.mean():.3f} / {spearman.min():.3f}",
        f"{np.sqrt(np.mean([each.rmse() ** 2 for each in found])):.0f}",
    ]


def measure_identical(n_seeds: int) -> str:
    """How many pairs of 8 equal models are told apart at 5 %."""
    rows = []
    for name, rate in BY_FAMILY.items():
        apart = 0
        for seed in range(n_seeds):
            played = Tournament([0.0] * 8, seed=seed, log_length=[8.0] * 8)
            found = rate(played.judge(played.random_calls(700)), RatingSettings())
            apart += sum(7 - len(row.tied_with or ()) for row in found.rows) // 2
        rows.append([name, f"{100 * apart / (28 * n_seeds):.1f}"])
    return f"8 equal models, {n_seeds} rounds\n\n{table(['engine', 'pairs told apart %'], rows)}"


class Games(NamedTuple):
    """Results on index arrays."""

    a: Ints
    b: Ints
    score: Floats


def draw_games(n: int) -> Games:
    """Fractional scores of random pairs of models, some stronger than others."""
    rng = np.random.default_rng(0)
    strength = rng.normal(0, 1, MODELS)
    a = rng.integers(0, MODELS, n)
    b = (a + rng.integers(1, MODELS, n)) % MODELS
    score = 1 / (1 + np.exp(strength[b] - strength[a] + rng.normal(0, 1, n)))
    return Games(a, b, score)


def seconds(work: Callable[[], object], repeats: int) -> list[float]:
    """Wall time of each of some repeats."""
    found = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        found.append(time.perf_counter() - began)
    return found


def as_comparisons(games: Games) -> Comparisons:
    """The games as comparisons in one order, 45 items in 26 families."""
    n = len(games.a)
    swap = games.a > games.b
    item = np.arange(n) % 45
    order = np.lexsort((np.arange(n), np.maximum(games.a, games.b), np.minimum(games.a, games.b)))
    families = sorted(set(Tournament([0, 1]).families.values()))
    family_of = np.array([families.index(f) for f in Tournament([0, 1]).families.values()])
    margin = np.rint((games.score - 0.5) * 80).astype(np.int64)
    return Comparisons(
        models=tuple(f"model-{i:02}" for i in range(MODELS)),
        items=tuple(Tournament([0, 1]).families),
        families=tuple(families),
        judge="simulated",
        a=np.minimum(games.a, games.b),
        b=np.maximum(games.a, games.b),
        item=item,
        iteration=1 + np.arange(n) // 45,
        family=family_of[item],
        a_first=~swap,
        margin=np.where(swap, -margin, margin),
        criteria=np.full(n, 8),
        len_a=np.full(n, np.nan),
        len_b=np.full(n, np.nan),
    ).only(order)


_CHOIX = """
import json, sys, time
import choix
pairs = json.load(open(sys.argv[1]))
for _ in range(int(sys.argv[2])):
    began = time.perf_counter()
    choix.ilsr_pairwise(int(sys.argv[3]), pairs, alpha=0.01)
    print(time.perf_counter() - began)
"""


def seconds_of_choix(python: str, games: Games, repeats: int) -> list[float]:
    """Wall time of choix.ilsr_pairwise on the winners of the same games."""
    won = games.score > 0.5
    winner, loser = np.where(won, games.a, games.b), np.where(won, games.b, games.a)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(np.column_stack([winner, loser]).tolist(), file)
        file.flush()
        command = [python, "-c", _CHOIX, file.name, str(repeats), str(MODELS)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [float(line) for line in done.stdout.split()]


def measure_speed(choix: str | None, repeats: int) -> str:
    """One fit of 200,000 games, beside a peer."""
    games = draw_games(200_000)
    comparisons = as_comparisons(games)
    found = {
        "fractional-logit with standard errors": seconds(
            lambda: fractional_logit.rate(comparisons, RatingSettings()), repeats
        ),
    }
    if choix:
        found["choix ilsr_pairwise (no errors)"] = seconds_of_choix(choix, games, repeats)
    rows = [[name, Spread.of([1000 * s for s in took]).text(1)] for name, took in found.items()]
    fit, *other = (Spread.of(took).middle for took in found.values())
    message = f"choix / fractional-logit: {other[0] / fit:.1f}" if other else ""
    return f"{MODELS} models, 200,000 games\n\n{table(['what', 'ms'], rows)}\n\n{message}"


def measure_a_million() -> str:
    """A file of a million lines: read, rated, with intervals; and the memory of it all."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "million.jsonl"
        write_million(path)
        read: list[Comparisons] = []
        rows = [
            ["read and check", f"{seconds(lambda: read.append(read_comparisons(path)), 1)[0]:.1f}"]
        ]
    ends = AnchorSet(Anchor("model-99", 1500), Anchor("model-00", 200))
    for name, rate in BY_FAMILY.items():
        took = seconds(lambda rate=rate: rate(read[0], RatingSettings((ends,))), 1)  # type: ignore[misc]
        rows.append([f"{name} with intervals", f"{took[0]:.1f}"])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return f"1,000,000 comparisons of {MODELS} models; peak memory {peak:.0f} MB\n\n" + table(
        ["what", "seconds"], rows
    )


def write_million(path: Path) -> None:
    """500,000 items in both orders, with eight criteria and lengths."""
    rng = np.random.default_rng(0)
    n = 500_000
    a, b, _ = draw_games(n)
    item = rng.integers(0, 45, n)
    family = list(Tournament([0, 1]).families.values())
    lengths = np.exp(rng.normal(8, 0.3, (2, n))).astype(np.int64)
    with path.open("w") as file:
        for first in ("a", "b"):
            felt = (a - b) / 25 + (0.3 if first == "a" else -0.3) + rng.normal(0, 1, (8, n))
            size = np.clip(np.ceil(np.abs(felt)), 1, 5)
            margins = np.where(felt < 0, -size, size).astype(np.int64)
            for i in range(n):
                named = ",".join(f'"criterion-{c}":{m}' for c, m in enumerate(margins[:, i]))
                file.write(
                    f'{{"item":"item-{item[i]}","iteration":{i + 1},"a":"model-{a[i]:02}",'
                    f'"b":"model-{b[i]:02}","first":"{first}","margins":{{{named}}},'
                    f'"judge":"simulated","len_a":{lengths[0, i]},"len_b":{lengths[1, i]},'
                    f'"family":"{family[item[i]]}"}}\n'
                )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser("benchmarks.ratings", description=__doc__)
    parser.add_argument("--choix", help="path of an interpreter that has choix")
    parser.add_argument("--part", choices=("coverage", "boards", "speed"))
    parser.add_argument("--only", default="", help="engines whose name begins so")
    parser.add_argument("--worlds", type=int, default=6)
    parser.add_argument("--repetitions", type=int, default=15)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--boards", type=int, default=300, help="repetitions of a board of ten")
    options = parser.parse_args()
    if options.part in (None, "boards"):
        n = options.boards
        print(measure_equals(n, options.only), end="\n\n")
        print(measure_boards((n, max(2, n // 2), max(2, n // 5))), end="\n\n")
        print(measure_invariance(), end="\n\n")
    if options.part in (None, "coverage"):
        print(measure_coverage(options.worlds, options.repetitions, options.only), end="\n\n")
        print(measure_identical(200), end="\n\n")
    if options.part in (None, "speed"):
        print(measure_speed(options.choix, options.repeats), end="\n\n")
        print(measure_a_million())


if __name__ == "__main__":
    main()
