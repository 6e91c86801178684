"""A linear mixed model of item margins: strengths, the luck of transcripts, and noise.

An item between models i and j on slot s (an item in one iteration) has the margin z on the logit
scale, z = logit((5.5 + D) / 11), and

    z = theta_i - theta_j + u_is - u_js + noise,    u ~ N(0, tau2): a transcript's luck,

with the noise's variance v1 for one order and v2 for both. Transcripts are re-used, so the luck is
shared by all items of a slot. For each slot L = sum e e' / v and h = sum e z / v over its items,
e = e_i - e_j;
with B = I + tau2 L the strengths have precision sum B^-1 L and information sum B^-1 h (Henderson's
mixed-model equations with u eliminated; Searle, Casella and McCulloch 1992, chapter 7).

A slot is worked on in the models that it has, so many slots of few models cost little.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .arrays import Floats, Ints, present, sum_by
from .comparisons import Comparisons
from .weighing import components

RATIOS = np.geomspace(0.02, 8, 8)
"""tau2 / v1 that are tried first; then so many more between the neighbours of the best."""
REFINED = 7
VAGUE = 1e-2
"""Prior precision of a strength where nothing else is said."""
FEWEST = 30
"""Items to estimate variances from; with fewer the usual values are taken."""
_USUAL = (1.0, 0.5)  # v1, and tau2 / v1
_USUAL_SHARE = 0.75  # v2 / v1
_SMALLEST_SHARE = 0.1
_EQUAL = 1e-6  # of logarithms of likelihoods: differences below are rounding


def logit_margins(comparisons: Comparisons) -> Floats:
    """Z of each call, positive where `a` wins: ln((5.5 + D) / (5.5 - D)), shape (n,)."""
    margin = comparisons.margin / comparisons.criteria
    return np.asarray(np.log((5.5 + margin) / (5.5 - margin)))


class Observations(NamedTuple):
    """Items that were compared, each column of shape (n,).

    `i` and `j` are indices of models, `slot` is one too; `z` is the margin on the logit scale, and
    `both` 1 where both orders were read, else 0.
    """

    i: Ints
    j: Ints
    slot: Ints
    z: Floats
    both: Floats

    def only(self, rows: Ints) -> "Observations":
        """Some of the items."""
        i, j, slot, z, both = self
        return Observations(i[rows], j[rows], slot[rows], z[rows], both[rows])


@dataclass(frozen=True)
class Variances:
    """Of an item with one order, of one with both, and of the luck of a transcript."""

    one: float
    both: float
    tau2: float

    def of(self, observations: Observations) -> Floats:
        """The noise's variance of each item."""
        return np.where(observations.both > 0, self.both, self.one)

    @property
    def half(self) -> float:
        """Of half the difference between two orders."""
        return max(self.one - self.both, 1e-6)


class Block(NamedTuple):
    """Sums over the items of each slot: L, shape (n_slots, m, m), and h, shape (n_slots, m).

    `members` are the models of each slot, shape (n_slots, m), filled up with 0, whose sums then are
    0.
    """

    members: Ints
    information: Floats
    score: Floats


class Absorbed(NamedTuple):
    """What is left of slots when their lucks are eliminated.

    `inverse` is B^-1 and `information` B^-1 L, shape (n_slots, m, m); `score` is B^-1 h, shape
    (n_slots, m).
    """

    inverse: Floats
    information: Floats
    score: Floats


def absorb(information: Floats, score: Floats, tau2: float) -> Absorbed:
    """The slots' shares of the equations, lucks eliminated; shapes as of `Block`."""
    unit = np.eye(information.shape[-1])
    inverse = np.asarray(np.linalg.inv(unit + tau2 * information), dtype=np.float64)
    # B^-1 L = (I - B^-1) / tau2, without a product of matrices.
    return Absorbed(inverse, (unit - inverse) / tau2, (inverse @ score[..., None])[..., 0])


def gather(seen: Observations, weight: Floats, n_models: int) -> Iterator[Block]:
    """The items, at least one, by slot, slots of like size together; `weight` is 1 / v of each."""
    _, slot = np.unique(seen.slot, return_inverse=True)
    ends = [slot * n_models + end for end in (seen.i, seen.j)]
    met = present(np.concatenate(ends), (int(slot.max()) + 1) * n_models)
    first = np.searchsorted(met, np.arange(slot.max() + 1) * n_models)
    sizes = np.diff(np.append(first, len(met)))
    i, j = (np.searchsorted(met, end) - first[slot] for end in ends)
    size_class = np.ceil(np.log2(sizes)).astype(np.int64)
    for chosen in present(size_class, int(size_class.max()) + 1):
        slots = np.flatnonzero(size_class == chosen)
        rows = np.flatnonzero(size_class[slot] == chosen)
        m = int(sizes[slots].max())
        start = np.searchsorted(slots, slot[rows]) * m
        values = weight[rows], seen.z[rows]
        sums = _sums(start + i[rows], start + j[rows], *values, len(slots), m)
        yield Block(_members(met % n_models, first[slots], sizes[slots], m), *sums)


def _members(model: Ints, first: Ints, size: Ints, m: int) -> Ints:
    inside = np.arange(m)[None, :] < size[:, None]
    position = np.where(inside, first[:, None] + np.arange(m)[None, :], 0)
    return np.where(inside, model[position], 0)


def _sums(
    i: Ints, j: Ints, weight: Floats, z: Floats, n_slots: int, m: int
) -> tuple[Floats, Floats]:
    """L and h of slots whose models have the numbers slot * m + member."""
    n = n_slots * m
    met = sum_by(i * m + j % m, weight, n * m) + sum_by(j * m + i % m, weight, n * m)
    information = -met.reshape(n_slots, m, m)
    diagonal = np.arange(m)
    information[:, diagonal, diagonal] -= information.sum(axis=2)
    score = sum_by(i, weight * z, n) - sum_by(j, weight * z, n)
    return information, score.reshape(n_slots, m)


class Equations(NamedTuple):
    """Normal equations of some items, lucks eliminated.

    `gram` is of strengths and z, in the units of the blocks, shape (n_models + 1, same);
    `log_determinant` the sum over slots of ln det B.
    """

    gram: Floats
    log_determinant: float


def equations(blocks: Sequence[Block], squares: float, tau2: float, n_models: int) -> Equations:
    """The equations at one variance of luck, in the units of v.

    `squares` is the sum over items of z^2 / v.
    """
    n = n_models
    gram = np.zeros((n + 1, n + 1))
    gram[n, n] = squares
    logs = 0.0
    for block in blocks:
        left = absorb(block.information, block.score, tau2)
        flat = (block.members[:, :, None] * n + block.members[:, None, :]).ravel()
        gram[:n, :n] += sum_by(flat, left.information.ravel(), n * n).reshape(n, n)
        gram[:n, n] += sum_by(block.members.ravel(), left.score.ravel(), n)
        gram[n, n] -= tau2 * np.einsum("sm,sm->", block.score, left.score)
        logs += _log_determinant(block.information, tau2)
    gram[n, :n] = gram[:n, n]
    return Equations((gram + gram.T) / 2, logs)


def _log_determinant(information: Floats, tau2: float) -> float:
    """Sum over slots of ln det B, by Cholesky's roots of it."""
    root = np.linalg.cholesky(np.eye(information.shape[-1]) + tau2 * information)
    return float(2 * np.log(np.diagonal(root, axis1=1, axis2=2)).sum())


def estimate_variances(seen: Observations, halves: Floats, n_models: int) -> Variances:
    """Variances by restricted maximum likelihood over a grid of ratios.

    `halves` are half of the difference between the two orders of those items that have both, shape
    (m,): strengths and luck cancel in it. Their variance is what a second order takes off: v1 = v2
    + it, whatever is between two calls on the same transcripts.
    """
    if len(seen.z) < FEWEST:
        one, ratio = _USUAL
        return Variances(one, _USUAL_SHARE * one, ratio * one)
    share = _USUAL_SHARE
    one, ratio = _most_likely(seen, share, RATIOS, n_models)
    if len(halves) >= FEWEST:
        half = float(halves @ halves) / len(halves)
        doubled = float(seen.both.mean())
        one = (1 - doubled) * one + doubled * (share * one + half)
        share = max(1 - half / one, _SMALLEST_SHARE)
    one, ratio = _most_likely(seen, share, _between_neighbours(ratio), n_models)
    return Variances(one, share * one, ratio * one)


def _between_neighbours(ratio: float) -> Floats:
    """A finer grid from the one below to the one above."""
    step = float(RATIOS[1] / RATIOS[0])
    return np.geomspace(max(ratio / step, RATIOS[0]), min(ratio * step, RATIOS[-1]), REFINED)


def _most_likely(
    seen: Observations, share: float, ratios: Floats, n_models: int
) -> tuple[float, float]:
    """v1, and the ratio with the largest restricted likelihood; of equals the smallest."""
    weight = 1 / Variances(1.0, share, 0.0).of(seen)
    blocks, squares = list(gather(seen, weight, n_models)), float((seen.z * weight) @ seen.z)
    rank = n_models - 1 - int(components(n_models, seen.i, seen.j).max())
    known = max(len(seen.z) - rank, 1)
    tried = []
    for ratio in ratios:
        solved = equations(blocks, squares, float(ratio), n_models)
        inner, edge = (
            solved.gram[:-1, :-1] + VAGUE * np.eye(len(solved.gram) - 1),
            solved.gram[:-1, -1],
        )
        rest = solved.gram[-1, -1] - edge @ np.linalg.solve(inner, edge)
        one = max(float(rest) / known, 1e-6)
        logs = solved.log_determinant + float(np.linalg.slogdet(inner)[1])
        tried.append((-(known * np.log(one) + logs) / 2, one, float(ratio)))
    most = max(likelihood for likelihood, *_ in tried)
    # Where lucks are not shared, all are equal: rounding must not decide.
    _, one, ratio = next(each for each in tried if each[0] >= most - _EQUAL)
    return one, ratio
