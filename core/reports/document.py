"""The result document: what ``--json`` prints, what is saved, what tables are made from.

Everything in it is computed from the journal's grades, calls and failures, for
the samples that were asked for. docs/results.md describes each field.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..benchmark import Benchmark, Options, Pack
from ..journal import CallTotals, Failure, Journal, RunRecord
from ..types import Item, SampleScore, Summary, Usage

if TYPE_CHECKING:
    from ..engine.config import RunConfig


@dataclass(frozen=True, slots=True)
class Selection:
    """The samples that a result is about."""

    items: Sequence[Item]
    iterations: int

    @property
    def total(self) -> int:
        """How many samples."""
        return len(self.items) * self.iterations

    @property
    def clusters(self) -> dict[str, str]:
        """Each item's cluster, by its id."""
        return {item.id: item.cluster for item in self.items}


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a result is computed from: all that is known about the selected samples."""

    scores: Sequence[SampleScore]
    failures: Sequence[Failure] = ()
    calls: Sequence[CallTotals] = ()
    sent: int = 0
    """Calls that this command sent; the others came from the journal."""
    interrupted: bool = False
    """The user stopped this command before its end."""


def read_evidence(
    journal: Journal,
    run: RunRecord,
    grader: str,
    selection: Selection,
    *,
    sent: int = 0,
    interrupted: bool = False,
) -> Evidence:
    """What the journal knows about the selected samples of a run, by one grader."""
    clusters = selection.clusters
    inside = _Inside(clusters, selection.iterations)
    scores = [s for s in journal.grades(run, grader, clusters) if inside(s)]
    graded = {(s.item_id, s.iteration) for s in scores}
    failures = [
        f for f in journal.failures(run) if inside(f) and (f.item_id, f.iteration) not in graded
    ]
    calls = [t for t in journal.call_totals(run) if inside(t)]
    return Evidence(scores, failures, calls, sent, interrupted)


def build_document(
    run: RunRecord | None,
    config: "RunConfig",
    pack: Pack,
    selection: Selection,
    evidence: Evidence,
) -> dict[str, Any]:
    """A result document.

    Args:
        run: Whose result it is; ``None`` when answers were given instead of asked for.
        config: How it was asked for.
        pack: Its data.
        selection: The samples it is about.
        evidence: What is known about them.
    """
    benchmark, options = config.benchmark, config.options
    summary = benchmark.summarise(pack, evidence.scores, options)
    items = _items(selection, evidence)
    interrupted = evidence.interrupted and items["items"]["pending"] > 0
    status = _status(summary, config, items["items"], interrupted)
    return {
        **_head(run, config, pack, status),
        **_results(benchmark, options, pack, summary),
        **items,
        **_spent(evidence),
        "elapsed_s": run.elapsed_s if run else 0.0,
        "warnings": [*pack.warnings, *summary.warnings],
    }


class _Inside:
    """Whether something about a sample belongs to the selection."""

    def __init__(self, clusters: Mapping[str, str], iterations: int) -> None:
        self._clusters = clusters
        self._iterations = iterations

    def __call__(self, about: "SampleScore | Failure | CallTotals") -> bool:
        return about.item_id in self._clusters and about.iteration <= self._iterations


def _head(run: RunRecord | None, config: "RunConfig", pack: Pack, status: str) -> dict[str, Any]:
    demo = run is not None and run.demo
    return {
        "run_id": run.run_id if run else None,
        "benchmark": config.benchmark.name,
        "benchmark_version": config.benchmark.version,
        "status": status,
        "demo": demo,
        "model": run.model if run else None,
        "name": run.name if run else config.display_name,
        "endpoint": run.endpoint if run else None,
        "judge": str(config.judge.spec) if config.judge else None,
        "options": dict(config.options),
        "sampling": config.effective_sampling.sent() if run else {},
        "dataset": {
            "name": pack.source.name,
            "sha256": pack.source.sha256,
            "n_items": len(pack.items),
        },
        "comparability": comparability(config, pack, demo),
    }


def comparability(config: "RunConfig", pack: Pack, demo: bool) -> str:
    """One line: pack, protocol, grader, and which published numbers the result may stand beside."""
    changed = ", ".join(f"{k}={v}" for k, v in config.sampling.sent().items() if k != "seed")
    benchmark = config.benchmark
    options = benchmark.request_options(config.options)
    options |= benchmark.grade_options(config.options)
    source = pack.source
    parts = [f"{benchmark.name} v{benchmark.version}", f"pack {source.name} ({source.sha256[:12]})"]
    parts += [f"{name} {_plain(value)}" for name, value in options.items()]
    parts += [f"judge {config.judge.label}"] if config.judge else []
    parts += [f"changed: {changed}"] if changed else []
    parts += ["own system prompt"] if config.system else []
    may = "DEMO model: no result of a real model" if demo else pack.comparability
    return "; ".join([*parts, may])


def _plain(value: object) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def _results(
    benchmark: Benchmark, options: Options, pack: Pack, summary: Summary
) -> dict[str, Any]:
    baselines = {
        name: {"value": b.value, "label": b.label, "sd": b.sd, "answer": b.answer}
        for name, b in benchmark.baselines(pack, options).items()
    }
    return {
        "metrics": {name: metric.as_json() for name, metric in summary.metrics.items()},
        "metric_labels": {name: [m.label, m.over] for name, m in summary.metrics.items()},
        "invalid": summary.invalid,
        "notes": dict(summary.notes),
        "baselines": baselines,
    }


def _items(selection: Selection, evidence: Evidence) -> dict[str, Any]:
    scores, failures, calls = evidence.scores, evidence.failures, evidence.calls
    unscored = [s for s in scores if s.score.reason is not None]
    truncated = {(c.item_id, c.iteration) for c in calls if c.truncated}
    counts = {
        "total": selection.total,
        "scored": len(scores) - len(unscored),
        "unscored": len(unscored),
        "failed": len(failures),
        "truncated": len(truncated),
        "pending": selection.total - len(scores) - len(failures),
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


def _spent(evidence: Evidence) -> dict[str, Any]:
    by_phase = {"generate": 0, "judge": 0}
    usage, retries, costs = Usage(), 0, []
    for call in evidence.calls:
        by_phase[call.phase] = by_phase.get(call.phase, 0) + call.calls
        usage = usage + call.usage
        retries += call.attempts - call.calls
        costs.append(call.cost_usd)
    total = sum(by_phase.values())
    known = [c for c in costs if c is not None]
    return {
        "calls": {
            "model": by_phase["generate"],
            "judge": by_phase["judge"],
            "replayed": max(0, total - evidence.sent),
            "retries": retries,
        },
        "tokens": {
            "input": usage.input,
            "cached": usage.cached,
            "output": usage.output,
            "reasoning": usage.reasoning,
        },
        "cost_usd": round(sum(known), 6) if len(known) == len(costs) else None,
    }


def _status(
    summary: Summary, config: "RunConfig", items: Mapping[str, int], interrupted: bool
) -> str:
    if interrupted:
        return "interrupted"
    if items["failed"] or items["pending"] or (config.benchmark.judged and items["unscored"]):
        return "incomplete"
    return "fail" if summary.invalid else "complete"
