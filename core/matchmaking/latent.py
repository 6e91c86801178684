"""A linear mixed model of item margins: what is known of strengths, and what a call would add.

An item between models i and j on slot s (an item in one iteration) has the margin z on the logit
scale, z = logit((5.5 + D) / 11), and

    z = theta_i - theta_j + u_is - u_js + noise,    u ~ N(0, tau2): the luck of a transcript,

with the noise's variance v1 for one order and v2 for both. What the judge likes of place and
length is taken off first. Transcripts are re-used, so the luck is shared by all items of a
slot. For each slot L = sum e e' / v and h = sum e z / v over its items, e = e_i - e_j; with
B = I + tau2 L the strengths have precision sum B^-1 L and information sum B^-1 h (Henderson's
mixed-model equations with u eliminated; Searle, Casella and McCulloch 1992, chapter 7).
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..ratings.comparisons import Floats, Ints

RATIOS = np.geomspace(0.02, 8, 14)
"""tau2 / v1 that are tried."""
VAGUE = 1e-2
"""Prior precision of a ladder model's strength: SD 10 on the logit scale."""
FEWEST = 30
"""Items to estimate variances from; with fewer the usual values are taken."""
_USUAL = (1.0, 0.5)  # v1, and tau2 / v1


class Observations(NamedTuple):
    """Items that were compared.

    Attributes:
        i: Model index, shape (n,).
        j: Model index, shape (n,).
        slot: Index, shape (n,).
        z: Margin on the logit scale, shape (n,).
        both: Whether both orders were read, shape (n,), 0 or 1.
    """

    i: Ints
    j: Ints
    slot: Ints
    z: Floats
    both: Floats


@dataclass(frozen=True)
class Variances:
    """Of an item with one order, of one with both, and of the luck of a transcript."""

    one: float
    both: float
    tau2: float

    def of(self, observations: Observations) -> Floats:
        """The noise's variance of each item."""
        return np.where(observations.both > 0, self.both, self.one)


@dataclass(frozen=True)
class Blocks:
    """Sums over the items of each slot.

    Attributes:
        information: L, shape (n_slots, n_models, n_models).
        score: h, shape (n_slots, n_models).
    """

    information: Floats
    score: Floats

    @classmethod
    def sum(cls, seen: Observations, variances: Variances, n_slots: int, n_models: int) -> "Blocks":
        """Of some items."""
        blocks = cls(np.zeros((n_slots, n_models, n_models)), np.zeros((n_slots, n_models)))
        blocks.add(seen, variances)
        return blocks

    def add(self, seen: Observations, variances: Variances) -> None:
        """Take in more items."""
        weight = 1 / variances.of(seen)
        for end in (seen.i, seen.j):
            np.add.at(self.information, (seen.slot, end, end), weight)
        np.add.at(self.information, (seen.slot, seen.i, seen.j), -weight)
        np.add.at(self.information, (seen.slot, seen.j, seen.i), -weight)
        np.add.at(self.score, (seen.slot, seen.i), weight * seen.z)
        np.add.at(self.score, (seen.slot, seen.j), -weight * seen.z)

    def with_items(self, seen: Observations, variances: Variances) -> "Blocks":
        """A copy that has taken in more items."""
        copy = replace(self, information=self.information.copy(), score=self.score.copy())
        copy.add(seen, variances)
        return copy


class Posterior(NamedTuple):
    """What is known of strengths.

    Attributes:
        mean: Shape (n_models,).
        covariance: Shape (n_models, n_models).
        luck: P_s = (L_s + I / tau2)^-1: the covariance of a slot's lucks when strengths are
            known, shape (n_slots, n_models, n_models).
    """

    mean: Floats
    covariance: Floats
    luck: Floats


def solve(blocks: Blocks, tau2: float, prior_mean: Floats, prior_precision: Floats) -> Posterior:
    """The posterior under independent normal priors, both of shape (n_models,)."""
    eye = np.eye(len(prior_mean))
    inverse = np.linalg.inv(eye + tau2 * blocks.information)
    precision = (inverse @ blocks.information).sum(axis=0) + np.diag(prior_precision)
    info = (inverse @ blocks.score[..., None])[..., 0].sum(axis=0) + prior_precision * prior_mean
    covariance = np.asarray(np.linalg.inv((precision + precision.T) / 2), dtype=np.float64)
    # (L + I / tau2)^-1 = tau2 (I + tau2 L)^-1
    return Posterior(covariance @ info, covariance, np.asarray(tau2 * inverse))


class Candidates(NamedTuple):
    """Items that may be observed: a new model with opponents.

    Attributes:
        new: Index of the model.
        opponent: Shape (n,).
        slot: Shape (n,).
        noise: Variance that the margin would have, shape (n,).
    """

    new: int
    opponent: Ints
    slot: Ints
    noise: Floats


def expected_gains(
    state: Posterior, tau2: float, contrast: Floats, candidates: Candidates
) -> Floats:
    """What each observation would take off the variance of a'theta, shape (n,).

    (a'C P_s e / tau2)^2 / (e'(P_s + P_s C P_s / tau2^2) e + v), with e = e_new - e_opponent: the
    squared covariance of a'theta and z over the variance of z.
    """
    new, o, s = candidates.new, candidates.opponent, candidates.slot
    luck, c = state.luck, state.covariance
    reach = luck @ (c @ contrast) / tau2
    top = reach[s, new] - reach[s, o]
    whole = luck + luck @ c @ luck / tau2**2
    spread = whole[s, new, new] + whole[s, o, o] - 2 * whole[s, new, o]
    return np.asarray(top**2 / (spread + candidates.noise))


def observe(state: Posterior, tau2: float, candidates: Candidates, place: int) -> Posterior:
    """The state's covariances when one candidate has been observed; the mean stays."""
    o, s = candidates.opponent[place], candidates.slot[place]
    noise = float(candidates.noise[place])
    e = np.zeros(len(state.mean))
    e[candidates.new], e[o] = 1.0, -1.0
    own = state.luck[s] @ e
    reach = state.covariance @ own / tau2
    total = float(e @ own + own @ reach / tau2) + noise
    luck = state.luck.copy()
    luck[s] -= np.outer(own, own) / (noise + float(e @ own))
    covariance = state.covariance - np.outer(reach, reach) / total
    return state._replace(covariance=covariance, luck=luck)


def estimate_variances(
    seen: Observations, half_differences: Floats, n_slots: int, n_models: int
) -> Variances:
    """Variances by restricted maximum likelihood over a grid of ratios.

    Args:
        seen: Items of the ladder.
        half_differences: Half the difference between the two orders of an item, the mean
            taken off, shape (m,): its variance is half of that between calls.
        n_slots: How many slots there are.
        n_models: How many models there are.
    """
    if len(seen.z) < FEWEST:
        one, ratio = _USUAL
        return Variances(one, 0.75 * one, ratio * one)
    call = 2 * float(np.mean(half_differences**2)) if len(half_differences) >= FEWEST else None
    one, ratio = _restricted_likelihood(seen, n_slots, n_models)
    # Without pairs of orders, half of the noise is taken to be the call's.
    call = one / 2 if call is None else min(call, 0.9 * one)
    return Variances(one, one - call / 2, ratio * one)


def _restricted_likelihood(seen: Observations, n_slots: int, n_models: int) -> tuple[float, float]:
    """v1 and tau2 / v1 where the restricted likelihood is largest on the grid."""
    unit = Variances(1.0, 0.75, 1.0)  # as if a second order took a quarter off
    blocks = Blocks.sum(seen, unit, n_slots, n_models)
    squares = float(np.sum(seen.z**2 / unit.of(seen)))
    best = (-np.inf, _USUAL[0], _USUAL[1])
    for ratio in RATIOS:
        inner = np.eye(n_models) + ratio * blocks.information
        inverse = np.linalg.inv(inner)
        precision = (inverse @ blocks.information).sum(axis=0) + VAGUE * np.eye(n_models)
        info = (inverse @ blocks.score[..., None])[..., 0].sum(axis=0)
        lucks = ratio * np.einsum("si,sij,sj->", blocks.score, inverse, blocks.score)
        rest = squares - lucks - info @ np.linalg.solve(precision, info)
        n = len(seen.z) - n_models + 1
        scale = max(float(rest) / n, 1e-6)
        logs = np.linalg.slogdet(inner)[1].sum() + np.linalg.slogdet(precision)[1]
        likelihood = -(n * np.log(scale) + logs) / 2
        best = max(best, (float(likelihood), scale, float(ratio)))
    return best[1], best[2]
