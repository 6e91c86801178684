"""How far off a model's rating is expected to be after some items, and after one more.

A rating engine takes the items as they are, and every scenario alike (`ratings.weighing`): near its
maximum, the new model's strength is a weighted mean over them. An item weighs l w. w = 4 E (1 - E)
is the weight of a logistic likelihood: 1 between equals, less for far-off opponents, whose margins
saturate. l is what the scenario weighs, divided among the model's items on it. With S, F and X the
sums of l w by slot, by family and by opponent, and W the sum of all, the expected squared error of
that mean is

    ((sum l w u)^2 + s sum S^2 + f sum F^2 + sum l^2 (v + w^2 p) + X'C X) / W^2

- u: the expected luck of the opponent's transcript. The engine does not know it, but the ladder
  does, so opponents can be chosen whose lucks cancel. p is what is left unknown of it;
- s and f: variances of the new model's own luck, of a transcript and of what a family's
  transcripts share. Their part is what transcripts leave open, whoever they are compared with:
  the floor;
- v: the judge's noise;
- C: the covariance of the opponents' strengths, less their mean.

To look for what a mixed model would learn the most from does worse with the other engines: they
do not take the opponents' luck off.
"""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from ..ratings.arrays import Floats, Ints

USUAL_SHARE = 1 / 3
"""Of the variance of luck that a family's transcripts share, where there is too little to say."""
FEWEST_PAIRS = 30
"""Pairs of transcripts of one model and family, as if both were known, to say it from."""


class Known(NamedTuple):
    """What the error is made of, natural units of the logit.

    Attributes:
        luck: u, shape (n_slots, n_models).
        doubt: p, the same shape.
        strengths: C, shape (n_models, n_models).
        per_slot: s.
        shared: f.
        family: Of each scenario, shape (n_scenarios,).
        scenario: Of each slot, shape (n_slots,).
        share: What each scenario weighs in a rating, shape (n_scenarios,), more than 0.
    """

    luck: Floats
    doubt: Floats
    strengths: Floats
    per_slot: float
    shared: float
    family: Ints
    scenario: Ints
    share: Floats

    def own_error(self, slots: Floats) -> float:
        """What the new model's own luck adds to the squared error of an unscaled mean."""
        by_scenario = np.bincount(self.scenario, slots, len(self.family))
        families = np.bincount(self.family, by_scenario)
        return float(self.per_slot * slots @ slots + self.shared * families @ families)

    def floor(self, slots: Collection[int]) -> float:
        """The squared error that these transcripts leave, whatever is compared."""
        present = np.zeros(len(self.scenario))
        present[list(slots)] = 1
        counts = np.bincount(self.scenario, present, len(self.family))
        weight = present * (self.share / np.maximum(counts, 1))[self.scenario]
        return self.own_error(weight) / float(weight.sum()) ** 2


class Pairings(NamedTuple):
    """Items of a new model: indices of opponent and slot, w > 0, and v, each of shape (n,)."""

    opponent: Ints
    slot: Ints
    weight: Floats
    noise: Floats

    def only(self, rows: Ints) -> "Pairings":
        """Some of the items."""
        opponent, slot, weight, noise = self
        return Pairings(opponent[rows], slot[rows], weight[rows], noise[rows])


class Sums:
    """The sums of some items; to begin with, of none."""

    def __init__(self, known: Known) -> None:
        self._known = known
        n, m = len(known.family), len(known.strengths)
        self._count = np.zeros(n)  # by scenario, as are the next five
        self._weight, self._luck, self._noise, self._squares = np.zeros((4, n))
        self._met = np.zeros((n, m))
        self._slots = np.zeros(len(known.scenario))

    def copy(self) -> "Sums":
        """The same sums, to be gone on with apart."""
        copied = Sums(self._known)
        for name, value in vars(self).items():
            setattr(copied, name, value if name == "_known" else value.copy())
        return copied

    def add(self, items: Pairings) -> None:
        """Take in items."""
        known, (o, s, w, noise) = self._known, items
        scenario = known.scenario[s]
        np.add.at(self._slots, s, w)
        np.add.at(self._met, (scenario, o), w)
        np.add.at(self._count, scenario, 1)
        np.add.at(self._weight, scenario, w)
        np.add.at(self._luck, scenario, w * known.luck[s, o])
        np.add.at(self._noise, scenario, noise + w**2 * known.doubt[s, o])
        squares = np.bincount(known.scenario, self._slots**2, len(known.family))
        self._squares = np.asarray(squares, dtype=np.float64)

    @property
    def _level(self) -> Floats:
        """What an item on each scenario weighs for levelling: the scenario's share of a rating."""
        return np.asarray(self._known.share / np.maximum(self._count, 1))

    def error(self) -> float:
        """The expected squared error; infinite without items."""
        if not self._weight.any():
            return float("inf")
        known, level = self._known, self._level
        x = level @ self._met
        luck_of_model = known.own_error(level[known.scenario] * self._slots)
        rest = float(level @ self._luck) ** 2 + float(level**2 @ self._noise)
        squares = float(luck_of_model + rest + x @ known.strengths @ x)
        return squares / float(level @ self._weight) ** 2

    def errors_with(self, items: Pairings) -> Floats:
        """What it would be with each of some items more, shape (n,)."""
        known, (o, s, w, noise) = self._known, items
        i = known.scenario[s]
        before, after = self._level, known.share / (self._count + 1)
        now, step, squared = after[i], (after - before)[i], (after**2 - before**2)[i]
        weight = before @ self._weight + step * self._weight[i] + now * w
        luck = before @ self._luck + step * self._luck[i] + now * w * known.luck[s, o]
        heard = before**2 @ self._noise + squared * self._noise[i]
        heard = heard + now**2 * (noise + w**2 * known.doubt[s, o])
        of_slots = before**2 @ self._squares + squared * self._squares[i]
        of_slots = of_slots + now**2 * (2 * w * self._slots[s] + w**2)
        families = np.bincount(known.family, before * self._weight)
        moved = step * self._weight[i] + now * w
        shared = families @ families + 2 * moved * families[known.family[i]] + moved**2
        rated = self._rated(before, step, now * w, i, o)
        error = luck**2 + known.per_slot * of_slots + known.shared * shared + heard + rated
        return np.asarray(error / weight**2)

    def _rated(self, level: Floats, step: Floats, added: Floats, i: Ints, o: Ints) -> Floats:
        """X'C X with each item: its scenario's part of X changes by a step, its opponent's more."""
        c = self._known.strengths
        x = level @ self._met
        reach, by_scenario = c @ x, self._met @ c
        within = np.einsum("im,im->i", by_scenario, self._met)
        rated = x @ reach + 2 * step * (self._met @ reach)[i] + step**2 * within[i]
        rated = rated + 2 * added * (reach[o] + step * by_scenario[i, o])
        return np.asarray(rated + added**2 * np.diagonal(c)[o])


def shared_variance(luck: Floats, doubt: Floats, tau2: float, family: Ints) -> float:
    """How much of the variance of luck a family's transcripts share: the method of moments.

    An expected luck u is drawn towards 0 by r = 1 - p / tau2, so the product of two is expected to
    be r r' times what they share. u (`luck`) and p (`doubt`) have shape (n_slots, n_models), and
    `family` that of each slot. From 0 to `tau2`; a third of it where too little is known.
    """
    reliability = 1 - doubt / tau2
    products, pairs = 0.0, 0.0
    for name in np.unique(family):
        rows = np.flatnonzero(family == name)
        products += _pair_products(luck[rows])
        pairs += _pair_products(reliability[rows])
    if pairs < FEWEST_PAIRS:
        return USUAL_SHARE * tau2
    return float(np.clip(products / pairs, 0, tau2))


def _pair_products(values: Floats) -> float:
    """Sum over models of the products of all pairs of slots; `values` of shape (k, n_models)."""
    return float((values.sum(axis=0) ** 2 - (values**2).sum(axis=0)).sum()) / 2
