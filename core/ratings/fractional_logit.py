"""`fractional-logit`: a likelihood for each call, with terms for place and length.

A call on the transcripts f (read first) and s (read second) with mean margin D_f (-5 to 5,
positive where f wins) has the score y = 1/2 + D_f / 10, and

    E = 1 / (1 + exp(-(theta_f - theta_s + pi + gamma (ln len_f - ln len_s))))

The sum of y ln E + (1 - y) ln(1 - E), less a prior, is maximised. pi is what being read first
is worth, gamma what being longer is worth. One order or both, it is all the same.

Errors are clustered by family. Each family is left out by one Newton step from the maximum,
which is the sandwich estimator in its form CR3 (Bell and McCaffrey 2002, Survey Methodology
28): the plain sandwich is too small when there are few clusters of unequal size.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..statistics.few_families import FEWEST_FAMILIES
from ..types import JsonDict
from .arrays import Bools, Floats, Ints, present, sum_by
from .assembling import assemble, no_ratings
from .comparisons import Comparisons
from .intervals import Q, SolvedRatings, jackknife_error
from .result import Ratings
from .settings import RatingSettings
from .weighing import components, weigh

NAME = "fractional-logit"
STEP = 1e-12
"""Largest last step, natural units: 2e-10 points. Convergence is quadratic."""
ROUNDING = 1e-6
"""A step below this that does not shrink any more is rounding."""
MOST = 100
"""Steps after which a maximum is given up."""
PRECISION = (Q / 350) ** 2
"""Of the prior of a model's strength, natural units."""
RIDGE = 1e-3
"""Of the prior of a term: it keeps terms finite and moves them by next to nothing."""


class Calls(NamedTuple):
    """What the likelihood is over.

    Attributes:
        component: Of each model, shape (n_models,).
        first: Model read first, shape (n,); `second` likewise.
        score: y, shape (n,).
        weight: How many calls a row stands for, shape (n,).
        terms: What pi and gamma are multiplied with, shape (n_terms, n); each is 1, or the
            difference of the logarithms of lengths.
        names: Of the terms: ``position``, ``length``.
        precision: Of the prior of a model's strength, natural units.
    """

    component: Ints
    first: Ints
    second: Ints
    score: Floats
    weight: Floats
    terms: Floats
    names: tuple[str, ...]
    precision: float = PRECISION

    @property
    def n_models(self) -> int:
        """How many models there are."""
        return len(self.component)

    def only(self, rows: Bools | Ints) -> "Calls":
        """Some of the rows, with the components that they connect."""
        first, second = self.first[rows], self.second[rows]
        return self._replace(
            component=components(self.n_models, first, second),
            first=first,
            second=second,
            score=self.score[rows],
            weight=self.weight[rows],
            terms=self.terms[:, rows],
        )

    @property
    def prior(self) -> Floats:
        """Precisions of the unknowns, shape (n_models + n_terms,)."""
        return prior_precision(self.n_models, len(self.names), self.precision)


class LogitFit(NamedTuple):
    """The maximum.

    Attributes:
        theta: Strengths, natural units, shape (n_models,).
        beta: Of the terms, shape (n_terms,).
        expected: E, shape (n,).
        covariance: Inverse of the negative Hessian, shape (n_models + n_terms, same).
        steps: How many Newton steps it took.
        last_step: Largest change in the last one.
    """

    theta: Floats
    beta: Floats
    expected: Floats
    covariance: Floats
    steps: int
    last_step: float


def rate(comparisons: Comparisons, settings: RatingSettings) -> Ratings:
    """The ratings of comparisons in one order or both, with those without the length term.

    Length may be a means to be better, and then the term takes a part of strength away. So both are
    told, where all comparisons have lengths.
    """
    if not len(comparisons):
        return no_ratings(NAME, comparisons)
    comparisons = comparisons.compact()
    rated, names = _rate(comparisons, settings, length=True)
    if "length" not in names:
        return rated
    plain, _ = _rate(comparisons, settings, length=False)
    ratings = {row.model: row.rating for row in plain.rows}
    return replace(rated, diagnostics={**rated.diagnostics, "without_length": ratings})


def _rate(
    comparisons: Comparisons, settings: RatingSettings, *, length: bool
) -> tuple[Ratings, tuple[str, ...]]:
    """The ratings, and the names of the terms that they were estimated with."""
    calls, messages = as_calls(comparisons, length=length)
    calls = calls._replace(weight=weigh(comparisons, settings, np.ones(len(comparisons))))
    fit, n = maximise(calls), calls.n_models
    replicates = leave_one_out(comparisons, calls, fit)
    # Against the mean of its component: where all lie together only the prior knows.
    contrast = centring(calls.component)
    variance = np.diag(contrast @ fit.covariance[:n, :n] @ contrast.T)
    estimate = SolvedRatings(
        theta=fit.theta,
        deviation=np.sqrt(np.maximum(variance, 0)),
        families=comparisons.families_of_models(),
        effective=comparisons.effective_families_of_models(),
        component=calls.component,
        replicates=replicates[:, :n],
    )
    terms = terms_of_replicates(calls.names, fit.beta, replicates[:, n:])
    diagnostics = {"newton_steps": fit.steps, "last_step": fit.last_step * Q, **terms}
    ratings = assemble(
        NAME, comparisons, estimate, settings, diagnostics=diagnostics, warnings=messages
    )
    return ratings, calls.names


def terms_of_replicates(names: Sequence[str], estimates: Floats, replicates: Floats) -> JsonDict:
    """The terms, shape (n_terms,), in natural units, each with its standard error.

    `replicates` are without one family each, shape (n_families, n_terms).
    """
    known = len(replicates) >= FEWEST_FAMILIES
    errors = jackknife_error(replicates)
    return {
        name: {"estimate": float(estimate), "standard_error": float(error) if known else None}
        for name, estimate, error in zip(names, estimates, errors, strict=True)
    }


def is_done(size: float, before: float) -> bool:
    """Whether a step is nothing but rounding, given the size of the step before."""
    return size <= STEP or (size <= ROUNDING and size > before / 2)


def centring(component: Ints) -> Floats:
    """The symmetric matrix that takes the mean of its component from each model."""
    same = component[:, None] == component[None, :]
    return np.asarray(np.eye(len(component)) - same / same.sum(axis=1))


def prior_precision(n_models: int, n_terms: int, strength: float = PRECISION) -> Floats:
    """Of the unknowns, shape (n_models + n_terms,)."""
    return np.append(np.full(n_models, strength), np.full(n_terms, RIDGE))


def strengths(comparisons: Comparisons, settings: RatingSettings) -> dict[str, float]:
    """The strength of each model, natural units: what ratings are made of, without intervals."""
    comparisons = comparisons.compact()
    weight = weigh(comparisons, settings, np.ones(len(comparisons)))
    fit = maximise(as_calls(comparisons)[0]._replace(weight=weight))
    return dict(zip(comparisons.models, fit.theta.tolist(), strict=True))


def as_calls(comparisons: Comparisons, *, length: bool = True) -> tuple[Calls, list[str]]:
    """The calls with those terms that the data can tell from strength, and what they cannot.

    There is a length term where it is wanted and lengths are known.
    """
    first = np.where(comparisons.a_first, comparisons.a, comparisons.b)
    second = np.where(comparisons.a_first, comparisons.b, comparisons.a)
    margin = comparisons.margin / comparisons.criteria
    score = 0.5 + np.where(comparisons.a_first, margin, -margin) / 10
    n = len(comparisons.models)
    names: list[str] = []
    terms: list[Floats] = []
    messages: list[str] = []
    for name, column in _candidates(comparisons, length):
        if _is_new(column, first, second, n, terms):
            names.append(name)
            terms.append(column)
        else:
            messages.append(f"what {name} is worth cannot be told from strength here: left out")
    if length and not comparisons.has_lengths and comparisons.has_some_lengths:
        messages.append("some comparisons have no lengths, so there is no length term")
    stacked = np.array(terms).reshape(len(terms), len(comparisons))
    component = components(n, first, second)
    weight = np.ones(len(comparisons))
    return Calls(component, first, second, score, weight, stacked, tuple(names)), messages


def _candidates(comparisons: Comparisons, length: bool) -> list[tuple[str, Floats]]:
    candidates = [("position", np.ones(len(comparisons)))]
    if length and comparisons.has_lengths:
        gap = np.log(np.maximum(comparisons.len_a, 1)) - np.log(np.maximum(comparisons.len_b, 1))
        candidates.append(("length", np.where(comparisons.a_first, gap, -gap)))
    return candidates


def _is_new(column: Floats, first: Ints, second: Ints, n_models: int, terms: list[Floats]) -> bool:
    """Whether a column is no combination of the models' columns and the other terms.

    If every comparison has the stronger model first, being first and being stronger are one
    thing. What least squares leaves of the column says so.
    """
    total = float(column @ column)
    if total <= 1e-12 * len(column):
        return False
    gram = np.zeros((n_models + len(terms), n_models + len(terms)))
    gram[:n_models, :n_models] = _laplacian(np.ones(len(column)), first, second, n_models)
    target = np.append(_split(column, first, second, n_models), [t @ column for t in terms])
    for row, term in enumerate(terms, start=n_models):
        gram[row, :n_models] = gram[:n_models, row] = _split(term, first, second, n_models)
        gram[row, n_models:] = gram[n_models:, row] = [term @ other for other in terms]
    explained = float(target @ np.linalg.pinv(gram, rcond=1e-10, hermitian=True) @ target)
    return total - explained > 1e-6 * total


def _split(values: Floats, first: Ints, second: Ints, n_models: int) -> Floats:
    """Sum of each model's values as first, less those as second, shape (n_models,)."""
    return sum_by(first, values, n_models) - sum_by(second, values, n_models)


def _laplacian(weights: Floats, first: Ints, second: Ints, n_models: int) -> Floats:
    """The strengths' part of the Hessian, shape (n_models, n_models)."""
    flat = sum_by(first * n_models + second, weights, n_models * n_models)
    met = flat.reshape(n_models, n_models)
    met = met + met.T
    return np.asarray(np.diag(met.sum(axis=1)) - met)


def maximise(calls: Calls) -> LogitFit:
    """The maximum of the penalised likelihood, by Newton's method with halved steps.

    Raises:
        ArithmeticError: It did not converge.
    """
    every, calls = calls, grouped(calls)
    n, n_terms = calls.n_models, len(calls.names)
    prior = calls.prior
    point = np.zeros(n + n_terms)
    value = _objective(point, calls, prior)
    before, centred = np.inf, centring(calls.component)
    for count in range(1, MOST + 1):
        e = _expected(point, calls)
        hessian = hessian_of(e, calls, prior)
        step = np.linalg.solve(hessian, gradient(point, e, calls, prior))
        step[:n] = step[:n] @ centred
        share, slack = 1.0, 1e-12 * (1 + abs(value))
        while (reached := _objective(point + share * step, calls, prior)) < value - slack:
            share /= 2
        point, value = point + share * step, reached
        size = float(np.abs(step).max())
        if is_done(size, before):
            hessian = hessian_of(_expected(point, calls), calls, prior)
            covariance = np.asarray(np.linalg.inv(hessian), dtype=np.float64)
            return LogitFit(point[:n], point[n:], _expected(point, every), covariance, count, size)
        before = size
    raise ArithmeticError(f"no maximum after {MOST} Newton steps; last step {before}")


def grouped(calls: Calls) -> Calls:
    """One row for each ordered pair, with the same sums; with a term for length, as they are."""
    if "length" in calls.names:
        return calls
    n = calls.n_models
    pair = calls.first * n + calls.second
    pairs = present(pair, n * n)
    weight = sum_by(pair, calls.weight, n * n)[pairs]
    return calls._replace(
        first=pairs // n,
        second=pairs % n,
        score=sum_by(pair, calls.weight * calls.score, n * n)[pairs] / weight,
        weight=weight,
        terms=np.ones((len(calls.names), len(pairs))),
    )


def _linear(point: Floats, calls: Calls) -> Floats:
    theta, beta = point[: calls.n_models], point[calls.n_models :]
    return np.asarray(theta[calls.first] - theta[calls.second] + beta @ calls.terms)


def _expected(point: Floats, calls: Calls) -> Floats:
    return np.asarray(0.5 * (1 + np.tanh(_linear(point, calls) / 2)))


def _objective(point: Floats, calls: Calls, prior: Floats) -> float:
    # ln(1 - E) = ln E - linear, so one logarithm does.
    linear = _linear(point, calls)
    softplus = np.logaddexp(0, -linear)
    likelihood = -(calls.weight * (softplus + (1 - calls.score) * linear)).sum()
    return float(likelihood - prior @ point**2 / 2)


def gradient(point: Floats, e: Floats, calls: Calls, prior: Floats) -> Floats:
    """Of the penalised likelihood at a place, shape (n_models + n_terms,)."""
    rest = calls.weight * (calls.score - e)
    split = _split(rest, calls.first, calls.second, calls.n_models)
    return np.asarray(np.append(split, calls.terms @ rest) - prior * point)


def hessian_of(e: Floats, calls: Calls, prior: Floats) -> Floats:
    """The negative Hessian, shape (n_models + n_terms, same)."""
    weights, n = calls.weight * e * (1 - e), calls.n_models
    hessian = np.diag(prior)
    hessian[:n, :n] += _laplacian(weights, calls.first, calls.second, n)
    for i, term in enumerate(calls.terms, start=n):
        weighted = weights * term
        hessian[i, :n] = hessian[:n, i] = _split(weighted, calls.first, calls.second, n)
        hessian[i, n:] += calls.terms @ weighted
    return hessian


def leave_one_out(comparisons: Comparisons, calls: Calls, fit: LogitFit) -> Floats:
    """The unknowns without one family each, shape (n_families, n_models + n_terms).

    One Newton step from the maximum: x - (H - H_s)^-1 g_s, with the family's score g_s and its
    part H_s of the negative Hessian H.
    """
    n, n_terms = calls.n_models, len(calls.names)
    order = np.argsort(comparisons.family, kind="stable")
    ends = np.cumsum(np.bincount(comparisons.family, minlength=len(comparisons.families)))
    whole = hessian_of(fit.expected, calls, calls.prior)
    point, none = np.append(fit.theta, fit.beta), np.zeros(n + n_terms)
    replicates = np.empty((len(ends), n + n_terms))
    for family, rows in enumerate(np.split(order, ends[:-1])):
        calls_of_family, e = calls.only(rows), fit.expected[rows]
        score = gradient(point, e, calls_of_family, none)
        left = whole - hessian_of(e, calls_of_family, none)
        replicates[family] = point - np.linalg.solve(left, score)
    return replicates
