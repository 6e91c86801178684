"""One period of Glicko-2 as Glickman writes it, by the volatility that the engine uses."""

from typing import NamedTuple

import numpy as np

from eibench.core.ratings.arrays import Floats, Ints
from eibench.core.ratings.glicko2 import CENTRE, TAU, new_volatility

SCALE = 173.7178
"""Glicko points in one unit of the Glicko-2 scale, as Glickman rounds 400 / ln 10."""


class Glicko(NamedTuple):
    """Ratings of models, each of shape (n_models,).

    Glicko points, 1500 and 350 for a model that is new; volatility, 0.06 for one.
    """

    rating: Floats
    deviation: Floats
    volatility: Floats


def new_models(n_models: int) -> Glicko:
    """What models start from."""
    start = (CENTRE, 350.0, 0.06)
    return Glicko(*(np.full(n_models, value) for value in start))


def one_period(before: Glicko, a: Ints, b: Ints, score: Floats, *, tau: float = TAU) -> Glicko:
    """The ratings after a period; a model without games only becomes less certain.

    `a` and `b` are the models of each game, `score` what `a` got, 0 to 1, all of shape (n_games,);
    `tau` is how much the volatility may change.
    """
    mu, phi = (before.rating - CENTRE) / SCALE, before.deviation / SCALE
    information, surprise = _sums(mu, phi, a, b, score)
    played = information > 0
    v = 1 / np.where(played, information, 1.0)
    sigma = np.where(
        played, new_volatility(phi, before.volatility, v, v * surprise, tau), before.volatility
    )
    widened = phi**2 + sigma**2
    after = 1 / (1 / widened + information)
    rating = before.rating + SCALE * after * surprise
    return Glicko(rating, SCALE * np.sqrt(after), sigma)


def _sums(mu: Floats, phi: Floats, a: Ints, b: Ints, score: Floats) -> tuple[Floats, Floats]:
    """Of each model: sum of g^2 E (1 - E), and of g (s - E); shape (n_models,)."""
    n = len(mu)
    g = 1 / np.sqrt(1 + 3 * (phi / np.pi) ** 2)
    information, surprise = np.zeros(n), np.zeros(n)
    gap = mu[a] - mu[b]
    for model, opponent, sign, got in ((a, b, 1.0, score), (b, a, -1.0, 1 - score)):
        weight = g[opponent]
        expected = 1 / (1 + np.exp(-sign * weight * gap))
        information += np.bincount(
            model, weights=weight**2 * expected * (1 - expected), minlength=n
        )
        surprise += np.bincount(model, weights=weight * (got - expected), minlength=n)
    return information, surprise
