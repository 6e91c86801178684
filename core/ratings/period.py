"""One rating period of Glicko-2 for all models at once, on index arrays.

Steps 2 to 8 of Glickman (2013), "Example of the Glicko-2 system". Every model is rated against
the ratings that its opponents had before the period. Symbols are Glickman's: mu and phi are
rating and deviation on the Glicko-2 scale, sigma is the volatility, v the variance that the
period's games alone would give, delta the improvement that they suggest.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .comparisons import Bools, Floats, Ints

SCALE = 173.7178
"""Glicko points in one unit of the Glicko-2 scale, as Glickman rounds 400 / ln 10."""
CENTRE = 1500.0
TAU = 0.5
_TOLERANCE = 1e-6


class Glicko(NamedTuple):
    """Ratings of models, each of shape (n_models,).

    Attributes:
        rating: Glicko points; 1500 for a model that is new.
        deviation: Glicko points; 350 for a model that is new.
        volatility: 0.06 for a model that is new.
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

    Args:
        before: Ratings at its beginning.
        a: One model of each game, shape (n_games,).
        b: The other model.
        score: What `a` got, 0 to 1.
        tau: How much the volatility may change.
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


def new_volatility(phi: Floats, sigma: Floats, v: Floats, delta: Floats, tau: float) -> Floats:
    """The volatilities after a period: step 5, the Illinois method, for all models at once.

    All arrays have shape (n_models,).
    """

    def f(x: Floats) -> Floats:
        power = np.exp(x)
        spread = phi**2 + v + power
        return power * (delta**2 - spread) / (2 * spread**2) - (x - start) / tau**2

    start = np.log(sigma**2)
    end = _other_end(f, start, delta**2 - phi**2 - v, tau)
    bracket = _Bracket(start, end, f(start), f(end))
    while (open_ := np.abs(bracket.high - bracket.low) > _TOLERANCE).any():
        bracket = _narrowed(bracket, f, open_)
    return np.exp(bracket.low / 2)


class _Bracket(NamedTuple):
    low: Floats
    high: Floats
    f_low: Floats
    f_high: Floats


def _narrowed(bracket: _Bracket, f: Callable[[Floats], Floats], open_: Bools) -> _Bracket:
    """A step of the method; a narrow bracket is left alone, and one where f is flat."""
    low, high, f_low, f_high = bracket
    step = np.where(open_ & (f_high != f_low), f_high - f_low, 1.0)
    new = np.where(open_, low + (low - high) * f_low / step, high)
    f_new = np.where(open_, f(new), f_high)
    crosses = f_new * f_high <= 0
    kept = np.where(open_, np.where(crosses, f_high, f_low / 2), f_low)
    return _Bracket(np.where(open_ & crosses, high, low), new, kept, f_new)


def _other_end(f: Callable[[Floats], Floats], start: Floats, excess: Floats, tau: float) -> Floats:
    """Where the bracket of step 5.2 ends."""
    above = excess > 0
    end = np.where(above, np.log(np.where(above, excess, 1.0)), start - tau)
    k = 1
    while (too_high := ~above & (f(end) < 0)).any():
        k += 1
        end = np.where(too_high, start - k * tau, end)
    return end
