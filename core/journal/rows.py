"""From values to the journal's rows, and back to typed records."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..types import ChatRequest, ChatResponse, Finish, Message, Score, Usage
from .records import CallKey, CallTotals, RunRecord, StoredCall, StoredComparison, as_json

RUN_COLUMNS = (
    "n, run_id, identity, ordinal, benchmark, benchmark_version, model, name, demo, pack_name,"
    " pack_sha256, endpoint, settings, created_at, finished_at, status, elapsed_s"
)


def _storable_text(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def storable_row(values: Sequence[Any]) -> tuple[Any, ...]:
    """Values whose texts Unicode can hold; half a surrogate pair becomes U+FFFD."""
    return tuple(_storable_text(v) if isinstance(v, str) else v for v in values)


def storable(response: ChatResponse) -> ChatResponse:
    """A response as it will be read back."""
    names = ("text", "reasoning", "finish_raw", "model", "fingerprint", "request_id")
    texts = storable_row([getattr(response, name) for name in names])
    return replace(response, **dict(zip(names, texts, strict=True)))


def call_row(
    item_id: str,
    iteration: int,
    key: CallKey,
    model: str,
    request: ChatRequest,
    response: ChatResponse,
    at: str,
) -> tuple[Any, ...]:
    """The columns of an answered call, but for its run."""
    r, u = response, response.usage
    asked = (item_id, iteration, *key, model, as_json(request.messages), as_json(r.sent))
    said = (r.text, r.reasoning, str(r.finish), r.finish_raw, r.model, r.fingerprint)
    used = (r.request_id, u.input, u.cached, u.cache_write, u.output, u.reasoning)
    cost = (r.latency_s, r.attempts, r.cost_usd, r.price_source, at)
    return storable_row((*asked, *said, *used, *cost))


def grade_row(
    grader: str,
    item_id: str,
    iteration: int,
    score: Score,
    graded_by: Mapping[str, Any] | None,
    at: str,
) -> tuple[Any, ...]:
    """The columns of a grade, but for its run.

    Raises:
        TypeError, ValueError: It holds what JSON cannot.
    """
    graded = (as_json(score.values), score.reason, as_json(score.flags), as_json(score.detail))
    by = graded_by and as_json(graded_by)
    return storable_row((grader, item_id, iteration, *graded, at, by))


def run_of(row: Any) -> RunRecord:
    """A run from the columns of `RUN_COLUMNS`."""
    record = dict(zip(RUN_COLUMNS.replace(" ", "").split(","), row, strict=True))
    record |= {"settings": json.loads(record["settings"]), "demo": bool(record["demo"])}
    return RunRecord(**record)


def call_of(row: Any) -> StoredCall:
    """A call with its response."""
    messages = tuple(Message(role, content) for role, content in json.loads(row[6]))
    response = ChatResponse(
        text=row[7],
        reasoning=row[8],
        finish=Finish(row[9]),
        finish_raw=row[10],
        model=row[11],
        fingerprint=row[12],
        request_id=row[13],
        usage=Usage(*row[14:19]),
        latency_s=row[19],
        attempts=row[20],
        sent=json.loads(row[21]),
        cost_usd=row[22],
        price_source=row[23],
    )
    return StoredCall(row[0], row[1], CallKey(*row[2:5]), row[5], messages, response)


_NO_DETAIL: Mapping[str, Any] = {}


def graded_of(row: Any) -> tuple[str, int, Score]:
    """A grade; what thousands of them have alike is kept once."""
    item_id, iteration, values, reason, flags, *detail = row
    numbers = {sys.intern(name): value for name, value in json.loads(values).items()}
    marks = tuple(sys.intern(flag) for flag in json.loads(flags))
    more = json.loads(detail[0]) if detail else _NO_DETAIL
    return sys.intern(item_id), iteration, Score(numbers, reason, marks, more)


def comparison_of(row: Any) -> StoredComparison:
    """A comparison, planned or done."""
    stored = StoredComparison(*row)
    flags = tuple(json.loads(str(stored.flags)))
    return stored._replace(margins=json.loads(str(stored.margins)), flags=flags)


def totals_of(row: Any) -> CallTotals:
    """One sample's calls of one phase, added up."""
    item_id, iteration, phase, calls, attempts, truncated, *used, cost = row
    return CallTotals(item_id, iteration, phase, calls, attempts, truncated, Usage(*used), cost)
