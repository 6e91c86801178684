"""An error to hold schedules against after n calls: sqrt(f^2 + s^2 / n).

f is what the luck of the newcomer's own transcripts leaves when every scenario weighs alike, s the
judge's noise in one call between equals. With opponents whose ratings say all of their transcripts
there is nothing else. It is no bound: a judge may be less noisy between models that are not equals.
Both are measured in the simulation itself, natural units of the rating.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from eibench.core.matchmaking.calls import FIRST, Call
from eibench.core.ratings.arrays import Floats
from eibench.testing import Tournament

from .placement_error import scores_of, solve

EQUALS = 40
_FAR = 0.8


class Reference(NamedTuple):
    """What is left with equals whose ratings say all, natural units."""

    floor: float
    per_call: float

    def error(self, calls: float) -> float:
        """The reference after so many calls."""
        return float(np.hypot(self.floor, self.per_call / calls**0.5))


Make = Callable[[tuple[float, ...]], Tournament]
"""From abilities to a simulation."""


def reference_of(make: Make, newcomers: int) -> Reference:
    """The reference of a simulation.

    Args:
        make: The simulation, its lengths the usual ones.
        newcomers: How many of them tell: the reference is then known to 100 / sqrt(newcomers) %.
    """
    ends = (-_FAR, _FAR)
    low, high = (_strengths(make((*[0.0] * EQUALS, *[end] * newcomers))).mean() for end in ends)
    slope = float(high - low) / (2 * _FAR)
    made = make((*[0.0] * EQUALS, *[0.0] * newcomers))
    floor = slope * float(made.appeal()[EQUALS:].mean(axis=1).std(ddof=1))
    strengths, n = _strengths(made, slope), len(made.slots)
    return Reference(floor, max(n * (float(strengths.var(ddof=1)) - floor**2), 0.0) ** 0.5)


def _strengths(made: Tournament, slope: float = 0.0) -> Floats:
    """Of newcomers after one call on each scenario with equals, shape (n_newcomers,).

    Args:
        made: The equals, then the newcomers.
        slope: Strength for a unit of appeal: what the opponents' transcripts have of it is known.
    """
    names, slots = made.models, made.slots
    n = len(names) - EQUALS
    drawn = np.random.default_rng(n).integers(EQUALS, size=n * len(slots)).tolist()
    asked = ((name, slot) for name in names[EQUALS:] for slot in slots)
    calls = [
        Call(slot[0], slot[1], name, names[o], FIRST[k % 2])
        for k, ((name, slot), o) in enumerate(zip(asked, drawn, strict=True))
    ]
    scores = scores_of(made, calls).reshape(n, len(slots))
    # A place is worth the same to all, as each is first in half of the calls.
    known = slope * made.appeal()[np.reshape(drawn, scores.shape), np.arange(len(slots))]
    return solve(scores, np.ones(len(slots)), known)
