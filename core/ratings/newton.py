"""The fixed point of a rating period with priors held: a penalised Bradley-Terry fit.

F(mu) = sum over pairs of [W_ij ln E_ij + W_ji ln(1 - E_ij)] - sum of mu_i^2 / (2 phi^2), with
E_ij = 1 / (1 + exp(-(mu_i - mu_j))) and W_ij what i got against j. F is strictly concave: it
has one maximum, also where a model won everything. Newton steps with backtracking find it.
Many such problems of one size are solved at once: a jackknife has one for each family.
"""

from typing import NamedTuple

import numpy as np

from .comparisons import Floats, Ints

STEP = 1e-12
"""Largest last step, natural units: 2e-10 points. Convergence is quadratic."""
ROUNDING = 1e-6
"""A step below this that does not shrink any more is rounding."""
MOST = 100


class FixedPoint(NamedTuple):
    """Where F is largest.

    Attributes:
        mu: Natural units, centre 0, shape (..., n_models).
        steps: How many Newton steps it took.
        last_step: Largest change in the last one, natural units.
    """

    mu: Floats
    steps: int
    last_step: float


def maximise(
    won: Floats, precision: float, component: Ints, start: Floats | None = None
) -> FixedPoint:
    """The maximum of F for one or many tables of results.

    Args:
        won: W, shape (..., n_models, n_models), not negative.
        precision: 1 / phi^2 of the prior, above 0.
        component: Of each model, shape (n_models,). At the maximum the mu of a component sum
            to 0, as only the prior sees their sum.
        start: Where to begin, shape (..., n_models); 0 if not given.

    Raises:
        ArithmeticError: It did not converge; a table holds what is not finite.
    """
    mu = np.zeros(won.shape[:-1]) if start is None else np.broadcast_to(start, won.shape[:-1])
    centred = centring(component)
    mu = mu @ centred
    value, before = _objective(mu, won, precision), np.inf
    for count in range(1, MOST + 1):
        # With much data, rounding would move the sum, which the data hold by nothing.
        step = _newton_step(mu, won, precision) @ centred
        mu, value = _backtrack(mu, value, step, won, precision)
        size = float(np.abs(step).max(initial=0.0))
        if is_done(size, before):
            return FixedPoint(mu, count, size)
        before = size
    raise ArithmeticError(f"no fixed point after {MOST} Newton steps; last step {size}")


def is_done(size: float, before: float) -> bool:
    """Whether a step is nothing but rounding, given the size of the step before."""
    return size <= STEP or (size <= ROUNDING and size > before / 2)


def centring(component: Ints) -> Floats:
    """The symmetric matrix that takes the mean of its component from each model."""
    same = component[:, None] == component[None, :]
    return np.asarray(np.eye(len(component)) - same / same.sum(axis=1))


def expected(mu: Floats) -> Floats:
    """E_ij, shape (..., n_models, n_models)."""
    gap = mu[..., :, None] - mu[..., None, :]
    return np.asarray(0.5 * (1 + np.tanh(gap / 2)))


def gradient(mu: Floats, won: Floats, precision: float) -> Floats:
    """Of F, shape (..., n_models)."""
    met = won + np.swapaxes(won, -1, -2)
    return np.asarray((won - met * expected(mu)).sum(axis=-1) - precision * mu)


def information(mu: Floats, won: Floats) -> Floats:
    """N_ij E_ij (1 - E_ij), shape (..., n_models, n_models)."""
    e = expected(mu)
    return np.asarray((won + np.swapaxes(won, -1, -2)) * e * (1 - e))


def _newton_step(mu: Floats, won: Floats, precision: float) -> Floats:
    weights = information(mu, won)
    hessian = -weights
    diagonal = np.arange(mu.shape[-1])
    hessian[..., diagonal, diagonal] += weights.sum(axis=-1) + precision
    return np.asarray(np.linalg.solve(hessian, gradient(mu, won, precision)[..., None])[..., 0])


def _objective(mu: Floats, won: Floats, precision: float) -> Floats:
    gap = mu[..., :, None] - mu[..., None, :]
    likelihood = -(won * np.logaddexp(0, -gap)).sum(axis=(-1, -2))
    return np.asarray(likelihood - precision / 2 * (mu**2).sum(axis=-1))


def _backtrack(
    mu: Floats, value: Floats, step: Floats, won: Floats, precision: float
) -> tuple[Floats, Floats]:
    """The step, halved wherever it would make F smaller by more than rounding."""
    share = np.ones_like(value)
    slack = 1e-13 * (1 + np.abs(value))
    for _ in range(40):
        reached = mu + share[..., None] * step
        there = _objective(reached, won, precision)
        worse = there < value - slack
        if not worse.any():
            break
        share = np.where(worse, share / 2, share)
    return reached, there
