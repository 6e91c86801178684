"""What would settle which of two runs is better, and what that would cost, in words."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...spending.prices import dollars
from ...text import number, plural
from ...types.result_document import ResultDocument

if TYPE_CHECKING:
    from ...statistics.settling import Settling


class Settle(NamedTuple):
    """A plan for two runs that are not told apart, with what it costs both together.

    Costs are those of the items so far, in dollars; ``None`` where one is not known, or there is
    nothing to pay for. `unasked` items of the pack were asked of neither. `text` is
    `brief` with how sure that is; of what is not known there is nothing `brief`.
    """

    plan: "Settling"
    unasked: int
    cost_of_items_usd: float | None
    cost_of_iterations_usd: float | None
    brief: str
    text: str


def sample_cost(document: ResultDocument | None) -> float | None:
    """What a sample of a result has cost on average, in dollars; ``None`` where not known."""
    if document is None or document["cost_usd"] is None:
        return None
    items = document["items"]
    return document["cost_usd"] / max(1, items["total"] - items["pending"])


def settle(plan: "Settling", sample_costs: Sequence[float | None], unasked: int) -> Settle:
    """A plan with costs and words; `sample_costs` are what a sample has cost in either run."""
    known = [cost for cost in sample_costs if cost is not None]
    both = sum(known) if len(known) == len(sample_costs) else None
    now, cost_of_items, cost_of_iterations = plan.iterations_now, both, both
    if both is not None:
        cost_of_items = plan.more_items and both * plan.more_items * now
        cost_of_iterations = plan.iterations and both * plan.items * (plan.iterations - now)
    brief, more = _words(plan, unasked, cost_of_items, cost_of_iterations)
    text = f"not told apart: {brief}{more}"
    if plan.error is None:
        brief, text = "", f"what would settle it is not known: {plan.reason}"
    return Settle(plan, unasked, cost_of_items, cost_of_iterations, brief, text)


def _words(
    plan: "Settling", unasked: int, cost_of_items: float | None, cost_of_iterations: float | None
) -> tuple[str, str]:
    """What would settle it if the difference is what it seems, and how often if it is not."""
    ways, shares = list[str](), list[str]()
    if plan.more_items is not None:
        ways.append(_items(plan.more_items, unasked) + _cost(cost_of_items))
        shares.append(_percent(plan.share_by_items))
    if plan.iterations is not None:
        more = plural(plan.iterations - plan.iterations_now, "more iteration")
        of_same = f"{more} of the same items, {plan.iterations} in all"
        ways.append(of_same + _cost(cost_of_iterations))
        shares.append(_percent(plan.share_by_iterations))
    iterations = _iterations(plan)
    if not ways:
        either = "items" if plan.rerun_error is None else "items or iterations"
        message = f"no usual number of {either} would settle it"
        return f"{message}, if the difference is what it seems", ""
    either = ", or ".join(ways) + "," * (len(ways) > 1)
    settled = f"{either} would settle it in {_percent(plan.power)} of cases"
    often = " or ".join(dict.fromkeys(shares))
    return (
        f"{settled}, if the difference is what it seems",
        f"; as it may not be, in {often}{iterations}",
    )


def _items(more: int, unasked: int) -> str:
    """How many items, and whether the pack has them."""
    if unasked >= more:
        return f"{plural(more, 'more item')} of the pack"
    of_pack = f", {unasked} of which the pack has" if unasked else ""
    return f"{plural(more, 'more item')} like these{of_pack}"


def _iterations(plan: "Settling") -> str:
    """Why no number of iterations is planned, if none is."""
    if plan.rerun_error is None:
        return "; what more iterations would do is known from two on"
    if plan.iterations is None and plan.floor is not None:
        return f"; iterations alone tell no difference below {number(plan.floor)}"
    return ""


def _percent(share: float | None) -> str:
    return f"{100 * (share or 0):.0f} %"


def _cost(cost: float | None) -> str:
    return f" ({'cost unknown' if cost is None else dollars(cost) if cost else 'free'})"
