"""The engine of the linear mixed model."""

from dataclasses import replace

import numpy as np
import pytest

from eibench import Comparison, Comparisons, RatingSettings
from eibench.core.matchmaking.calls import FIRST
from eibench.core.ratings import mixed
from eibench.core.ratings.mixed_model import (
    Halves,
    Observations,
    Variances,
    estimate_variances,
    gather,
    logit_margins,
)
from eibench.core.ratings.weighing import ItemCalls
from eibench.core.ratings.with_terms import PRECISION, RIDGE
from eibench.core.statistics.student import quantile
from eibench.testing import Noise, Tournament

PLAIN = RatingSettings()
TIE = {"c": 1, "d": -1}


def one_order(tournament: Tournament, n_items: int = 800) -> Comparisons:
    """A random round with one call on each item."""
    return tournament.judge(tournament.random_calls(n_items, orders="one"))


def whole_regression(rows: Comparisons, variances: Variances) -> tuple[np.ndarray, np.ndarray]:
    """The model written out call by call, its covariance matrix in full: mean and covariance.

    Two calls on one item share its part of the noise, calls on one slot share lucks.
    """
    n, m = len(rows), len(rows.models)
    sign = np.where(rows.a_first, 1.0, -1.0)
    design = np.zeros((n, m + 2))
    design[np.arange(n), rows.a] += 1
    design[np.arange(n), rows.b] -= 1
    design[:, m], design[:, m + 1] = sign, np.log(rows.len_a / rows.len_b)
    luck = np.zeros((n, m * len(rows.items)))
    luck[np.arange(n), rows.item * m + rows.a] += 1
    luck[np.arange(n), rows.item * m + rows.b] -= 1
    same = (rows.a[:, None] == rows.a) & (rows.b[:, None] == rows.b)
    same &= rows.item[:, None] == rows.item
    # Of one call v1; of the mean of two v2 = (v1 + shared) / 2.
    shared = 2 * variances.both - variances.one
    noise = np.where(same, shared, 0.0)
    noise[np.diag_indices(n)] = variances.one
    weight = np.linalg.inv(noise + variances.tau2 * luck @ luck.T)
    prior = np.diag(np.append(np.full(m, PRECISION), [RIDGE, RIDGE]))
    covariance = np.linalg.inv(design.T @ weight @ design + prior)
    return covariance @ design.T @ weight @ logit_margins(rows), covariance


@pytest.mark.parametrize("orders", ["one", "both"])
def test_the_estimate_is_that_of_the_whole_normal_model(
    tournament: Tournament, orders: str
) -> None:
    """Against one large regression over calls; some items of both have one call alone."""
    rows = tournament.judge(tournament.random_calls(150, orders=orders))  # type: ignore[arg-type]
    data, _ = mixed.as_data(rows)
    assert data.names == ("position", "length")
    fit = mixed.solve(data, len(rows.families))
    mean, covariance = whole_regression(rows, fit.variances)
    assert fit.place == pytest.approx(mean, abs=1e-9)
    assert fit.covariance == pytest.approx(covariance, abs=1e-9)


def test_a_replicate_is_the_estimate_without_the_family(round_of: Comparisons) -> None:
    """At the variances of the whole: the same as the whole regression without its calls."""
    rows = round_of.only(np.arange(0, len(round_of), 3))
    data, _ = mixed.as_data(rows)
    fit = mixed.solve(data, len(rows.families))
    for family in (0, 7, 25):
        mean, _ = whole_regression(rows.only(rows.family != family), fit.variances)
        assert fit.replicates[family] == pytest.approx(mean, abs=1e-8)


def test_intervals_agree_with_leaving_families_out(
    round_of: Comparisons, anchored: RatingSettings
) -> None:
    """Half-widths within 10 % of those by rating anew, variances and all, without each."""
    met = dict(zip(round_of.models, round_of.families_of_models().tolist(), strict=True))
    found = mixed.rate(round_of, anchored)
    whole, replicates = [row.model for row in found.rows], []
    for family in range(26):
        left = mixed.rate(round_of.only(round_of.family != family), anchored)
        replicates.append([left[model].rating for model in whole])
    centred = np.array(replicates) - np.mean(replicates, axis=0)
    errors = np.sqrt(25 / 26 * (centred**2).sum(axis=0))
    for row, error in zip(found.rows, errors, strict=True):
        expected = quantile(0.975, met[row.model] - 1) * error
        assert row.half_width == pytest.approx(expected, rel=0.1, abs=1e-9)


def test_one_order_is_enough(tournament: Tournament, anchored: RatingSettings) -> None:
    """The order of ability is recovered, and leanings are seen for what they are."""
    found = mixed.rate(one_order(tournament, 1500), anchored)
    ratings = [found[model].rating for model in tournament.models]
    assert np.corrcoef(np.argsort(np.argsort(ratings)), np.arange(12))[0, 1] > 0.95
    for name in ("position", "length"):
        term = found.diagnostics[name]
        assert term["estimate"] > 3 * term["standard_error"]


def test_swapping_all_orders_turns_the_position_round(
    round_of: Comparisons, anchored: RatingSettings
) -> None:
    """The term changes its sign; ratings and intervals stay."""
    one = mixed.rate(round_of, anchored)
    two = mixed.rate(replace(round_of, a_first=~round_of.a_first), anchored)
    before, after = (found.diagnostics["position"]["estimate"] for found in (one, two))
    assert before > 0
    assert after == pytest.approx(-before, abs=1e-9)
    for row in one.rows:
        assert two[row.model].rating == pytest.approx(row.rating, abs=1e-8)
        assert two[row.model].ci95 == pytest.approx(row.ci95, abs=1e-8)


def test_the_more_luck_there_is_the_less_one_transcript_counts() -> None:
    """A model wins one scenario against all and ties elsewhere: its lead falls with tau2."""
    rows = [
        Comparison(f"{s:02}", 1, "x", f"m{k}", FIRST[(s + k) % 2], {"c": 5} if s == 0 else TIE)
        for s in range(12)
        for k in range(8)
        if s == 0 or k == s % 8
    ]
    data, _ = mixed.as_data(Comparisons.of(rows))
    leads = [_lead(data, Variances(0.2, 0.1, tau2)) for tau2 in (1e-9, 0.05, 0.2, 1.0)]
    assert leads == sorted(leads, reverse=True)
    assert len(set(leads)) == 4
    assert leads[-1] > 0


def _lead(data: mixed.Data, variances: Variances) -> float:
    """How far the last model is above the mean of the others."""
    n = len(data.component)
    gram = np.sum([mixed.part_of(data, family, variances) for family in range(12)], axis=0)
    prior = np.append(np.full(n, PRECISION), np.full(len(data.names), RIDGE))
    place = np.linalg.solve(gram[:-1, :-1] + np.diag(prior), gram[:-1, -1])
    return float(place[n - 1] - place[: n - 1].mean())


def test_being_first_is_not_told_from_being_better_when_they_go_together() -> None:
    """Then there is no position term, and a word on it."""
    rows = [Comparison(str(n), 1, "x", "y", "a", {"c": 3}) for n in range(10)]
    found = mixed.rate(Comparisons.of(rows), PLAIN)
    assert "position" not in found.diagnostics
    assert "what position is worth cannot be told from strength here: left out" in found.warnings
    assert found["x"].rating > 1550


def test_the_length_term_takes_length_bias_away() -> None:
    """Ratings by a judge that loves length: nearer to the truth with the term than without."""
    world = Tournament(
        np.linspace(-1, 1, 10).tolist(),
        seed=5,
        noise=Noise(length=1.5),
        log_length=[8 + 0.5 * (i % 3) for i in range(10)],
    )
    found = mixed.rate(world.judge(world.random_calls(900)), PLAIN)
    truth = np.asarray(world.abilities)
    with_term = np.array([found[m].rating for m in world.models])
    without = np.array([found.diagnostics["without_length"][m] for m in world.models])
    assert np.corrcoef(with_term, truth)[0, 1] > np.corrcoef(without, truth)[0, 1] + 0.05


def test_models_that_nothing_connects_are_rated_apart() -> None:
    """Each group about the centre, with the warning that all engines give."""
    rows = [
        Comparison(str(n), 1, *pair, "ab"[n % 2], {"c": 3})  # type: ignore[arg-type]
        for n in range(10)
        for pair in (("p", "q"), ("x", "y"))
    ]
    found = mixed.rate(Comparisons.of(rows), PLAIN)
    assert any("2 groups that no comparison connects" in message for message in found.warnings)
    for one, other in (("p", "q"), ("x", "y")):
        assert found[one].rating + found[other].rating == pytest.approx(3000, abs=1e-9)
        assert found[one].rank == 1


def test_margins_that_are_all_alike_are_rated() -> None:
    """Noise of nothing is no division by nothing."""
    rows = [Comparison(str(n), 1, "x", "y", first, {"c": 2}) for n in range(40) for first in FIRST]
    found = mixed.rate(Comparisons.of(rows), PLAIN)
    assert found["x"].rating > found["y"].rating
    assert np.isfinite([row.rating for row in found.rows]).all()


def test_no_comparisons_are_no_ratings() -> None:
    """With a word on what to do."""
    found = mixed.rate(Comparisons.of([]), PLAIN)
    assert found.rows == ()
    assert "nothing is compared yet" in found.warnings[0]


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
    assert small.score[..., 0].tolist() == [[-1, 1]]
    assert large.members.tolist() == [[5, 60, 80]]
    assert large.information.tolist() == [[[5, -1, -4], [-1, 1, 0], [-4, 0, 4]]]
    assert large.score[..., 0].tolist() == [[7, 1, -8]]


def test_variances_of_items_in_both_orders_are_recovered() -> None:
    """Of 3,000 items that all have both: v2 is theirs, v1 what the halves add to it."""
    rng = np.random.default_rng(4)
    n, n_models, n_slots, tau2, both, half = 3000, 20, 45, 0.5, 0.4, 0.3
    pairs = np.array([rng.permutation(n_models)[:2] for _ in range(n)])
    slot, (i, j) = rng.integers(0, n_slots, n), pairs.T
    luck = rng.normal(0, tau2**0.5, (n_slots, n_models))
    z = luck[slot, i] - luck[slot, j] + rng.normal(size=n) * both**0.5
    halves = Halves.of(rng.normal(0, half**0.5, n))
    found = estimate_variances(Observations(i, j, slot, z, np.ones(n)), halves, n_models)
    assert found.both == pytest.approx(both, rel=0.15)
    assert found.one == pytest.approx(both + half, rel=0.15)
    assert found.tau2 == pytest.approx(tau2, rel=0.3)


def test_calls_make_items(round_of: Comparisons) -> None:
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
