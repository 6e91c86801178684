"""When an estimate is none, not shown, weak, strong or not tested."""

import pytest

from eibench.core.ratings.auditing.estimates import AuditEstimate
from eibench.core.ratings.auditing.grades import (
    EffectSizes,
    furthest,
    grade_count,
    grade_leaning,
    grade_share,
    needed,
)

LIMITS = EffectSizes(slight=2, strong=10)


@pytest.mark.parametrize(
    ("value", "ci95", "grade"),
    [
        (1, (0.5, 2), "none"),  # surely there, and surely slight
        (0, (-2, 2), "none"),  # equivalent: no room for more than slight
        (0, (-2.1, 1.9), "not shown"),  # not significant, but up to more than slight
        (4, (-1, 9), "not shown"),
        (-4, (-9, 1), "not shown"),
        (0, (-10, 10), "not tested"),  # anything from strong to strong
        (12, (-1, 25), "not tested"),
        (4, (1, 7), "weak"),
        (9, (5, 13), "weak"),
        (10, (7, 13), "strong"),
        (-10, (-13, -7), "strong"),
        (30, None, "not tested"),
        (None, None, "not tested"),
    ],
)
def test_a_leaning_is_graded_by_its_interval(
    value: float | None, ci95: tuple[float, float] | None, grade: str
) -> None:
    """The same on either side, and round any fair value."""
    assert grade_leaning(AuditEstimate(value, ci95), 0, LIMITS) == grade
    if value is not None:
        ends = None if ci95 is None else (ci95[0] + 50, ci95[1] + 50)
        assert grade_leaning(AuditEstimate(value + 50, ends), 50, LIMITS) == grade


@pytest.mark.parametrize(
    ("value", "ci95", "grade"),
    [
        (1, (0, 2), "none"),
        (1, (0, 9), "not shown"),
        (1, (0, 10), "not tested"),
        (5, (1, 11), "not tested"),
        (5, (1, 9), "not shown"),  # may be slight still
        (5, (3, 12), "weak"),
        (10, (3, 20), "strong"),
        (10, None, "not tested"),
    ],
)
def test_a_share_is_graded_by_its_interval(
    value: float, ci95: tuple[float, float] | None, grade: str
) -> None:
    """The less the better."""
    assert grade_share(AuditEstimate(value, ci95), LIMITS) == grade


@pytest.mark.parametrize(
    ("value", "grade"),
    [(0, "none"), (1.9, "none"), (2, "weak"), (9.9, "weak"), (10, "strong"), (None, "not tested")],
)
def test_a_share_of_all_there_is_needs_no_interval(value: float | None, grade: str) -> None:
    """It is no sample of anything."""
    assert grade_count(AuditEstimate(value, (0, 100)), LIMITS) == grade


def test_how_far_off_an_interval_lets_a_number_be() -> None:
    """On the side where it is further."""
    assert furthest(AuditEstimate(0.5, (0.46, 0.51)), 0.5) == pytest.approx(0.04)
    assert furthest(AuditEstimate(1, (-1, 3))) == 3


def test_a_quarter_of_the_width_takes_sixteen_times_the_data() -> None:
    """Widths go with the square root; and never fewer than one more than there are."""
    assert needed(AuditEstimate(0, (-8, 8), n=100), 2) == 1600
    assert needed(AuditEstimate(0, (-8, 8), n=100), 20) == 101
