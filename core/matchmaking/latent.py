"""What is known of strengths, and of the luck of transcripts, during a placement.

The model is that of `ratings.mixed_model`. What the judge likes of place and length is taken off
first, so it has no terms here. Every slot has room for all models: any of them may be compared on
it next.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..ratings.arrays import Floats
from ..ratings.mixed_model import Observations, Variances, absorb


@dataclass(frozen=True)
class Blocks:
    """Sums over the items of each slot.

    L, shape (n_slots, n_models, n_models), and h, shape (n_slots, n_models).
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
    """What is known of strengths: mean and covariance.

    `luck` is P_s = (L_s + I / tau2)^-1: the covariance of a slot's lucks when strengths are known,
    shape (n_slots, n_models, n_models).
    """

    mean: Floats
    covariance: Floats
    luck: Floats


def solve(blocks: Blocks, tau2: float, prior_mean: Floats, prior_precision: Floats) -> Posterior:
    """The posterior under independent normal priors, both of shape (n_models,)."""
    left = absorb(blocks.information, blocks.score, tau2)
    precision = left.information.sum(axis=0) + np.diag(prior_precision)
    info = left.score.sum(axis=0) + prior_precision * prior_mean
    covariance = np.asarray(np.linalg.inv((precision + precision.T) / 2), dtype=np.float64)
    # (L + I / tau2)^-1 = tau2 (I + tau2 L)^-1
    return Posterior(covariance @ info, covariance, np.asarray(tau2 * left.inverse))


def expected_luck(blocks: Blocks, state: Posterior) -> Floats:
    """The luck of each transcript, given the expected strengths, shape (n_slots, n_models).

    It is P_s (h_s - L_s theta), 0 where nothing was compared.
    """
    rest = blocks.score - blocks.information @ state.mean
    return np.asarray((state.luck @ rest[..., None])[..., 0])
