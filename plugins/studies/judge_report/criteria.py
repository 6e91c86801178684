"""Whether a judge's criteria say different things.

Margins have no natural sign: which model is called a is a matter of names. So correlations are
about zero, not about a mean: r_kl = sum m_k m_l / sqrt(sum m_k^2 sum m_l^2), over items. The
first factor's share is the largest eigenvalue of the matrix over the number of criteria: 1 if
all criteria are one, 1/K if they have nothing in common.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from eibench import AuditEstimate, Comparisons, ItemCalls

from .arrays import Floats, Ints

MOST = 5
"""Of a margin; what is beyond was not read."""
FEWEST_ITEMS = 20
"""With fewer, a set of criteria has no correlations."""


class Factor(NamedTuple):
    """The first factor of criteria: its share in their variance, each one's correlation with it.

    `share_within_pairs` is the share once each pair of models' own mean is taken out.
    """

    share: AuditEstimate
    share_within_pairs: AuditEstimate
    loadings: Mapping[str, float] | None


class CriteriaSet(NamedTuple):
    """Criteria that were judged together, on so many items, and what they have in common.

    Correlations are of each with each; ``None`` where a criterion is always even.
    """

    criteria: tuple[str, ...]
    items: int
    correlations: Sequence[Sequence[float | None]]
    first_factor: Factor


class Criteria(NamedTuple):
    """All sets of criteria with enough items, the most used first.

    Items are left out whose set of criteria has too few, or is a single criterion.
    """

    sets: tuple[CriteriaSet, ...]
    items_left_out: int


def compare_criteria(comparisons: Comparisons) -> Criteria:
    """The correlations of criteria that were judged together, in at least one comparison."""
    assert comparisons.margins is not None
    rows = ItemCalls.of(comparisons).rows
    is_read = comparisons.margins <= MOST
    read = np.add.reduceat(is_read.astype(np.int64), rows)
    sums = np.add.reduceat(np.where(is_read, comparisons.margins, 0).astype(np.int64), rows)
    margins = sums / np.maximum(read, 1)
    pair = comparisons.a[rows] * len(comparisons.models) + comparisons.b[rows]
    known, of = np.unique(read > 0, axis=0, return_inverse=True)
    of = of.reshape(-1)
    counts = np.bincount(of)
    sets = []
    for kind in np.argsort(-counts, kind="stable"):
        if counts[kind] >= FEWEST_ITEMS and known[kind].sum() >= 2:
            chosen, columns = of == kind, np.flatnonzero(known[kind])
            names = tuple(comparisons.criterion_names[c] for c in columns)
            chosen_margins = margins[np.ix_(chosen, columns)]
            family = comparisons.family[rows][chosen]
            sets.append(_correlate(names, chosen_margins, family, pair[chosen]))
    return Criteria(tuple(sets), len(rows) - sum(each.items for each in sets))


def _correlate(names: tuple[str, ...], margins: Floats, family: Ints, pair: Ints) -> CriteriaSet:
    correlations = _correlations(margins.T @ margins)
    return CriteriaSet(
        criteria=names,
        items=len(margins),
        correlations=[[None if np.isnan(r) else r for r in row] for row in correlations.tolist()],
        first_factor=Factor(
            _share(margins, family), _within(margins, family, pair), _loadings(names, correlations)
        ),
    )


def _correlations(products: Floats) -> Floats:
    """From sums of products, shape (..., K, K)."""
    squares = np.diagonal(products, axis1=-2, axis2=-1)
    scale = np.sqrt(squares[..., :, None] * squares[..., None, :])
    return np.where(scale > 0, products / np.where(scale > 0, scale, 1.0), np.nan)


def _loadings(names: tuple[str, ...], correlations: Floats) -> dict[str, float] | None:
    if np.isnan(correlations).any():
        return None
    values, vectors = np.linalg.eigh(correlations)
    first = vectors[:, -1] * np.sqrt(max(values[-1], 0.0))
    signed = first if first.sum() >= 0 else -first
    return {name: float(x) for name, x in zip(names, signed, strict=True)}


def _share(margins: Floats, family: Ints) -> AuditEstimate:
    """The first factor's share, with an interval over families that stays within 1/K and 1."""
    n = margins.shape[1]
    products = margins.T @ margins
    if (np.diagonal(products) <= 1e-9).any():
        return AuditEstimate(None, reason="a criterion is even in all items")
    names, index = np.unique(family, return_inverse=True)
    by_family = np.array([margins[index == f].T @ margins[index == f] for f in range(len(names))])
    left = products - by_family if len(names) > 1 else products[None]
    if (np.diagonal(left, axis1=-2, axis2=-1) <= 1e-9).any():
        return AuditEstimate(_first(products), None, len(margins), len(names),
                        "a criterion is even in all families but one")  # fmt: skip
    estimate = AuditEstimate.of_replicates(_first(products), _firsts(left), len(margins))
    if estimate.ci95 is None:
        return estimate
    return estimate._replace(ci95=(max(1 / n, estimate.ci95[0]), min(1.0, estimate.ci95[1])))


def _first(products: Floats) -> float:
    return float(_firsts(products[None])[0])


def _firsts(products: Floats) -> Floats:
    values = np.linalg.eigvalsh(_correlations(products))
    return np.asarray(values[:, -1] / products.shape[-1])


def _within(margins: Floats, family: Ints, pair: Ints) -> AuditEstimate:
    """Of what is left when each pair of models' mean is taken out; pairs with one item say nothing.

    Models that are better in everything make all criteria agree; this does not.
    """
    _, index, counts = np.unique(pair, return_inverse=True, return_counts=True)
    several = counts[index] > 1
    if several.sum() < FEWEST_ITEMS:
        reason = f"fewer than {FEWEST_ITEMS} items of pairs of models with several items"
        return AuditEstimate(None, reason=reason)
    sums = [np.bincount(index, column, len(counts)) for column in margins.T]
    rest = margins - (np.array(sums) / counts).T[index]
    return _share(rest[several], family[several])
