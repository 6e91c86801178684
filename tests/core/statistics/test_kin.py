"""What judges give their kin: by hand, and of simulated panels."""

import numpy as np
import pytest

from eibench.core.statistics.bootstrap import Floats
from eibench.core.statistics.kin import (
    Bools,
    Scales,
    liking_for_kin,
    scales_from_items,
    scales_from_models,
)


def kin(models: int, judges: int = 3, each: int = 3) -> Bools:
    """The first models are the first judge's family, the next the second's, and so on."""
    return np.asarray(np.arange(models)[:, None] // each == np.arange(judges))


def test_two_judges_by_hand() -> None:
    """Differences of the two: 5 of the first's kin, 1 of the second's, 2, 3, 4 of nobody's.

    So the first gives its kin 5 - 3 = 2 and the second 3 - 1 = 2; what is left, -1, 0 and 1, has
    variance 2 / 2 with 2 degrees of freedom, and of a difference from the mean of three 1 + 1/3:
    2 plus or minus 4.302653 * 1.154701. Against a neutral other it would be 5 - 10/4 = 2.5.
    """
    table = np.array([[5.0, 1, 2, 3, 4], np.zeros(5)]).T + np.arange(5)[:, None] ** 2
    for judge in (0, 1):
        found = liking_for_kin(table, kin(5, 2, 1), judge)
        assert found.value == pytest.approx(2)
        assert found.ci95 == pytest.approx((2 - 4.968275, 2 + 4.968275), abs=1e-6)


def test_likings_of_all_judges_are_parted() -> None:
    """Strengths, strictness and three likings without any error come back as they were."""
    own, likings = kin(10), np.array([1.0, 2.0, -0.5])
    table = np.arange(10)[:, None] ** 1.5 + np.array([0.0, -1.0, 3.0]) + own * likings
    found = [liking_for_kin(table, own, judge).value for judge in range(3)]
    assert found == pytest.approx([1, 2, -0.5])


def test_a_judge_on_twice_the_scale_is_no_liker() -> None:
    """Its kin are the best by one point, which it writes as two; its liking is in its points."""
    own = kin(9, 2)
    truth = np.repeat([3.0, 2.0, 2.0], 3)[:, None]
    table = truth * np.array([2.0, 1.0]) + np.array([0.8, 0.0]) * own
    alike = liking_for_kin(table, own, 0)
    scales = Scales(np.array([4 / 3, 2 / 3]), np.array([[4 / 3, 2 / 3]] * 8))
    assert alike.value == pytest.approx(1.8)
    assert liking_for_kin(table, own, 0, scales).value == pytest.approx(0.8)


def verdicts(spans: Floats, own: Bools) -> Floats:
    """Of each model on 9 items, without error: strength and ease, by spans, and a liking of 5."""
    seen = np.arange(len(own))[:, None, None] + np.sin(np.arange(9))[None, :, None]
    return np.asarray(seen * spans + 5.0 * own[:, None, :])


def test_items_tell_how_widely_judges_use_the_scale() -> None:
    """Whatever they like."""
    spans, own = np.array([1.6, 1.0, 0.4]), kin(9)
    given = verdicts(spans, own).reshape(-1, 3)
    models, items = np.repeat(np.arange(9), 9), np.tile(np.arange(9), 9)
    found = scales_from_items(given, models, items)
    assert found is not None
    assert found.values == pytest.approx(spans)
    assert scales_from_items(given, models, np.zeros(81)) is None


def test_without_items_models_of_the_same_kin_tell_it() -> None:
    """Also whatever they like; where no two models have the same kin, nothing is told."""
    spans, own = np.array([1.6, 1.0, 0.4]), kin(9)
    found = scales_from_models(verdicts(spans, own).mean(axis=1), own)
    assert found is not None
    assert found.values == pytest.approx(spans)
    assert scales_from_models(np.eye(4, 3), kin(4, 3, 1)) is None


@pytest.mark.parametrize(
    ("own", "why"),
    [
        (np.zeros((6, 2), dtype=bool), "no model is of its family"),
        (np.ones((6, 2), dtype=bool), "not identified: needs models that are kin of no judge"),
        (kin(6, 2), "not identified: needs models that are kin of no judge"),
        (kin(3, 2, 1), "not identified: needs more models of other families"),
    ],
)
def test_what_is_not_identified_has_no_value(own: Bools, why: str) -> None:
    """With what is needed: two judges of whom each model is one's kin differ by one number."""
    found = liking_for_kin(np.random.default_rng(1).normal(size=own.shape), own, 0)
    assert (found.value, found.ci95, found.reason) == (None, None, why)


def test_three_judges_need_no_model_of_nobody() -> None:
    """Each family is seen by two judges who are no kin of it."""
    table = np.arange(9)[:, None] + kin(9) * np.array([1.0, 1.0, 1.0])
    assert liking_for_kin(table, kin(9), 0).value == pytest.approx(1)


@pytest.mark.parametrize("likings", [(0.0, 1.0, 1.0), (1.0, 1.0, 1.0), (0.0, 0.0, 0.0)])
@pytest.mark.parametrize("tastes", [(0.3, 0.3, 0.3), (0.9, 0.3, 0.3), (0.1, 0.5, 0.5)])
def test_intervals_hold_what_is_planted(
    likings: tuple[float, ...], tastes: tuple[float, ...]
) -> None:
    """In about 95 % of 300 panels, whatever the others like and whoever has tastes of its own."""
    rng, held = np.random.default_rng(1), 0
    for _ in range(300):
        table = rng.normal(5, 1, (12, 1)) + rng.normal(0, 0.5, 3) + rng.normal(0, tastes, (12, 3))
        found = liking_for_kin(table + kin(12) * np.array(likings), kin(12), 0)
        assert found.ci95 is not None
        held += found.ci95[0] <= likings[0] <= found.ci95[1]
    assert 0.92 <= held / 300 <= 0.98
