"""Numbers as they are printed."""

import pytest

from eibench.core.text import interval, number


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [(-0.001, 2, "0.00"), (-0.04, 1, "0.0"), (-0.0, 2, "0.00"), (-0.006, 2, "-0.01"), (0, 0, "0")],
)
def test_zero_has_no_sign(value: float, digits: int, shown: str) -> None:
    """What rounds to zero is printed as zero; what does not keeps its sign."""
    assert number(value, digits) == shown


def test_the_ends_of_an_interval_have_no_signed_zero() -> None:
    """Neither of them."""
    assert interval((-0.001, -0.0)) == "0.00 … 0.00"
    assert interval((-1.5, 0.004)) == "-1.50 … 0.00"
