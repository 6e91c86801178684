"""The mean of group means: by hand, and how often its intervals hold."""

import numpy as np
import pytest

from eibench.core.statistics.group_means import (
    equal_clusters,
    group_mean_interval,
    group_mean_terms,
)
from eibench.core.statistics.shares import group_share_interval, wilson
from eibench.core.statistics.student import quantile
from eibench.statistics import standard_error


def test_the_error_is_that_of_a_stratified_mean() -> None:
    """Groups (1, 3), (4, 6, 8): means 2 and 6; (2 / 2 + 4 / 3) / 4 by hand."""
    terms = group_mean_terms([1, 3, 4, 6, 8], list("aabbb"))
    assert terms.mean() == pytest.approx(4)
    assert standard_error(terms) == pytest.approx(((2 / 2 + 4 / 3) / 4) ** 0.5)


def test_clusters_stay_together() -> None:
    """Copies of a value in its cluster say no more than the value."""
    once = group_mean_terms([1, 3, 4, 6, 8], list("aabbb"))
    copied = group_mean_terms(
        np.repeat([1, 3, 4, 6, 8], 3), np.repeat(list("aabbb"), 3), np.repeat(range(5), 3)
    )
    assert standard_error(copied, np.repeat(range(5), 3)) == pytest.approx(standard_error(once))


def test_of_one_group_it_is_the_plain_mean() -> None:
    """The very same terms, and as many clusters."""
    assert group_mean_terms([1.0, 5.0, 9.0], list("aaa")).tolist() == [1, 5, 9]
    assert equal_clusters(list("a" * 9)) == 9
    assert group_mean_terms([], []).size == 0 == equal_clusters([])


def test_degrees_of_freedom_are_satterthwaite_s() -> None:
    """Of 2, 3: (1/2 + 1/3)^2 / (1/4 / 1 + 1/9 / 2) = 2.27; eight pairs have one each."""
    assert equal_clusters(list("aabbb")) == 3
    assert equal_clusters(np.repeat(range(8), 2)) == 9
    assert equal_clusters(list("abbbb")) == 3  # 2^2 / (1 + 4 / 16) = 3.2 by weight


def test_a_group_of_one_cluster_makes_the_error_wider() -> None:
    """Deviations are from the mean of the group means: 0 - 5, then 9 - 5, 11 - 5, by weight."""
    terms = group_mean_terms([0, 9, 11], list("abb"))
    assert terms.tolist() == pytest.approx([5 + 1.5 * -5, 5 + 0.75 * 4, 5 + 0.75 * 6])


def test_shares_of_groups_have_an_interval_at_one_too() -> None:
    """Wilson's of as many trials as equal clusters; with seven there is none."""
    groups = list("aaaaabbbbb")
    found = group_share_interval([1] * 10, groups, range(10))
    assert found == pytest.approx(wilson(1.0, 9, quantile(0.975, 8)))
    assert group_share_interval([1] * 7, list("aaabbbb"), range(7)) is None


@pytest.mark.parametrize("share", [False, True])
def test_intervals_hold_where_groups_are_unequal_and_far_apart(share: bool) -> None:
    """In 95 % of 300 draws, give or take three errors of the simulation (0.0126 each)."""
    rng, levels = np.random.default_rng(7), np.linspace(0.3, 0.9, 5)
    groups = np.repeat(range(5), (30, 20, 10, 8, 8))
    hits = 0
    for draw in range(300):
        values = rng.random(groups.size) < levels[groups]
        if share:
            ends = group_share_interval(values, groups, range(groups.size))
        else:
            skewed = 9 * levels[groups] + rng.exponential(size=groups.size) - 1
            ends = group_mean_interval(skewed, groups, rng=np.random.default_rng(draw % 2))
        assert ends is not None
        hits += ends[0] <= levels.mean() * (1 if share else 9) <= ends[1]
    assert 0.91 <= hits / 300 <= 0.99
