"""How often `bench twins` finds a leak, and how often it sees one that is not there.

Simulated on the questions of EQ-Bench v1 and v2 that have twins, by dialogue: what a model gains
from the published wording is a difference between wordings that all models share, one that a
family shares, and noise. A leak adds a share of the standard deviation of one model's gap.

    python -m benchmarks.twins [WORLDS]
"""

import sys

import numpy as np

from eibench.plugins.studies.twins import read_twins, twin_gap


def share_named(
    worlds: int,
    leak: float,
    references: int,
    leaking: int = 0,
    seed: int = 1,
    benchmark: str = "eqbench-v1",
) -> float:
    """The share of worlds in which a leak is named.

    Args:
        worlds: How many.
        leak: Of the model, in standard deviations of a model's gap.
        references: How many models it is compared with.
        leaking: How many of these have seen the questions too.
        seed: Of the draws.
        benchmark: Whose questions have the twins.
    """
    rng = np.random.default_rng(seed)
    families = {n: twin.family for twin in read_twins(benchmark) for n in twin.questions}
    names, groups = list(families), sorted(set(families.values()))
    at = np.array([groups.index(families[name]) for name in names])
    named = 0
    for _ in range(worlds):
        shared = rng.normal(0, 1, len(names))

        def gap(lift: float, shared: np.ndarray = shared) -> dict[str, float]:
            own = rng.normal(0, 0.3, len(groups))[at] + rng.normal(0, 0.95, len(names))
            return dict(zip(names, shared + own + lift, strict=True))

        others = [gap(leak if n < leaking else 0.0) for n in range(references)]
        named += twin_gap(gap(leak), others, families).is_leak
    return named / worlds


def main(worlds: int = 1000) -> None:
    """Print the table."""
    for name in ("eqbench-v1", "eqbench-v2"):
        twins = read_twins(name)
        questions = sum(len(twin.questions) for twin in twins)
        print(f"{name}: {worlds} worlds each; {questions} questions, {len(twins)} dialogues")
        for n in (2, 5):
            false = share_named(worlds, 0, n, benchmark=name)
            half = share_named(worlds, 0.5, n, benchmark=name)
            print(f"{n} references: without a leak {false:.1%}, with .5 SD {half:.1%}")
        two = share_named(worlds, 0.5, 6, 2, benchmark=name)
        print(f"6 references, two of which leaked as much: {two:.1%}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
