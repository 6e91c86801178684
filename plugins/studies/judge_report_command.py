"""`bench judge-report`: what comparisons say of the judge that made them."""

from collections.abc import Iterator, Sequence
from typing import Any

import click

import eibench
from eibench import AuditedJudge, AuditEstimate, JudgeAudit, Paragraph, Table
from eibench.text import interval, line, number, plural

from .judge_report.document import JudgeReport

_Row = tuple[str, AuditEstimate, str]
"""A measure, what was found, and what would be found where there is nothing."""
SHOWN = 8
"""Most rows of a list; --json has all."""


def show_judge_report(judge: AuditedJudge, report: JudgeReport, *, details: bool) -> None:
    """What `bench judge-report` prints: all measures, or the conclusions alone."""
    eibench.show(_title(report))
    eibench.show_conclusions(judge.audit.conclusions)
    for one in judge.robustness:
        eibench.show_conclusions(one.conclusions, f"\nThe judges, by {one.value}")
    eibench.show(Paragraph(""))
    if details:
        eibench.show(*_numbers(report), _scenarios(report), _cycles(report))
        eibench.show(Paragraph(""))
        eibench.show(Paragraph("", "Ranks without one family or one opponent"))
        for part in _stability(report):
            eibench.show(part)
    else:
        eibench.show(Paragraph("", note="--details has all measures"))
    eibench.show(warnings=report.warnings)
    if judge.other_boards:
        eibench.show(Paragraph(line(judge.other_boards)))


def _title(report: JudgeReport) -> Paragraph:
    source, counts = report.audit.source, report.counts
    origin = source.file or f"{source.benchmark} on {source.dataset and source.dataset.name}"
    title = f"judge {report.judge or '(not told)'}  from {origin}" + "  DEMO" * report.audit.demo
    note = (
        f"{plural(counts.comparisons, 'comparison')} of {plural(counts.pairs, 'pair')} of "
        f"transcripts; {plural(counts.models, 'model')}, {plural(counts.items, 'item')} of "
        f"{plural(counts.families, 'family')}"
    )
    return Paragraph("", title, note)


def _lines(*texts: str) -> str:
    return "\n".join(line(text) for text in texts)


def _more(n: int, what: str) -> list[str]:
    return [f"and {n - SHOWN} more {what}"] if n > SHOWN else []


def _numbers(report: JudgeReport) -> list[Table]:
    """The measures, and the criteria that were judged together."""
    *others, last = _measures(report), *_criteria(report)
    if left := report.criteria.items_left_out:
        message = f"no correlations of the criteria of {plural(left, 'item')}: too few alike"
        last = last._replace(note=f"{last.note}\n{message}")
    return [*others, last]


def _measures(report: JudgeReport) -> Table:
    audit = report.audit
    measures, orders = list(_measured(audit)), audit.orders
    rows = [
        (label, number(estimate.value, 3), interval(estimate.ci95, 3), estimate.n, none)
        for label, estimate, none in measures
    ]
    message = f"{orders.pairs} pairs in both orders ({orders.tied} with a tie), "
    message += f"{orders.single} calls without their other order; intervals over families"
    notes = [message, *_unknown(measures, report.warnings), *_verdicts(audit)]
    columns = ("measure", "value", "95 % interval", "n", "expected without bias")
    return Table("", columns, rows, note=_lines(*notes), right=range(1, 5))


def _unknown(rows: Sequence[_Row], warnings: Sequence[str]) -> list[str]:
    """Why values or intervals are not known, with their measures, where no warning says it."""
    lacking: dict[str, list[str]] = {}
    for label, estimate, _ in rows:
        if estimate.reason and estimate.reason not in warnings:
            lacking.setdefault(estimate.reason, []).append(label)
    return [f"{reason} ({'; '.join(labels)})" for reason, labels in lacking.items()]


def _measured(audit: JudgeAudit) -> Iterator[_Row]:
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


def _verdicts(audit: JudgeAudit) -> list[str]:
    verdicts = audit.asking.verdicts
    if verdicts is None:
        return [f"rubric verdicts: {audit.asking.reason}"]
    message = (
        f"rubric verdicts: {verdicts.total}, of which {verdicts.unscored} without a number, "
        f"{verdicts.re_asked} asked for again, {verdicts.repaired} repaired"
    )
    reasons = [f"{n} x {reason}" for reason, n in verdicts.reasons.items()]
    return [message, *reasons[:SHOWN], *_more(len(reasons), "reasons")]


def _criteria(report: JudgeReport) -> Iterator[Table]:
    for judged in report.criteria.sets:
        loadings = judged.first_factor.loadings or {}
        rows = [
            (f"{n} {name}", *map(number, row), number(loadings.get(name)))
            for n, (name, row) in enumerate(
                zip(judged.criteria, judged.correlations, strict=True), start=1
            )
        ]
        columns = ("", *(str(n) for n in range(1, len(rows) + 1)), "factor 1")
        note = _lines(
            f"first factor's share of the criteria: {_estimate(judged.first_factor.share)}",
            "the same within pairs of models: " + _estimate(judged.first_factor.share_within_pairs),
        )
        title = f"Criteria judged together, {judged.items} items"
        yield Table(title, columns, rows, note=note, right=range(1, len(columns)))


def _estimate(estimate: AuditEstimate) -> str:
    if estimate.value is None:
        return f"not known: {estimate.reason}"
    between = f" ({interval(estimate.ci95)})" if estimate.ci95 else f"; {estimate.reason}"
    return number(estimate.value) + between


def _scenarios(report: JudgeReport) -> Table | Paragraph:
    known = [row for row in report.scenarios if row.discrimination is not None]
    title = "Scenarios that tell models apart least"
    notes = _more(len(known), "scenarios, which tell more")
    if unknown := len(report.scenarios) - len(known):
        notes.append(f"not known of {plural(unknown, 'scenario')}, with the reason in --json")
    if not known:
        return Paragraph("", title, _lines(*notes))
    columns = ("item", "family", "pairs", "mean margin", "discrimination", "agreement")
    rows = [
        (row.item, row.family, row.pairs, row.spread, row.discrimination, row.agreement)
        for row in known[:SHOWN]
    ]
    return Table(title, columns, rows, note=_lines(*notes), right=range(2, 6))


def _cycles(report: JudgeReport) -> Paragraph:
    title, cycles = "Cycles (A beats B beats C beats A)", report.cycles
    if cycles.surviving is None:
        return Paragraph("", title, line(f"not known: {cycles.reason}"))
    lines = [
        f"{cycles.surviving} where all three are sure, of "
        f"{plural(cycles.sure_triples, 'triple')} with three sure pairs; "
        f"{cycles.apparent} by point values, of {plural(cycles.triples, 'triple')} that met"
    ]
    for cycle in cycles.cycles[:SHOWN]:
        models, margins = cycle.models, cycle.margins
        steps = (f"{m} +{number(margin)}" for m, margin in zip(models, margins, strict=True))
        lines.append(f"  {' > '.join(steps)} > {models[0]}")
    return Paragraph(_lines(*lines), title, _lines(*_more(cycles.surviving, "cycles")))


def _stability(report: JudgeReport) -> Iterator[Table | Paragraph]:
    stability = report.stability
    without = {"family": stability.families, "opponent": stability.opponents}
    for label, rows in without.items():
        if rows is None:
            yield Paragraph("", note=line(f"opponents: {stability.reason}"))
            continue
        moving = [row for row in rows if row.moved]
        if not moving:
            yield Paragraph(f"no rank changes without any one {label} ({len(rows)} tried)")
            continue
        columns = (f"without {label}", "models moved", "largest move", "whose", "new first")
        cells = [
            (row.left_out, row.moved, row.largest, row.model or "–", row.new_first or "–")
            for row in moving[:SHOWN]
        ]
        several = "families" if label == "family" else "opponents"
        notes = [
            *_more(len(moving), f"{several} that move ranks"),
            f"without each of the other {len(rows) - len(moving)} nothing moves",
        ]
        yield Table("", columns, cells, note=_lines(*notes), right=(1, 2))


_EXAMPLES = (
    "\b\nExamples:\n"
    "  bench judge-report comparisons.jsonl\n"
    "  bench judge-report eqbench3 --judge anthropic/NAME\n"
)


@click.command("judge-report", cls=eibench.AuditCommand, epilog=_EXAMPLES)
@click.argument("source", metavar="[BENCHMARK|FILE]", required=False,
                shell_complete=eibench.completion("benchmarks"))  # fmt: skip
@eibench.audit_options
@eibench.shared_options("details")
@eibench.json_option
def judge_report_command(source: str | None, json_output: bool, **params: Any) -> None:
    """Audit a judge on its comparisons: of a file, or of the journal.

    Order flips, position and length bias, unread replies, criteria, scenarios, cycles, and how
    ranks hang on one family or one opponent. docs/judge-report.md says how to read it.
    """
    judge = eibench.chosen_audit(source, **params)
    report = JudgeReport.of(judge.audit)
    if json_output:
        robustness = {"robustness": judge.robustness} if judge.robustness else {}
        eibench.show_json({**report.as_json(), **robustness})
    else:
        show_judge_report(judge, report, details=bool(eibench.provided("details")))
