"""The error that given calls are expected to have, over all newcomers that could have been.

The calls of one placement are judged again for many newcomers of the same ability: each has
transcripts of its own, and a judge of its own luck. All are rated as `glicko2` rates one model on
a ladder whose ratings stand. So the error is far less shaky than that of one newcomer, it is that
of the engine with its weights, and it takes nothing from how a simulation is made.

The truth is the rating that all transcripts that could have been would give against all opponents.
What the judge likes of length is in both: no schedule changes it.
"""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from eibench import Comparisons
from eibench.core.matchmaking.calls import FIRST, Call
from eibench.core.ratings.arrays import Floats, Ints
from eibench.core.ratings.columns import Columns
from eibench.core.ratings.glicko2 import VARIANCE, FixedPoint, weights_of
from eibench.core.ratings.settings import RatingSettings
from eibench.testing import Tournament

_STEPS = 12
_TRUTH_SEED = 90_001
TRUE = 4
"""Newcomers that make the truth for each that is rated, on all items with opponents at random."""


@dataclass(frozen=True)
class Ladder:
    """A ladder that is known.

    Attributes:
        columns: Its comparisons, to be added to.
        known: The same.
        strengths: By index of the tournament's model, natural units; NaN for newcomers.
        place: What being read first is worth.
        unit: Points in a natural unit.
    """

    columns: Columns
    known: Comparisons
    strengths: Floats
    place: float
    unit: float

    @classmethod
    def of(cls, played: Tournament, calls: Sequence[Call], high: int, low: int) -> "Ladder":
        """The ladder after calls; two anchors, 1300 points apart, make its unit."""
        columns = Columns("comparisons", "row")
        for number, row in enumerate(played.rows(calls), 1):
            columns.add(row.as_json(), number)
        known = Comparisons.canonical(columns)
        found = FixedPoint(known, weights_of(known, RatingSettings()))
        strengths = np.full(len(played.models), np.nan)
        index = {name: i for i, name in enumerate(played.models)}
        strengths[[index[name] for name in known.models]] = found.fit.theta
        unit = 1300 / float(strengths[high] - strengths[low])
        place = dict(zip(found.calls.names, found.fit.beta.tolist(), strict=True)).get(
            "position", 0.0
        )
        return cls(columns, known, strengths, place, unit)

    def with_calls(self, played: Tournament, calls: Sequence[Call]) -> Comparisons:
        """All that is known with a newcomer's calls."""
        columns = deepcopy(self.columns)
        for number, row in enumerate(played.rows(calls), len(self.known) + 1):
            columns.add(row.as_json(), number)
        return Comparisons.canonical(columns)


@dataclass(frozen=True)
class Clones:
    """Many newcomers of one ability.

    Args:
        played: The world that the newcomer is placed in.
        ladder: What is known of it.
        model: Index of the newcomer.
        count: How many.
    """

    played: Tournament
    ladder: Ladder
    model: int
    count: int

    def errors(self, calls: Sequence[Call]) -> Floats:
        """Distances to the truth after a newcomer's calls, points, shape (count,)."""
        many = self._many(self.count)
        found = self.rated(many, many.models[len(self.played.models) :], calls)
        return np.asarray((found - self.truth) * self.ladder.unit)

    def rated(self, many: Tournament, names: Sequence[str], calls: Sequence[Call]) -> Floats:
        """What models are rated if the newcomer's calls had been theirs, shape (n_names,).

        Args:
            many: The world, with more models.
            names: Those of it.
            calls: Of the newcomer. Of those that could not be read nobody has anything.
        """
        known = self.ladder.with_calls(self.played, calls)
        own = known.models.index(self.played.models[self.model])
        rows = np.flatnonzero((known.a == own) | (known.b == own))
        read = [_call(known, int(row), own) for row in rows]
        index = {name: i for i, name in enumerate(self.played.models)}
        opponent = np.array([index[call.b] for call in read])
        there = many.models
        theirs = [there[o] for o in opponent.tolist()]
        asked = [
            call._replace(a=name, b=other)
            for name in names
            for call, other in zip(read, theirs, strict=True)
        ]
        scores = scores_of(many, asked).reshape(len(names), len(read))
        return solve(
            scores, weights_of(known, RatingSettings())[rows], self._against(opponent, read)
        )

    @cached_property
    def truth(self) -> float:
        """The strength that all transcripts would give, natural units."""
        count = TRUE * self.count
        many = replace(self._many(count), seed=self.played.seed + _TRUTH_SEED)
        there = np.flatnonzero(~np.isnan(self.ladder.strengths))
        names, start, slots = many.models, len(self.played.models), self.played.slots
        drawn = np.random.default_rng(self.model).choice(there, count * len(slots))
        asked = ((names[start + n], slot) for n in range(count) for slot in slots)
        calls = [
            Call(slot[0], slot[1], name, names[o], FIRST[k % 2])
            for k, ((name, slot), o) in enumerate(zip(asked, drawn.tolist(), strict=True))
        ]
        score = scores_of(many, calls)[None]
        return float(solve(score, np.ones(len(calls)), self._against(drawn, calls))[0])

    def _many(self, count: int) -> Tournament:
        """The world with clones at its end."""
        played, i = self.played, self.model
        more = [played.abilities[i]] * count
        lengths = [played.log_length[i]] * count
        return replace(
            played,
            abilities=(*played.abilities, *more),
            log_length=(*played.log_length, *lengths),
        )

    def _against(self, opponent: Ints, calls: Sequence[Call]) -> Floats:
        """What stands against the newcomer in each call, less what the place is worth to it."""
        sign = np.array([1.0 if call.first == "a" else -1.0 for call in calls])
        return np.asarray(self.ladder.strengths[opponent] - self.ladder.place * sign)


def _call(known: Comparisons, row: int, own: int) -> Call:
    """A comparison as the newcomer has it."""
    is_a = known.a[row] == own
    other = known.models[int(known.b[row] if is_a else known.a[row])]
    first = "a" if bool(known.a_first[row]) == is_a else "b"
    item = known.items[int(known.item[row])]
    return Call(item, int(known.iteration[row]), known.models[own], other, FIRST[first == "b"])


def scores_of(played: Tournament, calls: Sequence[Call]) -> Floats:
    """What the newcomer, `a`, gets of each call: 0 to 1."""
    margins = played.margins(calls)
    return np.asarray(0.5 + margins.mean(axis=1) / 10)


def solve(scores: Floats, weight: Floats, against: Floats) -> Floats:
    """The strengths at which expected scores are those that were got, under the engine's prior.

    Args:
        scores: Shape (n_clones, n_calls).
        weight: Shape (n_calls,).
        against: Shape (n_calls,), or of each newcomer (n_clones, n_calls).
    """
    theta = np.zeros(len(scores))
    for _ in range(_STEPS):
        expected = 1 / (1 + np.exp(against - theta[:, None]))
        slope = (scores - expected) @ weight - theta / VARIANCE
        theta = theta + slope / ((expected * (1 - expected)) @ weight + 1 / VARIANCE)
    return theta
