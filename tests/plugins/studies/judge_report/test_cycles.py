"""Cycles: by hand, and that noise makes none."""

import pytest

from eibench.plugins.studies.judge_report.cycles import Cycles, find_cycles
from eibench.plugins.studies.judge_report.scenarios import compare_items
from eibench.testing import Noise, Tournament

from .conftest import Table


def find(table: Table) -> Cycles:
    """The cycles of what a test wrote down."""
    comparisons = table.read()
    return find_cycles(comparisons, compare_items(comparisons, 0.0))


def test_a_cycle_in_every_family_survives(table: Table) -> None:
    """Rock, paper, scissors on eight scenarios; the well is beaten by all."""
    for item in range(8):
        margin = 1 + item % 2
        table.both("paper", "rock", margin, item=item)
        table.both("rock", "scissors", 2 * margin, item=item)
        table.both("paper", "scissors", -margin, item=item)
        for other in ("rock", "paper", "scissors"):
            table.both(other, "well", 1, item=item)
    found = find(table)
    assert (found.pairs, found.sure, found.triples, found.sure_triples) == (6, 6, 4, 4)
    assert (found.surviving, found.apparent) == (1, 1)
    (cycle,) = found.cycles
    assert cycle.models == ("paper", "rock", "scissors")
    assert cycle.margins == pytest.approx((1.5, 3, 1.5))


def test_a_cycle_with_an_unsure_edge_is_only_apparent(table: Table) -> None:
    """Scissors beat paper by 1 on average, with margins that change sign between families."""
    for item in range(8):
        table.both("paper", "rock", 1, item=item)
        table.both("rock", "scissors", 1, item=item)
        table.both("scissors", "paper", 5 if item % 2 else -3, item=item)
    found = find(table)
    assert (found.surviving, found.apparent, found.sure, found.sure_triples) == (0, 1, 2, 0)


def test_seven_families_are_too_few_to_be_sure(table: Table) -> None:
    """There is a reason, and no 0."""
    for item in range(7):
        table.both("a", "b", 1, item=item)
        table.both("b", "c", 1, item=item)
        table.both("c", "a", 1, item=item)
    found = find(table)
    assert (found.surviving, found.apparent) == (None, 1)
    assert found.reason == "no two models met in 8 families of items"


def test_the_interval_of_an_edge_is_the_jackknife_s(table: Table) -> None:
    """Margin 1 in seven families and x in the eighth: sure for x = -4/3, unsure for x = -3/2.

    The mean is (7 + x) / 8 and its error (1 - x) / 8, so it is sure where (7 + x) / (1 - x) is
    over t = 2.3646: that is 2.43 for x = -4/3 and 2.2 for x = -3/2.
    """
    for pair, last in (("ab", (-1, -1, -2)), ("cd", (-1, -2))):
        for item in range(8):
            margins = dict(zip("xyz", last, strict=False)) if item == 0 else {"x": 1}
            table.add(pair[0], pair[1], margins, item=item)
    found = find(table)
    assert (found.pairs, found.sure, found.triples) == (2, 1, 0)


def test_an_order_has_no_cycle_that_survives() -> None:
    """Twelve close models, 220 triples: noise makes apparent ones, the intervals leave none."""
    played = Tournament([i / 20 for i in range(12)], seed=2, noise=Noise(length=0))
    comparisons = played.judge(played.random_calls(1500))
    found = find_cycles(comparisons, compare_items(comparisons, 0.0))
    assert (found.triples, found.surviving) == (220, 0)
    assert found.apparent > 5
    assert found.sure_triples > 0


def test_only_the_clearest_are_listed(table: Table) -> None:
    """Of 5 x 5 x 5 cycles of one-sided results a hundred are named; all are counted."""
    names = [f"{kind}{n}" for kind in "abc" for n in range(5)]
    for item in range(8):
        for i in names:
            for j in names:
                if (i[0], j[0]) in (("a", "b"), ("b", "c"), ("c", "a")):
                    table.add(i, j, 1, item=item)
    found = find(table)
    assert (found.surviving, len(found.cycles)) == (125, 100)
