"""The result document: what ``--json`` prints, what is saved, what tables are made from.

Everything in it is computed from the journal's grades, calls and failures, for
the samples that were asked for. docs/results.md describes each field.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..benchmark import Benchmark, Options, Pack
from ..clients.base import host_of
from ..clients.families import kinship
from ..journal import RunRecord
from ..types import Summary
from .evidence import Evidence, Selection, Spent

if TYPE_CHECKING:
    from ..engine.config import RunConfig


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
    items, kept_back = _items(selection, evidence), not_sent(config, evidence.spent)
    stopped = evidence.stopped if items["items"]["pending"] else None
    status = stopped or _status(summary, config, items["items"])
    return {
        **_head(run, config, pack, selection, status, kept_back),
        **_results(benchmark, options, pack, summary),
        **items,
        "flags": _flags(evidence),
        **_spent(evidence),
        "elapsed_s": run.elapsed_s if run else 0.0,
        "comparisons": {},
        "ratings": [],
        "warnings": [
            *judge_warnings(config),
            *_not_taken(kept_back),
            *pack.warnings,
            *summary.warnings,
        ],
    }


def _head(
    run: RunRecord | None,
    config: "RunConfig",
    pack: Pack,
    selection: Selection,
    status: str,
    kept_back: Sequence[str],
) -> dict[str, Any]:
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
        "judge_endpoint": _host(config.judge.base_url) if config.judge else None,
        "options": dict(config.options),
        "sampling": config.effective_sampling.sent() if run else {},
        "not_sent": list(kept_back),
        "dataset": {
            "name": pack.source.name,
            "sha256": pack.source.sha256,
            "n_items": len(pack.items),
        },
        "iterations": selection.iterations,
        "comparability": comparability(config, pack, demo, len(selection.items), status, kept_back),
    }


def _host(base_url: str | None) -> str | None:
    """Host and port; ``None`` for the provider's own."""
    return host_of(base_url) if base_url else None


def comparability(
    config: "RunConfig",
    pack: Pack,
    demo: bool,
    n_items: int,
    status: str = "complete",
    kept_back: Sequence[str] = (),
) -> str:
    """One line: pack, protocol, grader, and which published numbers the result may stand beside."""
    benchmark, source = config.benchmark, pack.source
    changes = [f"{name}={value}" for name, value in _changes(config).items()]
    changed = ", ".join([*changes, *(f"{name} not sent" for name in kept_back)])
    options = benchmark.request_options(config.options)
    options |= benchmark.grade_options(config.options)
    parts = [f"{benchmark.name} v{benchmark.version}", f"pack {source.name} ({source.sha256[:12]})"]
    parts += [f"{name} {_plain(value)}" for name, value in options.items()]
    parts += [f"judge {config.judge.label}"] if config.judge else []
    parts += [f"changed: {changed}"] if changed else []
    parts += ["own system prompt"] if config.system else []
    partial = n_items < len(pack.items)
    parts += [f"only {n_items} of {len(pack.items)} items"] if partial else []
    if demo:
        may = "DEMO model: no result of a real model"
    elif partial or changed or config.system:
        may = "beside no published score: not the pack's own protocol in full"
    elif status != "complete":
        may = f"beside no published score: the result is not complete ({status})"
    else:
        may = pack.comparability
    return "; ".join([*parts, may])


_TAKEN_AS = {
    "temperature": {"temperature"},
    "top_p": {"top_p"},
    "min_p": {"min_p"},
    "seed": {"seed"},
    "reasoning_effort": {"reasoning_effort", "thinking", "output_config"},
}
"""What decides how replies are drawn, and what providers call it."""


def not_sent(config: "RunConfig", spent: Spent) -> list[str]:
    """What was asked for and never sent, as the server does not take it."""
    if not spent.calls["generate"]:
        return []
    asked = config.effective_sampling.sent()
    return [name for name, words in _TAKEN_AS.items() if name in asked and not words & spent.sent]


def _not_taken(names: Sequence[str]) -> list[str]:
    if not names:
        return []
    return [
        f"the server does not take {', '.join(names)}: replies were drawn without; "
        "bench show RUN ITEM has what was sent"
    ]


def _changes(config: "RunConfig") -> dict[str, Any]:
    """How replies are drawn otherwise than the benchmark says.

    A seed repeats what the protocol would give anyway; more room changes no answer that fits.
    """
    own = config.benchmark.sampling_for(config.options)
    used = config.effective_sampling.sent()
    room = own.max_tokens or 0
    return {
        name: value
        for name, value in used.items()
        if name != "seed"
        and value != getattr(own, name)
        and not (name == "max_tokens" and value >= room)
    }


def _plain(value: object) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def judge_warnings(config: "RunConfig") -> list[str]:
    """What to know about the judge before its verdicts are trusted."""
    told = config.judge and kinship(config.model.spec, config.judge.spec)
    return [told] if told else []


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
        "metric_groups": {name: m.group for name, m in summary.metrics.items() if m.group},
        "invalid": summary.invalid,
        "notes": dict(summary.notes),
        "baselines": baselines,
    }


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


def _spent(evidence: Evidence) -> dict[str, Any]:
    spent = evidence.spent
    total = sum(spent.calls.values())
    return {
        "calls": {
            "model": spent.calls["generate"],
            "judge": spent.calls["judge"] + spent.calls.get("compare", 0),
            "replayed": max(0, total - evidence.sent),
            "retries": spent.retries,
        },
        "tokens": _tokens(spent),
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
    judged = config.benchmark.needs_judge(config.options)
    if items["failed"] or items["pending"] or (judged and items["unscored"]):
        return "incomplete"
    return "fail" if summary.invalid else "complete"
