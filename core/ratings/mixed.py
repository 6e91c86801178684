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

from .arrays import Floats, Ints, sum_by
from .comparisons import Comparisons
from .fractional_logit import as_calls
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
from .result import Ratings
from .settings import RatingSettings
from .weighing import ItemCalls, own_weights
from .with_terms import Solved, centring, prior_precision, rate_with_terms

NAME = "mixed"
_PLAIN = RatingSettings()


class Data(NamedTuple):
    """Comparisons as the model sees them.

    Attributes:
        component: Of each model, shape (n_models,).
        seen: Items.
        halves: Of the items with both orders.
        family: Of each item, shape (n_items,).
        half_family: Of each half, shape (m,).
        weight: Of each item's slot, shape (n_items,).
        half_weight: Of each half's slot, shape (m,).
        names: Of the terms: ``position``, ``length``.
    """

    component: Ints
    seen: Observations
    halves: Halves
    family: Ints
    half_family: Ints
    weight: Floats
    half_weight: Floats
    names: tuple[str, ...]


class MixedFit(NamedTuple):
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
        settings: Anchors, and weights of items.
    """
    known: list[Variances] = []

    def solve_with(comparisons: Comparisons, length: bool) -> Solved:
        # Without the length term too, the variances are those that were found with it.
        made, variances = _solve(comparisons, settings, *known[:1], length=length)
        known.append(variances)
        return made

    return rate_with_terms(NAME, comparisons, settings, solve_with)


def _solve(
    comparisons: Comparisons,
    settings: RatingSettings,
    variances: Variances | None = None,
    *,
    length: bool,
) -> tuple[Solved, Variances]:
    data, messages = as_data(comparisons, settings, length=length)
    fit = solve(data, len(comparisons.families), variances)
    made = Solved(
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
        warnings=messages,
    )
    return made, fit.variances


def as_data(
    comparisons: Comparisons, settings: RatingSettings = _PLAIN, *, length: bool = True
) -> tuple[Data, list[str]]:
    """Items with those terms that can be told from strength, and what cannot.

    Args:
        comparisons: At least one.
        settings: Weights of items.
        length: Whether to have the length term where lengths are known.
    """
    calls, messages = as_calls(comparisons, length=length)
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
    own = slot_weights(comparisons, settings, slot)
    weights = (own[rows], own[twice])
    return Data(
        calls.component, seen, halves, family[rows], family[twice], *weights, calls.names
    ), messages


def slot_weights(comparisons: Comparisons, settings: RatingSettings, slot: Ints) -> Floats:
    """Of each comparison the mean weight of its slot, shape (n,).

    A slot's lucks are shared, so it weighs as a whole.
    """
    weight = own_weights(comparisons, settings)
    n = int(slot.max()) + 1
    mean = sum_by(slot, weight, n) / sum_by(slot, np.ones(len(slot)), n)
    return np.asarray(mean[slot])


def solve(data: Data, n_families: int, variances: Variances | None = None) -> MixedFit:
    """The estimate, and those without one family each.

    Args:
        data: At least one item.
        n_families: How many families there are.
        variances: Where they are known.
    """
    n = len(data.component)
    variances = variances or estimate_variances(data.seen, data.halves, n)
    prior = prior_precision(n, len(data.names))
    parts = np.array([part_of(data, family, variances) for family in range(n_families)])
    whole, centred = parts.sum(axis=0), centring(data.component)

    def unknowns(gram: Floats) -> Floats:
        found = np.linalg.solve(gram[:-1, :-1] + np.diag(prior), gram[:-1, -1])
        # The sum of a component is held by the prior alone, which rounding would move.
        found[:n] = centred @ found[:n]
        return np.asarray(found, dtype=np.float64)

    covariance = np.asarray(np.linalg.inv(whole[:-1, :-1] + np.diag(prior)), dtype=np.float64)
    left = np.array([unknowns(whole - part) for part in parts])
    return MixedFit(variances, unknowns(whole), covariance, left)


def part_of(data: Data, family: int, variances: Variances) -> Floats:
    """A family's part of the normal equations, shape (n_unknowns + 1, same)."""
    n, mine = len(data.component), data.family == family
    size = n + len(data.names) + 1
    gram = np.zeros((size, size))
    for slots in np.unique(data.weight[mine]):
        seen = data.seen.only(np.flatnonzero(mine & (data.weight == slots)))
        weight = 1 / variances.of(seen)
        blocks = list(gather(seen, weight, n))
        gram += slots * equations(blocks, squares_of(seen.columns, weight), variances.tau2, n).gram
    own = data.half_family == family
    halves = data.halves.columns[:, own]
    gram[n:, n:] += squares_of(halves, data.half_weight[own] / variances.half)
    return gram
