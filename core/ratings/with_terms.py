"""Ratings by strengths that are estimated together with terms for place and length.

The priors, what is told of the terms, and the ratings that there would be without the length term.

Also what Newton's method needs in every engine: when it is done, and what holds the centre.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..statistics.few_families import FEWEST_FAMILIES
from ..types import JsonDict, JsonObject
from .arrays import Floats, Ints
from .assembling import assemble, no_ratings
from .comparisons import Comparisons
from .intervals import Q, SolvedRatings, jackknife_error
from .result import Ratings
from .settings import RatingSettings

STEP = 1e-12
"""Largest last step, natural units: 2e-10 points. Convergence is quadratic."""
ROUNDING = 1e-6
"""A step below this that does not shrink any more is rounding."""
MOST = 100
"""Steps after which a maximum is given up."""


def is_done(size: float, before: float) -> bool:
    """Whether a step is nothing but rounding, given the size of the step before."""
    return size <= STEP or (size <= ROUNDING and size > before / 2)


def centring(component: Ints) -> Floats:
    """The symmetric matrix that takes the mean of its component from each model."""
    same = component[:, None] == component[None, :]
    return np.asarray(np.eye(len(component)) - same / same.sum(axis=1))


PRECISION = (Q / 350) ** 2
"""Of the prior of a model's strength, natural units."""
RIDGE = 1e-3
"""Of the prior of a term: it keeps terms finite and moves them by next to nothing."""


class Solved(NamedTuple):
    """What an engine found, natural units; unknowns are strengths, then terms.

    Attributes:
        component: Of each model, shape (n_models,).
        names: Of the terms: ``position``, ``length``.
        place: Shape (n_unknowns,).
        covariance: Shape (n_unknowns, n_unknowns).
        replicates: With one family left out each, shape (n_families, n_unknowns).
        diagnostics: The engine's own.
        warnings: One line each.
    """

    component: Ints
    names: tuple[str, ...]
    place: Floats
    covariance: Floats
    replicates: Floats
    diagnostics: JsonObject
    warnings: Sequence[str]


Solve = Callable[[Comparisons, bool], Solved]
"""From comparisons, at least one, and whether to have the length term where lengths are known."""


def prior_precision(n_models: int, n_terms: int, strength: float = PRECISION) -> Floats:
    """Of the unknowns, shape (n_models + n_terms,)."""
    return np.append(np.full(n_models, strength), np.full(n_terms, RIDGE))


def rate_with_terms(
    engine: str, comparisons: Comparisons, settings: RatingSettings, solve: Solve
) -> Ratings:
    """The ratings of an engine, with those without the length term where it has that.

    Length may be a means to be better, and then the term takes a part of strength away. So
    both are told.

    Args:
        engine: Its name.
        comparisons: In one order or both.
        settings: Anchors.
        solve: Makes its estimate.
    """
    if not len(comparisons):
        return no_ratings(engine, comparisons)
    comparisons = comparisons.compact()
    solved = solve(comparisons, True)
    made = _as_ratings(engine, comparisons, settings, solved)
    if "length" not in solved.names:
        return made
    plain = _as_ratings(engine, comparisons, settings, solve(comparisons, False))
    ratings = {row.model: row.rating for row in plain.rows}
    return replace(made, diagnostics={**made.diagnostics, "without_length": ratings})


def _as_ratings(
    engine: str, comparisons: Comparisons, settings: RatingSettings, solved: Solved
) -> Ratings:
    return assemble(
        engine,
        comparisons,
        _estimate(comparisons, solved),
        settings,
        diagnostics={**solved.diagnostics, **_terms(solved)},
        warnings=solved.warnings,
    )


def _estimate(comparisons: Comparisons, solved: Solved) -> SolvedRatings:
    n = len(solved.component)
    # Against the mean of its component: where all lie together only the prior knows.
    contrast = centring(solved.component)
    variance = np.diag(contrast @ solved.covariance[:n, :n] @ contrast.T)
    return SolvedRatings(
        theta=solved.place[:n],
        deviation=np.sqrt(np.maximum(variance, 0)),
        families=comparisons.families_of_models(),
        effective=comparisons.effective_families_of_models(),
        component=solved.component,
        replicates=solved.replicates[:, :n],
    )


def _terms(solved: Solved) -> JsonDict:
    n = len(solved.component)
    return terms_of_replicates(solved.names, solved.place[n:], solved.replicates[:, n:])


def terms_of_replicates(names: Sequence[str], place: Floats, replicates: Floats) -> JsonDict:
    """The terms in natural units, each with its standard error.

    Args:
        names: Of the terms.
        place: Shape (n_terms,).
        replicates: Without one family each, shape (n_families, n_terms).
    """
    known = len(replicates) >= FEWEST_FAMILIES
    errors = jackknife_error(replicates)
    return {
        name: {"estimate": float(estimate), "standard_error": float(error) if known else None}
        for name, estimate, error in zip(names, place, errors, strict=True)
    }
