"""All that is known about one item of a run: every call, and the scores."""

from typing import Any

from ..errors import UsageError
from ..journal import Journal, RunRecord


def item_record(journal: Journal, run: RunRecord, item_id: str) -> dict[str, Any]:
    """An item's calls in the order they came, its scores by the latest grader, its failures.

    Raises:
        UsageError: The run holds nothing about it.
    """
    calls = list(journal.calls(run, item_id))
    failures = [f for f in journal.failures(run) if f.item_id == item_id]
    if not calls and not failures:
        raise UsageError(f"run {run.run_id} holds nothing about item {item_id!r}")
    iterations = sorted({c.iteration for c in calls} | {f.iteration for f in failures})
    return {
        "run_id": run.run_id,
        "benchmark": run.benchmark,
        "model": run.model,
        "demo": run.demo,
        "item_id": item_id,
        "iterations": [_iteration(journal, run, item_id, n) for n in iterations],
    }


def _iteration(journal: Journal, run: RunRecord, item_id: str, iteration: int) -> dict[str, Any]:
    graders = journal.graders(run)
    score = journal.score_of(run, graders[0].digest, item_id, iteration) if graders else None
    failed = [
        f.reason for f in journal.failures(run) if (f.item_id, f.iteration) == (item_id, iteration)
    ]
    return {
        "iteration": iteration,
        "calls": [
            {
                "phase": call.key.phase,
                "model": call.model,
                "messages": [list(m) for m in call.messages],
                **call.response.as_json(),
            }
            for call in journal.calls(run, item_id, iteration)
        ],
        "score": score
        and {
            "values": score.values,
            "reason": score.reason,
            "flags": list(score.flags),
            "detail": score.detail,
        },
        "failed": failed[0] if failed else None,
    }
