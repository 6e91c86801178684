"""The linear mixed model that `adaptive` learns from: its equations and its variances."""

import numpy as np
import pytest

from eibench import Comparison, Comparisons
from eibench.core.ratings.mixed_model import (
    Observations,
    Variances,
    equations,
    estimate_variances,
    gather,
    logit_margins,
)
from eibench.core.ratings.weighing import ItemCalls


def test_the_equations_are_those_of_the_whole_normal_model() -> None:
    """Against the covariance matrix of all items in full; slots have few or many models."""
    rng = np.random.default_rng(1)
    n, n_models = 60, 7
    pairs = np.array([rng.permutation(n_models)[:2] for _ in range(n)])
    slot = np.minimum(rng.integers(0, 12, n), 9)
    seen = Observations(
        pairs[:, 0], pairs[:, 1], slot, rng.normal(size=n), rng.integers(0, 2, n).astype(float)
    )
    variances = Variances(0.8, 0.5, tau2=0.4)
    design, luck = np.zeros((n, n_models)), np.zeros((n, n_models * 10))
    for end, sign in ((seen.i, 1.0), (seen.j, -1.0)):
        design[np.arange(n), end] += sign
        luck[np.arange(n), seen.slot * n_models + end] += sign
    inverse = np.linalg.inv(np.diag(variances.of(seen)) + variances.tau2 * luck @ luck.T)
    columns = np.column_stack([design, seen.z])
    weight = 1 / variances.of(seen)
    blocks = list(gather(seen, weight, n_models))
    made = equations(blocks, float((seen.z * weight) @ seen.z), variances.tau2, n_models)
    assert made.gram == pytest.approx(columns.T @ inverse @ columns, abs=1e-9)
    noise = float(np.log(variances.of(seen)).sum())
    assert made.log_determinant == pytest.approx(-np.linalg.slogdet(inverse)[1] - noise, abs=1e-9)


def test_a_slot_is_worked_on_in_its_own_models() -> None:
    """Slots of two and of three of many models: small blocks, with the sums of each slot."""
    seen = Observations(
        i=np.array([90, 5, 5]),
        j=np.array([7, 60, 80]),
        slot=np.array([3, 9, 9]),
        z=np.array([0.5, -1.0, 2.0]),
        both=np.zeros(3),
    )
    small, large = gather(seen, np.array([2.0, 1.0, 4.0]), 100)
    assert small.members.tolist() == [[7, 90]]
    assert small.information.tolist() == [[[2, -2], [-2, 2]]]
    assert small.score.tolist() == [[-1, 1]]
    assert large.members.tolist() == [[5, 60, 80]]
    assert large.information.tolist() == [[[5, -1, -4], [-1, 1, 0], [-4, 0, 4]]]
    assert large.score.tolist() == [[7, 1, -8]]


def test_variances_of_items_in_both_orders_are_recovered() -> None:
    """Of 3,000 items that all have both: v2 is theirs, v1 what the halves add to it."""
    rng = np.random.default_rng(4)
    n, n_models, n_slots, tau2, both, half = 3000, 20, 45, 0.5, 0.4, 0.3
    pairs = np.array([rng.permutation(n_models)[:2] for _ in range(n)])
    slot, (i, j) = rng.integers(0, n_slots, n), pairs.T
    luck = rng.normal(0, tau2**0.5, (n_slots, n_models))
    z = luck[slot, i] - luck[slot, j] + rng.normal(size=n) * both**0.5
    halves = rng.normal(0, half**0.5, n)
    found = estimate_variances(Observations(i, j, slot, z, np.ones(n)), halves, n_models)
    assert found.both == pytest.approx(both, rel=0.15)
    assert found.one == pytest.approx(both + half, rel=0.15)
    assert found.tau2 == pytest.approx(tau2, rel=0.3)


def test_calls_make_items() -> None:
    """Means and half-differences of an item with two calls, by hand."""
    rows = [
        Comparison("1", 1, "x", "y", "a", {"c": 3}),
        Comparison("1", 1, "x", "y", "b", {"c": 1}),
        Comparison("2", 1, "x", "y", "a", {"c": 5}),
    ]
    items = ItemCalls.of(Comparisons.of(rows))
    values = np.array([4.0, 2.0, 7.0])
    assert items.both.tolist() == [1, 0]
    assert items.mean(values).tolist() == [3, 7]
    assert np.abs(items.half(values)).tolist() == [1]
    # ln(8.5 / 2.5), and at the end of the scale ln(10.5 / 0.5) = ln 21
    margins = sorted(logit_margins(Comparisons.of(rows)))
    assert margins[1] == pytest.approx(1.2237754316, abs=1e-9)
    assert margins[2] == pytest.approx(3.0445224377, abs=1e-9)
