"""Kappa and alpha against the papers' worked examples, and laws that hold for both."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench.statistics import cohen_kappa, krippendorff_alpha

NAN = float("nan")
FEW = 50


def pairs_of(table: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """Two series of ratings with these counts: rows are the first rater's categories."""
    cells = [(i, j, n) for i, row in enumerate(table) for j, n in enumerate(row)]
    return [i for i, _, n in cells for _ in range(n)], [j for _, j, n in cells for _ in range(n)]


# Cohen (1960), table 1, and the same judgements with the weights of Cohen (1968), table 1.
COHEN = ((44, 7, 9), (5, 20, 5), (1, 3, 6))
# Krippendorff (2011), section A: two observers, two categories; section B: five categories.
TWO = ([0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0])
LETTERS = ("aabbdcccedda", "babbbccceddd")
# Section C: four observers, twelve units, with ratings missing; the first unit has three.
FOUR = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3),
    (NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN),
)


def test_kappa_of_cohen_s_example() -> None:
    """(.70 - .41) / (1 - .41) = .492."""
    found = cohen_kappa(*pairs_of(COHEN), replicates=FEW)
    assert found.value == pytest.approx(0.29 / 0.59)


def test_weighted_kappa_of_cohen_s_example() -> None:
    """1 - .90 / 1.38 = .348."""
    weights = [[0, 1, 3], [1, 0, 6], [3, 6, 0]]
    found = cohen_kappa(*pairs_of(COHEN), weights=weights, replicates=FEW)
    assert found.value == pytest.approx(1 - 0.90 / 1.38)


def test_quadratic_kappa_counts_far_disagreements_more() -> None:
    """By hand: 0, 1, 2 against 0, 1, 0 disagree by 4 in all; by chance by (1 + 2 + 9) / 3."""
    found = cohen_kappa([0, 1, 2], [0, 1, 0], weights="quadratic", replicates=FEW)
    assert found.value == pytest.approx(1 - 4 / (12 / 3))


def test_alpha_of_two_observers() -> None:
    """Section A: .095; section B: .692."""
    assert krippendorff_alpha(np.column_stack(TWO), replicates=FEW).value == pytest.approx(
        0.095, abs=5e-4
    )
    coded = [[ord(one), ord(two)] for one, two in zip(*LETTERS, strict=True)]
    assert krippendorff_alpha(coded, replicates=FEW).value == pytest.approx(0.692, abs=5e-4)


@pytest.mark.parametrize(
    ("metric", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_of_four_observers_with_missing_ratings(metric: Any, alpha: float) -> None:
    """Section C, by metric; a unit that one observer rated does not count."""
    found = krippendorff_alpha(np.array(FOUR).T, metric=metric, replicates=FEW)
    assert found.value == pytest.approx(alpha, abs=5e-4)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=3, max_size=30))
def test_the_order_of_raters_and_pairs_does_not_matter(pairs: list[tuple[int, int]]) -> None:
    """Of kappa and alpha alike."""
    one, two = zip(*pairs, strict=True)
    kappas = [
        cohen_kappa(*given, replicates=2).value
        for given in ((one, two), (two, one), (one[::-1], two[::-1]))
    ]
    alphas = [
        krippendorff_alpha(rows, metric="ordinal", replicates=2).value
        for rows in (pairs, [pair[::-1] for pair in pairs], pairs[::-1])
    ]
    for values in (kappas, alphas):
        if values[0] is None:
            assert values == [None] * 3
        else:
            assert values == pytest.approx([values[0]] * 3)


def test_full_agreement_is_one() -> None:
    """Where there is something to agree on; without, there is no value and a reason."""
    assert cohen_kappa([0, 1, 1], [0, 1, 1], replicates=FEW).value == 1
    assert krippendorff_alpha([[0, 0], [1, 1], [1, 1]], replicates=FEW).value == 1
    for found in (cohen_kappa([1, 1, 1], [1, 1, 1]), krippendorff_alpha([[1, 1]] * 3)):
        assert found.value is None
        assert found.reason == "all ratings are the same, so chance would agree in full"


def test_pairs_of_a_cluster_stay_together() -> None:
    """Four copies of each pair in its cluster: the same interval as of one each."""
    first, second = [0, 1, 1, 0, 1, 0, 0, 1, 1, 0], [0, 1, 0, 0, 1, 1, 0, 1, 1, 0]
    once = cohen_kappa(first, second, replicates=400)
    copies = cohen_kappa(first * 4, second * 4, list(range(10)) * 4, replicates=400)
    assert once.ci95 is not None
    assert copies.ci95 == pytest.approx(once.ci95)
    naive = cohen_kappa(first * 4, second * 4, replicates=400).ci95
    assert naive is not None
    assert naive[1] - naive[0] < once.ci95[1] - once.ci95[0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cohen_kappa([0, 1], [0, 1, 2]), "one length"),
        (lambda: cohen_kappa([0, 1, 2], [0, 1, 2], weights="cubic"), "weights are none"),
        (lambda: cohen_kappa([0, 1, 2], [0, 1, 2], weights=[[0, 1], [1, 0]]), "of 3 categories"),
        (lambda: krippendorff_alpha([1, 2, 3]), "two raters or more"),
        (lambda: krippendorff_alpha([[1, 2]] * 3, metric="ratio"), "not 'ratio'"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_computed_is_refused(call: Any, message: str) -> None:
    """With what was expected."""
    with pytest.raises(ValueError, match=message):
        call()
