"""The engine with a likelihood per call."""

from dataclasses import replace

import numpy as np
import pytest

from eibench import Comparison, Comparisons, RatingSettings
from eibench.core.ratings.fractional_logit import PRECISION, RIDGE, as_calls, maximise, rate
from eibench.core.ratings.intervals import Q
from eibench.core.statistics.student import quantile
from eibench.testing import Noise, Tournament

PLAIN = RatingSettings()


def one_order(tournament: Tournament, n_items: int = 800) -> Comparisons:
    """A random round with one call on each item."""
    return tournament.judge(tournament.random_calls(n_items, orders="one"))


def log_posterior(theta: np.ndarray, beta: np.ndarray, rows: Comparisons) -> float:
    """The objective written out row by row, as docs/ratings.md has it."""
    total = -PRECISION / 2 * float(theta @ theta) - RIDGE / 2 * float(beta @ beta)
    for i in range(len(rows)):
        f, s = (rows.a[i], rows.b[i]) if rows.a_first[i] else (rows.b[i], rows.a[i])
        sign = 1 if rows.a_first[i] else -1
        longer = sign * (np.log(rows.len_a[i]) - np.log(rows.len_b[i]))
        y = 0.5 + sign * rows.margin[i] / rows.criteria[i] / 10
        e = 1 / (1 + np.exp(-(theta[f] - theta[s] + beta[0] + beta[1] * longer)))
        total += y * np.log(e) + (1 - y) * np.log(1 - e)
    return float(total)


def test_the_maximum_is_one(tournament: Tournament) -> None:
    """No step along any unknown raises the objective; the slope there is nothing."""
    rows = one_order(tournament, 150)
    calls, _ = as_calls(rows)
    assert calls.names == ("position", "length")
    fit = maximise(calls)
    best = log_posterior(fit.theta, fit.beta, rows)
    place = np.append(fit.theta, fit.beta)
    for unknown in range(len(place)):
        up, down = place.copy(), place.copy()
        up[unknown] += 1e-4
        down[unknown] -= 1e-4
        there = [log_posterior(p[:12], p[12:], rows) for p in (up, down)]
        assert max(there) < best
        assert (there[0] - there[1]) / 2e-4 == pytest.approx(0, abs=1e-5)


def test_one_order_is_enough(tournament: Tournament, anchored: RatingSettings) -> None:
    """The order of ability is recovered, and position is seen for what it is."""
    found = rate(one_order(tournament, 1500), anchored)
    ratings = [found[model].rating for model in tournament.models]
    assert np.corrcoef(np.argsort(np.argsort(ratings)), np.arange(12))[0, 1] > 0.95
    position, length = found.diagnostics["position"], found.diagnostics["length"]
    assert position["estimate"] > 5 * position["standard_error"]
    assert length["estimate"] > 3 * length["standard_error"]


def test_swapping_all_orders_turns_the_position_round(
    round_of: Comparisons, anchored: RatingSettings
) -> None:
    """Pi becomes -pi; ratings and intervals stay."""
    one = rate(round_of, anchored)
    two = rate(replace(round_of, a_first=~round_of.a_first), anchored)
    before, after = (found.diagnostics["position"]["estimate"] for found in (one, two))
    assert after == pytest.approx(-before, abs=1e-9)
    for row in one.rows:
        assert two[row.model].rating == pytest.approx(row.rating, abs=1e-9)
        assert two[row.model].ci95 == pytest.approx(row.ci95, abs=1e-8)


def test_being_first_is_not_told_from_being_better_when_they_go_together() -> None:
    """Then there is no position term, and a word on it."""
    rows = [Comparison(str(n), 1, "x", "y", "a", {"c": 3}) for n in range(10)]
    found = rate(Comparisons.of(rows), PLAIN)
    assert "position" not in found.diagnostics
    assert "what position is worth cannot be told from strength here: left out" in found.warnings
    assert found["x"].rating > 1550


def test_the_deviation_is_about_the_mean_of_those_that_are_connected() -> None:
    """Ten ties of two models: of half their difference, 1 / (2 (prior + 2 * 10 / 4))."""
    rows = [Comparison(str(n), 1, "x", "y", "a", {"c": 1, "d": -1}) for n in range(10)]
    found = rate(Comparisons.of(rows), PLAIN)
    assert found["x"].rd == pytest.approx(Q / (2 * (PRECISION + 5)) ** 0.5)


def test_length_is_not_told_from_strength_when_each_model_has_one_length() -> None:
    """Two models with the same lengths in every transcript."""
    rows = [
        Comparison(str(n), 1, "x", "y", "ab"[n % 2], {"c": 3}, len_a=900, len_b=300)  # type: ignore[arg-type]
        for n in range(10)
    ]
    found = rate(Comparisons.of(rows), PLAIN)
    assert "length" not in found.diagnostics
    assert any("what length is worth cannot be told" in message for message in found.warnings)


@pytest.mark.parametrize("missing", [[("len_a", 3)], [("len_a", n) for n in range(10)],
                                     [("len_b", n) for n in range(10)]])  # fmt: skip
def test_without_all_lengths_there_is_no_length_term(missing: list[tuple[str, int]]) -> None:
    """One that is missing is told; so are all of one model's, whichever it is."""
    rows = [
        Comparison(str(n), 1, "x", "y", "ab"[n % 2], {"c": 3}, len_a=900 + n, len_b=300)  # type: ignore[arg-type]
        for n in range(10)
    ]
    for name, n in missing:
        rows[n] = rows[n]._replace(**{name: None})  # type: ignore[arg-type]
    found = rate(Comparisons.of(rows), PLAIN)
    assert "length" not in found.diagnostics
    assert "some comparisons have no lengths, so there is no length term" in found.warnings


def test_the_length_term_takes_length_bias_away() -> None:
    """Ratings by a judge that loves length: nearer to the truth with the term than without."""
    world = Tournament(
        np.linspace(-1, 1, 10).tolist(),
        seed=5,
        noise=Noise(length=1.5),
        log_length=[8 + 0.5 * (i % 3) for i in range(10)],
    )
    rows = world.judge(world.random_calls(900))
    found = rate(rows, PLAIN)
    truth = np.asarray(world.abilities)
    with_term = np.array([found[m].rating for m in world.models])
    without = np.array([found.diagnostics["without_length"][m] for m in world.models])
    assert np.corrcoef(with_term, truth)[0, 1] > np.corrcoef(without, truth)[0, 1] + 0.05


def test_one_step_agrees_with_leaving_families_out(
    round_of: Comparisons, anchored: RatingSettings
) -> None:
    """Half-widths within 5 % of refits without each family, anchors, weights of items and all."""
    met = dict(zip(round_of.models, round_of.families_of_models().tolist(), strict=True))
    found = rate(round_of, anchored)
    whole, replicates = [row.model for row in found.rows], []
    for family in range(26):
        left = rate(round_of.only(round_of.family != family), anchored)
        replicates.append([left[model].rating for model in whole])
    centred = np.array(replicates) - np.mean(replicates, axis=0)
    errors = np.sqrt(25 / 26 * (centred**2).sum(axis=0))
    for row, error in zip(found.rows, errors, strict=True):
        expected = quantile(0.975, met[row.model] - 1) * error
        assert (row.half_width or 0) == pytest.approx(expected, rel=0.05, abs=1e-6)
