"""Where a placement begins to look, by the scores of the models that are there."""

import numpy as np
import pytest

from eibench.core.matchmaking.prior import guess

LADDER = {f"m{n}": 0.3 * n for n in range(12)}
SPREAD = float(np.std([0.3 * n for n in range(12)], ddof=1))
USUAL = pytest.approx((1.65, 1.5 * SPREAD))


def scores(noise: float) -> dict[str, float]:
    """Of the ladder's models, two points a unit, and of the new one that of a strength of 2."""
    rng = np.random.default_rng(5)
    drawn = rng.normal(0, noise, len(LADDER))
    found = {name: 40 + 2 * s + e for (name, s), e in zip(LADDER.items(), drawn, strict=True)}
    return found | {"new": 44.0}


def test_a_score_that_goes_with_strength_says_where_to_look() -> None:
    """At the strength that goes with it, as surely as the line fits."""
    found = guess(LADDER, scores(0.4), "new")
    assert found is not None
    assert found.mean == pytest.approx(2.0, abs=0.2)
    assert 0.1 < found.deviation < 0.4


def test_the_deviation_is_the_error_of_a_prediction() -> None:
    """By the textbook's formula, with numpy's own fit."""
    given = scores(0.4)
    x, y = np.array([given[name] for name in LADDER]), np.array(list(LADDER.values()))
    slope, start = np.polyfit(x, y, 1)
    rest = y - start - slope * x
    error = rest @ rest / 10 * (1 + 1 / 12 + (44 - x.mean()) ** 2 / ((x - x.mean()) ** 2).sum())
    assert guess(LADDER, given, "new") == pytest.approx((start + slope * 44, error**0.5))


def test_scores_that_say_nothing_leave_a_model_like_the_others() -> None:
    """The ladder's mean, and one and a half of its standard deviations."""
    assert guess(LADDER, {}, "new") == USUAL
    assert (
        guess(LADDER, {name: s for name, s in scores(0.4).items() if name != "new"}, "new") == USUAL
    )
    assert guess(LADDER, dict.fromkeys([*LADDER, "new"], 5.0), "new") == USUAL
    few = {name: scores(0.4)[name] for name in ("m0", "m3", "m9", "new")}
    assert guess(LADDER, few, "new") == USUAL


def test_a_perfect_fit_is_not_taken_for_certainty() -> None:
    """The guess keeps a part of the ladder's spread."""
    found = guess(LADDER, scores(0.0), "new")
    assert found is not None
    assert found.deviation == pytest.approx(SPREAD / 12)


def test_nothing_is_guessed_without_two_models() -> None:
    """There is no scale to guess on."""
    assert guess({"m0": 1.0}, {"m0": 3.0, "new": 4.0}, "new") is None
