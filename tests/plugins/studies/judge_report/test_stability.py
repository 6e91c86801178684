"""Ranks without one family, or without one opponent."""

import pytest

from eibench import RatingSettings, Strengths
from eibench.core.ratings.glicko2 import FixedPoint, weights_of
from eibench.plugins.studies.judge_report.stability import Stability, Without, leave_one_out
from eibench.testing import Tournament

from .conftest import Table


def measure(table: Table) -> Stability:
    """The stability of what a test wrote down."""
    comparisons = table.read()
    return leave_one_out(Strengths.of(comparisons))


def test_a_family_that_alone_makes_the_order_is_named(table: Table) -> None:
    """One puts y before x; without it x leads. The others change nothing."""
    for item in range(4):
        table.both("x", "y", 1, item=item)
    table.both("y", "x", 5, item="decides", family="big")
    table.both("z", "x", -5, item=0)
    table.both("z", "y", -5, item=0)
    found = measure(table)
    assert [m.model for m in found.models] == ["y", "x", "z"]
    first, *others = found.families
    assert first == Without("big", 2, 1, "x", "x")
    assert [w.moved for w in others] == [0] * 4
    moves = {m.model: m.families for m in found.models}
    assert moves == {"x": (-1, 0), "y": (0, 1), "z": (0, 0)}


def test_an_opponent_that_alone_makes_the_order_is_named(table: Table) -> None:
    """Only its wins over the victim put x before y, which beat it each time they met."""
    for item in range(4):
        table.both("y", "x", 1, item=item)
        table.both("x", "victim", 5, item=item)
        table.both("y", "victim", 1, item=item)
    found = measure(table)
    assert [m.model for m in found.models] == ["x", "y", "victim"]
    assert found.opponents is not None
    assert found.opponents[0] == Without("victim", 2, 1, "x", "y")
    assert {m.model: m.opponents for m in found.models}["y"] == (-1, 0)


def test_a_leader_that_is_left_out_moves_nobody(table: Table) -> None:
    """That all others come one place up is no change of their order."""
    for item in range(3):
        for better, worse in (("a", "b"), ("b", "c"), ("a", "c")):
            table.both(better, worse, 2, item=item)
    found = measure(table)
    assert found.opponents == tuple(Without(name, 0, 0, None, None) for name in "abc")


def test_models_that_lose_their_connection_are_not_compared(table: Table) -> None:
    """Only b connects a and c, and only the first family connects d: no rank moves."""
    for item in range(3):
        table.both("a", "b", 1, item=item)
        table.both("b", "c", 1, item=item)
    table.both("c", "d", -5, item=0)
    found = measure(table)
    assert found.opponents is not None
    assert all(w.moved == 0 for w in (*found.families, *found.opponents))


def test_two_models_have_no_opponents_to_leave_out(table: Table) -> None:
    """There is a reason; families are left out all the same. With one family there are none."""
    table.both("x", "y", 1)
    found = measure(table)
    assert (found.families, found.opponents) == ((), None)
    assert found.reason == "without one of two models there is nothing to rank"
    assert found.models[0] == ("x", 1, (0, 0), None)


def test_more_models_than_can_be_solved_have_a_reason(table: Table) -> None:
    """A chain of 201."""
    for n in range(200):
        table.both(f"m{n:03}", f"m{n + 1:03}", 1, item=n % 2)
    found = measure(table)
    assert (found.opponents, found.reason) == (None, "more than 200 models")


@pytest.mark.parametrize("seed", range(3))
def test_leaving_out_is_rating_what_is_left(seed: int) -> None:
    """Each largest move is that of strengths found anew, each comparison weighing as before."""
    played = Tournament([i / 10 for i in range(6)], seed=seed)
    whole = played.judge(played.random_calls(150))
    found = leave_one_out(Strengths.of(whole))
    weight = weights_of(whole, RatingSettings())
    assert found.opponents is not None
    rank = {m.model: m.rank for m in found.models}
    for out in found.opponents:
        gone = whole.models.index(out.left_out)
        rows = (whole.a != gone) & (whole.b != gone)
        left = whole.only(rows).compact()
        theta = FixedPoint(left, weight[rows]).fit.theta
        after = {m: 1 + sum(theta > theta[i] + 1e-9) for i, m in enumerate(left.models)}
        before = {m: 1 + sum(rank[o] < rank[m] for o in left.models) for m in left.models}
        moves = {m: int(after[m] - before[m]) for m in left.models}
        assert out.moved == sum(move != 0 for move in moves.values())
        assert out.largest == max(map(abs, moves.values()))
