"""The rule for few families of items."""

import pytest

from eibench.core.statistics.few_families import (
    few_families,
    is_of_few_families,
    too_few_for,
    why_no_interval,
)
from eibench.statistics import holm, paired_difference


@pytest.mark.parametrize(
    ("families", "message"),
    [
        (1, "an interval needs items with 8 different texts, here is 1"),
        (7, "an interval needs items with 8 different texts, here are 7"),
        (8, None),
    ],
)
def test_an_interval_needs_eight_families(families: int, message: str | None) -> None:
    """Below, there is a reason; it counts them."""
    assert why_no_interval(families) == message


@pytest.mark.parametrize(
    ("families", "message"),
    [
        (7, ["an interval needs items with 8 different texts, here are 7"]),
        (
            8,
            [
                "the intervals are based on 8 different texts; "
                "with fewer than 20 they are approximate"
            ],
        ),
        (
            19,
            [
                "the intervals are based on 19 different texts; "
                "with fewer than 20 they are approximate"
            ],
        ),
        (20, []),
    ],
)
def test_a_warning_ends_at_twenty_families(families: int, message: list[str]) -> None:
    """Below eight it is the reason itself."""
    assert few_families(families) == message


@pytest.mark.parametrize(
    ("families", "message"),
    [
        (7, "an interval needs items with 8 different texts, here are 16 in groups, "
            "which say as much as 7"),
        (9, "the intervals are based on 16 different texts in groups, which say as much as 9; "
            "with fewer than 20 they are approximate"),
    ],
)  # fmt: skip
def test_texts_in_groups_are_counted_as_they_are(families: int, message: str) -> None:
    """How many there are, and how many that count alike say as much."""
    assert few_families(families, 16, "in groups") == [message]
    assert is_of_few_families(message)


@pytest.mark.parametrize(("families", "tests"), [(8, 6), (8, 7), (11, 51), (11, 52)])
def test_so_few_families_show_nothing_in_so_many_tests(families: int, tests: int) -> None:
    """As large a difference as there is beside values without one."""
    first = [[1.0 + k / 100 for k in range(families)], *[[0.0] * families] * (tests - 1)]
    p = [paired_difference(values, [0.0] * families).p for values in first]
    assert too_few_for(families, tests) == (min(filter(None, holm(p))) >= 0.05)
