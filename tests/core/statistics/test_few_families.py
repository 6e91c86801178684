"""The rule for few families of items."""

import pytest

from eibench.core.statistics.few_families import few_families, why_no_interval


@pytest.mark.parametrize(
    ("families", "message"),
    [
        (1, "an interval needs 8 families of items, here is 1"),
        (7, "an interval needs 8 families of items, here are 7"),
        (8, None),
    ],
)
def test_an_interval_needs_eight_families(families: int, message: str | None) -> None:
    """Below, there is a reason; it counts them."""
    assert why_no_interval(families) == message


@pytest.mark.parametrize(
    ("families", "message"),
    [
        (7, ["an interval needs 8 families of items, here are 7"]),
        (
            8,
            [
                "the intervals stand on 8 families of items (items that share a text); "
                "with fewer than 20 they are rough"
            ],
        ),
        (
            19,
            [
                "the intervals stand on 19 families of items (items that share a text); "
                "with fewer than 20 they are rough"
            ],
        ),
        (20, []),
    ],
)
def test_a_warning_ends_at_twenty_families(families: int, message: list[str]) -> None:
    """Below eight it is the reason itself."""
    assert few_families(families) == message
