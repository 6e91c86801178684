"""Engines on tournaments of models of known ability; benchmarks/ratings.py has the full size."""

import numpy as np
import pytest

from benchmarks.simulated_rounds import Repetitions, World, play_rounds
from eibench import RatingSettings
from eibench.core.ratings import fractional_logit, glicko2, trueskill
from eibench.core.statistics.student import quantile
from eibench.plugins.kit.simulator import FAMILY_SIZES
from eibench.testing import Noise, Tournament

CALLS = 6720
T = quantile(0.975, len(FAMILY_SIZES) - 1)


@pytest.fixture(scope="module")
def world() -> World:
    """Forty models."""
    return World.draw(3)


@pytest.fixture(scope="module")
def default(world: World) -> Repetitions:
    """Rounds in both orders, by the default engine."""
    return play_rounds(glicko2.rate, world, range(12), n_calls=CALLS, orders="both")


@pytest.fixture(scope="module")
def per_call(world: World) -> Repetitions:
    """Rounds of as many calls in one order, by fractional-logit."""
    return play_rounds(fractional_logit.rate, world, range(12), n_calls=CALLS, orders="one")


def test_families_are_those_of_the_benchmark() -> None:
    """26 families in 45 scenarios."""
    assert (len(FAMILY_SIZES), sum(FAMILY_SIZES)) == (26, 45)
    assert len(Tournament([0, 1]).families) == 45
    assert len(set(Tournament([0, 1]).families.values())) == 26


def test_intervals_hold_their_expectation(default: Repetitions, per_call: Repetitions) -> None:
    """92.5 to 97 %, and standard errors are 0.90 to 1.15 of the spread."""
    for found in (default, per_call):
        assert 0.925 <= found.coverage() <= 0.97
        assert 0.90 <= found.error_ratio(T) <= 1.15


def test_the_length_term_lets_intervals_hold_the_truth(
    default: Repetitions, per_call: Repetitions
) -> None:
    """The judge likes length; only the engine with the term is not fooled."""
    assert 0.92 <= per_call.coverage_of_truth() <= 0.98
    assert default.coverage_of_truth() < 0.9


def test_the_order_of_ability_is_recovered(default: Repetitions, per_call: Repetitions) -> None:
    """Spearman: at least 0.978, in the worst round 0.94; fractional-logit is better by 0.003."""
    assert default.spearman().mean() >= 0.978 - 0.006  # twelve rounds, items weighed alike
    assert default.spearman().min() >= 0.94
    assert per_call.spearman().mean() >= max(0.985, default.spearman().mean() + 0.003)
    assert per_call.rmse() <= 0.85 * default.rmse()


def test_rank_intervals_hold_the_true_rank(per_call: Repetitions) -> None:
    """At least 95 %."""
    assert per_call.coverage_of_ranks() >= 0.95


def test_the_original_s_intervals_hold_little(world: World) -> None:
    """Why trueskill carries a warning: under 60 % of them hold their own expectation."""
    found = play_rounds(trueskill.rate, world, range(4), n_calls=CALLS, orders="both")
    assert found.coverage() < 0.6


def test_identical_models_are_rarely_told_apart() -> None:
    """At most 7 % of pairs, where each transcript meets many opponents."""
    separated = 0
    for seed in range(30):
        played = Tournament([0.0] * 8, seed=seed, log_length=[8.0] * 8, noise=Noise(length=0))
        found = glicko2.rate(played.judge(played.random_calls(700)), RatingSettings())
        separated += sum(7 - len(row.tied_with or ()) for row in found.rows) // 2
    assert separated / (30 * 28) <= 0.07


def test_a_call_has_one_outcome() -> None:
    """Whatever else is asked, in whatever order."""
    played = Tournament([0, 1, 2], seed=9, noise=Noise(unread=0))
    calls = played.random_calls(20)
    whole = {row[:5]: row for row in played.rows(calls)}
    for call in reversed(calls):
        (alone,) = played.rows([call])
        assert alone == whole[call]


def test_both_models_of_a_call_may_be_called_a() -> None:
    """Changing the two round turns the margins round."""
    played = Tournament([0, 1], seed=9, noise=Noise(unread=0))
    call = played.random_calls(1)[0]
    turned = call._replace(a=call.b, b=call.a, first="b" if call.first == "a" else "a")
    (one,), (two,) = played.rows([call]), played.rows([turned])
    assert two.margins == {criterion: -margin for criterion, margin in one.margins.items()}
    assert (two.len_a, two.len_b) == (one.len_b, one.len_a)


def test_noise_is_normal() -> None:
    """Mean 0, variance 1 and kurtosis 3 of 40,000 draws; unread replies as often as said."""
    played = Tournament([0.0] * 3, seed=1, iterations=40, noise=Noise(unread=0.1))
    drawn = played._normal("pair", np.arange(40_000))
    moments = [float((drawn**k).mean()) for k in (1, 2, 4)]
    assert moments == pytest.approx([0, 1, 3], abs=0.1)
    calls = played.random_calls(2000, orders="one")
    assert len(played.judge(calls)) / len(calls) == pytest.approx(0.9, abs=0.02)
