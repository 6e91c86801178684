"""The original's scheme, for comparison."""

from itertools import combinations

import numpy as np
import pytest

from eibench import Comparison, Comparisons, PublishedScheme, RatingSettings
from eibench.core.ratings.trueskill import item_pluses, pseudo_wins, rate, update_all, within_window
from eibench.plugins.creative_writing import v3

SCHEME = PublishedScheme()
WRITING = v3.SCHEME
_UPSETS = [(0, 1, 3), (1, 2, -2), (0, 2, 0), (2, 0, 20), (1, 0, 1)]
# Expected values: the package trueskill 0.4.5 with mu 1200, sigma 350/3, beta 350/6, tau 0 and
# draw probability 0, one rate_1vs1 after the other; of Creative Writing sigma 400, beta 200, tau 4.
GAMES = {
    "one win": (SCHEME, [(0, 1, 1)], [1258.8731, 1141.1269], [100.7227, 100.7227]),
    "upsets": (
        SCHEME,
        _UPSETS,
        [1160.3571, 1141.0115, 1382.5294],
        [38.0998, 62.5994, 40.3159],
    ),
    "one win in writing": (WRITING, [(0, 1, 1)], [1401.8627, 998.1373], [345.3512, 345.3512]),
    "upsets in writing": (
        WRITING,
        _UPSETS,
        [1062.8566, 997.4172, 1826.4098],
        [131.3204, 214.7768, 138.944],
    ),
}


@pytest.mark.parametrize(("scheme", "games", "mu", "sigma"), GAMES.values(), ids=GAMES)
def test_updates_are_those_of_the_package(
    scheme: PublishedScheme,
    games: list[tuple[int, int, int]],
    mu: list[float],
    sigma: list[float],
) -> None:
    """In closed form, to 1e-4."""
    a, b, wins = (np.array(column) for column in zip(*games, strict=True))
    found = update_all(len(mu), a, b, wins, scheme)
    assert found.mu == pytest.approx(mu, abs=1e-4)
    assert found.sigma == pytest.approx(sigma, abs=1e-4)


def test_a_draw_is_a_difference_seen_to_be_nothing() -> None:
    """Of two new models: variance s^2 (1 - s^2 / (2 s^2 + 2 beta^2)), with s = 2 beta 0.6 s^2.

    By hand, as the package's own formula divides nothing by nothing there.
    """
    found = update_all(2, np.array([0]), np.array([1]), np.array([0]), SCHEME)
    assert found.mu == pytest.approx([1200, 1200])
    assert found.sigma == pytest.approx([350 / 3 * 0.6**0.5] * 2)


def test_hopeless_upsets_stay_finite() -> None:
    """A win against all odds, far in the tail, is large but a number."""
    n = 3000
    a, b = np.zeros(n + 1, dtype=np.int64), np.ones(n + 1, dtype=np.int64)
    wins = np.append(np.full(n, 20), -1)
    found = update_all(2, a, b, wins, SCHEME)
    assert np.isfinite(found.mu).all()
    assert (found.sigma > 0).all()


@pytest.mark.parametrize(
    ("pluses", "wins", "rough"),
    [
        *[(0, 0, 0), (1, 1, 1), (-4, -3, -1), (7, 5, 2), (30, 20, 5), (-80, -20, -5)],
        # Rounded up in floating point, as core/trueskill_solver.py of EQ-bench/eqbench3 does it.
        *[(3, 3, 1), (-3, -3, -1), (9, 7, 2), (18, 13, 4), (-18, -13, -4)],
    ],
)
def test_margins_become_pseudo_wins(pluses: int, wins: int, rough: int) -> None:
    """min(|d| / 30, 1) * 20, rounded up, and the same with 5 for the interval."""
    assert pseudo_wins(np.array([pluses]), SCHEME.wins, SCHEME.pluses).tolist() == [wins]
    assert pseudo_wins(np.array([pluses]), SCHEME.rough_wins, SCHEME.pluses).tolist() == [rough]


def test_a_capped_item_counts_one_plus_per_call() -> None:
    """Analysis items of EQ-Bench 3: each call is won by one at most, then both are summed."""
    margins = {"c": 5, "d": 4, "e": -1}
    rows = [Comparison(i, 1, "x", "y", first, margins) for i in "12" for first in ("a", "b")]
    made = Comparisons.of(rows)
    starts = np.array([0, 2])
    assert item_pluses(made, starts, SCHEME).tolist() == [16, 16]
    assert item_pluses(made, starts, PublishedScheme({"2": 1})).tolist() == [16, 2]


def test_pieces_are_counted_as_by_their_published_code() -> None:
    """Three criteria count twice: six won by one plus, and these lost by two, are a defeat by 6.

    Both orders are 12 of 45: 4 * 12 / 45 and 3 * 12 / 45 pseudo-wins, rounded up.
    """
    margins = dict.fromkeys("abcdef", 1)
    margins |= dict.fromkeys(("coherence", "avoids_verbosity", "avoids_poetic_overload"), -2)
    rows = [Comparison("1", 1, "x", "y", first, margins) for first in ("a", "b")]
    made = Comparisons.of(rows, by_criterion=True)
    pluses = item_pluses(made, np.array([0]), WRITING)
    assert pluses.tolist() == [-12]
    for most, wins in ((WRITING.wins, -2), (WRITING.rough_wins, -1)):
        assert pseudo_wins(pluses, most, WRITING.pluses).tolist() == [wins]
    found = rate(made, RatingSettings(scheme=WRITING))
    assert found["y"].rating > found["x"].rating
    assert rate(made, RatingSettings())["x"].rating == pytest.approx(1200)


@pytest.mark.parametrize(
    ("pluses", "wins", "rough"), [(45, 4, 3), (-90, -4, -3), (34, 4, 3), (33, 3, 3), (15, 2, 1)]
)
def test_a_margin_of_pieces_is_of_45(pluses: int, wins: int, rough: int) -> None:
    """4 * min(|d| / 45, 1), rounded up, and the same with 3 for the interval."""
    for most, number in ((WRITING.wins, wins), (WRITING.rough_wins, rough)):
        assert pseudo_wins(np.array([pluses]), most, WRITING.pluses).tolist() == [number]


def test_items_within_sixteen_places_count() -> None:
    """Places are those on the ladder of the given ratings, whatever the numbers of the models."""
    mu = np.array([30.0 * place for place in range(18)])[::-1]
    low, other = np.array([17, 17, 0]), np.array([1, 0, 17])
    assert within_window(mu, low, other).tolist() == [True, False, False]


def test_models_far_apart_do_not_count() -> None:
    """An upset of the lowest over the highest of 18 changes no rating; of 17 it does."""
    for n_models, counts in ((17, True), (18, False)):
        names = [f"m{place:02d}" for place in range(n_models)]
        usual = [
            Comparison(str(n), 1, better, worse, "a", {"c": 5})
            for n in range(12)
            for worse, better in combinations(names, 2)
            if names.index(better) - names.index(worse) < 16
        ]
        upset = Comparison("0", 1, names[0], names[-1], "a", {"c": 1})
        plain, more = (
            {row.model: row.rating for row in rate(Comparisons.of(rows), RatingSettings()).rows}
            for rows in (usual, [*usual, upset])
        )
        assert min(more, key=more.__getitem__) == names[0]
        assert max(more, key=more.__getitem__) == names[-1]
        assert (plain != more) == counts


def test_its_intervals_carry_a_warning(round_of: Comparisons, anchored: RatingSettings) -> None:
    """They are a fraction of those that count families."""
    found = rate(round_of, anchored)
    assert "far too narrow" in found.warnings[0]
    from eibench.core.ratings.glicko2 import rate as honest

    def width(ratings: object, model: str) -> float:
        low, high = ratings[model].ci95  # type: ignore[index]
        return float(high - low)

    middle = found.rows[6].model
    assert width(found, middle) < width(honest(round_of, anchored), middle)


def test_the_unanchored_scale_is_the_original_s() -> None:
    """Models start at 1200; what one of two gains the other loses."""
    rows = [Comparison("1", 1, "x", "y", "a", {"c": 1})]
    found = rate(Comparisons.of(rows), RatingSettings())
    assert found["x"].rating == pytest.approx(1258.8731, abs=1e-4)
    assert found["y"].rating == pytest.approx(1141.1269, abs=1e-4)
    assert found["x"].ci95 == pytest.approx((1061.4566, 1456.2896), abs=1e-3)  # 1.96 * 100.7227
    assert found.warnings[-1] == (
        "ratings are around 1200, on a scale of this board alone: no anchors are given"
    )


def test_a_clear_win_counts_twenty_times_and_its_interval_five() -> None:
    """Of 30 pluses and more: the ratings of 20 games won, the deviations of 5."""
    rows = [Comparison("1", 1, "x", "y", "a", dict.fromkeys("abcdef", 5))]
    found = rate(Comparisons.of(rows), RatingSettings())
    pair = np.array([0]), np.array([1])
    twenty, five = (update_all(2, *pair, np.array([n]), PublishedScheme()) for n in (20, 5))
    assert [found[name].rating for name in "xy"] == pytest.approx(twenty.mu.tolist())
    ends = twenty.mu[0] - 1.96 * five.sigma[0], twenty.mu[0] + 1.96 * five.sigma[0]
    assert found["x"].ci95 == pytest.approx(ends)
