"""`benchmarks.refusals` on a few of its cases: some of each kind, and none has a fault."""

from benchmarks.refusal_cases import CASES, HELD_OUT, Case, cases
from benchmarks.refusals import described, measure, table

SAMPLE = 30
BY_LITELLM = "litellm"
"""Whose import takes longer than all of the cases."""


def sample() -> list[Case]:
    """The first case of each group, and more of the first ones."""
    quick = [case for case in cases() if case.client != BY_LITELLM]
    first = {case.group: case for case in reversed(quick)}
    rest = [case for case in quick if case not in first.values()]
    return [*first.values(), *rest][:SAMPLE]


async def test_a_few_of_each_kind() -> None:
    """Each goes on without what is refused, and nothing else, or ends with a true sentence."""
    chosen = sample()
    outcomes = await measure(chosen)
    assert [described(outcome) for outcome in outcomes if outcome.faults] == []
    assert len(outcomes) == SAMPLE and "| all | 30 |" in table(outcomes)


def test_five_hundred_cases() -> None:
    """They are the same each time, and a fifth has bodies and words that no other has."""
    all_cases, held_out = cases(), cases(HELD_OUT, held_out=True)
    assert (len(all_cases), len(held_out)) == (CASES, HELD_OUT) == (400, 100)
    assert cases() == all_cases
    worded = {(case.group, case.form, case.words) for case in all_cases}
    drawn = {(c.group, c.form, c.words) for c in held_out}
    assert not worded & drawn
