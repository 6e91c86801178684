"""How far off a model's rating is expected to be after some items, and after one more.

A rating engine takes the items as they are: near its maximum, the new model's strength is a
weighted mean over them. The weights w = 4 E (1 - E) are those of a logistic likelihood: 1 between
equals, less for far-off opponents, whose margins saturate. With S, F and X their sums by slot, by
family and by opponent, and W the sum of all, the expected squared error of that mean is

    ((sum w u)^2 + s sum S^2 + f sum F^2 + sum (v + w^2 p) + X'C X) / W^2

- u: the expected luck of the opponent's transcript. The engine does not know it, but the ladder
  does, so opponents can be chosen whose lucks cancel. p is what is left unknown of it;
- s and f: variances of the new model's own luck, of a transcript and of what a family's
  transcripts share. Their part is smallest when all families are asked alike;
- v: the judge's noise;
- C: the covariance of the opponents' strengths, less their mean.

To look for what a mixed model would learn the most from does worse with the other engines: they
do not take the opponents' luck off (benchmarks/README.md).
"""

from typing import NamedTuple

import numpy as np

from ..ratings.comparisons import Floats, Ints

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
        own: s.
        shared: f.
        family: Of each slot, shape (n_slots,).
    """

    luck: Floats
    doubt: Floats
    strengths: Floats
    own: float
    shared: float
    family: Ints


class Pairings(NamedTuple):
    """Items of a new model.

    Attributes:
        opponent: Index, shape (n,).
        slot: Index, shape (n,).
        weight: w, shape (n,), more than 0.
        noise: v, shape (n,).
    """

    opponent: Ints
    slot: Ints
    weight: Floats
    noise: Floats

    def only(self, rows: Ints) -> "Pairings":
        """Some of the items."""
        opponent, slot, weight, noise = self
        return Pairings(opponent[rows], slot[rows], weight[rows], noise[rows])


class Sums:
    """The sums of some items; to begin with, of none.

    Args:
        known: What the error is made of.
    """

    def __init__(self, known: Known) -> None:
        self._known = known
        self._slots = np.zeros(len(known.family))
        self._families = np.zeros(int(known.family.max(initial=-1)) + 1)
        self._opponents = np.zeros(len(known.strengths))
        self._weight = self._luck = self._noise = 0.0

    def add(self, items: Pairings) -> None:
        """Take in items."""
        known, (o, s, w, noise) = self._known, items
        np.add.at(self._slots, s, w)
        np.add.at(self._families, known.family[s], w)
        np.add.at(self._opponents, o, w)
        self._weight += float(w.sum())
        self._luck += float(w @ known.luck[s, o])
        self._noise += float((noise + w**2 * known.doubt[s, o]).sum())

    def error(self) -> float:
        """The expected squared error; infinite without items."""
        if not self._weight:
            return float("inf")
        known, x = self._known, self._opponents
        own = known.own * self._slots @ self._slots
        shared = known.shared * self._families @ self._families
        rest = self._luck**2 + self._noise + float(x @ known.strengths @ x)
        return float(own + shared + rest) / self._weight**2

    def errors_with(self, items: Pairings) -> Floats:
        """What it would be with each of some items more, shape (n,)."""
        known, (o, s, w, noise) = self._known, items
        slots, families, x = self._slots, self._families, self._opponents
        luck = (self._luck + w * known.luck[s, o]) ** 2
        own = known.own * (slots @ slots + 2 * w * slots[s] + w**2)
        within = families[known.family[s]]
        shared = known.shared * (families @ families + 2 * w * within + w**2)
        heard = self._noise + noise + w**2 * known.doubt[s, o]
        reach = known.strengths @ x
        rated = x @ reach + 2 * w * reach[o] + w**2 * known.strengths[o, o]
        return np.asarray((luck + own + shared + heard + rated) / (self._weight + w) ** 2)


def shared_variance(luck: Floats, doubt: Floats, tau2: float, family: Ints) -> float:
    """How much of the variance of luck a family's transcripts share: the method of moments.

    An expected luck is drawn towards 0 by r = 1 - p / tau2, so the product of two is expected to
    be r r' times what they share.

    Args:
        luck: u, shape (n_slots, n_models).
        doubt: p, the same shape.
        tau2: The variance of luck.
        family: Of each slot, shape (n_slots,).

    Returns:
        From 0 to `tau2`; a third of it where too little is known.
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
