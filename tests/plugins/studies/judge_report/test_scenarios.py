"""How well scenarios tell models apart."""

from itertools import combinations

import pytest

from eibench import Strengths
from eibench.plugins.studies.judge_report.scenarios import (
    Scenario,
    compare_items,
    measure_scenarios,
)

from .conftest import Table

MODELS = ("m0", "m1", "m2", "m3")


def measure(table: Table) -> dict[str, Scenario]:
    """The scenarios by id, in the order that they come in."""
    comparisons = table.read()
    items = compare_items(comparisons, 0.0)
    found = measure_scenarios(comparisons, items, Strengths.of(comparisons))
    return {scenario.item: scenario for scenario in found}


def play(table: Table, item: str, sign: int, **more: object) -> None:
    """All pairs: the later model is better by a plus for each step, or worse."""
    for i, j in combinations(range(4), 2):
        table.both(MODELS[i], MODELS[j], sign * (i - j), item=item, **more)


def test_a_scenario_that_says_the_reverse_comes_first(table: Table) -> None:
    """It correlates with the others' strengths negatively, and agrees with none of them."""
    for item in "abcdefgh":
        play(table, item, 1)
    play(table, "wrong", -1)
    found = measure(table)
    assert next(iter(found)) == "wrong"
    assert found["wrong"].discrimination == pytest.approx(-1, abs=0.01)
    assert (found["wrong"].agreement, found["a"].agreement) == (0, 1)
    assert found["a"].discrimination == pytest.approx(1, abs=0.01)
    # Margins 1, 2, 3, 1, 2, 1.
    assert found["a"].pairs == 6
    assert found["a"].spread == pytest.approx(10 / 6)


def test_a_tie_is_no_disagreement(table: Table) -> None:
    """A pair that nobody won does not count for who agrees."""
    for item in "abcdefgh":
        play(table, item, 1)
    for i, j in combinations(range(4), 2):
        margins = {"c": i - j, "d": j - i if (i, j) == (0, 1) else i - j}
        for first in ("a", "b"):
            table.add(MODELS[i], MODELS[j], margins, item="tied", first=first)
    found = measure(table)["tied"]
    assert (found.pairs, found.agreement) == (6, 1)


def test_a_scenario_does_not_agree_with_itself(table: Table) -> None:
    """Its family is left out of the strengths: one family alone has nothing to be held against."""
    play(table, "a", 1, family="f")
    play(table, "b", 1, family="f")
    for scenario in measure(table).values():
        assert scenario.discrimination is scenario.agreement is None
        assert scenario.reason == (
            "all its margins are even, or no other family tells its models apart"
        )


def test_few_pairs_say_nothing(table: Table) -> None:
    """Five are too few; the scenario comes last."""
    play(table, "a", 1)
    play(table, "b", 1)
    for other in MODELS[1:]:
        table.both("m0", other, -1, item="few")
    found = measure(table)
    assert list(found)[-1] == "few"
    assert (found["few"].discrimination, found["few"].reason) == (None, "fewer than 6 pairs")


def test_a_judge_s_leaning_is_taken_out(table: Table) -> None:
    """Where one order was read, a margin of 2 for the first place is none with a leaning of 2."""
    table.add("x", "y", 2, item=1, first="a")
    table.add("x", "y", -2, item=2, first="b")
    table.add("x", "y", 3, item=3, first="a")
    table.add("x", "y", -1, item=3, first="b")
    assert compare_items(table.read(), 2.0).margin.tolist() == [0, 0, 1]
    assert compare_items(table.read(), -4.0).margin.tolist() == [5, -5, 1]
