"""Shapes and spreads: table 2 of the v1 paper, plain formulas, and laws."""

import csv
import math
import statistics

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from eibench.data import folder
from eibench.plugins.studies.distribution import (
    Distribution,
    Spread,
    coefficient_of_variation,
    describe,
    min_max,
    spread,
)

series = st.lists(st.integers(-1000, 1000).map(lambda n: n / 8), min_size=1, max_size=30)


def table_5(column: str) -> list[float]:
    """A column of appendix D of Paech (2023)."""
    with (folder("eqbench_v1") / "published_seceu_comparison.csv").open(encoding="utf-8") as file:
        return [float(row[column]) for row in csv.DictReader(file)]


# Table 2 of Paech (2023) prints 59.48 64.71 .52 14.71 -.68 and 45.75 47.44 .74 53.81 .13; the
# further digits are those of appendix D's own numbers.
@pytest.mark.parametrize(
    ("column", "mean", "median", "cv", "iqr", "skewness"),
    [
        ("seceu_eq", 59.477, 64.706, 0.5238, 14.706, -0.6824),
        ("eq_bench", 45.754, 47.436, 0.7415, 53.808, 0.1296),
    ],
)
def test_table_2_of_the_v1_paper(
    column: str, mean: float, median: float, cv: float, iqr: float, skewness: float
) -> None:
    """From the nine scores of appendix D, from the lowest as 0 to the highest as 100."""
    scores = min_max(table_5(column))
    assert scores is not None
    found = describe(scores)
    assert found.n == 9
    assert (found.mean, found.median) == pytest.approx((mean, median), abs=5e-4)
    assert found.iqr_linear == pytest.approx(iqr, abs=5e-4)
    assert (found.cv_sample, found.skewness_population) == pytest.approx((cv, skewness), abs=5e-5)


def test_printed_normalised_scores_of_appendix_d() -> None:
    """SECEU's are min-max scores. EQ-Bench's are not: their 0 is at -11.24, not at the lowest."""
    made = min_max(table_5("seceu_eq"))
    assert made is not None
    assert made.tolist() == pytest.approx(table_5("seceu_eq_normalised"), abs=5e-3)
    low = -11.236
    stretched = [(score - low) / (60.73 - low) * 100 for score in table_5("eq_bench")]
    assert stretched == pytest.approx(table_5("eq_bench_normalised"), abs=1e-2)
    assert describe(table_5("eq_bench_normalised")).mean == pytest.approx(60.02)


def test_a_worked_example() -> None:
    """By hand for 0 0 0 1: SD .5, quartiles 0 and .25, m2 = 3/16, m3 = 3/32, 2 / sqrt 3."""
    found = describe([0, 0, 0, 1])
    assert found == pytest.approx((4, 0.25, 0.0, 2.0, 0.25, 2 / math.sqrt(3)))


def test_what_does_not_exist_is_none() -> None:
    """Nothing, one number, equal numbers."""
    assert describe([]) == Distribution(0, None, None, None, None, None)
    assert describe([3]) == Distribution(1, 3.0, 3.0, None, None, None)
    assert describe([0.5, 0.5, 0.5]) == Distribution(3, 0.5, 0.5, 0.0, 0.0, None)
    assert spread([]) == Spread(0, None, None, None, None, None, None)
    assert spread([3]) == Spread(1, 3.0, None, None, 3.0, 3.0, None)
    assert min_max([]) is None
    assert min_max([5]) is None
    assert min_max([5, 5, 5]) is None


def test_unknown_numbers_are_left_out() -> None:
    """NaN and None are no zeros."""
    assert describe([1, None, 2, math.nan, 4]) == describe([1, 2, 4])
    assert spread([1, None, 2, math.nan, 4]) == spread([1, 2, 4])


@pytest.mark.parametrize("values", [[-1, 2, 3], [0, 0], [4]])
def test_variation_needs_a_scale_that_begins_at_zero(values: list[float]) -> None:
    """A negative score shows that zero is not the least; without size there is no share of it."""
    assert coefficient_of_variation(values) is None


def test_infinities_are_refused() -> None:
    """They have no place in a mean."""
    for function in (describe, spread, min_max, coefficient_of_variation):
        with pytest.raises(ValueError, match="finite"):
            function([1, math.inf])


def test_spread_of_a_worked_example() -> None:
    """By hand for 48.72 49.56 48.46 (table 6, first model): mean 48.913, SD .5748, CV .01175."""
    found = spread([48.72, 49.56, 48.46])
    assert found == pytest.approx((3, 48.9133, 0.57489, 0.011753, 48.46, 49.56, 1.1), abs=5e-5)


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_the_size_of_numbers_does_not_matter(unit: float) -> None:
    """Squares that vanish or overflow are never made."""
    values = [unit, 2 * unit, 4 * unit]
    assert coefficient_of_variation(values) == pytest.approx(coefficient_of_variation([1, 2, 4]))
    made = min_max(values)
    assert made is not None
    assert made.tolist() == pytest.approx([0, 100 / 3, 100])
    assert describe(values).skewness_population == pytest.approx(
        describe([1, 2, 4]).skewness_population
    )


@given(series)
def test_statistics_are_the_plain_formulas(values: list[float]) -> None:
    """Against the standard library, and moments written out."""
    found = describe(values)
    mean = statistics.fmean(values)
    assert (found.mean, found.median) == pytest.approx((mean, statistics.median(values)))
    if len(values) > 1:
        quartiles = statistics.quantiles(values, n=4, method="inclusive")
        assert found.iqr_linear == pytest.approx(quartiles[2] - quartiles[0])
        assert spread(values).sd_sample == pytest.approx(statistics.stdev(values))
        assert spread(values).range == max(values) - min(values)
    if min(values) >= 0 and max(values) > 0 and len(values) > 1:
        assert found.cv_sample == pytest.approx(statistics.stdev(values) / mean)
    if len(set(values)) > 1:
        second, third = (statistics.fmean([(v - mean) ** k for v in values]) for k in (2, 3))
        assert found.skewness_population == pytest.approx(third / second**1.5, abs=1e-9)


@given(series, st.integers(1, 50), st.integers(-100, 100))
def test_min_max_scores_forget_scale_and_place(values: list[float], slope: int, shift: int) -> None:
    """From 0 to 100, the same for any other unit and zero; mirrored, the skewness turns."""
    made = min_max(values)
    assume(made is not None)
    assert made is not None
    assert (made.min(), made.max()) == (0, 100)
    other = min_max([slope * v + shift for v in values])
    assert other is not None
    assert other.tolist() == pytest.approx(made.tolist(), abs=1e-7)
    turned = min_max([-v for v in values])
    assert turned is not None
    skewness = describe(made).skewness_population
    assert skewness is not None
    assert describe(turned).skewness_population == pytest.approx(-skewness, abs=1e-9)
