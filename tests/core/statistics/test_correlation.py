"""Correlations: published values, plain formulas, and laws that hold for all numbers."""

import csv
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from eibench.core.statistics.correlation import (
    Correlation,
    complete_pairs,
    fisher_interval,
    leave_one_out,
    mean_ranks,
    pearson,
    spearman,
)
from eibench.data import folder

numbers = st.integers(-1000, 1000).map(lambda n: n / 8)
pairs = st.lists(st.tuples(numbers, numbers), min_size=3, max_size=30)


def table() -> dict[str, list[float | None]]:
    """The scores of tables 3 and 4 of Paech (2023), by column."""
    with (folder("eqbench_v1") / "published_other_benchmarks.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = [name for name in rows[0] if name != "model"]
    return {name: [float(row[name]) if row[name] else None for row in rows] for name in names}


def columns(drawn: list[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """Drawn pairs as two series."""
    return [x for x, _ in drawn], [y for _, y in drawn]


# The paper's coefficients have two digits (sections 2.4, 5.1 and 5.2: MMLU .97, HellaSwag .91,
# ARC .85, Arena .94, MT-bench .91); the other digits are those of the tables' own numbers.
@pytest.mark.parametrize(
    ("column", "value", "n"),
    [
        ("mmlu", 0.9703, 16),
        ("arena_elo", 0.9377, 11),
        ("hellaswag", 0.9147, 10),
        ("mt_bench", 0.9089, 12),
        ("arc", 0.8506, 10),
        ("truthfulqa", 0.4365, 11),
        ("seceu_eq", 0.2242, 8),
        ("alpaca_eval", 0.7990, 8),
    ],
)
def test_correlations_of_the_v1_paper(column: str, value: float, n: int) -> None:
    """Pearson's r of EQ-Bench with each other benchmark of tables 3 and 4."""
    scores = table()
    found = pearson(scores["eq_bench"], scores[column])
    assert found.n == n
    assert found.value == pytest.approx(value, abs=5e-5)


def test_the_printed_alpaca_eval_correlation_is_that_without_one_cell() -> None:
    """The paper prints .91 (section 5.2), the table gives .7990, and .9054 without one model."""
    scores = table()
    both = zip(scores["eq_bench"], scores["alpaca_eval"], scores["arc"], strict=True)
    known = [(alpaca, arc) for eq, alpaca, arc in both if None not in (eq, alpaca)]
    without = leave_one_out(scores["eq_bench"], scores["alpaca_eval"])
    rounded = [round(r, 2) for r in without if r is not None]
    assert rounded.count(0.91) == 1
    odd = rounded.index(0.91)
    assert without[odd] == pytest.approx(0.9054, abs=5e-5)
    # It is the one whose AlpacaEval score is its ARC score to the digit.
    assert [i for i, (alpaca, arc) in enumerate(known) if alpaca == arc] == [odd]


def test_pearson_of_a_worked_example() -> None:
    """By hand: x - 3 = -2 -1 0 1 2, y - 4 = -2 0 1 0 1; 6 / sqrt(10 * 6) = .774597."""
    assert pearson([1, 2, 3, 4, 5], [2, 4, 5, 4, 5]).value == pytest.approx(6 / math.sqrt(60))


def test_spearman_of_a_worked_example_with_ties() -> None:
    """By hand: ranks of y 1 2.5 4.5 2.5 4.5 about 3: 8 / sqrt(10 * 9) with rank deviations.

    Deviations of x -2 -1 0 1 2, of y -2 -.5 1.5 -.5 1.5: products 4 .5 0 -.5 3 sum to 7;
    squares 10 and 4 + .25 + 2.25 + .25 + 2.25 = 9.
    """
    assert spearman([1, 2, 3, 4, 5], [2, 4, 5, 4, 5]).value == pytest.approx(7 / math.sqrt(90))


def test_interval_of_a_worked_example() -> None:
    """By hand for r = .5, n = 28: atanh .5 = .549306, z / 5 = .391993; tanh of .157313, .941299."""
    interval = fisher_interval(0.5, 28)
    assert interval == pytest.approx((0.156028, 0.735818), abs=2e-6)


def test_interval_of_spearman_is_the_wider_one() -> None:
    """Bonett and Wright (2000): the half-width is sqrt(1 + rho^2 / 2) times Fisher's."""
    x, y = [1, 2, 3, 4, 5, 6, 7], [2, 1, 3, 5, 4, 7, 6]
    ranks, numbers = spearman(x, y), pearson(x, y)
    assert ranks.value == pytest.approx(numbers.value)  # the numbers are their own ranks
    assert ranks.value is not None
    assert ranks.interval is not None
    assert numbers.interval is not None
    halves = [np.arctanh(i[1]) - np.arctanh(i[0]) for i in (ranks.interval, numbers.interval)]
    assert halves[0] / halves[1] == pytest.approx(math.sqrt(1 + ranks.value**2 / 2))


def test_level_sets_the_width() -> None:
    """The quantile is 1.6449 at 90 % and 2.5758 at 99 % (tables of the normal distribution)."""
    narrow, wide = (fisher_interval(0.0, 103, level=level) for level in (0.90, 0.99))
    assert narrow == pytest.approx((-math.tanh(0.164485), math.tanh(0.164485)), abs=1e-6)
    assert wide == pytest.approx((-math.tanh(0.257583), math.tanh(0.257583)), abs=1e-6)


@pytest.mark.parametrize("rho", [0.0, 0.6, 0.9])
def test_intervals_cover_what_they_say(rho: float) -> None:
    """Of 2000 intervals from ten normal pairs, 95 % hold the true coefficient.

    The bounds are five standard errors of a share of .95: 5 * sqrt(.95 * .05 / 2000) = .024.
    The population's Spearman coefficient is 6 / pi * asin(rho / 2) (Pearson 1907).
    """
    rng = np.random.default_rng(5)
    draws = rng.normal(size=(2000, 2, 10))
    true = {pearson: rho, spearman: 6 / math.pi * math.asin(rho / 2)}
    for coefficient, value in true.items():
        found = [coefficient(x, rho * x + math.sqrt(1 - rho**2) * y).interval for x, y in draws]
        held = [i[0] <= value <= i[1] for i in found if i is not None]
        assert len(held) > 1990  # a sample in perfect order has no interval
        assert sum(held) / len(held) == pytest.approx(0.95, abs=0.024)


def test_only_complete_pairs_count() -> None:
    """NaN and None on either side take their pair out, and no other."""
    found = pearson([1, 2, None, 3, 4, math.nan], [1, None, 7, 2, 4, 9])
    assert found == pearson([1, 3, 4], [1, 2, 4])
    assert found.n == 3
    both = complete_pairs([1, None], [5, 6])
    assert (both.x.tolist(), both.y.tolist(), both.n) == ([1], [5], 1)


@pytest.mark.parametrize("coefficient", [pearson, spearman])
@pytest.mark.parametrize(
    ("x", "y", "n"),
    [([], [], 0), ([1, 2], [2, 1], 2), ([1, 2, 3], [4, 4, 4], 3), ([0.1] * 3, [1, 2, 3], 3)],
    ids=["none", "two", "constant y", "constant x"],
)
def test_a_coefficient_that_does_not_exist_is_none(
    coefficient: Any, x: list[float], y: list[float], n: int
) -> None:
    """Fewer than three pairs, or a series without variance."""
    assert coefficient(x, y) == Correlation(None, None, n)


def test_three_pairs_have_a_value_and_no_interval() -> None:
    """Fisher's variance is 1 / (n - 3)."""
    found = pearson([1, 2, 3], [1, 2, 4])
    assert found.value is not None
    assert found.interval is None


def test_a_perfect_coefficient_has_no_interval() -> None:
    """The transformation of 1 does not exist; rounding does not make it exist."""
    x = [0.1, 0.2, 0.3, 0.7, 0.9, 1.1]
    found = pearson(x, [3 * v for v in x])
    assert found.value == pytest.approx(1, abs=1e-12)
    assert found.interval is None
    assert spearman(x, [-v for v in x]).interval is None


@pytest.mark.parametrize(
    ("x", "y"), [([1, 2], [1, 2, 3]), ([[1, 2]], [[1, 2]]), ([1, math.inf], [1, 2])]
)
def test_what_is_no_pair_of_series_is_refused(x: Any, y: Any) -> None:
    """Different lengths, tables, infinities."""
    with pytest.raises(ValueError, match=r"two series|infinity"):
        pearson(x, y)


@pytest.mark.parametrize("unit", [1e-200, 1e-5, 1e150, 1e300])
def test_the_size_of_numbers_does_not_matter(unit: float) -> None:
    """Squares that vanish or overflow are never made."""
    plain = pearson([1, 2, 3, 5], [2, 1, 5, 4])
    assert pearson([unit, 2 * unit, 3 * unit, 5 * unit], [2, 1, 5, 4]).value == pytest.approx(
        plain.value
    )


def test_small_differences_far_from_zero_are_seen() -> None:
    """A million and a few millionths: the digits that differ decide."""
    x = [1e6 + step * 2**-20 for step in (1, 2, 3, 5)]
    assert pearson(x, [2, 1, 5, 4]).value == pytest.approx(
        pearson([1, 2, 3, 5], [2, 1, 5, 4]).value, abs=1e-9
    )


def test_leaving_one_out_is_the_coefficient_of_the_rest() -> None:
    """In the order of the complete pairs; None where the rest has none."""
    x, y = [1, 2, None, 3, 9], [1, 5, 1, 2, 9]
    expected = [pearson([2, 3, 9], [5, 2, 9]).value, pearson([1, 3, 9], [1, 2, 9]).value]
    assert leave_one_out(x, y)[:2] == expected
    assert len(leave_one_out(x, y)) == 4
    assert leave_one_out([1, 2, 3], [1, 2, 4]) == [None] * 3


@given(pairs)
def test_pearson_is_the_plain_formula(drawn: list[tuple[float, float]]) -> None:
    """r^2 = (n Sxy - Sx Sy)^2 / ((n Sxx - Sx^2)(n Syy - Sy^2)), in exact fractions."""
    n, (x, y) = len(drawn), ([Fraction(v) for v in side] for side in columns(drawn))
    cross = n * sum(a * b for a, b in zip(x, y, strict=True)) - sum(x) * sum(y)
    squares = [n * sum(a * a for a in side) - sum(side) ** 2 for side in (x, y)]
    value = pearson(*columns(drawn)).value
    if 0 in squares:
        assert value is None
        return
    assert value is not None
    assert value == pytest.approx(float(cross) / math.sqrt(squares[0] * squares[1]), abs=1e-9)


@given(st.permutations(range(12)))
def test_spearman_without_ties_is_the_plain_formula(order: list[int]) -> None:
    """1 - 6 sum d^2 / (n (n^2 - 1)) (Spearman 1904)."""
    squares = sum((a - b) ** 2 for a, b in enumerate(order))
    assert spearman(range(12), order).value == pytest.approx(1 - 6 * squares / (12 * 143))


@given(pairs)
def test_spearman_is_pearson_of_mean_ranks(drawn: list[tuple[float, float]]) -> None:
    """Each rank counted by hand: one more than the smaller ones, and half of the other equals."""
    x, y = columns(drawn)
    ranked = [
        [sum(o < v for o in side) + (sum(o == v for o in side) + 1) / 2 for v in side]
        for side in (x, y)
    ]
    assert mean_ranks(x).tolist() == ranked[0]
    assert spearman(x, y).value == pearson(*ranked).value


@given(pairs, st.integers(1, 50), numbers)
def test_scale_and_sign(drawn: list[tuple[float, float]], slope: int, shift: float) -> None:
    """Moving and stretching changes nothing, mirroring changes the sign, and x and y are equal."""
    x, y = columns(drawn)
    for coefficient in (pearson, spearman):
        found = coefficient(x, y).value
        assume(found is not None)
        assert coefficient([slope * v + shift for v in x], y).value == pytest.approx(found)
        assert coefficient([-slope * v for v in x], y).value == pytest.approx(-(found or 0))
        assert coefficient(y, x).value == pytest.approx(found)


@given(pairs)
def test_spearman_sees_the_order_only(drawn: list[tuple[float, float]]) -> None:
    """Any rising function of a series leaves it as it is."""
    x, y = columns(drawn)
    assert spearman([v**3 + v for v in x], y) == spearman(x, y)


@given(pairs, st.randoms(use_true_random=False))
def test_the_order_of_pairs_does_not_matter(drawn: list[tuple[float, float]], random: Any) -> None:
    """The same pairs in another order give the same numbers."""
    mixed = random.sample(drawn, len(drawn))
    for coefficient in (pearson, spearman):
        one, other = coefficient(*columns(drawn)), coefficient(*columns(mixed))
        assert other.value == pytest.approx(one.value, abs=1e-12)
        assert other.n == one.n


@given(pairs)
def test_the_interval_holds_the_value_and_stays_in_range(
    drawn: list[tuple[float, float]],
) -> None:
    """-1 <= low <= value <= high <= 1."""
    for coefficient in (pearson, spearman):
        found = coefficient(*columns(drawn))
        if found.interval is not None:
            assert found.value is not None
            assert len(found.interval) == 2
            assert -1 <= found.interval[0] <= found.value <= found.interval[1] <= 1
