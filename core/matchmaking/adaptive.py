"""`adaptive`: the calls after which the rating is expected to be the least off.

What is known of strengths, and of the luck of the ladder's transcripts, is that of a linear
mixed model (`latent`). `expected_error` says what each possible item would leave of the rating's
error; the best one is taken and counted in, and so on: a batch is chosen greedily, and no call in
it doubles another.
"""

import math
from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np

from ..ratings.comparisons import Comparisons, Floats, Ints
from ..ratings.mixed_model import VAGUE, Halves, estimate_variances
from .expected_error import Known, Pairings, Sums, shared_variance
from .goals import Goal, Item
from .latent import Blocks, Posterior, expected_luck, solve
from .observing import Observer

BATCH, LARGE_BATCH, LARGE_FROM = 8, 16, 96
"""Items in a batch, and in a batch after so many."""
_PRIOR_WIDTH = 1.5  # SDs of the ladder, for a model of which nothing is known
CAUTION = 1.15
"""The model's own standard deviation is taken to be so much too small."""


class Choice(NamedTuple):
    """What to ask next.

    Attributes:
        items: The best first; empty when nothing is left.
        worthwhile: Whether one of them is the first on its transcript, or each takes as much
            off the expected squared error as the goal's floor, on average; always without a floor.
    """

    items: list[Item]
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
        self._observer = Observer(goal.model, self._opponents, goal.pool.slots, ladder)
        self._index, self._slots = self._observer.models, self._observer.slots
        seen, halves = self._observer.observe(ladder)
        n_slots, n = len(self._slots), len(self._index)
        self._variances = estimate_variances(seen, Halves.of(halves), n)
        self._blocks = Blocks.sum(seen, self._variances, n_slots, n)
        vague = np.zeros(n), np.full(n, VAGUE)
        self._ladder = solve(self._blocks, self._variances.tau2, *vague)
        self._prior = _prior(self._ladder.mean[:-1])
        self._known = self._what_is_known()
        self._items = self._all_items()

    def choose(self, placed: Comparisons, asked: Collection[Item], count: int) -> Choice:
        """The next items, at most `count`.

        Args:
            placed: Comparisons of the model so far.
            asked: Items that were asked for, read or not.
            count: At least 1.
        """
        state, sums = self._so_far(placed)
        before = sums.error()
        items = self._greedy(state, sums, asked, count)
        heard = {slot for _, slot in asked}
        new = any(slot not in heard for _, slot in items)
        enough = before * (1 - self._goal.floor * len(items))
        return Choice(items, new or not self._goal.floor or sums.error() <= enough)

    def deviation(self, placed: Comparisons) -> float:
        """Root of the expected squared error, natural units; infinite without comparisons."""
        return math.sqrt(self._so_far(placed)[1].error())

    def strengths(self) -> Mapping[str, float]:
        """Expected strengths of the ladder's models, natural units of the logit."""
        *ladder, _ = self._index.items()
        return {name: float(self._ladder.mean[i]) for name, i in ladder}

    def _so_far(self, placed: Comparisons) -> tuple[Posterior, Sums]:
        """What is known with the model's comparisons, and the sums of its items."""
        seen, _ = self._observer.observe(placed)
        blocks = self._blocks.with_items(seen, self._variances)
        state = solve(blocks, self._variances.tau2, *self._prior)
        sums = Sums(self._known._replace(strengths=_centred(state.covariance)))
        other = np.where(seen.i == len(self._index) - 1, seen.j, seen.i)
        weight = _weights(state, other)
        sums.add(Pairings(other, seen.slot, weight, self._variances.of(seen)))
        return state, sums

    def _what_is_known(self) -> Known:
        """What the ladder says of luck.

        The model's own comparisons have no say in it, or what came out of the first ones would
        choose the next.
        """
        tau2, state = self._variances.tau2, self._ladder
        luck = expected_luck(self._blocks, state)
        doubt = np.asarray(np.diagonal(state.luck, axis1=1, axis2=2))
        named = [self._goal.pool.families.get(item, item) for item, _ in self._slots]
        family = np.unique(named, return_inverse=True)[1]
        shared = shared_variance(luck, doubt, tau2, family)
        return Known(luck, doubt, _centred(state.covariance), tau2 - shared, shared, family)

    def _all_items(self) -> list[Item]:
        """Everything that the model can be compared on, by name."""
        shared = self._goal.pool.shared
        return [
            Item(opponent, slot)
            for opponent in self._opponents
            for slot in sorted(shared(self._goal.model, opponent))
        ]

    def _greedy(
        self, state: Posterior, sums: Sums, asked: Collection[Item], count: int
    ) -> list[Item]:
        """The best items, each counted in before the next is looked for."""
        taken = set(asked)
        free = [item for item in self._items if item not in taken]
        left = self._as_pairings(state, free)
        chosen: list[Item] = []
        while free and len(chosen) < count:
            errors = sums.errors_with(left)
            # The best; of equals, the first by name: rounding must not decide.
            best = int(np.flatnonzero(errors <= errors.min() * (1 + 1e-9))[0])
            sums.add(left.only(np.array([best])))
            chosen.append(free.pop(best))
            left = left.only(np.delete(np.arange(len(errors)), best))
        return chosen

    def _as_pairings(self, state: Posterior, items: Collection[Item]) -> Pairings:
        opponent = np.array([self._index[item.opponent] for item in items], dtype=np.int64)
        slot = np.array([self._slots[item.slot] for item in items], dtype=np.int64)
        variances = self._variances
        noise = variances.both if self._goal.orders == "both" else variances.one
        return Pairings(opponent, slot, _weights(state, opponent), np.full(len(items), noise))


def _prior(ladder: Floats) -> tuple[Floats, Floats]:
    """Means and precisions: vague for the ladder; the new model is one like those.

    Args:
        ladder: Expected strengths of its models.
    """
    mean, precision = np.zeros(len(ladder) + 1), np.full(len(ladder) + 1, VAGUE)
    if len(ladder) > 1 and (spread := float(ladder.std(ddof=1))) > 0:
        mean[-1], precision[-1] = float(ladder.mean()), (_PRIOR_WIDTH * spread) ** -2
    return mean, precision


def _weights(state: Posterior, opponents: Ints) -> Floats:
    """4 E (1 - E) against each, with the strengths that are expected now."""
    gap = state.mean[-1] - state.mean[opponents]
    return np.asarray(1 - np.tanh(gap / 2) ** 2)


def _centred(covariance: Floats) -> Floats:
    """Of the ladder's strengths less their mean, shape (n_models, n_models); 0 for the new one."""
    n = len(covariance)
    centre = np.zeros((n, n))
    centre[:-1, :-1] = np.eye(n - 1) - 1 / max(n - 1, 1)
    return np.asarray(centre @ covariance @ centre.T)


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
