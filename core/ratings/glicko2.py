"""`glicko2`: one rating period of Glicko-2 at its fixed point, from fixed priors.

Margins are fractional scores: a comparison of margin D (-5 to 5) gives the model read first
1/2 + D/10. The two orders of an item are half a game each; an item in one order is a whole one.
The expected score has a term for place, estimated with the ratings, so that what the judge likes
of a place is nobody's strength, whatever orders there are.

All models start from the same prior, and the period is not replayed but solved: each model's
rating is the one that one period against the others' final ratings would give it. The page
of EQ-Bench asks to iterate until ratings change by less than a point; this is where that ends.
docs/ratings.md says why a replayed period is something else.

Where lengths are known, the same is done again with a term for length. No comparison can tell
length that a judge likes from length that helps, so both analyses stand side by side, and two
models are told apart only if both say so.
"""

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..types import JsonDict
from .arrays import Bools, Floats
from .assembling import assemble, no_ratings
from .comparisons import Comparisons
from .fractional_logit import (
    as_calls,
    gradient,
    hessian_of,
    leave_one_out,
    maximise,
    terms_of_replicates,
)
from .intervals import Q, SolvedRatings
from .result import Ratings
from .settings import RatingSettings
from .weighing import ItemCalls, weigh

CENTRE = 1500.0
TAU = 0.5
_TOLERANCE = 1e-6


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


NAME = "glicko2"
VOLATILITY = 0.06
VARIANCE = (350 / Q) ** 2 + VOLATILITY**2
"""Of the prior of a strength, natural units squared."""


class FixedPoint:
    """The fixed point of comparisons, and without one family each; each model is in one.

    `weight` is what each comparison counts, see `weights_of`. With `length` there is a term for it,
    where lengths are known. The likelihood's rows stand in the order of the comparisons.
    """

    def __init__(self, comparisons: Comparisons, weight: Floats, *, length: bool = False) -> None:
        calls, self.warnings = as_calls(comparisons, length=length)
        self.calls = calls._replace(weight=weight, precision=1 / VARIANCE)
        self.fit = maximise(self.calls)
        self._comparisons = comparisons

    @cached_property
    def replicates(self) -> Floats:
        """Strengths and terms without one family each, shape (n_families, n_models + n_terms)."""
        return leave_one_out(self._comparisons, self.calls, self.fit)

    @property
    def estimate(self) -> SolvedRatings:
        """The strengths; the deviation is that of one period."""
        n = self.calls.n_models
        hessian = hessian_of(self.fit.expected, self.calls, self.calls.prior)
        return SolvedRatings(
            theta=self.fit.theta,
            deviation=1 / np.sqrt(np.diag(hessian)[:n]),
            families=self._comparisons.families_of_models(),
            effective=self._comparisons.effective_families_of_models(),
            component=self.calls.component,
            replicates=self.replicates[:, :n],
        )

    @property
    def terms(self) -> JsonDict:
        """What place and length are worth."""
        n = self.calls.n_models
        return terms_of_replicates(self.calls.names, self.fit.beta, self.replicates[:, n:])


def weights_of(comparisons: Comparisons, settings: RatingSettings) -> Floats:
    """What each comparison counts, shape (n,): scenarios alike, one of two orders half a game."""
    return weigh(comparisons, settings, 1 / ItemCalls.of(comparisons).calls_of_rows)


def rate(comparisons: Comparisons, settings: RatingSettings) -> Ratings:
    """The ratings of comparisons in one order, in both, or in some of each.

    With lengths there is a second analysis beside the first.
    """
    if not len(comparisons):
        return no_ratings(NAME, comparisons)
    comparisons = comparisons.compact()
    weight = weights_of(comparisons, settings)
    plain = FixedPoint(comparisons, weight)
    with_length = FixedPoint(comparisons, weight, length=True) if comparisons.has_lengths else None
    adjusted = with_length if with_length and "length" in with_length.calls.names else None
    return assemble(
        NAME,
        comparisons,
        plain.estimate,
        settings,
        diagnostics={
            **plain.terms,
            "length": adjusted.terms["length"] if adjusted else None,
            **_diagnose(comparisons, plain),
        },
        warnings=with_length.warnings
        if with_length
        else [*plain.warnings, _no_lengths(comparisons)],
        length_adjusted=adjusted.estimate if adjusted else None,
    )


def _no_lengths(comparisons: Comparisons) -> str:
    message = "some comparisons have no lengths" if comparisons.has_some_lengths else "no lengths"
    return f"{message}: what the judge likes of length was not looked at"


def _diagnose(comparisons: Comparisons, solved: FixedPoint) -> JsonDict:
    """How the fixed point was reached, and what one more period would do there."""
    calls, fit = solved.calls, solved.fit
    n, mu = calls.n_models, fit.theta
    slope = gradient(np.append(mu, fit.beta), fit.expected, calls, calls.prior)[:n]
    precision = np.diag(hessian_of(fit.expected, calls, calls.prior))[:n]
    volatility = _volatility(mu, slope, precision - 1 / VARIANCE)
    return {
        "newton_steps": fit.steps,
        "last_step": fit.last_step * Q,
        "further_period": float(np.abs(slope / precision).max()) * Q,
        "volatility": dict(zip(comparisons.models, volatility.tolist(), strict=True)),
    }


def _volatility(mu: Floats, slope: Floats, information: Floats) -> Floats:
    """Glickman's step 5 for all models, shape (n_models,)."""
    played = information > 0
    v = 1 / np.where(played, information, 1.0)
    phi, sigma = np.full(len(mu), 350 / Q), np.full(len(mu), VOLATILITY)
    # What the games say of a model by themselves: the prior's pull is taken back.
    suggested = v * (slope + mu / VARIANCE)
    return np.where(played, new_volatility(phi, sigma, v, suggested, TAU), sigma)
