"""All that is known about one item of a run: every call, and the scores."""

from typing import Any

from ..engine.phases import TRIAL
from ..errors import UsageError
from ..imported import is_imported, origin_of
from ..journal import Journal, RunRecord, StoredCall
from ..types import Score


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
        "imported": origin_of(run.model, run.settings),
        "item_id": item_id,
        "iterations": [_iteration(journal, run, item_id, n) for n in iterations],
    }


def _latest(
    journal: Journal, run: RunRecord, item_id: str, iteration: int
) -> tuple[Score | None, str | None]:
    """A sample's score by the latest grader that has one, and that grader's judge."""
    for grader in journal.graders(run):
        if score := journal.score_of(run, grader.digest, item_id, iteration):
            return score, grader.graded_by.get("judge")
    return None, None


_UNKNOWN = dict.fromkeys(("finish", "usage", "latency_s", "attempts", "sent"))
"""What another program did not write down of a call."""


def _call(call: StoredCall) -> dict[str, Any]:
    unknown = dict[str, Any]()
    if is_imported(call.model):
        # What the model was asked was compared with the file; what its judge was, nobody knows.
        unknown = {"model": call.model, **_UNKNOWN}
        unknown |= {} if call.messages else {"messages": None}
    return {
        "phase": call.key.phase,
        "model": call.model,
        "messages": [list(m) for m in call.messages],
        **call.response.as_json(),
        **unknown,
    }


def _iteration(journal: Journal, run: RunRecord, item_id: str, iteration: int) -> dict[str, Any]:
    score, judge = _latest(journal, run, item_id, iteration)
    failed = [
        f.reason for f in journal.failures(run) if (f.item_id, f.iteration) == (item_id, iteration)
    ]
    return {
        "iteration": iteration,
        "calls": [
            _call(call)
            for call in journal.calls(run, item_id, iteration)
            if call.key.phase != TRIAL  # which was not about this item
        ],
        "score": score
        and {
            "values": score.values,
            "reason": score.reason,
            "flags": list(score.flags),
            "detail": score.detail,
            "judge": judge,
        },
        "failed": failed[0] if failed else None,
    }
