"""`adaptive`: the calls after which the rating is expected to be the least off.

What is known of strengths, and of the luck of the ladder's transcripts, is that of a linear
mixed model (`latent`). `expected_error` says what each possible item would leave of the rating's
error; the best one is taken and counted in, and so on: a batch is chosen greedily, and no call in
it doubles another.
"""

from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

import numpy as np

from ..ratings.arrays import Floats, Ints
from ..ratings.comparisons import Comparisons
from ..ratings.mixed_model import (
    FEWEST,
    VAGUE,
    Observations,
    Variances,
    estimate_variances,
)
from .expected_error import Known, Pairings, Sums, shared_variance
from .goals import Goal, PairSlot
from .latent import Blocks, Posterior, expected_luck, solve
from .observing import Observer
from .prior import prior_of

BATCH, LARGE_BATCH, LARGE_FROM = 8, 16, 96
"""Items in a batch, and in a batch after so many."""


class NextCalls(NamedTuple):
    """What to ask next.

    Attributes:
        items: The best first; empty when nothing is left.
        worthwhile: Whether one of them is the first on its transcript, or each call takes as much
            off the expected squared error as the goal's floor, on average; always without a floor.
        enough: Whether the expected error is within the goal's multiple of what the model's
            transcripts leave, before these.
    """

    items: list[PairSlot]
    worthwhile: bool
    enough: bool


class State(NamedTuple):
    """A placement after some comparisons: what is known, and the sums of the model's items."""

    known: Posterior
    sums: Sums

    @property
    def strength(self) -> float:
        """The new model's, as it is expected, natural units of the logit."""
        return float(self.known.mean[-1])


class Adviser:
    """Chooses items for one goal; what is known of the ladder is worked out once.

    `floor` is the squared error that the model's transcripts leave, natural units.
    """

    def __init__(self, goal: Goal, ladder: Comparisons) -> None:
        self._goal = goal
        self._opponents = goal.pool.opponents(goal.model)
        self._observer = Observer(goal.model, self._opponents, goal.pool.slots, ladder)
        self._index, self._slots = self._observer.models, self._observer.slots
        seen, halves = self._observer.observe(ladder)
        n_slots, n = len(self._slots), len(self._index)
        vague = np.zeros(n), np.full(n, VAGUE)

        def learn(items: Observations, variances: Variances) -> tuple[Blocks, Posterior]:
            blocks = Blocks.sum(items, variances, n_slots, n)
            return blocks, solve(blocks, variances.tau2, *vague)

        rough = estimate_variances(seen, halves, n)
        near = _nearer_half(seen, learn(seen, rough)[1].mean)
        self._variances = estimate_variances(near, halves, n)
        self._near = learn(near, self._variances)
        self._blocks, self._ladder = learn(seen, self._variances)
        compared = {name: float(self._ladder.mean[self._index[name]]) for name in ladder.models}
        self._prior = prior_of(goal, compared, n)
        self._known = self._what_is_known()
        self._items = self._all_items()
        self.floor = self._known.floor({self._slots[slot] for _, slot in self._items})

    def choose(self, placed: Comparisons, asked: Collection[PairSlot], count: int) -> NextCalls:
        """The next items, at most `count`."""
        state, goal = self.state(placed), self._goal
        before = state.sums.error()
        items = [item for item, _ in islice(self.course(state, asked), count)]
        heard = {slot for _, slot in asked}
        new = any(slot not in heard for _, slot in items)
        target = before * (1 - goal.floor * len(items) * goal.calls_per_item)
        worthwhile = new or not goal.floor or state.sums.error() <= target
        return NextCalls(items, worthwhile, self.is_enough(before))

    def is_enough(self, error: float) -> bool:
        """Whether a squared error is within the goal's multiple of the floor."""
        return error <= self._goal.enough**2 * self.floor

    def course(self, state: State, asked: Collection[PairSlot]) -> Iterator[tuple[PairSlot, float]]:
        """The best item, then the best with that counted in, and so on to the last.

        Each with the squared error that is expected after it.
        """
        taken = set(asked)
        free = [item for item in self._items if item not in taken]
        left = self._as_pairings(state, free)
        while free:
            errors = state.sums.errors_with(left)
            # The best; of equals, the first by name: rounding must not decide.
            best = int(np.flatnonzero(errors <= errors.min() * (1 + 1e-9))[0])
            state.sums.add(left.only(np.array([best])))
            yield free.pop(best), float(errors[best])
            left = left.only(np.delete(np.arange(len(errors)), best))

    def smallest_error(self, state: State, asked: Collection[PairSlot]) -> float:
        """The squared error that is expected when everything there is has been asked."""
        taken, sums = set(asked), state.sums.copy()
        left = [item for item in self._items if item not in taken]
        sums.add(self._as_pairings(state, left))
        return sums.error()

    def rank(self, placed: Comparisons) -> int | None:
        """Where the model stands among its opponents, 1 the best; None before it was compared."""
        if not len(placed):
            return None
        known = self.state(placed).known.mean
        return 1 + sum(bool(known[self._index[name]] > known[-1]) for name in self._opponents)

    def strengths(self) -> Mapping[str, float]:
        """Expected strengths of the ladder's models, natural units of the logit."""
        *ladder, _ = self._index.items()
        return {name: float(self._ladder.mean[i]) for name, i in ladder}

    def state(self, placed: Comparisons) -> State:
        """What is known with the model's comparisons."""
        seen, _ = self._observer.observe(placed)
        blocks = self._blocks.with_items(seen, self._variances)
        known = solve(blocks, self._variances.tau2, *self._prior)
        sums = Sums(self._known._replace(strengths=_centred(known.covariance)))
        other = np.where(seen.i == len(self._index) - 1, seen.j, seen.i)
        sums.add(Pairings(other, seen.slot, _weights(known, other), self._variances.of(seen)))
        return State(known, sums)

    def _what_is_known(self) -> Known:
        """What the ladder says of luck.

        The model's own comparisons have no say in it, or what came out of the first ones would
        choose the next.
        """
        tau2, state, pool = self._variances.tau2, self._ladder, self._goal.pool
        luck, doubt = expected_luck(self._blocks, state), _doubt(state)
        names, scenario = np.unique([item for item, _ in self._slots], return_inverse=True)
        items = names.tolist()
        families = [pool.families.get(item, item) for item in items]
        family = np.unique(families, return_inverse=True)[1]
        weights = self._goal.settings.item_weights
        share = np.array([weights.get(item, 1.0) for item in items])
        blocks, near = self._near
        lucks = expected_luck(blocks, near), _doubt(near)
        shared = shared_variance(*lucks, tau2, family[scenario])
        per_slot, strengths = tau2 - shared, _centred(state.covariance)
        return Known(luck, doubt, strengths, per_slot, shared, family, scenario, share)

    def _all_items(self) -> list[PairSlot]:
        """Everything that the model can be compared on, by name."""
        shared = self._goal.pool.shared
        return [
            PairSlot(opponent, slot)
            for opponent in self._opponents
            for slot in sorted(shared(self._goal.model, opponent))
        ]

    def _as_pairings(self, state: State, items: Collection[PairSlot]) -> Pairings:
        opponent = np.array([self._index[item.opponent] for item in items], dtype=np.int64)
        slot = np.array([self._slots[item.slot] for item in items], dtype=np.int64)
        variances = self._variances
        noise = variances.both if self._goal.orders == "both" else variances.one
        return Pairings(opponent, slot, _weights(state.known, opponent), np.full(len(items), noise))


def _nearer_half(seen: Observations, strengths: Floats) -> Observations:
    """The items between models that are near each other, where there are enough.

    Margins saturate, so those of far-off models say too little of luck and of noise; and it is near
    ones that a new model is compared with.
    """
    if len(seen.z) < 2 * FEWEST:
        return seen
    gap = np.abs(strengths[seen.i] - strengths[seen.j])
    return seen.only(np.flatnonzero(gap <= np.median(gap)))


def _doubt(state: Posterior) -> Floats:
    """What is unknown of the luck of each transcript, shape (n_slots, n_models)."""
    return np.asarray(np.diagonal(state.luck, axis1=1, axis2=2))


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
