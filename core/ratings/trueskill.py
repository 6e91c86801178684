"""`trueskill`: the scheme of the published code, for comparison with what it prints.

The pluses of an item's calls are summed, both orders together, and normalised; by the numbers of
EQ-Bench 3, unless a benchmark has its own (`PublishedScheme`), by 30. The margin becomes 1 to 20
pseudo-wins, each a TrueSkill update between two players (Herbrich,
Minka and Graepel 2007, in the closed form that two players allow), one after the other from
a cold start. Items of models more than 16 places apart are left out of the second solve, whose
ladder is that of the first. The original's interval is 1.96 sigma of another pass with at most 5
pseudo-wins. It takes pseudo-wins for independent and is far too narrow: a warning says so.

The result depends on the order of the updates. The original takes comparisons as they arrive;
here the order is a fixed shuffle of the items, so that the same data give the same ratings.
"""

from math import erfc, exp, pi, sqrt
from typing import NamedTuple

import numpy as np

from ..benchmark.published import PublishedScheme
from .arrays import Bools, Floats, Ints
from .assembling import no_ratings, rate_by_normals
from .comparisons import UNREAD, Comparisons
from .result import Ratings
from .settings import RatingSettings
from .weighing import first_of_items

NAME = "trueskill"
MU = 1200.0
RANK_WINDOW = 16
"""Places on the ladder that two models may be apart for their items to count."""
TOO_NARROW = (
    "the intervals of trueskill are far too narrow (measured: they cover their own expectation "
    "in 17 to 45 % of cases, not 95): they take pseudo-wins for independent; use glicko2"
)


class Skills(NamedTuple):
    """What TrueSkill knows of the models, points, each of shape (n_models,)."""

    mu: Floats
    sigma: Floats


def rate(comparisons: Comparisons, settings: RatingSettings) -> Ratings:
    """The ratings of comparisons in one order or both.

    Orders that are missing are not waited for, as in the original. Where the scheme counts
    criteria twice, the comparisons have to have the margins of each.
    """
    if not len(comparisons):
        return no_ratings(NAME, comparisons)
    comparisons, scheme = comparisons.compact(), settings.scheme
    rows = first_of_items(comparisons)
    pluses = item_pluses(comparisons, rows, scheme)
    order = _shuffle(comparisons, rows)
    a, b, pluses = comparisons.a[rows][order], comparisons.b[rows][order], pluses[order]
    wins, rough_wins = (
        pseudo_wins(pluses, most, scheme.pluses) for most in (scheme.wins, scheme.rough_wins)
    )
    n_models = len(comparisons.models)
    first = update_all(n_models, a, b, wins, scheme)
    near = within_window(first.mu, a, b)
    a, b, wins, rough_wins = (column[near] for column in (a, b, wins, rough_wins))
    skills = first if near.all() else update_all(n_models, a, b, wins, scheme)
    rough = update_all(n_models, a, b, rough_wins, scheme)
    return rate_by_normals(
        NAME, comparisons, settings, TOO_NARROW, mean=skills.mu, deviation=rough.sigma, centre=MU
    )


def within_window(mu: Floats, a: Ints, b: Ints) -> Bools:
    """Whether the models of each item are at most 16 places apart, shape (n_items,).

    `mu` are ratings that give the ladder, shape (n_models,); equals stand by index.
    """
    rank = np.argsort(np.argsort(mu, kind="stable"), kind="stable")
    return np.asarray(np.abs(rank[a] - rank[b]) <= RANK_WINDOW)


def item_pluses(comparisons: Comparisons, rows: Ints, scheme: PublishedScheme) -> Ints:
    """Pluses of `a` less those of `b` over the calls of each item, which begins at one of `rows`.

    Those of a criterion that counts twice are won by one model and lost by the other.
    """
    most = np.iinfo(np.int64).max
    limit = np.array([scheme.caps.get(item, most) for item in comparisons.items], dtype=np.int64)
    per_call = comparisons.margin
    if scheme.twice:
        assert comparisons.margins is not None, "criteria count apart: read them by criterion"
        of = np.isin(comparisons.criterion_names, scheme.twice)
        again = comparisons.margins[:, of].astype(np.int64)
        per_call = per_call + np.where(again == UNREAD, 0, again).sum(axis=1)
    per_call = np.clip(per_call, -limit[comparisons.item], limit[comparisons.item])
    return np.asarray(np.add.reduceat(per_call, rows), dtype=np.int64)


def pseudo_wins(pluses: Ints, most: int, full: int) -> Ints:
    """How many wins an item counts for, `most` for `full` pluses, 0 for a draw.

    They are negative where `b` has them.

    The published code rounds up in floating point: some differences (3, 9 and 18 of 20) give one
    win more than ``ceil(min(|d|, 30) / 30 * most)`` does. So the same steps are taken here.
    """
    margin = np.minimum(np.abs(pluses) / full, 1.0) / 2 + 0.5
    distance = np.where(pluses > 0, margin - 0.5, 0.5 - (1.0 - margin))
    wins = np.clip(np.ceil(distance / (0.5 / most)), 0, most)
    return np.asarray(np.sign(pluses) * wins, dtype=np.int64)


def _shuffle(comparisons: Comparisons, rows: Ints) -> Ints:
    """A fixed order of the items that mixes models and scenarios, shape (n_items,)."""
    mixed = np.zeros(len(rows), dtype=np.uint64)
    for name in ("a", "b", "item", "iteration"):
        # splitmix64 (Steele, Lea and Flood 2014), one round for each part of the key.
        mixed += getattr(comparisons, name)[rows].astype(np.uint64)
        mixed += np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed ^= mixed >> np.uint64(31)
    return np.lexsort((rows, mixed))


def update_all(n_models: int, a: Ints, b: Ints, wins: Ints, scheme: PublishedScheme) -> Skills:
    """The skills after all updates, one item after the other."""
    mu, variance = [MU] * n_models, [scheme.sigma**2] * n_models
    game, drift = 2 * (scheme.sigma / 2) ** 2, scheme.tau**2
    for i, j, n in zip(a.tolist(), b.tolist(), wins.tolist(), strict=True):
        winner, loser = (i, j) if n >= 0 else (j, i)
        for _ in range(abs(n) or 1):
            variance[i] += drift
            variance[j] += drift
            (_win if n else _draw)(mu, variance, winner, loser, game)
    return Skills(np.array(mu), np.sqrt(variance))


def _win(mu: list[float], variance: list[float], winner: int, loser: int, game: float) -> None:
    """One game that somebody won, without a draw margin; `game` is the variance of both in one."""
    spread = sqrt(variance[winner] + variance[loser] + game)
    t = (mu[winner] - mu[loser]) / spread
    below = erfc(-t / sqrt(2)) / 2
    # Far in the tail the ratio of density and distribution tends to -t.
    v = exp(-t * t / 2) / sqrt(2 * pi) / below if below > 1e-300 else -t
    w = v * (v + t)
    _move(mu, variance, winner, loser, v / spread, w / spread**2)


def _draw(mu: list[float], variance: list[float], i: int, j: int, game: float) -> None:
    """One drawn game: with a draw margin of 0 the difference is seen to be 0."""
    spread = sqrt(variance[i] + variance[j] + game)
    _move(mu, variance, i, j, -(mu[i] - mu[j]) / spread**2, 1 / spread**2)


def _move(mu: list[float], variance: list[float], i: int, j: int, pull: float, gain: float) -> None:
    mu[i] += variance[i] * pull
    mu[j] -= variance[j] * pull
    variance[i] *= 1 - variance[i] * gain
    variance[j] *= 1 - variance[j] * gain
