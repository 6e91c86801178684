"""All parts of an audit together."""

from collections.abc import Sequence
from typing import NamedTuple

from ...statistics.few_families import few_families
from ...types.result_document import ConclusionRow
from ..comparisons import Comparisons
from ..glicko2 import rate
from ..settings import RatingSettings
from .asking import NOT_KNOWN, Asking
from .conclusions import Rows, conclusions_of
from .criteria import Criteria, compare_criteria
from .cycles import Cycles, find_cycles
from .orders import Orders, read_orders
from .scenarios import Scenario, compare_items, find_strengths, measure_scenarios
from .stability import Stability, leave_one_out
from .terms import Terms, estimate_terms


class PackName(NamedTuple):
    """A pack, as documents of several runs name it."""

    name: str
    sha256: str


class AuditSource(NamedTuple):
    """Where comparisons come from: a file, or a benchmark's runs on a pack."""

    file: str | None = None
    benchmark: str | None = None
    dataset: PackName | None = None


NOWHERE = AuditSource()


class AuditCounts(NamedTuple):
    """How much an audit stands on."""

    comparisons: int
    pairs: int
    items: int
    families: int
    models: int


class JudgeAudit(NamedTuple):
    """What comparisons say of their judge: the document of `bench judge-report`."""

    source: AuditSource
    demo: bool
    judge: str | None
    conclusions: Sequence[ConclusionRow]
    counts: AuditCounts
    orders: Orders
    terms: Terms
    asking: Asking
    criteria: Criteria
    scenarios: tuple[Scenario, ...]
    cycles: Cycles
    stability: Stability
    warnings: tuple[str, ...]


def audit(
    comparisons: Comparisons,
    asking: Asking = NOT_KNOWN,
    ratings: Rows | None = None,
    *,
    source: AuditSource = NOWHERE,
    demo: bool = False,
) -> JudgeAudit:
    """The audit of a judge, of at least one comparison, read with `by_criterion`.

    `asking` is what is known of its replies beside those that were read; `ratings` are made of the
    comparisons, by the default engine unless given.
    """
    comparisons = comparisons.compact()
    terms = estimate_terms(comparisons)
    items = compare_items(comparisons, terms.lean)
    strengths = find_strengths(comparisons)
    orders = read_orders(comparisons)
    rows = _rated(comparisons) if ratings is None else ratings
    conclusions = conclusions_of(orders, terms, asking.unread, rows, len(comparisons))
    few = few_families(len(comparisons.families))
    return JudgeAudit(
        source=source,
        demo=demo,
        judge=comparisons.judge or None,
        conclusions=conclusions,
        counts=AuditCounts(
            comparisons=len(comparisons),
            pairs=len(items.a),
            items=len(comparisons.items),
            families=len(comparisons.families),
            models=len(comparisons.models),
        ),
        orders=orders,
        terms=terms,
        asking=asking,
        criteria=compare_criteria(comparisons),
        scenarios=measure_scenarios(comparisons, items, strengths),
        cycles=find_cycles(comparisons, items),
        stability=leave_one_out(comparisons, strengths, demo),
        warnings=(*comparisons.warnings, *few),
    )


def _rated(comparisons: Comparisons) -> Rows:
    return [row.as_json() for row in rate(comparisons, RatingSettings()).rows]
