"""What is known of strengths during a placement, and what one more call would add.

The model is that of `ratings.mixed_model`. What the judge likes of place and length is taken off
first, so it has no terms here. Every slot has room for all models: any of them may be compared on
it next.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..ratings.comparisons import Floats, Ints
from ..ratings.mixed_model import Observations, Variances, absorb


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
    left = absorb(blocks.information, blocks.score[..., None], tau2)
    precision = left.information.sum(axis=0) + np.diag(prior_precision)
    info = left.score[..., 0].sum(axis=0) + prior_precision * prior_mean
    covariance = np.asarray(np.linalg.inv((precision + precision.T) / 2), dtype=np.float64)
    # (L + I / tau2)^-1 = tau2 (I + tau2 L)^-1
    return Posterior(covariance @ info, covariance, np.asarray(tau2 * left.inverse))


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
