"""`mixed`: the linear mixed model of `mixed_model` as a rating engine.

It knows what the other engines do not: that a transcript which was lucky is so in all comparisons
that it is in. So a model that met lucky transcripts of its opponents is not blamed for them, and a
scenario that was compared often counts for little more than one that was compared seldom. What
place and length are worth to the judge is estimated with the strengths.

Each family of items is left out in turn and the equations are solved again, at the variances of
the whole: the slots of a family are its own, so its part of the equations is taken off exactly.
"""

from typing import NamedTuple

import numpy as np

from .comparisons import Comparisons, Floats, Ints
from .fractional_logit import as_calls
from .items import ItemCalls
from .mixed_model import (
    Halves,
    Observations,
    Variances,
    equations,
    estimate_variances,
    gather,
    logit_margins,
    squares_of,
)
from .newton import centring
from .result import Ratings
from .settings import RatingSettings
from .with_terms import Solved, prior_precision, rate_with_terms

NAME = "mixed"


class Data(NamedTuple):
    """Comparisons as the model sees them.

    Attributes:
        component: Of each model, shape (n_models,).
        seen: Items.
        halves: Of the items with both orders.
        family: Of each item, shape (n_items,).
        half_family: Of each half, shape (m,).
        names: Of the terms: ``position``, ``length``.
    """

    component: Ints
    seen: Observations
    halves: Halves
    family: Ints
    half_family: Ints
    names: tuple[str, ...]


class Fit(NamedTuple):
    """The estimate; unknowns are strengths, then terms.

    Attributes:
        variances: By restricted maximum likelihood.
        place: Shape (n_unknowns,).
        covariance: Shape (n_unknowns, n_unknowns).
        replicates: With one family left out each, shape (n_families, n_unknowns).
    """

    variances: Variances
    place: Floats
    covariance: Floats
    replicates: Floats


def rate(comparisons: Comparisons, settings: RatingSettings) -> Ratings:
    """The ratings of comparisons in one order or both.

    Args:
        comparisons: The length term is used when all have lengths.
        settings: Anchors.
    """
    return rate_with_terms(NAME, comparisons, settings, _solve)


def _solve(comparisons: Comparisons, length: bool) -> Solved:
    data, told = as_data(comparisons, length=length)
    fit = solve(data, len(comparisons.families))
    return Solved(
        component=data.component,
        names=data.names,
        place=fit.place,
        covariance=fit.covariance,
        replicates=fit.replicates,
        diagnostics={
            "variance": {
                "transcript": fit.variances.tau2,
                "one_order": fit.variances.one,
                "both_orders": fit.variances.both,
            }
        },
        warnings=told,
    )


def as_data(comparisons: Comparisons, *, length: bool = True) -> tuple[Data, list[str]]:
    """Items with those terms that can be told from strength, and what cannot.

    Args:
        comparisons: At least one.
        length: Whether to have the length term where lengths are known.
    """
    calls, told = as_calls(comparisons, length=length)
    terms = calls.terms * np.where(comparisons.a_first, 1.0, -1.0)  # from first to `a`
    items, z = ItemCalls.of(comparisons), logit_margins(comparisons)
    rows, twice = items.rows, items.twice
    slot = comparisons.item * (1 + int(comparisons.iteration.max())) + comparisons.iteration
    slot = np.unique(slot, return_inverse=True)[1]
    seen = Observations(
        i=comparisons.a[rows],
        j=comparisons.b[rows],
        slot=slot[rows],
        z=items.mean(z),
        both=items.both,
        terms=items.mean(terms),
    )
    halves = Halves(items.half(z), items.half(terms))
    family = comparisons.family
    return Data(calls.component, seen, halves, family[rows], family[twice], calls.names), told


def solve(data: Data, n_families: int) -> Fit:
    """The estimate, and those without one family each.

    Args:
        data: At least one item.
        n_families: How many families there are.
    """
    n = len(data.component)
    variances = estimate_variances(data.seen, data.halves, n)
    prior = prior_precision(n, len(data.names))
    parts = np.array([part_of(data, family, variances) for family in range(n_families)])
    whole, centred = parts.sum(axis=0), centring(data.component)

    def unknowns(gram: Floats) -> Floats:
        found = np.linalg.solve(gram[:-1, :-1] + np.diag(prior), gram[:-1, -1])
        # The sum of a component is held by the prior alone, which rounding would move.
        found[:n] = centred @ found[:n]
        return np.asarray(found)

    covariance = np.asarray(np.linalg.inv(whole[:-1, :-1] + np.diag(prior)), dtype=np.float64)
    left = np.array([unknowns(whole - part) for part in parts])
    return Fit(variances, unknowns(whole), covariance, left)


def part_of(data: Data, family: int, variances: Variances) -> Floats:
    """A family's part of the normal equations, shape (n_unknowns + 1, same)."""
    n = len(data.component)
    seen = data.seen.only(np.flatnonzero(data.family == family))
    weight = 1 / variances.of(seen)
    blocks = list(gather(seen, weight, n))
    gram = equations(blocks, squares_of(seen.columns, weight), variances.tau2, n).gram
    halves = data.halves.columns[:, data.half_family == family]
    gram[n:, n:] += squares_of(halves, np.full(halves.shape[1], 1 / variances.half))
    return gram
