"""Simulated labels of people: what benchmarks/people.py prints, on fewer worlds."""

import pytest

from benchmarks.people import WORLDS, measured


@pytest.mark.parametrize("world", [w for w in WORLDS if "20 of 45, r 0.8" in w.name or w.rho == 0])
def test_intervals_hold_the_truth_and_are_as_narrow_as_the_formula_says(world: object) -> None:
    """Of 200 worlds; where the judge is worthless, no wider by more than a tenth."""
    found = measured(world, 200)  # type: ignore[arg-type]
    assert 0.91 <= found.corrected <= 0.995
    assert found.width <= (1.1 if world.rho == 0 else 1.15 * world.formula)  # type: ignore[attr-defined]
    assert found.judge < 0.05


@pytest.mark.parametrize("world", [w for w in WORLDS if w.kind == "both" and w.labelled == 8])
def test_labels_that_often_all_agree_have_intervals_that_hold(world: object) -> None:
    """Of 100 worlds; never one of width 0, though most draws of the rarest no are all yes."""
    found = measured(world, 100)  # type: ignore[arg-type]
    assert found.corrected >= 0.9 and found.labels >= 0.9
    assert (found.flat, found.none) == (0, 0)
