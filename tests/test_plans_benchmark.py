"""`benchmarks.plans`: that what is asked and spent lies within the plan, on a few matrices."""

import pytest

from benchmarks.plans import Made, Matrix, Outcome, measure

PLAN = {"models": (4, 4), "judges": (2, 6), "comparisons": (0, 4), "dollars": (1.0, 2.0)}


@pytest.mark.parametrize("seed", [42, 48])
def test_what_is_made_lies_within_the_plan(seed: int) -> None:
    """Calls to models and judges, comparisons and dollars of a drawn matrix."""
    outcome = measure(seed)
    assert outcome.made.comparisons or seed == 48
    assert (outcome.excess, outcome.lack) == ({}, {})


def test_what_does_not_is_named() -> None:
    """With the share by which it is off."""
    outcome = Outcome(1, Matrix((), ()), PLAN, Made(4, 9, 4, 0.5))
    assert (outcome.excess, outcome.lack) == ({"judges": 0.5}, {"dollars": 0.5})
