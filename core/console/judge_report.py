"""An audit of a judge as tables: what is known with its interval, what is not with the reason."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from ..text import interval, line, number, plural
from .fitted import Column, Grid
from .tables import conclusions, strong, warning

if TYPE_CHECKING:
    from ..ratings.auditing.asking import Asking
    from ..ratings.auditing.audit import AuditCounts, JudgeAudit
    from ..ratings.auditing.criteria import Criteria, CriteriaSet, Factor
    from ..ratings.auditing.cycles import Cycles
    from ..ratings.auditing.estimates import AuditEstimate
    from ..ratings.auditing.scenarios import Scenario
    from ..ratings.auditing.stability import Stability, Without
    from ..reports.judges import JudgesDocument

_Row = tuple[str, "AuditEstimate", str]
"""A measure, what was found, and what would be found where there is nothing."""
SHOWN = 8
"""Most rows of a list; --json has all."""


def judge_report(
    audit: "JudgeAudit", judges: "Sequence[JudgesDocument]" = (), *, details: bool = True
) -> RenderableType:
    """What `bench judge-report` prints.

    Args:
        audit: Of one judge, or of a panel.
        judges: What several judges say beside each other.
        details: All measures, not the conclusions alone.
    """
    parts: list[RenderableType] = [_title(audit), _counts(audit.counts)]
    parts += [*conclusions(audit.conclusions), *judges_in_words(judges), Text("")]
    parts += _details(audit) if details else [quiet("--details has all measures")]
    parts += map(warning, audit.warnings)
    return Group(*parts)


def quiet(text: str) -> Text:
    """A line that qualifies what stands above it."""
    return Text(line(text), style="dim")


def ruled(first: str, *others: str) -> Grid:
    """A table with these headings, whose columns but the first are set to the right."""
    return Grid([Column(first), *(Column(heading, right=True) for heading in others)])


def _details(audit: "JudgeAudit") -> list[RenderableType]:
    return [
        *_measures(audit),
        *_verdicts(audit.asking),
        *_criteria(audit.criteria),
        *_scenarios(audit.scenarios),
        *_cycles(audit.cycles),
        *_stability(audit.stability),
    ]


def judges_in_words(
    found: "Sequence[JudgesDocument]", *, details: bool = True
) -> list[RenderableType]:
    """The sentences about several judges, by scores and by ratings.

    Args:
        found: What they say beside each other.
        details: All; else only what was found strongly.
    """
    made: list[RenderableType] = []
    for one in found:
        rows = one.conclusions if details else strong(one.conclusions)
        made += [Text(""), *conclusions(rows, f"The judges, by {one.value}")] if rows else []
    return made


def _title(audit: "JudgeAudit") -> Text:
    title = Text(f"judge {line(audit.judge or '(not told)')}", style="bold")
    source = audit.source
    place = source.file or f"{source.benchmark} on {source.dataset and source.dataset.name}"
    title.append(f"  from {line(place)}")
    if audit.demo:
        title.append("  DEMO", style="bold magenta")
    return title


def _counts(counts: "AuditCounts") -> Text:
    return quiet(
        f"{plural(counts.comparisons, 'comparison')} of {plural(counts.pairs, 'pair')} of "
        f"transcripts; {plural(counts.models, 'model')}, {plural(counts.items, 'item')} of "
        f"{plural(counts.families, 'family')}"
    )


def _measures(audit: "JudgeAudit") -> list[RenderableType]:
    made = ruled("measure", "value", "95 % interval", "n", "expected without bias")
    rows = list(_measured(audit))
    for label, found, none in rows:
        cells = [number(found.value, 3), interval(found.ci95, 3), str(found.n)]
        made.add_row(label, *cells, none)
    notes = _unknown(rows, audit.warnings)
    orders = audit.orders
    message = f"{orders.pairs} pairs in both orders ({orders.tied} with a tie), "
    message += f"{orders.single} calls without their other order; intervals over families"
    return [made, quiet(message), *map(quiet, notes)]


def _unknown(rows: Sequence[_Row], warnings: Sequence[str]) -> list[str]:
    """Why values or intervals are not known, with their measures, where no warning says it."""
    lacking: dict[str, list[str]] = {}
    for label, found, _ in rows:
        if found.reason and found.reason not in warnings:
            lacking.setdefault(found.reason, []).append(label)
    return [f"{reason} ({'; '.join(labels)})" for reason, labels in lacking.items()]


def _measured(audit: "JudgeAudit") -> Iterator[_Row]:
    orders, terms, asking = audit.orders, audit.terms, audit.asking
    yield "pairs whose winner changes with the order", orders.flips, "noise"
    yield "the same beyond noise", orders.beyond_noise, "0"
    yield "calls won by the first shown", orders.first_wins, "0.5"
    yield "being first, pluses per criterion", orders.margin, "0"
    yield "position effect (model estimate)", terms.position.margin, "0"
    yield "effect of doubling the length", terms.length.margin_per_doubling, "0"
    yield "the same, errors of a rating difference", terms.length.harm, "0"
    yield "comparisons unread", asking.unread, "0"
    yield "comparisons asked for again", asking.re_asked, "0"
    yield "comparisons read from repaired JSON", asking.repaired, "0"


def _verdicts(asking: "Asking") -> list[RenderableType]:
    verdicts = asking.verdicts
    if verdicts is None:
        return [quiet(f"rubric verdicts: {asking.reason}")]
    message = (
        f"rubric verdicts: {verdicts.total}, of which {verdicts.unscored} without a number, "
        f"{verdicts.re_asked} asked for again, {verdicts.repaired} repaired"
    )
    reasons = list(verdicts.reasons.items())
    shown = [quiet(f"  {n} x {reason}") for reason, n in reasons[:SHOWN]]
    return [Text(message), *shown, *_more(len(reasons), "reasons")]


def _criteria(criteria: "Criteria") -> list[RenderableType]:
    parts: list[RenderableType] = []
    for found in criteria.sets:
        parts += [Text(""), _heading(f"Criteria judged together, {found.items} items")]
        parts += [_matrix(found), *map(quiet, _factor(found.first_factor))]
    if left := criteria.items_left_out:
        message = f"no correlations of the criteria of {plural(left, 'item')}: too few alike"
        parts.append(quiet(message))
    return parts


def _heading(text: str) -> Text:
    return Text(line(text), style="bold")


def _matrix(found: "CriteriaSet") -> RenderableType:
    names = found.criteria
    made = ruled("", *[str(n) for n in range(1, len(names) + 1)], "factor 1")
    loadings = found.first_factor.loadings or {}
    for n, (name, row) in enumerate(zip(names, found.correlations, strict=True), start=1):
        cells = [number(value) for value in row]
        made.add_row(line(f"{n} {name}"), *cells, number(loadings.get(name)))
    return made


def _factor(factor: "Factor") -> list[str]:
    return [
        f"first factor's share of the criteria: {_estimate(factor.share)}",
        f"the same within pairs of models: {_estimate(factor.share_within_pairs)}",
    ]


def _estimate(found: "AuditEstimate") -> str:
    if found.value is None:
        return f"not known: {found.reason}"
    between = f" ({interval(found.ci95)})" if found.ci95 else f"; {found.reason}"
    return number(found.value) + between


def _scenarios(scenarios: Sequence["Scenario"]) -> list[RenderableType]:
    known = [row for row in scenarios if row.discrimination is not None]
    made = ruled("item", "family", "pairs", "mean margin", "discrimination", "agreement")
    made.columns[1].right = False
    for row in known[:SHOWN]:
        cells = [number(value) for value in (row.spread, row.discrimination, row.agreement)]
        made.add_row(line(row.item), line(row.family), str(row.pairs), *cells)
    parts: list[RenderableType] = [Text(""), _heading("Scenarios that tell models apart least")]
    parts += [made] if known else []
    parts += _more(len(known), "scenarios, which tell more")
    if unknown := len(scenarios) - len(known):
        message = f"not known of {plural(unknown, 'scenario')}, with the reason in --json"
        parts.append(quiet(message))
    return parts


def _more(n: int, what: str) -> list[Text]:
    return [quiet(f"and {n - SHOWN} more {what}")] if n > SHOWN else []


def _cycles(cycles: "Cycles") -> list[RenderableType]:
    parts: list[RenderableType] = [Text(""), _heading("Cycles (A beats B beats C beats A)")]
    if cycles.surviving is None:
        return [*parts, quiet(f"not known: {cycles.reason}")]
    message = (
        f"{cycles.surviving} where all three are sure, of "
        f"{plural(cycles.sure_triples, 'triple')} with three sure pairs; "
        f"{cycles.apparent} by point values, of {plural(cycles.triples, 'triple')} that met"
    )
    parts.append(Text(message))
    for cycle in cycles.cycles[:SHOWN]:
        models, margins = cycle.models, cycle.margins
        steps = (f"{m} +{number(margin)}" for m, margin in zip(models, margins, strict=True))
        parts.append(Text(line(f"  {' > '.join(steps)} > {models[0]}")))
    return parts + _more(cycles.surviving, "cycles")


def _stability(stability: "Stability") -> list[RenderableType]:
    parts: list[RenderableType] = [Text(""), _heading("Ranks without one family or one opponent")]
    for kind, label in (("families", "family"), ("opponents", "opponent")):
        rows: Sequence[Without] | None = getattr(stability, kind)
        if rows is None:
            parts.append(quiet(f"opponents: {stability.reason}"))
        elif moving := [row for row in rows if row.moved]:
            parts += [_left_out(label, moving), *_more(len(moving), f"{kind} that move ranks")]
            parts += [quiet(f"without each of the other {len(rows) - len(moving)} nothing moves")]
        else:
            parts.append(Text(f"no rank changes without any one {label} ({len(rows)} tried)"))
    return parts


def _left_out(label: str, rows: Sequence["Without"]) -> RenderableType:
    made = ruled(f"without {label}", "models moved", "largest move", "whose", "new first")
    for column in made.columns[3:]:
        column.right = False
    for row in rows[:SHOWN]:
        names = [line(name or "–") for name in (row.model, row.new_first)]
        made.add_row(line(row.left_out), str(row.moved), str(row.largest), *names)
    return made
