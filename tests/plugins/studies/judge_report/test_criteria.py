"""Correlations of criteria and their first factor."""

from itertools import combinations

import numpy as np
import pytest

from eibench import Comparisons
from eibench.plugins.studies.judge_report.criteria import compare_criteria
from eibench.testing import Noise, Tournament

from .conftest import Table

NAMES = ("c", "d", "e", "f")


def filled(table: Table, rng: np.random.Generator, copies: bool, items: int = 400) -> Comparisons:
    """Items in one order, with criteria that are copies of each other, or drawn apart."""
    for item in range(items):
        drawn = [int(x) for x in rng.choice([-3, -2, -1, 1, 2, 3], len(NAMES))]
        margins = dict(zip(NAMES, [drawn[0]] * 4 if copies else drawn, strict=True))
        table.add("x", "y", margins, item=item)
    return table.read()


def test_copies_are_one_factor(table: Table) -> None:
    """Share 1 with an interval of nothing, correlations and loadings 1."""
    (found,) = compare_criteria(filled(table, np.random.default_rng(1), copies=True)).sets
    assert (found.criteria, found.items) == (NAMES, 400)
    assert found.correlations == pytest.approx(np.ones((4, 4)))
    assert found.first_factor.share.value == pytest.approx(1)
    assert found.first_factor.share.ci95 == pytest.approx((1, 1))
    assert list((found.first_factor.loadings or {}).values()) == pytest.approx([1] * 4)
    assert found.first_factor.share_within_pairs.value == pytest.approx(1)


def test_criteria_drawn_apart_share_nothing(table: Table) -> None:
    """The first of four factors has a quarter, and a little for chance."""
    (found,) = compare_criteria(filled(table, np.random.default_rng(2), copies=False)).sets
    assert found.first_factor.share.value is not None
    assert 0.25 < found.first_factor.share.value < 0.32
    apart = np.array(found.correlations, dtype=float)[~np.eye(4, dtype=np.bool_)]
    assert np.abs(apart).max() < 0.15


def test_correlations_are_about_zero(table: Table) -> None:
    """By hand: (1 2 + 2 -1 - 1 -3 ...) over the root of the sums of squares.

    c = 1, 2, -1 and d = 2, -1, -3, ten times: (2 - 2 + 3) / sqrt(6 * 14).
    """
    for item in range(30):
        c, d = ((1, 2), (2, -1), (-1, -3))[item % 3]
        table.add("x", "y", {"c": c, "d": d}, item=item)
    (found,) = compare_criteria(table.read()).sets
    assert found.correlations[0][1] == pytest.approx(3 / 84**0.5)
    # Two criteria: the larger eigenvalue is 1 + r.
    assert found.first_factor.share.value == pytest.approx((1 + 3 / 84**0.5) / 2)


def test_who_is_called_a_does_not_matter(table: Table) -> None:
    """Half of the rows turned round: the same numbers."""
    plain = filled(table, np.random.default_rng(3), copies=False)
    other = Table()
    for n, row in enumerate(table.rows):
        turned = {name: -margin for name, margin in row.margins.items()}
        other.rows.append(
            row._replace(a=row.b, b=row.a, first="b", margins=turned) if n % 2 else row
        )
    assert compare_criteria(other.read()) == compare_criteria(plain)


def test_orders_of_an_item_are_taken_together(table: Table) -> None:
    """A criterion that only follows the place is even in every item: nothing to correlate."""
    for item in range(30):
        table.add("x", "y", {"c": 2, "d": 1, "place": 3}, item=item, first="a")
        table.add("x", "y", {"c": 1, "d": 2, "place": -3}, item=item, first="b")
    (found,) = compare_criteria(table.read()).sets
    assert found.items == 30
    assert found.correlations[0][1] == pytest.approx(1)
    assert found.first_factor.share.reason == "a criterion is even in all items"
    assert found.correlations[2] == [None, None, None]
    assert found.first_factor.loadings is None


def test_an_item_weighs_alike_in_one_order_or_both(table: Table) -> None:
    """Margins are means over orders: (2 2 - 1 1) / (2 2 + 1 1) = 3/5, ten times."""
    for item in range(0, 20, 2):
        for first in ("a", "b"):
            table.add("x", "y", {"c": 2, "d": 2}, item=item, first=first)
        table.add("x", "y", {"c": 1, "d": -1}, item=item + 1)
    (found,) = compare_criteria(table.read()).sets
    assert found.correlations[0][1] == pytest.approx(3 / 5)


def test_the_interval_of_a_share_ends_at_one(table: Table) -> None:
    """One family of twenty alone keeps two criteria apart; r = 75 / 77, and 1 without it."""
    for item in range(20):
        table.add("x", "y", {"c": 2, "d": 2} if item else {"c": 1, "d": -1}, item=item)
    (found,) = compare_criteria(table.read()).sets
    assert found.first_factor.share.value == pytest.approx((1 + 75 / 77) / 2)
    assert found.first_factor.share.ci95 is not None
    assert 0.5 < found.first_factor.share.ci95[0] < found.first_factor.share.ci95[1] == 1


def test_pairs_with_one_item_say_nothing_within(table: Table) -> None:
    """Their own mean is all that they have; with too few others there is a reason."""
    for item in range(20):
        table.add("x", "y", {"c": 1 + item % 2, "d": 1 + item % 2}, item=item)
    table.add("x", "z", {"c": 1, "d": -1}, item="alone")
    (found,) = compare_criteria(table.read()).sets
    assert (found.first_factor.share.n, found.first_factor.share_within_pairs.n) == (21, 20)
    assert found.first_factor.share_within_pairs.value == pytest.approx(1)
    (found,) = compare_criteria(table.read().only(np.arange(20) + 1)).sets
    assert found.first_factor.share_within_pairs.value is None
    assert found.first_factor.share_within_pairs.reason == (
        "fewer than 20 items of pairs of models with several items"
    )


def test_sets_of_criteria_are_apart(table: Table) -> None:
    """Role-plays and analyses have other criteria; a set with few items is counted, not told."""
    for item in range(60):
        names = ("c", "d") if item < 35 else ("d", "e") if item < 55 else ("f", "g")
        table.add("x", "y", dict.fromkeys(names, 1 + item % 3), item=item)
    found = compare_criteria(table.read())
    assert [(s.criteria, s.items) for s in found.sets] == [(("c", "d"), 35), (("d", "e"), 20)]
    assert found.items_left_out == 5


def test_a_draw_was_read(table: Table) -> None:
    """A margin of 0 is of the set of criteria that were judged, and one that is missing is not."""
    for item in range(40):
        table.add("x", "y", {"c": item % 2, "d": 1}, item=item)
    (found,) = compare_criteria(table.read()).sets
    assert (found.criteria, found.items) == (("c", "d"), 40)


def test_a_single_criterion_has_no_correlations(table: Table) -> None:
    """Its items are counted as left out."""
    for item in range(30):
        table.add("x", "y", 1, item=item)
    assert compare_criteria(table.read()) == ((), 30)


def test_ability_alone_is_no_factor_within_pairs() -> None:
    """Models far apart make criteria agree that are drawn apart; within pairs they do not."""
    rng, table = np.random.default_rng(4), Table()
    for n, (i, j) in enumerate(list(combinations(range(6), 2)) * 30):
        felt = (i - j) * 0.8 + rng.normal(size=4)
        margins = {
            c: int(np.copysign(min(5, 1 + abs(x) // 1), x))
            for c, x in zip(NAMES, felt, strict=True)
        }
        table.add(f"m{i}", f"m{j}", margins, item=n)
    (found,) = compare_criteria(table.read()).sets
    assert (
        found.first_factor.share.value is not None
        and found.first_factor.share_within_pairs.value is not None
    )
    assert found.first_factor.share.value > 0.6
    assert found.first_factor.share_within_pairs.value < 0.35


def test_the_simulated_judge_has_one_factor_and_noise() -> None:
    """Two orders averaged: noise of criteria 0.8 / sqrt 2 apart, all else in common.

    Before rounding r is V / (V + 0.8^2 / 2) with V what the criteria of an item share; rounding
    to pluses takes a little of it.
    """
    noise = Noise(unread=0, length=0)
    shared = 2 * noise.family**2 + 2 * noise.transcript**2 + noise.pair**2 + noise.call**2 / 2
    r = shared / (shared + noise.criterion**2 / 2)
    played = Tournament([0.0] * 8, seed=5, noise=noise)
    rows = played.rows(played.random_calls(800))
    (found,) = compare_criteria(Comparisons.of(rows, by_criterion=True)).sets
    apart = np.array(found.correlations, dtype=float)[~np.eye(8, dtype=np.bool_)]
    assert r - 0.08 < apart.mean() < r
    assert found.first_factor.share.ci95 is not None
    assert found.first_factor.share.value == pytest.approx((1 + 7 * apart.mean()) / 8, abs=0.01)
