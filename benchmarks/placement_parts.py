"""What the error of a placement is made of, for given calls and a world whose truth is known.

Near its maximum `fractional-logit` takes the newcomer's strength for a mean over its calls, each
with the weight E (1 - E). So the expected squared error has three parts: the newcomer's own luck,
what its opponents' transcripts were better than their ratings say, and the judge's noise. The
first and the last are expectations over all that the newcomer and the judge could have been, so
this is far less shaky than the errors of as many placements. What the judge likes of length is
taken for known, and margins for linear in quality.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from eibench.core.matchmaking.calls import Call
from eibench.core.ratings.comparisons import Floats, Ints, sum_by
from eibench.testing import Tournament


class Parts(NamedTuple):
    """Expected squared errors, points squared.

    Attributes:
        own: The luck of the newcomer's transcripts.
        opponents: That of its opponents', and the errors of their ratings.
        judge: Noise.
        smallest_own: What `own` would be with the best weights.
        judge_per_call: `judge` if every opponent were an equal, times the number of calls.
    """

    own: float
    opponents: float
    judge: float
    smallest_own: float
    judge_per_call: float

    @property
    def total(self) -> float:
        """All of the error."""
        return self.own + self.opponents + self.judge


class Scale(NamedTuple):
    """Ratings in natural units are `start + slope * ability`; a unit is `points` points."""

    start: float
    slope: float
    points: float


def parts_of(
    played: Tournament,
    calls: Sequence[Call],
    ratings: Mapping[str, float],
    scale: Scale,
) -> Parts:
    """The parts of the error after calls of one newcomer, which is `a` in all of them.

    Args:
        played: The world.
        calls: At least one.
        ratings: Of the opponents, natural units.
        scale: Of these.
    """
    places = {name: i for i, name in enumerate(played.models)}
    slots = {slot: i for i, slot in enumerate(played.slots)}
    opponent = np.array([places[call.b] for call in calls])
    slot = np.array([slots[call.item, call.iteration] for call in calls])
    rated = np.array([(ratings[call.b] - scale.start) / scale.slope for call in calls])
    ability = played.abilities[places[calls[0].a]]
    weight = 1 - np.tanh(scale.slope * (ability - rated) / 2) ** 2
    share = weight / weight.sum()
    own, smallest = _own(played, sum_by(slot, share, len(slots)))
    unit = (scale.points * scale.slope) ** 2
    return Parts(
        own=unit * own,
        opponents=unit * float(share @ (rated - played.qualities()[opponent, slot])) ** 2,
        judge=unit * _judge(played, opponent * len(slots) + slot) / float(weight.sum()) ** 2,
        smallest_own=unit * smallest,
        judge_per_call=unit * _judge(played, np.zeros(1, dtype=np.int64)),
    )


def _own(played: Tournament, share: Floats) -> tuple[float, float]:
    """Variance of the newcomer's mean luck with these shares of slots, and with the best."""
    noise, families = played.noise, played.families
    names = [families[item] for item, _ in played.slots]
    alike = np.array([[one == other for other in names] for one in names])
    variance = noise.transcript**2 * np.eye(len(names)) + noise.family**2 * alike
    best = 1 / float(np.linalg.inv(variance).sum())  # of all means, that of the least variance
    return float(share @ variance @ share), best


def _judge(played: Tournament, item: Ints) -> float:
    """Variance of the sum of the calls' noise; `item` says which are the two orders of one."""
    noise = played.noise
    _, calls = np.unique(item, return_counts=True)
    of_items = noise.pair**2 * (calls**2).sum() + noise.position_item**2 * (calls == 1).sum()
    return float(of_items + (noise.call**2 + noise.criterion**2 / played.criteria) * len(item))
