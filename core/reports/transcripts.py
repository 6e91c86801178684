"""All that is known about one item of a run: every call, and the scores."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypedDict, cast

from ..errors import UsageError
from ..journal import Grader, Journal, RunRecord, StoredCall
from ..parties.imported import is_imported, origin_of
from ..sample.progress import TRIAL
from ..types import Json, JsonDict, JsonObject
from .decoded import ItemComparison, comparisons_of


class TokenRow(TypedDict):
    """Tokens of one call."""

    input: int
    output: int


class ItemCall(TypedDict):
    """One call: who was asked, and which model says that it answered.

    Of an imported one it is not known how it was made.
    """

    phase: str
    asked: str
    model: str
    messages: Sequence[Sequence[str]] | None
    text: str
    reasoning: str
    finish: str | None
    usage: TokenRow | None
    latency_s: float
    attempts: int
    sent: JsonObject


class ItemScore(TypedDict):
    """The latest score of one iteration, and whose it is."""

    values: Mapping[str, float | None]
    reason: str | None
    flags: Sequence[str]
    detail: JsonObject
    judge: Json


class IterationRow(TypedDict):
    """What was asked in one iteration, and what came of it."""

    iteration: int
    calls: Sequence[ItemCall]
    score: ItemScore | None
    failed: str | None


class ItemDocument(TypedDict):
    """The document of `bench show --item`."""

    run_id: str
    benchmark: str
    model: str
    demo: bool
    imported: JsonObject | None
    item_id: str
    iterations: Sequence[IterationRow]
    comparisons: Sequence[ItemComparison]


def item_record(journal: Journal, run: RunRecord, item_id: str) -> ItemDocument:
    """An item's calls in the order they came, its scores by the latest grader, its failures.

    Raises:
        UsageError: The run holds nothing about it.
    """
    (record,) = item_records(journal, run, [item_id])
    return record


def item_records(
    journal: Journal, run: RunRecord, item_ids: Iterable[str], grader: object = None
) -> Iterator[ItemDocument]:
    """The same of several items, in their order; what is about the whole run is read once.

    Args:
        journal: That holds the run.
        run: Whose items.
        item_ids: Which.
        grader: Digest of the one whose scores count; without one that has any, the latest.

    Raises:
        UsageError: The run holds nothing about one.
    """
    graders = journal.graders(run)  # asked once: it takes a look at every grade of the run
    graders = [each for each in graders if each.digest == grader] or graders
    failures = {(f.item_id, f.iteration): f.reason for f in journal.failures(run)}
    for item_id in item_ids:
        failed = {n: reason for (item, n), reason in failures.items() if item == item_id}
        yield _record(journal, run, graders, failed, item_id)


def _record(
    journal: Journal, run: RunRecord, graders: Sequence[Grader], failed: dict[int, str],
    item_id: str,
) -> ItemDocument:  # fmt: skip
    calls: dict[int, list[StoredCall]] = {}
    for call in journal.calls(run, item_id):
        calls.setdefault(call.iteration, []).append(call)
    if not calls and not failed:
        raise UsageError(f"run {run.run_id} holds nothing about item {item_id!r}")
    return {
        "run_id": run.run_id,
        "benchmark": run.benchmark,
        "model": run.model,
        "demo": run.demo,
        "imported": origin_of(run.model, run.settings),
        "item_id": item_id,
        "iterations": [
            {
                "iteration": n,
                # A trial was not about this item.
                "calls": [_call(c) for c in calls.get(n, ()) if c.key.phase != TRIAL],
                "score": _latest_score(journal, run, graders, item_id, n),
                "failed": failed.get(n),
            }
            for n in sorted(calls.keys() | failed.keys())
        ],
        "comparisons": comparisons_of(journal, run, item_id),
    }


def _latest_score(
    journal: Journal, run: RunRecord, graders: Sequence[Grader], item_id: str, iteration: int
) -> ItemScore | None:
    """A sample's score by the latest grader that has one, with that grader's judge."""
    for grader in graders:
        if score := journal.score_of(run, grader.digest, item_id, iteration):
            return {
                "values": score.values,
                "reason": score.reason,
                "flags": list(score.flags),
                "detail": score.detail,
                "judge": grader.graded_by.get("judge"),
            }
    return None


_UNKNOWN = dict.fromkeys(("finish", "usage", "latency_s", "attempts", "sent"))
"""What another program did not write down of a call."""


def _call(call: StoredCall) -> ItemCall:
    unknown: JsonDict = {}
    if is_imported(call.model):
        # What the model was asked was compared with the file; what its judge was, nobody knows.
        unknown = {"model": call.model, **_UNKNOWN}
        unknown |= {} if call.messages else {"messages": None}
    row = {
        "phase": call.key.phase,
        "asked": call.model,
        "model": call.model,
        "messages": [list(m) for m in call.messages],
        **call.response.as_json(),
        **unknown,
    }
    return cast("ItemCall", row)
