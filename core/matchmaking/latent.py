"""What is known of strengths, and of the luck of transcripts, during a placement.

The model is that of `ratings.mixed_model`. What the judge likes of place and length, as
`fractional-logit` sees it on the ladder, is taken off first, so it has no terms here. Every slot
has room for all models: any of them may be compared on it next.

Where a new model is looked for first: where there are scores, such as a judge's grades on a rubric,
those of the ladder's models say what strength goes with what score (a straight line by least
squares), and how surely. That chooses the first opponents. No rating is drawn towards it.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..ratings import fractional_logit
from ..ratings.arrays import Floats
from ..ratings.comparisons import Comparisons
from ..ratings.mixed_model import VAGUE, Observations, Variances, absorb, logit_margins
from ..ratings.weighing import ItemCalls
from .goals import Goal, Slot

FEWEST_SCORED = 8
"""Models with a score that it takes to draw a line."""
_WIDTH = 1.5  # SDs of the ladder, for a model of which nothing is known


class Guess(NamedTuple):
    """A strength before anything was compared, natural units of the logit."""

    mean: float
    deviation: float


def prior_of(goal: Goal, strengths: Mapping[str, float], n_models: int) -> tuple[Floats, Floats]:
    """Means and precisions, shape (n_models,): vague for the ladder; the new model is the last."""
    mean, precision = np.zeros(n_models), np.full(n_models, VAGUE)
    if first_guess := guess(strengths, goal.pool.scores, goal.model):
        mean[-1], precision[-1] = first_guess.mean, first_guess.deviation**-2
    return mean, precision


def guess(strengths: Mapping[str, float], scores: Mapping[str, float], model: str) -> Guess | None:
    """From its score where that says more than that it is a model like those; else as one of them.

    None where less than two models differ in strength.
    """
    ladder = np.array([strengths[name] for name in sorted(strengths)])
    spread = float(ladder.std(ddof=1)) if len(ladder) > 1 else 0.0
    if not spread > 0:
        return None
    usual = Guess(float(ladder.mean()), _WIDTH * spread)
    scored = _from_score(strengths, scores, model)
    return scored if scored and scored.deviation < usual.deviation else usual


def _from_score(
    strengths: Mapping[str, float], scores: Mapping[str, float], model: str
) -> Guess | None:
    """The prediction of a regression, with its standard error; None where there is too little."""
    names = sorted(strengths.keys() & scores.keys() - {model})
    x, y = (np.array([of[name] for name in names]) for of in (scores, strengths))
    if model not in scores or len(names) < FEWEST_SCORED or float(np.ptp(x)) == 0:
        return None
    away, squares = x - x.mean(), float(((x - x.mean()) ** 2).sum())
    slope, new = float(away @ y) / squares, scores[model] - float(x.mean())
    rest = y - y.mean() - slope * away
    n = len(names)
    error = float(rest @ rest) / (n - 2) * (1 + 1 / n + new**2 / squares)
    # A line that fits by chance does not make a model's place sure.
    least = (float(y.std(ddof=1)) / n) ** 2
    return Guess(float(y.mean()) + slope * new, max(error, least) ** 0.5)


class Observer:
    """Numbers models and slots, and reads comparisons by these numbers.

    The new model has the last number, opponents those by name from 0. Who and what is in the
    ladder's comparisons is numbered too.
    """

    def __init__(
        self,
        model: str,
        opponents: Collection[str],
        slots: Collection[Slot],
        ladder: Comparisons,
    ) -> None:
        names = sorted({*opponents, *ladder.models})
        self.models = {name: i for i, name in enumerate([*names, model])}
        self.slots = {slot: i for i, slot in enumerate(sorted({*slots, *_slots(ladder)}))}
        self._leanings = _leanings(ladder)

    def observe(self, comparisons: Comparisons) -> tuple[Observations, Floats]:
        """Items on the logit scale, and half the difference between orders of those with both."""
        items = ItemCalls.of(comparisons)
        rows, z = items.rows, self._margins(comparisons)
        named = np.array([self.models[model] for model in comparisons.models], dtype=np.int64)
        slots = [
            self.slots[comparisons.items[item], iteration]
            for item, iteration in zip(
                comparisons.item[rows].tolist(), comparisons.iteration[rows].tolist(), strict=True
            )
        ]
        seen = Observations(
            i=named[comparisons.a[rows]],
            j=named[comparisons.b[rows]],
            slot=np.array(slots, dtype=np.int64),
            z=items.mean(z),
            both=items.both,
        )
        return seen, items.half(z)

    def _margins(self, comparisons: Comparisons) -> Floats:
        """Z of each call for `a`, less what the judge likes of place and length."""
        z = logit_margins(comparisons)
        z = z - self._leanings.get("position", 0.0) * np.where(comparisons.a_first, 1.0, -1.0)
        if "length" in self._leanings and comparisons.has_lengths:
            a, b = (np.log(np.maximum(x, 1)) for x in (comparisons.len_a, comparisons.len_b))
            z = z - self._leanings["length"] * (a - b)
        return np.asarray(z)


def _slots(ladder: Comparisons) -> set[Slot]:
    pairs = zip(ladder.item.tolist(), ladder.iteration.tolist(), strict=True)
    return {(ladder.items[item], iteration) for item, iteration in pairs}


def _leanings(ladder: Comparisons) -> dict[str, float]:
    """What place and length are worth to the judge, as `fractional-logit` sees it."""
    if not len(ladder):
        return {}
    calls, _ = fractional_logit.as_calls(ladder)
    fit = fractional_logit.maximise(calls)
    return dict(zip(calls.names, fit.beta.tolist(), strict=True))


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
