"""Bootstrap intervals and spreads on cases with a known answer."""

import math
from statistics import NormalDist

import numpy as np
import pytest

from eibench.core.statistics.bootstrap import (
    cluster_bootstrap,
    iteration_spread,
    mean_interval,
    standard_error,
    tail,
)


def rng() -> np.random.Generator:
    """Return the generator that all tests use."""
    return np.random.default_rng(7)


def test_normal_data_give_nearly_the_t_interval() -> None:
    """For 400 normal values the interval is mean +- t SE, but for the noise of resampling."""
    values = np.random.default_rng(0).normal(50, 10, 400)
    interval = mean_interval(values, rng=rng())
    # 1.966 is the 97.5 % quantile of t with 399 degrees of freedom (tables).
    half = 1.966 * values.std(ddof=1) / math.sqrt(400)
    assert interval == pytest.approx((values.mean() - half, values.mean() + half), abs=0.06)


def test_few_normal_clusters_give_nearly_the_t_interval() -> None:
    """Plain percentiles of 10 values are shorter by a fifth; expanded ones are not."""
    values = np.array(NormalDist(50, 10).quantiles(11))
    interval = mean_interval(values, rng=rng())
    # 2.262 is the 97.5 % quantile of t with 9 degrees of freedom (tables).
    half = 2.262 * values.std(ddof=1) / math.sqrt(10)
    assert interval == pytest.approx((values.mean() - half, values.mean() + half), abs=0.05 * half)


def test_the_tail_of_an_interval_by_hand() -> None:
    """Of 20 clusters: t is 2.093 (19 degrees of freedom), times sqrt(20 / 19) 2.1474."""
    assert tail(20) == pytest.approx(NormalDist().cdf(-2.1474), abs=1e-5)
    assert tail(10_000) == pytest.approx(0.025, abs=1e-4)


def test_seven_clusters_have_no_interval() -> None:
    """Eight are the fewest: of the values, not of those that have none."""
    assert mean_interval(np.arange(7.0), rng=rng()) is None
    assert mean_interval([*range(7), math.nan], rng=rng()) is None
    assert mean_interval(np.arange(8.0), rng=rng()) is not None


def test_a_statistic_that_stands_on_few_of_the_clusters_has_no_interval() -> None:
    """The second is of 3 of 20 clusters; the first is not moved by that."""
    sums = np.column_stack([np.arange(20.0), np.arange(20.0) < 3])
    both = cluster_bootstrap(sums, lambda t: t, rng=rng(), stands_on=[20, 3])
    alone = cluster_bootstrap(sums[:, :1], lambda t: t, rng=rng())
    assert both == (alone[0], None)


def test_fewer_clusters_behind_a_statistic_widen_its_interval() -> None:
    """The same resamples, with quantiles further out."""
    sums = np.random.default_rng(2).normal(size=(20, 1))
    ((few,), (all_of_them,)) = (
        cluster_bootstrap(sums, lambda t: t, rng=rng(), stands_on=[n]) for n in (10, 20)
    )
    assert few is not None
    assert all_of_them is not None
    assert few[0] < all_of_them[0]
    assert few[1] > all_of_them[1]


def test_numbers_of_clusters_are_one_for_each_statistic() -> None:
    """Two for one statistic are refused."""
    with pytest.raises(ValueError, match="need 1 numbers of clusters"):
        cluster_bootstrap(np.ones((9, 1)), lambda t: t, rng=rng(), stands_on=[9, 9])


def test_clusters_widen_the_interval() -> None:
    """Ten copies of each value, kept together, are worth no more than one."""
    values = np.random.default_rng(0).normal(0, 1, 50)
    copies, clusters = np.repeat(values, 10), np.repeat(np.arange(50), 10)
    single, apart = mean_interval(values, rng=rng()), mean_interval(copies, rng=rng())
    together = mean_interval(copies, clusters, rng=rng())
    assert single is not None
    assert apart is not None
    assert together == pytest.approx(single)
    ratio = (single[1] - single[0]) / (apart[1] - apart[0])
    assert ratio == pytest.approx(math.sqrt(10), rel=0.1)


def test_one_cluster_has_no_interval() -> None:
    """One cluster says nothing about others."""
    assert mean_interval([1, 2, 3], [0, 0, 0], rng=rng()) is None
    assert mean_interval([1], rng=rng()) is None


def test_no_values_have_no_interval() -> None:
    """Neither an empty array nor one of NaN has a mean."""
    assert mean_interval([], rng=rng()) is None
    assert mean_interval([math.nan, math.nan], rng=rng()) is None


def test_nan_is_left_out() -> None:
    """The interval is that of the known values."""
    values = [1.0, 2.0, 3.0, 4.0] * 10
    interval = mean_interval([*values, math.nan], rng=rng())
    assert interval == mean_interval(values, rng=rng())


def test_clusters_that_are_all_alike_say_as_much_as_their_number_does() -> None:
    """Of nine, up to 1 - 0.05^(1/9) of all may be unlike; without ends nothing says how far."""
    unlike = 1 - 0.05 ** (1 / 9)
    found = mean_interval([4.0] * 9, rng=rng(), ends=(0, 5))
    assert found == pytest.approx((4 - 4 * unlike, 4 + unlike))
    assert mean_interval([4.0] * 9, rng=rng()) is None


@pytest.mark.parametrize("unlike", [0, 1, 5])
def test_clusters_that_are_nearly_all_at_one_end_do_not_say_how_far_others_lie(unlike: int) -> None:
    """Of 24 up to five elsewhere, if only a little: the interval is that of all at the end."""
    values = [99.0] * unlike + [100.0] * (24 - unlike)
    found = mean_interval(values, rng=rng(), ends=(0, 100))
    assert found == pytest.approx((100 * 0.05 ** (1 / 24), 100), abs=0.2)


def test_an_interval_stays_within_the_scale() -> None:
    """A statistic that leaves its scale in resamples is held to it."""
    (found,) = cluster_bootstrap(
        np.arange(10.0)[:, None], lambda t: t[:, 0] / 45, rng=rng(), ends=[(0.9, 1.1)]
    )
    assert found == (0.9, 1.1)


def test_the_seed_decides() -> None:
    """The same seed gives the same interval, another seed another one."""
    values = np.arange(20.0)
    assert mean_interval(values, rng=rng()) == mean_interval(values, rng=rng())
    other = mean_interval(values, rng=np.random.default_rng(8))
    assert mean_interval(values, rng=rng()) != other


def test_cluster_names_do_not_matter() -> None:
    """Clusters may be named by strings."""
    values, numbers = np.arange(20.0), np.arange(20) // 2
    named = mean_interval(values, ["abcdefghij"[n] for n in numbers], rng=rng())
    assert named is not None
    assert named == mean_interval(values, numbers, rng=rng())


def test_several_statistics_share_the_resamples() -> None:
    """Twice a total has twice its interval, to the last digit: both saw the same draws."""
    once, twice = cluster_bootstrap(
        np.arange(10.0)[:, None],
        lambda totals: np.column_stack([totals[:, 0], 2 * totals[:, 0]]),
        rng=rng(),
        replicates=200,
    )
    assert once is not None
    assert twice == (2 * once[0], 2 * once[1])


def test_replicates_without_a_value_are_left_out() -> None:
    """Few undefined replicates are dropped; when most are undefined there is no interval."""

    def ratio(
        totals: np.ndarray[tuple[int, int], np.dtype[np.float64]],
    ) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        with np.errstate(invalid="ignore"):
            return totals[:, 0] / totals[:, 1]

    # A cluster is missing from a resample of 9 with probability (8/9)^9 = 0.35.
    rows = [[2.0, 1.0], *[[0.0, 0.0]] * 8]
    (found,) = cluster_bootstrap(rows, ratio, rng=rng(), replicates=300, ends=[(2.0, 3.0)])
    assert found == pytest.approx((2.0, 3 - 0.05 ** (1 / 9)))
    assert cluster_bootstrap([[0.0, 0.0]] * 9, ratio, rng=rng(), replicates=300) == (None,)


def test_nan_sums_are_refused() -> None:
    """A NaN among the sums would spread to every replicate."""
    with pytest.raises(ValueError, match="without NaN"):
        cluster_bootstrap([[math.nan], [1.0]], lambda totals: totals[:, 0], rng=rng())


def test_chunks_do_not_change_the_number_of_replicates() -> None:
    """More clusters than one chunk holds: every replicate is still drawn once."""
    seen: list[int] = []

    def count(
        totals: np.ndarray[tuple[int, int], np.dtype[np.float64]],
    ) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        seen.append(len(totals))
        return totals[:, 0]

    cluster_bootstrap(np.ones((30_000, 1)), count, rng=rng(), replicates=10)
    assert len(seen) > 1
    assert sum(seen) == 10


def test_a_standard_error_is_that_of_leaving_out_one_cluster_each() -> None:
    """Five values of one cluster beside nine others: the mean without each, around their mean."""
    values = np.random.default_rng(3).normal(size=14)
    clusters = np.repeat(np.arange(10), [5, *[1] * 9])
    left_out = np.array([values[clusters != c].mean() for c in range(10)])
    squares = ((left_out - values.mean()) ** 2).sum()
    assert standard_error(values, clusters) == pytest.approx(math.sqrt(0.9 * squares))


def test_standard_error_of_independent_values() -> None:
    """SD / sqrt(n): of 1, 2, 3, 4 it is sqrt(5/3) / 2."""
    assert standard_error([1, 2, 3, 4, math.nan]) == pytest.approx(math.sqrt(5 / 3) / 2)


def test_standard_error_of_clusters() -> None:
    """Copies within clusters add nothing: the same as of one value per cluster."""
    copied = standard_error([1, 1, 2, 2, 3, 3, 4, 4], [0, 0, 1, 1, 2, 2, 3, 3])
    assert copied == pytest.approx(standard_error([1, 2, 3, 4]))


def test_standard_error_needs_two_clusters() -> None:
    """None without a second cluster, and without values."""
    assert standard_error([1, 2], [0, 0]) is None
    assert standard_error([1, math.nan]) is None
    assert standard_error([]) is None


def test_iteration_spread() -> None:
    """SD with n - 1 over the iterations that have a result; None for fewer than two."""
    assert iteration_spread([60, None, 50]) == pytest.approx(math.sqrt(50))
    assert iteration_spread([60, None]) is None
    assert iteration_spread([]) is None


def test_draws_that_are_kept_are_those_that_would_be_drawn() -> None:
    """The source is left as if it had been drawn from, so what comes next is the same too."""
    sums = np.random.default_rng(3).normal(size=(20, 2))

    def twice(source: np.random.Generator) -> list[object]:
        return [cluster_bootstrap(sums, lambda t: t, rng=source) for _ in range(2)]

    first = twice(rng())
    assert first[0] != first[1]
    for n in range(8, 14):  # other draws take the place of those that were kept
        cluster_bootstrap(sums[:n], lambda t: t, rng=rng())
    assert twice(rng()) == first == twice(rng())
