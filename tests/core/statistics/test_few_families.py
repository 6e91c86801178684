"""The rule for few families of items."""

import pytest

from eibench.core.statistics.few_families import few_families, why_no_interval


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
