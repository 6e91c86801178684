"""`benchmarks.settling`: that plans hold, on one of its cases, and that it prints its table."""

from benchmarks.settling import CASES, Case, measure, planned_for_the_truth, share

TEN = next(case for case in CASES if case.name == "10 items")


def test_of_pairs_that_do_what_was_planned_four_in_five_are_told_apart() -> None:
    """By the interval that users see; 120 pairs of ten items, drawn by a fixed seed."""
    outcomes = planned_for_the_truth(TEN, 120)
    assert len(outcomes) == 120
    assert 0.75 <= share(outcomes) <= 0.85


def test_the_table_has_a_row_for_each_case() -> None:
    """Items and iterations added."""
    cases = [TEN, Case("rerun", (1,) * 10, 2, (0, 0.1, 1), 1.8, items=False)]
    lines = measure(cases, 4).splitlines()
    assert [line.split("|")[1].strip() for line in lines[2:]] == ["10 items", "rerun"]
    assert " items " in lines[2]
    assert "iterations in all" in lines[3]
