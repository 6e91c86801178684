"""All parts of an audit together."""

from dataclasses import dataclass
from typing import Any

from ..few_families import few_families
from ..ratings.comparisons import Comparisons
from ..ratings.glicko2 import rate
from ..ratings.settings import RatingSettings
from .asking import NOT_KNOWN, Asking
from .compared import compare_items, find_strengths
from .conclusions import Conclusion, Rows, conclusions_of
from .criteria import Criteria, compare_criteria
from .cycles import Cycles, find_cycles
from .orders import Orders, read_orders
from .scenarios import Scenario, measure_scenarios
from .stability import Stability, leave_one_out
from .terms import Terms, estimate_terms


@dataclass(frozen=True, slots=True)
class JudgeAudit:
    """What comparisons say of their judge.

    Attributes:
        judge: Its name; empty where it is not told.
        conclusions: What the numbers say, in words.
        counts: Of comparisons, items, families and models.
        warnings: One line each.
    """

    judge: str
    conclusions: tuple[Conclusion, ...]
    counts: dict[str, int]
    orders: Orders
    terms: Terms
    asking: Asking
    criteria: Criteria
    scenarios: tuple[Scenario, ...]
    cycles: Cycles
    stability: Stability
    warnings: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The document of `bench judge-report --json`, without where it comes from."""
        return {
            "judge": self.judge or None,
            "conclusions": [conclusion.as_json() for conclusion in self.conclusions],
            "counts": self.counts,
            "orders": self.orders.as_json(),
            "terms": self.terms.as_json(),
            "asking": self.asking.as_json(),
            "criteria": self.criteria.as_json(),
            "scenarios": [scenario.as_json() for scenario in self.scenarios],
            "cycles": self.cycles.as_json(),
            "stability": self.stability.as_json(),
            "warnings": list(self.warnings),
        }


def audit(
    comparisons: Comparisons, asking: Asking = NOT_KNOWN, ratings: Rows | None = None
) -> JudgeAudit:
    """The audit of a judge.

    Args:
        comparisons: Of one judge, at least one, read with `by_criterion`.
        asking: What is known of its replies beside those that were read.
        ratings: Made of the comparisons, if not by the default engine.
    """
    comparisons = comparisons.compact()
    terms = estimate_terms(comparisons)
    items = compare_items(comparisons, terms.lean)
    strengths = find_strengths(comparisons)
    orders = read_orders(comparisons)
    rows = _rated(comparisons) if ratings is None else ratings
    few = few_families(len(comparisons.families))
    return JudgeAudit(
        judge=comparisons.judge,
        conclusions=conclusions_of(orders, terms, asking.unread, rows, len(comparisons)),
        counts={
            "comparisons": len(comparisons),
            "pairs": len(items.a),
            "items": len(comparisons.items),
            "families": len(comparisons.families),
            "models": len(comparisons.models),
        },
        orders=orders,
        terms=terms,
        asking=asking,
        criteria=compare_criteria(comparisons),
        scenarios=measure_scenarios(comparisons, items, strengths),
        cycles=find_cycles(comparisons, items),
        stability=leave_one_out(comparisons, strengths),
        warnings=(*comparisons.warnings, *few),
    )


def _rated(comparisons: Comparisons) -> Rows:
    return [row.as_json() for row in rate(comparisons, RatingSettings()).rows]
