"""`glicko2`: one rating period of Glicko-2 at its fixed point, from fixed priors.

Margins are fractional scores: an item of margin D (-5 to 5) gives its model `a` 1/2 + D/10.
All models start from the same prior, and the period is not replayed but solved: each model's
rating is the one that one period against the others' final ratings would give it. The page
of EQ-Bench asks to iterate until ratings change by less than a point; this is where that ends.
docs/ratings.md says why a replayed period is something else.
"""

from typing import Any, Literal, NamedTuple

import numpy as np

from ..errors import UsageError
from .anchors import Q
from .assembling import assemble, no_ratings
from .comparisons import Comparisons, Floats, Ints, sum_by
from .connectivity import components
from .intervals import Estimate
from .items import ComparedItems, pair_orders, waiting
from .newton import FixedPoint, gradient, information, maximise
from .period import TAU, new_volatility
from .result import Ratings
from .settings import RatingSettings

Margin = Literal["fraction", "weight"]
NAME = "glicko2"
VOLATILITY = 0.06
VARIANCE = (350 / Q) ** 2 + VOLATILITY**2
"""Of the prior, natural units, after the widening that a period begins with."""
_CHUNK = 4_000_000  # elements of one array: replicates are solved so many at a time


class Results(NamedTuple):
    """What models got against each other in each family, only where they met.

    Attributes:
        n_models: How many models there are.
        n_families: How many families there are.
        family: Shape (n_entries,), sorted.
        model: Who got it, shape (n_entries,).
        opponent: From whom, shape (n_entries,).
        won: Sum of weighted scores, shape (n_entries,).
    """

    n_models: int
    n_families: int
    family: Ints
    model: Ints
    opponent: Ints
    won: Floats

    def table(self) -> Floats:
        """W over all families, shape (n_models, n_models)."""
        n = self.n_models
        return sum_by(self.model * n + self.opponent, self.won, n * n).reshape(n, n)

    def tables_without(self, first: int, last: int) -> Floats:
        """W without one family each, for families `first` to `last` - 1."""
        tables = np.repeat(self.table()[None], last - first, axis=0)
        rows = slice(*np.searchsorted(self.family, [first, last]))
        place = (self.family[rows] - first, self.model[rows], self.opponent[rows])
        tables[place] -= self.won[rows]
        return np.maximum(tables, 0.0)  # what is left of a difference of equals


def rate(
    comparisons: Comparisons, settings: RatingSettings, *, margin: Margin = "fraction"
) -> Ratings:
    """The ratings of comparisons that were made in both orders.

    Args:
        comparisons: An item that was read in one order only does not count yet.
        settings: Anchors.
        margin: ``fraction``: a win counts by its margin; ``weight``: a win is a win, and its
            margin, 1 to 5, is how often it counts.

    Raises:
        UsageError: No item was read in both orders.
    """
    if not len(comparisons):
        return no_ratings(NAME, comparisons)
    items = pair_orders(comparisons)
    left = waiting(comparisons, items)
    if not len(items.a):
        raise UsageError(
            f"{NAME} needs both orders of each comparison, and these {len(comparisons)} have "
            "one; use --engine fractional-logit, which can do with one"
        )
    counted = comparisons.only(np.sort(np.concatenate([items.rows, items.rows + 1]))).compact()
    items = pair_orders(counted)
    results = collect(counted, items, margin)
    component = components(results.n_models, items.a, items.b)
    point = maximise(results.table(), 1 / VARIANCE, component)
    estimate = _estimate(counted, results, point, component)
    return assemble(
        NAME,
        counted,
        estimate,
        settings,
        diagnostics={"waiting": left, **_diagnose(counted, results, point)},
        warnings=_waiting(left, sorted({*comparisons.models} - {*counted.models})),
    )


def _waiting(left: int, models: list[str]) -> tuple[str, ...]:
    if not left:
        return ()
    told = f"{left} comparisons wait for their other order and do not count yet"
    return (told + (f"; so {', '.join(models)} cannot be rated" if models else ""),)


def collect(comparisons: Comparisons, items: ComparedItems, margin: Margin) -> Results:
    """Weighted scores by family and pair."""
    score, weight = 0.5 + items.margin / 10, np.ones(len(items.a))
    if margin == "weight":
        score = (1 + np.sign(items.margin)) / 2
        weight = np.clip(np.ceil(np.abs(items.margin)), 1, 5)
    n_models, n_families = len(comparisons.models), len(comparisons.families)
    model = np.concatenate([items.a, items.b])
    opponent = np.concatenate([items.b, items.a])
    family = np.concatenate([items.family, items.family])
    won = np.concatenate([weight * score, weight * (1 - score)])
    key = (family * n_models + model) * n_models + opponent
    found, entry = np.unique(key, return_inverse=True)
    return Results(
        n_models=n_models,
        n_families=n_families,
        family=found // (n_models * n_models),
        model=found // n_models % n_models,
        opponent=found % n_models,
        won=sum_by(entry, won, len(found)),
    )


def _estimate(
    comparisons: Comparisons, results: Results, point: FixedPoint, component: Ints
) -> Estimate:
    weights = information(point.mu, results.table()).sum(axis=1)
    return Estimate(
        theta=point.mu,
        deviation=1 / np.sqrt(1 / VARIANCE + weights),
        families=comparisons.families_of_models(),
        component=component,
        replicates=leave_one_out(results, point.mu, component),
    )


def leave_one_out(results: Results, mu: Floats, component: Ints) -> Floats:
    """The fixed points without one family each, shape (n_families, n_models)."""
    at_once = max(1, _CHUNK // results.n_models**2)
    found = [
        maximise(
            results.tables_without(first, min(first + at_once, results.n_families)),
            1 / VARIANCE,
            component,
            mu,
        ).mu
        for first in range(0, results.n_families, at_once)
    ]
    return np.concatenate(found)


def _diagnose(comparisons: Comparisons, results: Results, point: FixedPoint) -> dict[str, Any]:
    """How the fixed point was reached, and what one more period would do there."""
    won, mu = results.table(), point.mu
    slope = gradient(mu, won, 1 / VARIANCE)
    weights = information(mu, won).sum(axis=1)
    played = weights > 0
    v = 1 / np.where(played, weights, 1.0)
    phi, sigma = np.full(len(mu), 350 / Q), np.full(len(mu), VOLATILITY)
    # What the games say of a model by themselves: the prior's pull is taken back.
    suggested = v * (slope + mu / VARIANCE)
    volatility = np.where(played, new_volatility(phi, sigma, v, suggested, TAU), sigma)
    named = zip(comparisons.models, volatility, strict=True)
    return {
        "newton_steps": point.steps,
        "last_step": point.last_step * Q,
        "further_period": float(np.abs(slope / (1 / VARIANCE + weights)).max()) * Q,
        "volatility": {model: float(value) for model, value in named},
    }
