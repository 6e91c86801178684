"""The wild bootstrap of a mean on cases with a known answer, and its laws."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from eibench.core.statistics import wild
from eibench.core.statistics.student import quantile
from eibench.core.statistics.wild import MeanTest, wild_bootstrap, wild_intervals, wild_tests
from eibench.statistics import standard_error

# How many of the 45 scenarios of EQ-Bench 3 share a text.
OFFICIAL = np.repeat(np.arange(26), [4, 4, 3, *[2] * 11, *[1] * 12])
VALUES = st.lists(st.integers(-20, 20).map(lambda n: n / 4), min_size=8, max_size=30)
quick = settings(max_examples=60, deadline=None)


def mean_test(
    values: object, clusters: object = None, *, turns: int = 10_000, reach: float = math.inf
) -> MeanTest:
    """The test with the draws that all tests use."""
    rng = np.random.default_rng(3)
    return wild_bootstrap(values, clusters, rng=rng, turns=turns, reach=reach)  # type: ignore[arg-type]


def hall(mean: float, residuals: list[float], n: int) -> float:
    """The statistic of a mean of n values from residuals by family, with half the skewness."""
    k, squares = len(residuals), sum(r * r for r in residuals)
    t = mean / (math.sqrt(k / (k - 1) * squares) / n)
    g: float = 0.5 * sum(r**3 for r in residuals) / squares**1.5
    return t + g * t**2 / 3 + g**2 * t**3 / 27 + g / 6


def test_p_is_that_of_a_plain_loop_over_all_ways() -> None:
    """Ten families of one to three values: 2^9 ways to turn how far each is from the others.

    What is turned counts as much more as Student's t of (sum n)^2 / sum n^2 = 8.17 families.
    """
    draws = np.random.default_rng(5)
    sizes = [3, 2, 2, 1, 1, 1, 1, 1, 1, 1]
    clusters = np.repeat(np.arange(10), sizes)
    values = (0.5 + draws.normal(size=14)).round(3)
    sums = [values[clusters == c].sum() for c in range(10)]
    mean = values.mean()
    far = [(s - n * mean) * 0.9 / (1 - n / 14) for s, n in zip(sums, sizes, strict=True)]
    stretch = quantile(0.975, 14**2 / 24 - 1) / quantile(0.975, 9)
    observed, reached = abs(hall(mean, far, 14)), 0
    for way in range(512):
        turned = [f * (1 - 2 * (way >> c & 1)) for c, f in enumerate(far)]
        moved = sum(turned) / 14
        left = [t - n * moved for t, n in zip(turned, sizes, strict=True)]
        reached += stretch * abs(hall(moved, left, 14)) >= observed
    assert 10 < reached < 500
    assert mean_test(values, clusters).p == (reached + 1) / 513


def test_values_without_skewness_give_nearly_the_t_interval() -> None:
    """Forty values as even as those of a normal distribution: mean +- t SE."""
    values = np.linspace(-1, 1, 40) ** 3 + 5
    error = standard_error(values)
    assert error is not None
    half = quantile(0.975, 39) * error
    assert mean_test(values).interval == pytest.approx((5 - half, 5 + half), abs=0.03 * half)


def test_the_interval_is_longer_on_the_side_of_the_long_tail() -> None:
    """Most values at a ceiling, few far below: the mean may lie much lower, hardly higher."""
    values = np.array([10.0] * 20 + [9, 8, 6, 2])
    interval = mean_test(values).interval
    assert interval is not None
    assert values.mean() - interval[0] > 1.2 * (interval[1] - values.mean())


def test_copies_within_families_are_worth_nothing() -> None:
    """Each value five times in its family: the same test."""
    values = np.random.default_rng(4).normal(0.4, 1, 20)
    copied = mean_test(np.repeat(values, 5), np.repeat(np.arange(20), 5))
    assert copied.p == mean_test(values).p
    assert copied.interval == pytest.approx(mean_test(values).interval)


def test_seven_families_have_no_test() -> None:
    """Eight are the fewest; NaN is left out, and a family without a number with it."""
    assert mean_test(np.arange(7.0)) == (None, None)
    assert mean_test([*range(7), math.nan]) == (None, None)
    assert None not in mean_test(np.arange(8.0))


def test_intervals_of_many_means_are_those_of_each() -> None:
    """With the same draws; also of one whose families are all alike, and of one nearly so."""
    rng = np.random.default_rng(4)
    sizes = rng.integers(1, 4, size=(20, 40)).astype(float)
    sums = np.column_stack([rng.normal(0.3, 1, size=(20, 39)) * sizes[:, :39], sizes[:, 39]])
    sums[3:, 0] = 0
    found = wild_intervals(sums, sizes, rng=np.random.default_rng(0), reach=9)
    families = np.arange(20)
    for n in range(40):
        values = np.repeat(sums[:, n] / sizes[:, n], sizes[:, n].astype(int))
        clusters = np.repeat(families, sizes[:, n].astype(int))
        alone = wild_bootstrap(values, clusters, rng=np.random.default_rng(0), reach=9).interval
        assert alone is not None
        assert found[:, n] == pytest.approx(list(alone), abs=1e-9)


def test_families_that_are_all_alike_say_as_much_as_their_number_does() -> None:
    """Up to 1 - 0.05^(1/9) = 0.283 of all may be as unlike as can be; p is of a piece with it."""
    found, unlike = mean_test([0.3] * 9, reach=1), 1 - 0.05 ** (1 / 9)
    assert found.p == pytest.approx(1.3**-9)
    assert found.interval == pytest.approx((0.3 - 1.3 * unlike, 0.3 + 0.7 * unlike))
    assert mean_test([1.0] * 9, reach=1).interval == pytest.approx((1 - 2 * unlike, 1))
    assert mean_test([0.0] * 9, reach=1).p == 1
    assert mean_test([0.0] * 9, reach=1).interval == pytest.approx((-unlike, unlike))


def test_families_that_are_all_alike_show_nothing_where_any_difference_is_possible() -> None:
    """Without a largest difference there is no interval, and no difference is told."""
    assert mean_test([0.3] * 9) == (1.0, None)


@pytest.mark.parametrize("families", [8, 9, 12, 24])
@pytest.mark.parametrize("unlike", [1, 3, 5])
@pytest.mark.parametrize("size", [0.2, 1.0])
def test_a_few_differences_among_ties_are_no_surer_than_their_signs(
    families: int, unlike: int, size: float
) -> None:
    """Up to five that differ, all one way; more than ties alone would say."""
    found = mean_test([size] * unlike + [0.0] * (families - unlike), reach=1)
    beyond = 1 - 0.05 ** (1 / families) - 1e-9
    assert found.p is not None
    assert found.interval is not None
    assert found.p >= 2.0 ** (1 - unlike) > 0.05
    assert found.interval[0] <= -beyond
    assert found.interval[1] >= beyond


@pytest.mark.parametrize(("unlike", "families"), [(6, 9), (6, 20), (8, 12)])
def test_no_test_is_surer_than_all_signs_alike(unlike: int, families: int) -> None:
    """P is at least 2 * 0.5^m of m families that differ, and the interval is of a piece with it."""
    found = mean_test([1.0] * unlike + [0.0] * (families - unlike), reach=1)
    assert found.p is not None
    assert found.interval is not None
    assert 2.0 ** (1 - unlike) <= found.p <= 0.05
    assert found.interval[0] > 0


def test_without_a_largest_difference_five_signs_show_nothing_either() -> None:
    """The interval then holds 0."""
    found = mean_test([3.0, 3.1, 2.9, 3.0, 3.2] + [0.0] * 7)
    assert found.p == pytest.approx(2**-4)
    assert found.interval is not None
    assert found.interval[0] <= 0 < found.interval[1]


def test_true_ties_and_signs_are_rarely_told_apart() -> None:
    """Of 9 families of which 44 % differ, either way alike: at most in 5 % and 1 % of sets."""
    draws = np.random.default_rng(2)
    differ = draws.random((9, 2_000)) < 0.44
    sums = np.where(differ, draws.choice([-1.0, 1.0], size=differ.shape), 0.0)
    p = wild_tests(sums, np.ones_like(sums), rng=np.random.default_rng(0), reach=1)
    assert (p <= 0.05).mean() <= 0.05
    assert (p <= 0.01).mean() <= 0.01


@pytest.mark.parametrize("largest", [12, 20])
def test_one_large_family_does_not_tell_equals_apart(largest: int) -> None:
    """One family of 12 or 20 values beside nine of two: of 400 sets 7 % at most, and 3 errors."""
    draws = np.random.default_rng(largest)
    clusters = np.repeat(np.arange(10), [largest, *[2] * 9])
    values = draws.normal(size=(400, clusters.size)) + draws.normal(size=(400, 10))[:, clusters] / 2
    p_values = [mean_test(row, clusters).p for row in values]
    assert sum(p is not None and p <= 0.05 for p in p_values) <= 28 + 3 * 5.1


def test_one_win_among_ties_shows_nothing() -> None:
    """42 ties and a win: no difference is well within."""
    found = mean_test([*[0.0] * 42, 1])
    assert found.p is not None
    assert found.p > 0.3
    assert found.interval is not None
    assert found.interval[0] < 0 < found.interval[1]


@pytest.mark.parametrize("skewed", [False, True], ids=["normal", "ceiling"])
def test_a_true_null_is_rejected_as_often_as_it_should_be(skewed: bool) -> None:
    """Of 600 sets of the official families about 5 % have p <= 0.05, skewed or not."""
    draws = np.random.default_rng(11)
    values = draws.normal(size=(600, 26))[:, OFFICIAL] + draws.normal(size=(600, 45))
    if skewed:  # a third lies at the ceiling; the mean of what is cut at c is -sd phi(c / sd) + ...
        c = 0.6
        density = math.exp(-(c**2) / 4) / math.sqrt(4 * math.pi)
        above = math.erfc(c / 2) / 2
        values = np.minimum(values, c) - (c * above - 2 * density)
    p_values = [mean_test(row, OFFICIAL, turns=999).p for row in values]
    rejected = sum(p is not None and p <= 0.05 for p in p_values)
    assert abs(rejected - 30) < 3 * 5.3


@quick
@given(VALUES, st.floats(-5, 5))
def test_p_and_interval_say_the_same(values: list[float], shift: float) -> None:
    """P is at most 0.05 exactly where the interval leaves out 0."""
    found = mean_test(np.array(values) + shift, turns=199, reach=20)
    assert found.p is not None
    assert found.interval is not None
    near = min(abs(end) for end in found.interval) < 1e-6
    assert near or (found.p <= 0.05) == (not found.interval[0] <= 0 <= found.interval[1])


@quick
@given(VALUES, st.floats(0.01, 100), st.floats(-100, 100))
def test_the_interval_moves_with_the_values(values: list[float], scale: float, by: float) -> None:
    """Stretched and moved values have the interval stretched and moved.

    But for those of which at most five are not 0, before or after: their interval holds 0.
    """
    assume(min(np.count_nonzero(values), np.count_nonzero(np.array(values) * scale + by)) > 5)
    plainly, moved = mean_test(values, turns=99), mean_test(np.array(values) * scale + by, turns=99)
    if plainly.interval is None or moved.interval is None:  # all alike, whatever they are
        assert plainly.interval == moved.interval
        return
    expected = [end * scale + by for end in plainly.interval]
    assert moved.interval == pytest.approx(expected, rel=1e-6, abs=1e-6 * scale)


def test_signs_are_drawn_as_one() -> None:
    """Row by row they are those of one draw, so that no number hangs on how many are held."""
    drawn = wild._signs(37, 1_234, np.random.default_rng(5))
    whole = np.random.default_rng(5).integers(0, 2, size=(1_234, 37))
    assert (drawn == 1.0 - 2.0 * whole).all()
