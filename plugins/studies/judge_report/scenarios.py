"""How well each scenario tells models apart, as all other families see them.

A scenario that discriminates gives large margins to the models that are stronger elsewhere. The
strengths, those of the engine `glicko2`, that it is held against are made without its own family,
so it cannot agree with itself. Where both orders of an item were read the judge's liking for a
place cancels; where one was, its estimate is taken away. So items in one order count too.
"""

from typing import NamedTuple

import numpy as np

from eibench import Comparisons, ItemCalls, Strengths

from .arrays import Bools, Floats, Ints

MAX_MARGIN = 5
"""Pluses per criterion."""


class ComparedItems(NamedTuple):
    """Items in canonical order: indices, and margins, -5 to 5, each of shape (n_items,)."""

    a: Ints
    b: Ints
    item: Ints
    family: Ints
    margin: Floats


def compare_items(comparisons: Comparisons, lean: float) -> ComparedItems:
    """All items, less what being read first is worth: `lean`, in pluses per criterion."""
    each = comparisons.margin / comparisons.criteria
    each = each - np.where(comparisons.a_first, lean, -lean)
    calls = ItemCalls.of(comparisons)
    margin = np.clip(calls.mean(each), -MAX_MARGIN, MAX_MARGIN)
    rows, (a, b, item) = calls.rows, (comparisons.a, comparisons.b, comparisons.item)
    return ComparedItems(a[rows], b[rows], item[rows], comparisons.family[rows], margin)


FEWEST_PAIRS = 6
"""With fewer, a scenario's discrimination is not told."""


class Scenario(NamedTuple):
    """What one scenario's comparisons say.

    `spread` is the mean size of margins, pluses per criterion; `discrimination` the correlation
    about zero of margins with differences of strength, -1 to 1; `agreement` the share of decided
    pairs won by the model that is stronger elsewhere. `reason` is why these two are not known.
    """

    item: str
    family: str
    pairs: int
    spread: float
    discrimination: float | None
    agreement: float | None
    reason: str | None = None


def measure_scenarios(
    comparisons: Comparisons, items: ComparedItems, strengths: Strengths
) -> tuple[Scenario, ...]:
    """Each scenario, those that tell least first, those of which nothing is known last."""
    theta = strengths.replicates[items.family]
    rows = np.arange(len(items.a))
    gap = theta[rows, items.a] - theta[rows, items.b]
    measured = [
        _measure(comparisons, items, gap, items.item == item)
        for item in range(len(comparisons.items))
    ]
    return tuple(
        sorted(measured, key=lambda s: (s.discrimination is None, s.discrimination or 0.0))
    )


def _measure(comparisons: Comparisons, items: ComparedItems, gap: Floats, mine: Bools) -> Scenario:
    first = int(np.flatnonzero(mine)[0])
    margin, apart = items.margin[mine], gap[mine]
    known = (
        comparisons.items[items.item[first]],
        comparisons.families[items.family[first]],
        len(margin),
        float(np.abs(margin).mean()),
    )
    scale = float(np.sqrt((margin @ margin) * (apart @ apart)))
    if reason := _too_little(len(margin), scale):
        return Scenario(*known, None, None, reason)
    decided = (np.abs(margin) > 1e-9) & (np.abs(apart) > 1e-9)
    agreed = np.sign(margin[decided]) == np.sign(apart[decided])
    agreement = float(agreed.mean()) if decided.any() else None
    return Scenario(*known, float(margin @ apart) / scale, agreement)


def _too_little(pairs: int, scale: float) -> str | None:
    if pairs < FEWEST_PAIRS:
        return f"fewer than {FEWEST_PAIRS} pairs"
    if scale <= 1e-9:
        return "all its margins are even, or no other family tells its models apart"
    return None
