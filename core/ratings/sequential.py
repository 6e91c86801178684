"""`glicko2-sequential`: the package `glicko2` of PyPI, game after game, as they came.

A rating as boards keep it that rate each game when it is played: both models are moved by the
package's own step against what the other was before, and nothing is looked at again. A comparison
of mean margin D gives model `a` the score 1/2 + D/10. So the result depends on the order of the
comparisons: that of the file's lines, or of the journal's batches. Place, length, weights
and families are not known to it.
"""

import numpy as np

from .assembling import no_ratings, rate_by_normals
from .comparisons import Comparisons
from .glicko2 import CENTRE
from .result import Ratings
from .settings import RatingSettings

NAME = "glicko2-sequential"
TOLD = (
    "glicko2-sequential depends on the order of the comparisons, and its intervals are too narrow: "
    "they take games for independent; use glicko2"
)


def rate(comparisons: Comparisons, settings: RatingSettings) -> Ratings:
    """The ratings after the last comparison, taken as they arrived."""
    from glicko2 import Player  # type: ignore[import-untyped]  # it has no types

    if not len(comparisons):
        return no_ratings(NAME, comparisons)
    comparisons = comparisons.compact()
    players = [Player() for _ in comparisons.models]
    order = slice(None) if comparisons.arrival is None else np.argsort(comparisons.arrival)
    score = 0.5 + comparisons.margin / comparisons.criteria / 10
    games = (column[order].tolist() for column in (comparisons.a, comparisons.b, score))
    for i, j, got in zip(*games, strict=True):
        a, b = players[i], players[j]
        before = ([a.rating], [a.rd])
        a.update_player([b.rating], [b.rd], [got])
        b.update_player(*before, [1 - got])
    mean, deviation = np.array([(player.rating, player.rd) for player in players]).T
    return rate_by_normals(
        NAME, comparisons, settings, TOLD, mean=mean, deviation=deviation, centre=CENTRE
    )
