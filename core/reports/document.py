"""The result document: what ``--json`` prints, what is saved, what tables are made from.

Everything in it is computed from the journal's grades, calls and failures, for
the samples that were asked for. docs/results.md describes each field.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import isclose
from typing import TYPE_CHECKING, NamedTuple

from ..benchmark import Pack
from ..benchmark.model import MODEL, role_in
from ..benchmark.values import weighing
from ..clients.families import common_family, kinship
from ..guard import guard
from ..journal import RunRecord
from ..parties.graders import Panel, Replies
from ..parties.party import Party, origin_of
from ..sample.progress import TRIAL
from ..settings.run_config import grader
from ..statistics.few_families import NO_SPREAD, few_families, why_no_interval
from ..text import by_player, plural
from ..types import NO_RESPONSE, Baseline, Summary
from ..types import result_document as rows
from ..types.result_document import ResultDocument, Status
from .alike import AlikeReplies, alike_warnings, told_repeats
from .comparability import comparability, not_sent, otherwise_of
from .cut_prompts import CUT, cut_warnings
from .evidence import ModelComparisons, RunData, Selection, UsageTotals, refused_in
from .graded import dataset_row
from .otherwise import AskedOtherwise
from .panels import panel_part
from .replies import (
    REPEATS,
    asked_part,
    mark_warnings,
    provider_warnings,
    repeating_warnings,
    source_warnings,
)

if TYPE_CHECKING:
    from ..settings.run_config import RunConfig


def build_document(
    run: RunRecord | None,
    config: "RunConfig",
    pack: Pack,
    selection: Selection,
    evidence: RunData,
    *,
    summary: Summary | None = None,
    baselines: Mapping[str, Baseline] | None = None,
    compared: ModelComparisons | None = None,
    main: bool = True,
    elapsed_s: float | None = None,
    warnings: Sequence[str] = (),
) -> ResultDocument:
    """A result document; `run` is ``None`` for answers that were given instead of asked for.

    `summary` and `baselines` are those of the benchmark where they are known already; `main`
    says whether it is the run's own result; `elapsed_s` how long commands have worked on the run,
    if not as its record says.
    """
    subject = _Subject(run, config, pack, selection, evidence)
    if summary is None:
        summary = guard(config.benchmark).summarise(pack, evidence.scores, config.options)
    if baselines is None:
        baselines = guard(config.benchmark).baselines(pack, config.options)
    samples = _samples(subject)
    closing: rows.ClosingPart = {"warnings": [*_warnings(subject, summary, compared), *warnings]}
    graded = _status_of_samples(subject, summary, samples["items"])
    return {
        **_run(subject, _status(graded, evidence.stopped, compared), main=main),
        **_protocol(subject, graded, samples["items"]),
        **_metrics(subject, summary, baselines, compared),
        **samples,
        **_cost(subject, elapsed_s),
        **_comparisons(compared),
        **closing,
        **panel_part(config, pack, evidence, compared),
    }


class _Subject(NamedTuple):
    """What a document is about."""

    run: RunRecord | None
    config: "RunConfig"
    pack: Pack
    selection: Selection
    evidence: RunData

    @property
    def otherwise(self) -> AskedOtherwise:
        """What was asked otherwise than meant."""
        return otherwise_of(self.config, self.evidence.spent)

    @property
    def families(self) -> int:
        """How many families of items were scored."""
        return len({s.cluster for s in self.evidence.scores if s.score.reason is None})

    def counted(self, metric: str) -> tuple[int, str]:
        """How many families there are, and how they count, where a metric weighs its samples."""
        weighed = weighing(self.pack.items, self.config.benchmark.values, metric)
        return (self.families, weighed.words) if weighed else (0, "")

    @property
    def origin(self) -> Mapping[str, str] | None:
        """Where the run was imported from."""
        return origin_of(self.run.model, self.run.settings) if self.run else None


# Status


def _status_of_samples(subject: _Subject, summary: Summary, items: rows.SampleCounts) -> Status:
    """The status without regard to comparisons."""
    config, evidence = subject.config, subject.evidence
    if evidence.stopped and items["pending"]:
        return evidence.stopped
    judged = guard(config.benchmark).needs_judge(config.options)
    left = items["failed"] or items["pending"] or items["absent"]
    unread = judged and items["unscored"] > (refused_in(evidence.scores) if items["scored"] else 0)
    if left or unread or not _are_whole(evidence.replies):
        return "incomplete"
    return "fail" if summary.invalid else "complete"


def _status(samples: Status, stopped: Status | None, compared: ModelComparisons | None) -> Status:
    """The status, from that of the samples and what is left of the comparisons."""
    if compared is None or samples in ("budget", "interrupted", "waiting"):
        return samples
    if compared.to_do:
        return stopped or "incomplete"
    unread = compared.unread or not _are_whole(compared.replies)
    return "incomplete" if unread and samples == "complete" else samples


def _are_whole(replies: Mapping[Party, Replies]) -> bool:
    """Whether each judge of a panel answered all, and nearly always so that it could be read."""
    return all(of_judge.whole for of_judge in replies.values())


# Parts


def _run(subject: _Subject, status: Status, *, main: bool) -> rows.RunPart:
    run, config = subject.run, subject.config
    judge = config.judge
    players: dict[str, rows.PlayerPart] = {
        name: {"model": str(p.spec), "endpoint": p.party.endpoint}
        for name, p in config.roles.items()
    }
    part: rows.RunPart = {
        "run_id": run.run_id if run else None,
        "benchmark": config.benchmark.name,
        "benchmark_version": config.benchmark.version,
        "status": status,
        "demo": run is not None and run.demo,
        "imported": subject.origin,
        "model": run.model if run else None,
        "name": run.name if run else config.display_name,
        "main": main,
        "endpoint": run.endpoint if run else None,
        "judge": (judge.label if isinstance(judge, Panel) else judge.short) if judge else None,
        "judge_endpoint": judge.endpoint if isinstance(judge, Party) else None,
        "judged_by": judge.as_json() if judge else None,
        "grader": grader(config).digest if run else None,
    }
    if config.checkpoint:
        part = {**part, "checkpoint": config.checkpoint}
    return {**part, "roles": players} if players else part


def _protocol(subject: _Subject, status: Status, items: rows.SampleCounts) -> rows.ProtocolPart:
    run, config, pack, selection, evidence = subject
    otherwise = subject.otherwise
    part: rows.ProtocolPart = {
        "options": dict(config.options),
        "sampling": config.effective_sampling.sent() if run else {},
        "not_sent": not_sent(config, evidence.spent),
        "dataset": dataset_row(pack),
        "iterations": selection.iterations,
        "comparability": comparability(
            config,
            pack,
            demo=run is not None and run.demo,
            n_items=len(selection.items),
            status=status,
            otherwise=otherwise,
            elsewhere=run is None,
            absent=items["absent"],
            cut_off=bool(evidence.spent.truncated),
        ),
    }
    by_party = otherwise.as_json(config.judge)
    return {**part, "asked_otherwise": by_party} if by_party else part


def _metrics(
    subject: _Subject,
    summary: Summary,
    baselines: Mapping[str, Baseline],
    compared: ModelComparisons | None,
) -> rows.MetricsPart:
    metrics = summary.metrics
    # Ratings by each judge stand with the judges.
    notes = compared.notes if compared else {}
    ratings = {name: note for name, note in notes.items() if name != "by_judge"}
    part: rows.MetricsPart = {
        "metrics": {name: metric.as_json() for name, metric in metrics.items()},
        "metric_labels": {name: [m.label, m.over] for name, m in metrics.items()},
        "metric_groups": {name: m.group for name, m in metrics.items() if m.group},
        "metric_notes": {name: m.note for name, m in metrics.items() if m.note},
        "invalid": summary.invalid,
        "notes": {**summary.notes, **({"rating": ratings} if compared else {})},
        "baselines": {name: baseline.as_json() for name, baseline in baselines.items()},
    }
    if reasons := _reasons(summary, subject):
        part = {**part, "metric_reasons": reasons}
    unmeasured = _unmeasured(summary, subject.evidence.spent.alike.get(MODEL))
    return {**part, "unmeasured": unmeasured} if unmeasured else part


def _unmeasured(summary: Summary, alike: AlikeReplies | None) -> dict[str, str]:
    """Why spreads over iterations that are 0 measure nothing, where all repeats are one text."""
    if alike is None or not alike.is_one_text:
        return {}
    spreads = {name: m for name, m in summary.metrics.items() if m.of_iterations}
    return {
        name: told_repeats(alike)
        for name, metric in spreads.items()
        if metric.value is not None and isclose(metric.value, 0, abs_tol=1e-9)  # as floats add up
    }


def _reasons(summary: Summary, subject: _Subject) -> dict[str, str]:
    """Why metrics that are over something have no interval, where that is known."""
    families, declared = subject.families, {v.name for v in subject.config.benchmark.values}
    reasons = {
        name: why_no_interval(
            families if metric.families is None else metric.families,
            *(subject.counted(name) if name in declared else (0, "")),
        )
        or (None if metric.families is None else NO_SPREAD)
        for name, metric in summary.metrics.items()
        if metric.over and metric.value is not None and metric.ci95 is None
    }
    return {name: reason for name, reason in reasons.items() if reason}


def _samples(subject: _Subject) -> rows.SamplesPart:
    scores, failures = subject.evidence.scores, subject.evidence.failures
    unscored = [(s, s.score.reason) for s in scores if s.score.reason is not None]
    total, cut_off = subject.selection.total, len(subject.evidence.spent.truncated)
    known = subject.origin is None or subject.evidence.spent.counted
    flags = Counter(flag for s in scores for flag in set(s.score.flags))
    if repeating := {s for one in subject.evidence.spent.repeating.values() for s in one.samples}:
        flags[REPEATS] = len(repeating)
    if cut := {s for one in subject.evidence.spent.cut.values() for s in one.samples}:
        flags[CUT] = len(cut)
    return {
        "items": {
            "total": total,
            "scored": len(scores) - len(unscored),
            "unscored": len(unscored),
            "failed": len(failures),
            # Of replies that came as texts alone nobody knows.
            "truncated": cut_off if cut_off or known else None,
            "pending": total - len(scores) - len(failures),
            "absent": sum(reason.startswith(NO_RESPONSE) for _, reason in unscored),
        },
        "unscored": [
            {"item_id": s.item_id, "iteration": s.iteration, "reason": reason}
            for s, reason in unscored
        ],
        "failed": [
            {"item_id": f.item_id, "iteration": f.iteration, "kind": f.kind, "reason": f.reason}
            for f in failures
        ],
        "flags": dict(sorted(flags.items(), key=lambda pair: (-pair[1], pair[0]))),
    }


def _cost(subject: _Subject, elapsed_s: float | None) -> rows.CostPart:
    """Calls and what they took; nothing is known of what answers made elsewhere cost."""
    run, spent = subject.run, subject.evidence.spent
    total = sum(n for phase, n in spent.calls.items() if phase != TRIAL)
    seconds = run.elapsed_s if run else 0.0
    roles = {role: n for phase, n in spent.calls.items() if (role := role_in(phase))}
    calls: rows.CallCounts = {
        "model": spent.calls["generate"],
        "judge": spent.calls["judge"] + spent.calls.get("compare", 0),
        "replayed": 0 if (sent := subject.evidence.sent) is None else max(0, total - sent),
        "retries": max(spent.retries, subject.evidence.again),
    }
    part: rows.CostPart = {
        "calls": {**calls, "roles": roles} if roles else calls,
        "tokens": _tokens(spent, known=spent.counted or (run is not None and not subject.origin)),
        "cost_usd": None if run is None or spent.cost_usd is None else round(spent.cost_usd, 6),
        "elapsed_s": seconds if elapsed_s is None else elapsed_s,
    }
    if subject.origin is not None or not spent.sources:
        return part
    return {**part, "asked": asked_part(spent.sources, subject.evidence.asked_now)}


def _tokens(spent: UsageTotals, *, known: bool) -> rows.TokenCounts:
    """Tokens by kind; ``None`` where the server counted none, as every prompt has some."""
    usage = spent.usage
    if not known or not (usage.input > 0 or not sum(spent.calls.values())):
        return {"input": None, "cached": None, "output": None, "reasoning": None}
    return {
        "input": usage.input,
        "cached": usage.cached,
        "output": usage.output,
        "reasoning": usage.reasoning,
    }


def _comparisons(compared: ModelComparisons | None) -> rows.ComparisonsPart:
    if compared is None:
        return {"comparisons": {}, "ratings": [], "conclusions": []}
    return {
        "comparisons": compared.counts,
        "ratings": compared.ratings,
        "conclusions": compared.conclusions,
    }


# Warnings


def _refused(subject: _Subject) -> Iterator[str]:
    """A warning of samples that the model, or a filter before it, refused."""
    if n := refused_in(subject.evidence.scores):
        of = plural(subject.selection.total, "sample")
        yield f"the model, or a filter before it, refused {n} of {of}: scores are of the others"


def _warnings(subject: _Subject, summary: Summary, compared: ModelComparisons | None) -> list[str]:
    spent = subject.evidence.spent
    warnings = [
        *judge_warnings(subject.config),
        *subject.otherwise.warnings(),
        *repeating_warnings(spent.repeating, spent.spells),
        *source_warnings(spent.sources),
        *provider_warnings(spent.hosts),
        *mark_warnings(spent.openings),
        *cut_warnings(spent.cut),
        *alike_warnings(spent.alike),
        *subject.pack.warnings,
        *summary.warnings,
        *_refused(subject),
        *_few_families(summary, subject),
    ]
    if compared:
        warnings += [line for line in compared.warnings if line not in warnings]
    return warnings


def _few_families(summary: Summary, subject: _Subject) -> list[str]:
    """Of the main metric, as a board has it; nothing where no metric has an interval."""
    name, main = next(iter(summary.metrics.items()), ("", None))
    if main is None or not any(metric.ci95 for metric in summary.metrics.values()):
        return []
    families = subject.families if main.families is None else main.families
    return few_families(families, *subject.counted(name))


def judge_warnings(config: "RunConfig") -> list[str]:
    """What to know of the judge and of who plays roles before a result is trusted."""
    judges = config.judges
    messages = (kinship(config.model.spec, judge.spec) for judge in judges)
    warnings = [message for message in messages if message]
    for name, player in by_player({n: p.spec for n, p in config.roles.items()}).items():
        for whom, other in (("model", config.model), *(("judge", judge) for judge in judges)):
            if family := common_family(player, other.spec):
                warnings.append(f"who plays {name} is of the {whom}'s family ({family})")
    return warnings
