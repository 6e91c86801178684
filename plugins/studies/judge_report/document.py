"""All that `bench judge-report` says of a judge."""

from typing import NamedTuple

from eibench import JudgeAudit, Strengths
from eibench.statistics import few_families

from .criteria import Criteria, compare_criteria
from .cycles import Cycles, find_cycles
from .scenarios import Scenario, compare_items, measure_scenarios
from .stability import Stability, leave_one_out


class AuditCounts(NamedTuple):
    """How much an audit stands on."""

    comparisons: int
    pairs: int
    items: int
    families: int
    models: int


class JudgeReport(NamedTuple):
    """An audit, and what is measured beside it."""

    audit: JudgeAudit
    counts: AuditCounts
    criteria: Criteria
    scenarios: tuple[Scenario, ...]
    cycles: Cycles
    stability: Stability
    warnings: tuple[str, ...]

    @classmethod
    def of(cls, audit: JudgeAudit) -> "JudgeReport":
        """All measures of what was audited."""
        comparisons = audit.comparisons
        items = compare_items(comparisons, audit.terms.lean)
        strengths = Strengths.of(comparisons)
        few = few_families(len(comparisons.families))
        return cls(
            audit,
            counts=AuditCounts(
                comparisons=len(comparisons),
                pairs=len(items.a),
                items=len(comparisons.items),
                families=len(comparisons.families),
                models=len(comparisons.models),
            ),
            criteria=compare_criteria(comparisons),
            scenarios=measure_scenarios(comparisons, items, strengths),
            cycles=find_cycles(comparisons, items),
            stability=leave_one_out(strengths),
            warnings=(*comparisons.warnings, *few),
        )

    @property
    def judge(self) -> str | None:
        """Who made the comparisons; ``None`` where it is not told."""
        return self.audit.comparisons.judge or None

    def as_json(self) -> dict[str, object]:
        """The document of ``--json``; named tuples in it are objects."""
        audit = self.audit
        return {
            "source": audit.source,
            "demo": audit.demo,
            "judge": self.judge,
            "conclusions": audit.conclusions,
            "counts": self.counts,
            "orders": audit.orders,
            "terms": audit.terms,
            "asking": audit.asking,
            "criteria": self.criteria,
            "scenarios": self.scenarios,
            "cycles": self.cycles,
            "stability": self.stability,
            "warnings": self.warnings,
        }
