"""The result document: what ``--json`` prints, what is saved, what tables are made from.

Everything in it is computed from the journal's grades, calls and failures, for
the samples that were asked for. docs/results.md describes each field.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..benchmark import Pack
from ..clients.families import kinship
from ..endpoints.sites import host_in
from ..few_families import few_families, why_no_interval
from ..guard import guard
from ..imported import origin_of
from ..journal import RunRecord
from ..sample.phases import TRIAL
from ..settings.run_config import grader
from ..types import NO_RESPONSE, Baseline, Summary, digest
from .comparability import comparability, not_sent, not_taken
from .evidence import Evidence, Selection, Spent

if TYPE_CHECKING:
    from ..settings.run_config import RunConfig


def build_document(
    run: RunRecord | None,
    config: "RunConfig",
    pack: Pack,
    selection: Selection,
    evidence: Evidence,
    *,
    baselines: Mapping[str, Baseline] | None = None,
) -> dict[str, Any]:
    """A result document.

    Args:
        run: Whose result it is; ``None`` when answers were given instead of asked for.
        config: How it was asked for.
        pack: Its data.
        selection: The samples it is about.
        evidence: What is known about them.
        baselines: The pack's, where they are known already.
    """
    benchmark, options = config.benchmark, config.options
    summary = guard(benchmark).summarise(pack, evidence.scores, options)
    if baselines is None:
        baselines = guard(benchmark).baselines(pack, options)
    families = len({s.cluster for s in evidence.scores if s.score.reason is None})
    reasons = _reasons(summary, families)
    items, kept_back = _items(selection, evidence), not_sent(config, evidence.spent)
    origin = origin_of(run.model, run.settings) if run else None
    if origin is not None:
        items["items"]["truncated"] = None
    stopped = evidence.stopped if items["items"]["pending"] else None
    status = stopped or _status(summary, config, items["items"])
    return {
        **_head(
            run,
            config,
            pack,
            selection,
            status,
            kept_back,
            items["items"]["absent"],
            bool(evidence.spent.truncated),
        ),
        **_results(summary, baselines),
        **({"metric_reasons": reasons} if reasons else {}),
        **items,
        "flags": _flags(evidence),
        **(_spent(evidence, imported=origin is not None) if run else _NOTHING_KNOWN),
        "elapsed_s": run.elapsed_s if run else 0.0,
        "comparisons": {},
        "ratings": [],
        "conclusions": [],
        "warnings": [
            *judge_warnings(config),
            *not_taken(kept_back),
            *pack.warnings,
            *summary.warnings,
            *_rough(summary, families),
        ],
    }


def _head(
    run: RunRecord | None,
    config: "RunConfig",
    pack: Pack,
    selection: Selection,
    status: str,
    kept_back: Sequence[str],
    absent: int,
    cut_off: bool,
) -> dict[str, Any]:
    demo = run is not None and run.demo
    return {
        "run_id": run.run_id if run else None,
        "benchmark": config.benchmark.name,
        "benchmark_version": config.benchmark.version,
        "status": status,
        "demo": demo,
        "imported": origin_of(run.model, run.settings) if run else None,
        "model": run.model if run else None,
        "name": run.name if run else config.display_name,
        "view": None,
        "endpoint": run.endpoint if run else None,
        "judge": str(config.judge.spec) if config.judge else None,
        "judge_endpoint": host_in(config.judge.stored_label) if config.judge else None,
        "grader": digest(grader(config)) if run else None,
        "options": dict(config.options),
        "sampling": config.effective_sampling.sent() if run else {},
        "not_sent": list(kept_back),
        "dataset": {
            "name": pack.source.name,
            "sha256": pack.source.sha256,
            "n_items": len(pack.items),
        },
        "iterations": selection.iterations,
        "comparability": comparability(
            config,
            pack,
            demo=demo,
            n_items=len(selection.items),
            status=status,
            kept_back=kept_back,
            given=run is None,
            absent=absent,
            cut_off=cut_off,
        ),
    }


def judge_warnings(config: "RunConfig") -> list[str]:
    """What to know about the judge before its verdicts are trusted."""
    message = config.judge and kinship(config.model.spec, config.judge.spec)
    return [message] if message else []


def _results(summary: Summary, baselines: Mapping[str, Baseline]) -> dict[str, Any]:
    return {
        "metrics": {name: metric.as_json() for name, metric in summary.metrics.items()},
        "metric_labels": {name: [m.label, m.over] for name, m in summary.metrics.items()},
        "metric_groups": {name: m.group for name, m in summary.metrics.items() if m.group},
        "metric_notes": {name: m.note for name, m in summary.metrics.items() if m.note},
        "invalid": summary.invalid,
        "notes": dict(summary.notes),
        "baselines": {
            name: {"value": b.value, "label": b.label, "sd": b.sd, "answer": b.answer}
            for name, b in baselines.items()
        },
    }


def _reasons(summary: Summary, families: int) -> dict[str, str]:
    """Why metrics that are over something have no interval, where families are too few."""
    made = {
        name: why_no_interval(families if metric.families is None else metric.families)
        for name, metric in summary.metrics.items()
        if metric.over and metric.value is not None and metric.ci95 is None
    }
    return {name: reason for name, reason in made.items() if reason}


def _rough(summary: Summary, families: int) -> list[str]:
    """The warning about intervals from few families, where there are intervals."""
    if all(metric.ci95 is None for metric in summary.metrics.values()):
        return []
    return few_families(families)


def _items(selection: Selection, evidence: Evidence) -> dict[str, Any]:
    scores, failures = evidence.scores, evidence.failures
    unscored = [s for s in scores if s.score.reason is not None]
    counts = {
        "total": selection.total,
        "scored": len(scores) - len(unscored),
        "unscored": len(unscored),
        "failed": len(failures),
        "truncated": len(evidence.spent.truncated),
        "pending": selection.total - len(scores) - len(failures),
        "absent": sum((s.score.reason or "").startswith(NO_RESPONSE) for s in unscored),
    }
    return {
        "items": counts,
        "unscored": [
            {"item_id": s.item_id, "iteration": s.iteration, "reason": s.score.reason}
            for s in unscored
        ],
        "failed": [
            {"item_id": f.item_id, "iteration": f.iteration, "kind": f.kind, "reason": f.reason}
            for f in failures
        ],
    }


def _flags(evidence: Evidence) -> dict[str, int]:
    """How many samples have each flag, the most frequent first."""
    counts = Counter(flag for s in evidence.scores for flag in set(s.score.flags))
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


_NOTHING_KNOWN: Mapping[str, Any] = {
    "calls": {"model": 0, "judge": 0, "replayed": 0, "retries": 0},
    "tokens": dict.fromkeys(("input", "cached", "output", "reasoning")),
    "cost_usd": None,
}
"""What answers made elsewhere cost."""


def _spent(evidence: Evidence, *, imported: bool) -> dict[str, Any]:
    """Calls and what they took; what another program's took is not known, nor then the sum."""
    spent = evidence.spent
    total = sum(n for phase, n in spent.calls.items() if phase != TRIAL)
    return {
        "calls": {
            "model": spent.calls["generate"],
            "judge": spent.calls["judge"] + spent.calls.get("compare", 0),
            "replayed": max(0, total - evidence.sent),
            "retries": spent.retries,
        },
        "tokens": _NOTHING_KNOWN["tokens"] if imported else _tokens(spent),
        "cost_usd": None if spent.cost_usd is None else round(spent.cost_usd, 6),
    }


def _tokens(spent: Spent) -> dict[str, int | None]:
    """Tokens by kind; ``None`` where the server counted none, as every prompt has some."""
    usage, counted = spent.usage, spent.usage.input > 0 or not sum(spent.calls.values())
    counts = {
        "input": usage.input,
        "cached": usage.cached,
        "output": usage.output,
        "reasoning": usage.reasoning,
    }
    return {name: count if counted else None for name, count in counts.items()}


def _status(summary: Summary, config: "RunConfig", items: Mapping[str, int]) -> str:
    judged = guard(config.benchmark).needs_judge(config.options)
    left = items["failed"] or items["pending"] or items["absent"]
    if left or (judged and items["unscored"]):
        return "incomplete"
    return "fail" if summary.invalid else "complete"
