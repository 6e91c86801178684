"""How far all runs of a command are together."""

import time

from eibench.core.compare.expectation import Left
from eibench.core.parties.providers import ModelSpec
from eibench.core.run.overall import Member, Overall
from eibench.core.run.plan import PartyPlan, Plan
from eibench.core.sample.progress import Progress
from eibench.core.settings.run_config import Endpoint


def plan(calls: int, most: int = 0) -> Plan:
    """A plan of so many calls, of them so many comparisons."""
    party = PartyPlan(Endpoint(ModelSpec("openai", "m")), calls, None, None)
    return Plan(calls, calls, (party,), Left(most))


def spent(calls: int, cost: float | None) -> Progress:
    """Counters of a run."""
    return Progress(sent={"generate": calls}, cost_usd=cost)


def test_all_runs_are_one_line() -> None:
    """Runs that ended, calls, dollars of all, and the time left at the pace so far."""
    members = [Member(plan(20), spent(15, 1.0), True), Member(plan(10), spent(5, 0.5), False),
               Member(plan(25), Progress(), False)]  # fmt: skip
    overall = Overall(lambda: members, [m.progress for m in members], time.monotonic() - 20)
    assert overall.describe() == (
        "in all: 1 of 3 runs done  20 calls made, 30 left  $1.50  about 30 s left"
    )
    assert overall.describe_end() == "in all 20 calls, $1.50, 20 s"


def test_an_attempt_that_was_begun_anew_counts(  # as where a server died
) -> None:
    """What was spent before is spent; a call without a price makes the sum unknown."""
    first, second = spent(3, 0.25), spent(1, 0.5)
    overall = Overall(lambda: [Member(plan(9), second, False)], [first, second])
    assert (overall.answered, overall.cost_usd) == (4, 0.75)
    second.cost_usd = None
    assert overall.cost_usd is None
    assert "cost unknown" in overall.describe()


def test_comparisons_make_the_rest_a_bound() -> None:
    """A placement may end before all are made; nothing is said of time before the first call."""
    members = [Member(plan(40, most=30), Progress(), False)]
    line = Overall(lambda: members, []).describe()
    assert line == "in all: 0 of 1 run done  0 calls made, ≤ 40 left"
