"""Whether a spending limit covers the least that plans come to, and what of them it would cover."""

from collections.abc import Sequence
from math import floor

from ..errors import UsageError
from ..spending.prices import dollars
from .plan import Plan


def refuse_too_little(plans: Sequence[Plan], limit: float | None) -> None:
    """Refuse, before anything is sent, a limit that ends the command before its result.

    Runs that go on are not refused: they may be paid for in instalments.

    Args:
        plans: Of all runs of the command.
        limit: Dollars; ``None`` for no limit.

    Raises:
        UsageError: It does not cover the least; the message says what would fit.
    """
    costs = [plan.cost for plan in plans]
    least = sum((cost.low for cost in costs if cost is not None), 0.0)
    goes_on = any(plan.begun for plan in plans)
    if limit is None or limit >= least or goes_on:
        return
    message = f"--max-cost {dollars(limit)} does not cover the least, {dollars(least)}"
    raise UsageError(f"{message}; {_fitting(plans, limit)}")


def _fitting(plans: Sequence[Plan], limit: float) -> str:
    """How many items of each run fit; room stays for the most that one call may cost."""
    room = limit - max(_dearest(plan) for plan in plans)
    each = sum(plan.cost.low * plan.iterations / plan.total for plan in plans if plan.cost)
    fits = max(0, floor(room / each))
    if fits < 1:
        return "no item fits: raise it, or lower --max-tokens"
    return f"--limit {fits} fits"


def _dearest(plan: Plan) -> float:
    """Dollars that one call may cost at most, about."""
    costs = [(p.cost.high / p.calls) for p in plan.parties if p.calls and p.cost is not None]
    return max(costs, default=0.0)
