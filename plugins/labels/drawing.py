"""Which items people see: drawn at random, with a probability that is known for each."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

from eibench import UsageError

Key = tuple[str, int]
"""Item and iteration."""


class Drawn(NamedTuple):
    """An item that was drawn, with its probability and its stratum (empty where there is one)."""

    key: Key
    probability: float
    stratum: str


def draw(
    keys: Sequence[Key], number: int, rng: Random, scores: Mapping[Key, float] | None, strata: int
) -> list[Drawn]:
    """So many items, without replacement, in random order.

    Args:
        keys: Among which; their order does not matter.
        number: How many.
        rng: Source of the draws.
        scores: By which to stratify; ``None`` for one stratum.
        strata: How many, of nearly the same size. Each gives as many items as another, or all.

    Raises:
        UsageError: There are too few items.
    """
    if number > len(keys):
        raise UsageError(f"there are {len(keys)} items to draw from; --number {number} is too many")
    parts = _strata(sorted(keys), scores, strata)
    taken = _shares([len(part) for part in parts.values()], number)
    drawn = [
        Drawn(key, n / len(part), name)
        for (name, part), n in zip(parts.items(), taken, strict=True)
        for key in rng.sample(part, n)
    ]
    rng.shuffle(drawn)
    return drawn


def _strata(
    keys: Sequence[Key], scores: Mapping[Key, float] | None, strata: int
) -> dict[str, list[Key]]:
    if scores is None or strata < 2:
        return {"": list(keys)}
    if lacking := [key for key in keys if key not in scores]:
        item_id, n = lacking[0]
        message = f"{len(lacking)} samples have no score to stratify by, first iteration {n} of"
        raise UsageError(f"{message} {item_id}; leave --strata out, or have them graded first")
    if strata > len(keys):
        raise UsageError(f"--strata {strata} is more than there are items ({len(keys)})")
    ranked, size = sorted(keys, key=lambda key: (scores[key], key)), len(keys) / strata
    return {
        f"{k + 1} of {strata}": ranked[round(k * size) : round((k + 1) * size)]
        for k in range(strata)
    }


def _shares(sizes: Sequence[int], number: int) -> list[int]:
    """How many of each stratum, as alike as their sizes allow, each at least one."""
    if number < len(sizes):
        raise UsageError(f"--number {number} is less than the {len(sizes)} strata")
    taken = [0] * len(sizes)
    for _ in range(number):
        free = [k for k, size in enumerate(sizes) if taken[k] < size]
        taken[min(free, key=lambda k: (taken[k], k))] += 1
    return taken
