"""`adaptive`: the calls that are expected to tell the most about where a model stands.

The quantity of interest is a'theta: the new model's strength less the mean of the ladder's. A
candidate is an opponent and a slot; `expected_gains` says how much of the variance a'C a it
would take off. Its noise is v (1 + (d / 2)^2) for an expected difference d: far-off opponents
saturate, so their margins tell less. The best candidate is taken, its effect worked in, and so
on: a batch is chosen greedily, and no call in it doubles another.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np

from ..ratings import fractional_logit
from ..ratings.comparisons import Comparisons, Floats
from ..ratings.logit_items import LogitItems, logit_margins
from ..ratings.mixed_model import VAGUE, Halves, Observations, estimate_variances
from .goals import Goal, Item, Slot
from .latent import Blocks, Candidates, Posterior, expected_gains, observe, solve

BATCH, LARGE_BATCH, LARGE_FROM = 8, 16, 96
"""Items in a batch, and in a batch after so many."""
_PRIOR_WIDTH = 1.5  # SDs of the ladder, for a model of which nothing is known
CAUTION = 1.15
"""The model's own standard deviation is taken to be so much too small."""


class Choice(NamedTuple):
    """What to ask next.

    Attributes:
        items: The best first; empty when nothing is left.
        deviation: Standard deviation of a'theta before them, natural units of the logit.
        worthwhile: Whether the best of them gains as much as the goal's floor.
    """

    items: list[Item]
    deviation: float
    worthwhile: bool


class Adviser:
    """Chooses items for one goal; what is known of the ladder is worked out once.

    Args:
        goal: Whose model is placed.
        ladder: Comparisons without that model.
    """

    def __init__(self, goal: Goal, ladder: Comparisons) -> None:
        self._goal = goal
        self._opponents = goal.pool.opponents(goal.model)
        names = sorted({*self._opponents, *ladder.models})
        self._index = {name: i for i, name in enumerate([*names, goal.model])}
        slots = set().union(*goal.pool.transcripts.values(), _slots(ladder))
        self._slots = {slot: i for i, slot in enumerate(sorted(slots))}
        self._leanings = _leanings(ladder)
        seen, halves = self._observe(ladder)
        n_slots, n = len(self._slots), len(self._index)
        self._variances = estimate_variances(seen, Halves.of(halves), n)
        self._blocks = Blocks.sum(seen, self._variances, n_slots, n)
        self._prior_mean, self._prior_precision = self._prior()
        self._items = self._all_items()
        self._candidates = self._as_candidates()

    def choose(self, placed: Comparisons, asked: Collection[Item], count: int) -> Choice:
        """The next items, at most `count`.

        Args:
            placed: Comparisons of the model so far.
            asked: Items that were asked for, read or not.
            count: At least 1.
        """
        seen, _ = self._observe(placed)
        blocks = self._blocks.with_items(seen, self._variances)
        state = solve(blocks, self._variances.tau2, self._prior_mean, self._prior_precision)
        contrast = self._contrast()
        variance = float(contrast @ state.covariance @ contrast)
        items, first_gain = self._greedy(state, contrast, asked, count)
        return Choice(items, variance**0.5, first_gain >= self._goal.floor * variance)

    def strengths(self) -> Mapping[str, float]:
        """Expected strengths of the ladder's models, natural units of the logit."""
        tau2 = self._variances.tau2
        state = solve(self._blocks, tau2, self._prior_mean, self._prior_precision)
        return {name: float(state.mean[i]) for name, i in self._index.items()}

    def _contrast(self) -> Floats:
        """a: the new model less the mean of the ladder."""
        n = len(self._index)
        contrast = np.full(n, -1 / max(n - 1, 1))
        contrast[-1] = 1.0
        return contrast

    def _prior(self) -> tuple[Floats, Floats]:
        """Means and precisions: vague for the ladder; the new model is one like those."""
        n = len(self._index)
        mean, precision = np.zeros(n), np.full(n, VAGUE)
        state = solve(self._blocks, self._variances.tau2, mean, precision)
        ladder = state.mean[:-1]
        if len(ladder) > 1 and (spread := float(ladder.std(ddof=1))) > 0:
            mean[-1], precision[-1] = float(ladder.mean()), (_PRIOR_WIDTH * spread) ** -2
        return mean, precision

    def _all_items(self) -> list[Item]:
        """Everything that the model can be compared on, by name."""
        shared = self._goal.pool.shared
        return [
            Item(opponent, slot)
            for opponent in self._opponents
            for slot in sorted(shared(self._goal.model, opponent))
        ]

    def _as_candidates(self) -> Candidates:
        items = self._items
        return Candidates(
            new=len(self._index) - 1,
            opponent=np.array([self._index[item.opponent] for item in items], dtype=np.int64),
            slot=np.array([self._slots[item.slot] for item in items], dtype=np.int64),
            noise=np.zeros(len(items)),
        )

    def _greedy(
        self, state: Posterior, contrast: Floats, asked: Collection[Item], count: int
    ) -> tuple[list[Item], float]:
        """Items by falling gain, and the gain of the first."""
        tau2, taken = self._variances.tau2, set(asked)
        candidates = self._candidates._replace(noise=self._noise(state.mean))
        free = np.array([item not in taken for item in self._items], dtype=np.bool_)
        chosen: list[Item] = []
        first_gain = 0.0
        while free.any() and len(chosen) < count:
            gain = np.where(free, expected_gains(state, tau2, contrast, candidates), -np.inf)
            # The best; of equals, the first by name: rounding must not decide.
            best = int(np.flatnonzero(gain >= gain.max() * (1 - 1e-9))[0])
            first_gain = first_gain or float(gain[best])
            chosen.append(self._items[best])
            free[best] = False
            state = observe(state, tau2, candidates, best)
        return chosen, first_gain

    def _noise(self, mean: Floats) -> Floats:
        """Variance of each candidate's margin, larger for unequal pairs."""
        variances = self._variances
        v = variances.both if self._goal.orders == "both" else variances.one
        gap = mean[-1] - mean[self._candidates.opponent]
        return np.asarray(v * (1 + (gap / 2) ** 2))

    def _observe(self, comparisons: Comparisons) -> tuple[Observations, Floats]:
        """Items on the logit scale, and half the difference between orders of those with both."""
        items = LogitItems.of(comparisons)
        rows, z = items.rows, self._margins(comparisons)
        named = np.array([self._index[model] for model in comparisons.models], dtype=np.int64)
        slots = [
            self._slots[comparisons.items[item], iteration]
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


def _slots(comparisons: Comparisons) -> set[Slot]:
    pairs = zip(comparisons.item.tolist(), comparisons.iteration.tolist(), strict=True)
    return {(comparisons.items[item], iteration) for item, iteration in pairs}


def _leanings(ladder: Comparisons) -> dict[str, float]:
    """What place and length are worth to the judge, as `fractional-logit` sees it."""
    if not len(ladder):
        return {}
    calls, _ = fractional_logit.as_calls(ladder)
    fit = fractional_logit.maximise(calls)
    return dict(zip(calls.names, fit.beta.tolist(), strict=True))


def batch_size(n_before: int) -> int:
    """Items of the next batch, after so many."""
    return BATCH if n_before < LARGE_FROM else LARGE_BATCH


def unit_of(strengths: Mapping[str, float], ratings: Mapping[str, float]) -> float | None:
    """Points in a natural unit of the logit: the slope of ratings on strengths.

    None when fewer than two models have both, or all are equal.
    """
    names = sorted(strengths.keys() & ratings.keys())
    x = np.array([strengths[name] for name in names])
    y = np.array([ratings[name] for name in names])
    if len(names) < 2 or float(x.std()) == 0:
        return None
    return abs(float(np.cov(x, y, ddof=0)[0, 1] / x.var()))
