"""The default engine: the fixed point of a period, on cases that can be worked by hand."""

import math

import numpy as np
import pytest

from eibench import Comparison, Comparisons, RatingSettings, UsageError
from eibench.core.ratings.anchors import Q
from eibench.core.ratings.glicko2 import VARIANCE, collect, rate
from eibench.core.ratings.items import pair_orders
from eibench.core.ratings.newton import gradient, maximise
from eibench.core.ratings.period import TAU, new_volatility
from eibench.core.ratings.student import quantile
from eibench.testing import Tournament

PLAIN = RatingSettings()


def both(item: str, a: str, b: str, *margins: int, iteration: int = 1) -> list[Comparison]:
    """An item in both orders, with the same margins in each."""
    named = {f"c{i}": margin for i, margin in enumerate(margins)}
    return [Comparison(item, iteration, a, b, first, named) for first in ("a", "b")]


def test_two_models_are_where_the_stationarity_condition_says() -> None:
    """N items of score s: n (s - E) = mu / phi^2 with E = 1 / (1 + exp(-2 mu)).

    mu solved for by halving here; phi^2 = (350 / Q)^2 + 0.06^2.
    """
    rows = [row for n in range(6) for row in both(str(n), "x", "y", 3, 1)]  # D = 2, s = 0.7
    low, high = 0.0, 5.0
    for _ in range(100):
        mu = (low + high) / 2
        rest = 6 * (0.7 - 1 / (1 + math.exp(-2 * mu))) - mu / ((350 / Q) ** 2 + 0.06**2)
        low, high = (mu, high) if rest > 0 else (low, mu)
    found = rate(Comparisons.of(rows), PLAIN)
    assert found["x"].rating == pytest.approx(1500 + Q * mu, abs=1e-9)
    assert found["y"].rating == pytest.approx(1500 - Q * mu, abs=1e-9)
    assert (found["x"].rank, found["y"].rank, found["x"].comparisons) == (1, 2, 12)
    e = 1 / (1 + math.exp(-2 * mu))
    rd = Q / math.sqrt(1 / ((350 / Q) ** 2 + 0.06**2) + 6 * e * (1 - e))
    assert found["x"].rd == pytest.approx(rd, abs=1e-9)


def test_a_further_period_would_change_nothing(
    round_of: Comparisons, anchored: RatingSettings
) -> None:
    """The page's criterion is a change under one point; here it is rounding."""
    said = rate(round_of, anchored).diagnostics
    assert said["further_period"] < 1e-9
    assert said["last_step"] < 1e-9
    assert said["newton_steps"] <= 10


def test_a_model_that_wins_everything_has_a_finite_rating() -> None:
    """The prior holds it; and more wins move it up."""
    few = [row for n in range(3) for row in both(str(n), "x", "y", 5)]
    many = [row for n in range(30) for row in both(str(n), "x", "y", 5)]
    high, higher = (rate(Comparisons.of(rows), PLAIN)["x"].rating for rows in (few, many))
    assert 1500 < high < higher < 3000


def test_both_orders_are_summed_before_the_margin_is_taken() -> None:
    """(+5 +5) and (-1) of one criterion each: D = (5 - 1) / 2, not the mean of winners."""
    rows = [
        Comparison("1", 1, "x", "y", "a", {"c": 5}),
        Comparison("1", 1, "x", "y", "b", {"c": -1}),
        Comparison("2", 1, "x", "y", "a", {"c": 1, "d": 2, "e": 3}),
        Comparison("2", 1, "x", "y", "b", {"c": -4}),
    ]
    # Item 2: (1 + 2 + 3 - 4) over the four criteria that were read.
    assert pair_orders(Comparisons.of(rows)).margin.tolist() == [2.0, 0.5]


def test_an_item_waits_for_its_second_order() -> None:
    """It does not count, and that is told; the rest is as if it were not there."""
    whole = [row for n in range(4) for row in both(str(n), "x", "y", 3)]
    single = both("9", "x", "y", -5)[0]
    found = rate(Comparisons.of([*whole, single]), PLAIN)
    assert found["x"].rating == rate(Comparisons.of(whole), PLAIN)["x"].rating
    assert found.diagnostics["waiting"] == 1
    assert any("1 comparisons wait" in warning for warning in found.warnings)


def test_a_model_that_only_waits_is_not_rated() -> None:
    """It is named instead."""
    rows = [*both("1", "x", "y", 3), both("2", "x", "z", 3)[0]]
    found = rate(Comparisons.of(rows), PLAIN)
    assert [row.model for row in found.rows] == ["x", "y"]
    assert any("so z cannot be rated" in warning for warning in found.warnings)


def test_one_order_data_are_refused() -> None:
    """With the engine that takes them."""
    with pytest.raises(UsageError, match="fractional-logit"):
        rate(Comparisons.of(both("1", "x", "y", 3)[:1]), PLAIN)


def test_nothing_compared_is_no_error() -> None:
    """The first model alone has no rating."""
    found = rate(Comparisons.of([]), PLAIN)
    assert found.rows == ()
    assert "nothing is compared yet" in found.warnings[0]


def test_identical_models_are_equal_and_tied() -> None:
    """As many wins as losses in every family."""
    rows = []
    for n in range(10):
        for margin, iteration in ((2, 1), (-2, 2)):
            rows += both(str(n), "x", "y", margin, iteration=iteration)
    found = rate(Comparisons.of(rows), PLAIN)
    assert found["x"].rating == pytest.approx(found["y"].rating, abs=1e-9)
    assert (found["x"].rank, found["y"].rank) == (1, 1)
    assert found["x"].tied_with == ("y",)
    assert found.probability_above("x", "y") == pytest.approx(0.5, abs=1e-6)


def test_a_disconnected_pool_is_rated_by_component() -> None:
    """Each has its own ranks, as if the other were not there, and a warning."""
    one = [row for n in range(9) for row in both(str(n), "x", "y", 3)]
    two = [row for n in range(9) for row in both(str(n), "p", "q", -1)]
    found = rate(Comparisons.of(one + two), PLAIN)
    assert found["x"].rating == pytest.approx(rate(Comparisons.of(one), PLAIN)["x"].rating)
    assert [(row.model, row.rank) for row in found.rows] == [
        ("q", 1), ("p", 2), ("x", 1), ("y", 2),
    ]  # fmt: skip
    assert found.diagnostics["components"] == [["p", "q"], ["x", "y"]]
    assert found.probability_above("x", "p") is None
    assert any("2 groups that no comparison connects" in told for told in found.warnings)


def test_every_record_twice_changes_little(
    tournament: Tournament, anchored: RatingSettings
) -> None:
    """Clustered intervals do not believe in copies: ratings move by under 3, widths under 2 %."""
    rows = list(tournament.rows(tournament.random_calls(600)))
    copies = [row._replace(iteration=2) for row in rows]
    twice = rate(Comparisons.of(rows + copies), anchored)
    for row in rate(Comparisons.of(rows), anchored).rows:
        again = twice[row.model]
        assert abs(again.rating - row.rating) < 3
        assert row.ci95 is not None
        assert again.ci95 is not None
        width, wider = row.ci95[1] - row.ci95[0], again.ci95[1] - again.ci95[0]
        assert wider == pytest.approx(width, rel=0.02, abs=1e-9)


def test_the_jackknife_leaves_each_family_out(round_of: Comparisons) -> None:
    """A replicate is the rating of the data without that family."""
    found = rate(round_of, PLAIN)
    without = rate(round_of.only(round_of.family != 4), PLAIN)
    assert found.replicates is not None
    expected = [without[row.model].rating for row in found.rows]
    assert found.replicates[4] == pytest.approx(expected, abs=1e-8)


def test_the_interval_is_that_of_the_jackknife(
    round_of: Comparisons, anchored: RatingSettings
) -> None:
    """(S - 1) / S times the squares about the mean, with Student's t of the model's families."""
    met = dict(zip(round_of.models, round_of.families_of_models().tolist(), strict=True))
    found = rate(round_of, anchored)
    assert found.replicates is not None
    assert found.replicates.shape == (26, 12)
    centred = found.replicates - found.replicates.mean(axis=0)
    errors = np.sqrt(25 / 26 * (centred**2).sum(axis=0))
    for row, error in zip(found.rows, errors, strict=True):
        assert row.ci95 is not None
        expected = quantile(0.975, met[row.model] - 1) * error
        assert (row.ci95[1] - row.ci95[0]) / 2 == pytest.approx(expected, abs=1e-6)


def test_margins_as_weights() -> None:
    """A win is a win, and counts ceil(|D|) times: here 2 of 1 wins against 1 of 3."""
    rows = [*both("1", "x", "y", 1), *both("2", "x", "y", 1), *both("3", "x", "y", -3, -2)]
    made = Comparisons.of(rows)
    won = collect(made, pair_orders(made), "weight").table()
    assert won.tolist() == [[0, 2], [3, 0]]  # D = -2.5 counts 3 times


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e6])
def test_newton_finds_where_the_gradient_is_nothing(scale: float) -> None:
    """From far away too, and however much was played."""
    won = scale * np.array([[0.0, 9, 1], [0, 0, 9], [0, 0, 0]])
    found = maximise(won, 1 / VARIANCE, np.zeros(3, dtype=np.int64), np.array([-20.0, 5, 20]))
    assert gradient(found.mu, won, 1 / VARIANCE) == pytest.approx(0, abs=1e-11 * max(1, scale))


def test_the_volatility_is_that_of_the_games_at_the_fixed_point() -> None:
    """Glickman's v and delta of ten items, each won with 0.8, against a rating that is known."""
    rows = [row for n in range(10) for row in both(str(n), "x", "y", 3)]
    found = rate(Comparisons.of(rows), PLAIN)
    e = 1 / (1 + np.exp((found["y"].rating - found["x"].rating) / Q))
    v = 1 / (10 * e * (1 - e))
    phi, sigma, variance, delta = np.array([350 / Q, 0.06, v, v * 10 * (0.8 - e)])[:, None]
    expected = float(new_volatility(phi, sigma, variance, delta, TAU)[0])
    assert found.diagnostics["volatility"]["x"] == pytest.approx(expected, rel=1e-9)
