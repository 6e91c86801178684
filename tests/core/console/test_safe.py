"""Numbers and counts as they are printed."""

import pytest

from eibench.core.console.safe import interval, number, plural


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


@pytest.mark.parametrize(("n", "shown"), [(0, "0 calls"), (1, "1 call"), (2, "2 calls")])
def test_one_thing_is_no_plural(n: int, shown: str) -> None:
    """Only 1 is singular."""
    assert plural(n, "call") == shown


def test_families_are_many() -> None:
    """Not `familys`."""
    assert [plural(n, "family") for n in (1, 2)] == ["1 family", "2 families"]
