"""The default engine: the fixed point of a period, on cases that can be worked by hand."""

import math

import numpy as np
import pytest

from eibench import Comparison, Comparisons, RatingSettings
from eibench.core.ratings.fractional_logit import gradient, maximise
from eibench.core.ratings.glicko2 import TAU, FixedPoint, new_volatility, rate, weights_of
from eibench.core.ratings.intervals import Q
from eibench.core.statistics.student import quantile
from eibench.testing import Noise, Tournament

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


def test_an_item_in_one_order_is_a_game_and_each_of_two_orders_half_of_one() -> None:
    """Whoever was first in which: 10 items at 0.8, of which half were read once, are ten games."""
    once = [row for n in range(5) for row in both(f"once {n}", "x", "y", 3)[n % 2 : n % 2 + 1]]
    twice = [row for n in range(5) for row in both(f"twice {n}", "x", "y", 3)]
    whole = [row for n in range(10) for row in both(str(n), "x", "y", 3)]
    # One more first place for x than for y among those read once: place takes nothing, as no
    # margin depends on it.
    mixed, found = rate(Comparisons.of(once + twice), PLAIN), rate(Comparisons.of(whole), PLAIN)
    assert mixed["x"].rating == pytest.approx(found["x"].rating, abs=0.2)
    assert mixed["x"].rd == pytest.approx(found["x"].rd, rel=1e-3)


@pytest.mark.parametrize("orders", ["one", "both"])
def test_what_the_judge_likes_of_a_place_is_nobodys_strength(orders: str) -> None:
    """Equals, of whom x is first in 3 of 4 comparisons: x gains two pluses where it is first."""
    rows = []
    for n in range(40):
        pair = both(str(n), "x", "y", 2)
        chosen = pair if orders == "both" else pair[:1] if n % 4 else pair[1:]
        rows += [row._replace(margins={"c": 2 if row.first == "a" else -2}) for row in chosen]
    found = rate(Comparisons.of(rows), PLAIN)
    assert found["x"].rating == pytest.approx(found["y"].rating, abs=0.5)
    # A score of 0.7 between equals is a place worth ln(0.7 / 0.3).
    assert found.diagnostics["position"]["estimate"] == pytest.approx(math.log(7 / 3), abs=0.01)


def test_place_that_cannot_be_told_from_strength_is_left_out_and_said() -> None:
    """The better model was first in every comparison."""
    rows = [Comparison(str(n), 1, "x", "y", "a", {"c": 2}) for n in range(12)]
    found = rate(Comparisons.of(rows), PLAIN)
    assert "position" not in found.diagnostics
    assert any("what position is worth cannot be told" in message for message in found.warnings)


def test_with_both_orders_complete_anchored_ratings_are_those_without_a_term(
    tournament: Tournament, anchored: RatingSettings
) -> None:
    """The fixed point over whole items, its orders summed: the same to 4 of 1300 points."""
    noise = Noise(position=0.5, unread=0)
    played = Tournament(tournament.abilities, seed=3, noise=noise)
    made = played.judge(played.random_calls(66 * 45))  # all there are
    calls = FixedPoint(made, weights_of(made, PLAIN)).calls
    mu = maximise(calls._replace(terms=np.empty((0, len(made))), names=())).theta
    plain = 200 + 1300 * (mu - mu[1]) / (mu[10] - mu[1])
    found = rate(made, anchored)
    assert found.diagnostics["position"]["estimate"] > 0.1
    ratings = [found[model].rating for model in made.models]
    assert ratings == pytest.approx(plain.tolist(), abs=4)


def long_winded(slope: float, *, seed: int = 5) -> Comparisons:
    """Six equals of different lengths, before a judge who likes length that much."""
    noise = Noise(length=slope, position=0, unread=0)
    lengths = [8 + 0.4 * i for i in range(6)]
    played = Tournament([0.0] * 6, seed=seed, noise=noise, log_length=lengths)
    return played.judge(played.random_calls(675))


def test_two_models_are_told_apart_only_if_the_analysis_with_length_says_so_too() -> None:
    """Equals, the longest and the shortest: apart without the term, tied with it, so tied."""
    found = rate(long_winded(0.8), PLAIN)
    first, last = found["model-5"], found["model-0"]
    assert first.half_width is not None
    assert first.rating - first.half_width > last.rating
    assert "model-0" in (first.tied_with or ())
    assert "model-0" in (first.depends_on_length or ())
    assert first.depends_on_length is not None
    assert set(first.depends_on_length) <= set(first.tied_with or ())


def test_the_length_adjusted_rating_takes_the_liking_for_length_off() -> None:
    """Six equals come out more alike with the term, by far."""
    found = rate(long_winded(0.8), PLAIN)
    plain = np.array([row.rating for row in found.rows])
    adjusted = np.array([row.rating_length_adjusted for row in found.rows], dtype=np.float64)
    assert adjusted.std() < plain.std() / 2
    assert all(row.ci95_length_adjusted is not None for row in found.rows)
    length = found.diagnostics["length"]
    assert length["estimate"] > 2 * length["standard_error"]


def test_without_lengths_there_is_no_length_adjusted_rating_and_that_is_said() -> None:
    """All null, a warning, and ties as they are."""
    rows = [row for n in range(12) for row in both(str(n), "x", "y", 3, -1)]
    found = rate(Comparisons.of(rows), PLAIN)
    assert found["x"].rating_length_adjusted is None
    assert found["x"].depends_on_length is None
    assert found.diagnostics["length"] is None
    assert any("what the judge likes of length was not looked at" in w for w in found.warnings)


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
    assert found.probability_above("x", "y") is None


def test_a_judge_that_says_always_the_same_makes_no_interval() -> None:
    """Draws everywhere: nothing says what other items would give, and a warning says so."""
    rows = [row for n in range(10) for row in both(str(n), "x", "y", 0)]
    found = rate(Comparisons.of(rows), PLAIN)
    assert [row.rating for row in found.rows] == pytest.approx([1500, 1500])
    assert [(row.ci95, row.tied_with) for row in found.rows] == [(None, ("y",)), (None, ("x",))]
    assert any(m.startswith("no interval for x, y: every item says the") for m in found.warnings)


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
    assert found.half_width_between("x", "p") is None
    assert any("2 groups that no comparison connects" in message for message in found.warnings)


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
        if row.half_width is None:  # an anchor
            assert again.half_width is None
        else:
            assert again.half_width == pytest.approx(row.half_width, rel=0.02)


def test_the_jackknife_leaves_each_family_out(round_of: Comparisons) -> None:
    """A replicate is the rating without that family, by one step, at the weights of the whole."""
    found = rate(round_of, PLAIN)
    without = rate(round_of.only(round_of.family != 4), PLAIN)
    assert found.replicates is not None
    expected = [without[row.model].rating for row in found.rows]
    assert found.replicates[4] == pytest.approx(expected, abs=0.5)


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
        expected = quantile(0.975, met[row.model] - 1) * error
        assert (row.half_width or 0) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e6])
def test_newton_finds_where_the_gradient_is_nothing(scale: float) -> None:
    """However much was played."""
    rows = [row for n in range(3) for row in both(str(n), "xyz"[n], "yzx"[n], 4)]
    calls = FixedPoint(Comparisons.of(rows), np.full(len(rows), scale)).calls
    found = maximise(calls)
    slope = gradient(np.append(found.theta, found.beta), found.expected, calls, calls.prior)
    assert slope == pytest.approx(0, abs=1e-11 * max(1, scale))


def test_the_volatility_is_that_of_the_games_at_the_fixed_point() -> None:
    """Glickman's v and delta of ten items, each won with 0.8, against a rating that is known."""
    rows = [row for n in range(10) for row in both(str(n), "x", "y", 3)]
    found = rate(Comparisons.of(rows), PLAIN)
    e = 1 / (1 + np.exp((found["y"].rating - found["x"].rating) / Q))
    v = 1 / (10 * e * (1 - e))
    phi, sigma, variance, delta = np.array([350 / Q, 0.06, v, v * 10 * (0.8 - e)])[:, None]
    expected = float(new_volatility(phi, sigma, variance, delta, TAU)[0])
    assert found.diagnostics["volatility"]["x"] == pytest.approx(expected, rel=1e-9)
