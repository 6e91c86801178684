"""One period of Glicko-2: Glickman's own numbers, and the package `glicko2` where it is right."""

import math

import glicko2  # type: ignore[import-untyped]  # it has no types
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.ratings.one_period import Glicko, new_models, one_period

Games = tuple[list[float], list[float], list[tuple[int, int, float]]]


def glicko(ratings: list[float], deviations: list[float]) -> Glicko:
    """Models with the usual volatility."""
    return Glicko(np.array(ratings), np.array(deviations), np.full(len(ratings), 0.06))


def play(before: Glicko, games: list[tuple[int, int, float]], *, tau: float = 0.5) -> Glicko:
    """A period of (model, opponent, score)."""
    a, b, score = (np.array(column) for column in zip(*games, strict=True))
    return one_period(before, a, b, score, tau=tau)


def test_glickman_s_example() -> None:
    """Glickman (2013), Example of the Glicko-2 system, page 4: 1464.06, 151.52, 0.05999."""
    before = glicko([1500, 1400, 1550, 1700], [200, 30, 100, 300])
    after = play(before, [(0, 1, 1.0), (0, 2, 0.0), (0, 3, 0.0)])
    assert after.rating[0] == pytest.approx(1464.06, abs=0.01)
    assert after.deviation[0] == pytest.approx(151.52, abs=0.01)
    assert after.volatility[0] == pytest.approx(0.05999, abs=1e-5)


@st.composite
def periods(draw: st.DrawFn) -> Games:
    """Some models, and games between them."""
    n = draw(st.integers(2, 6))
    ratings = draw(st.lists(st.floats(500, 2500), min_size=n, max_size=n))
    deviations = draw(st.lists(st.floats(30, 350), min_size=n, max_size=n))
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] != p[1])
    games = draw(st.lists(st.tuples(pair, st.floats(0, 1)), min_size=1, max_size=12))
    return ratings, deviations, [(a, b, score) for (a, b), score in games]


@given(periods())
@settings(max_examples=60, deadline=None)
def test_ratings_and_deviations_are_those_of_the_package(period: Games) -> None:
    """PyPI glicko2 2.1.0 with a volatility that cannot move (tau next to nothing)."""
    ratings, deviations, games = period
    after = play(glicko(ratings, deviations), games, tau=1e-4)
    for model, (rating, deviation) in enumerate(zip(ratings, deviations, strict=True)):
        met = [(b, s) for a, b, s in games if a == model]
        met += [(a, 1 - s) for a, b, s in games if b == model]
        player = glicko2.Player(rating, deviation, 0.06)
        player._tau = 1e-4
        if met:
            opponents, scores = zip(*met, strict=True)
            player.update_player(
                [ratings[j] for j in opponents], [deviations[j] for j in opponents], list(scores)
            )
        else:
            player.did_not_compete()
        assert after.rating[model] == pytest.approx(player.rating, abs=1e-6)
        assert after.deviation[model] == pytest.approx(player.rd, abs=1e-6)


def f(volatility: float, phi: float, v: float, delta: float) -> float:
    """Glickman's f of step 5, with the deviation, at x = ln volatility^2; 0 at the solution."""
    power = volatility**2
    top = power * (delta**2 - phi**2 - v - power)
    return top / (2 * (phi**2 + v + power) ** 2) - math.log(power / 0.06**2) / 0.5**2


@pytest.mark.parametrize(
    ("rating", "package", "glickman"), [(2200.0, 0.06021, 0.06195), (1500.0, 0.06074, 0.06042)]
)
def test_the_volatility_is_glickman_s_and_not_the_package_s(
    rating: float, package: float, glickman: float
) -> None:
    """The package's f has the rating where Glickman's has the deviation.

    Twelve losses of a model with RD 60 to opponents of 1400 with RD 50; numbers by solving f
    by hand in either form.
    """
    games = [(0, j, 0.0) for j in range(1, 13)]
    after = play(glicko([rating, *[1400.0] * 12], [60.0, *[50.0] * 12]), games)
    player = glicko2.Player(rating, 60, 0.06)
    player.update_player([1400] * 12, [50] * 12, [0] * 12)
    assert player.vol == pytest.approx(package, abs=1e-5)
    assert after.volatility[0] == pytest.approx(glickman, abs=1e-5)
    g = 1 / math.sqrt(1 + 3 * (50 / 173.7178 / math.pi) ** 2)
    e = 1 / (1 + math.exp(-g * (rating - 1400) / 173.7178))
    v = 1 / (12 * g * g * e * (1 - e))
    solved = (60 / 173.7178, v, v * 12 * g * -e)
    assert f(float(after.volatility[0]), *solved) == pytest.approx(0, abs=1e-4)
    assert abs(f(player.vol, *solved)) > 0.03


@given(periods(), st.floats(-2000, 2000))
@settings(max_examples=60, deadline=None)
def test_a_shift_of_all_ratings_changes_nothing_else(period: Games, shift: float) -> None:
    """Volatility too depends on differences alone."""
    ratings, deviations, games = period
    before = glicko(ratings, deviations)
    after = play(before, games)
    moved = play(before._replace(rating=before.rating + shift), games)
    assert moved.rating - shift == pytest.approx(after.rating, abs=1e-9)
    assert moved.deviation == pytest.approx(after.deviation, abs=1e-9)
    assert moved.volatility == pytest.approx(after.volatility, abs=1e-9)


def test_a_model_without_games_becomes_less_certain() -> None:
    """Step 6: phi grows by the volatility, the rest stays."""
    after = play(new_models(3), [(0, 1, 1.0)])
    assert (after.rating[2], after.volatility[2]) == (1500, 0.06)
    assert after.deviation[2] == pytest.approx(math.hypot(350, 0.06 * 173.7178))
