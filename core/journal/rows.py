"""From values to the journal's rows, and back to typed records."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..text import readable
from ..types import ChatRequest, ChatResponse, Finish, Message, Score, Usage
from .checksums import CALLS, COMPARISONS, GRADES, Checked, DamagedRow, wrong_type
from .kinds import KINDS
from .records import (
    AskedParties,
    CallKey,
    CallTotals,
    Failure,
    RunRecord,
    StoredCall,
    StoredComparison,
    StoredSettings,
    as_json,
)

RUN_COLUMNS = (
    "n, run_id, identity, ordinal, benchmark, benchmark_version, model, name, demo, pack_name,"
    " pack_sha256, endpoint, settings, created_at, finished_at, status, elapsed_s"
)


_TEXTS = ("text", "reasoning", "finish_raw", "model", "fingerprint", "request_id")


def sealed(checked: Checked, row: Sequence[Any]) -> tuple[Any, ...]:
    """The columns of a row with its checksums, ready to be stored."""
    try:
        return checked.sealed(row)
    except UnicodeEncodeError:
        return checked.sealed(storable_row(row))


def storable_row(values: Sequence[Any]) -> tuple[Any, ...]:
    """Values whose texts Unicode can hold; half a surrogate pair becomes U+FFFD."""
    # A text of ASCII alone is known to be so without looking at it.
    return tuple([v if not isinstance(v, str) or v.isascii() else readable(v) for v in values])


def storable(response: ChatResponse) -> ChatResponse:
    """A response as it will be read back."""
    there = {name: getattr(response, name) for name in _TEXTS}
    stored = dict(zip(_TEXTS, storable_row(list(there.values())), strict=True))
    return response if stored == there else replace(response, **stored)


def call_row(
    item_id: str,
    iteration: int,
    key: CallKey,
    model: str,
    request: ChatRequest,
    response: ChatResponse,
    at: str,
    address: str | None = None,
) -> tuple[Any, ...]:
    """The columns of an answered call with its checksum, but for its run."""
    r, u = response, response.usage
    asked = (item_id, iteration, *key, model, as_json(request.messages), as_json(r.sent))
    said = (r.text, r.reasoning, str(r.finish), r.finish_raw, r.model, r.fingerprint)
    used = (r.request_id, u.input, u.cached, u.cache_write, u.output, u.reasoning)
    cost = (r.latency_s, r.attempts, r.cost_usd, r.price_source, at, address)
    return sealed(CALLS, (*asked, *said, *used, *cost))


def grade_row(
    grader: str,
    item_id: str,
    iteration: int,
    score: Score,
    graded_by: Mapping[str, Any] | None,
    at: str,
) -> tuple[Any, ...]:
    """The columns of a grade with its checksum, but for its run.

    Raises:
        TypeError, ValueError: It holds what JSON cannot.
    """
    graded = (as_json(score.values), score.reason, as_json(score.flags), as_json(score.detail))
    by = graded_by and as_json(graded_by)
    return sealed(GRADES, (grader, item_id, iteration, *graded, at, by))


def comparison_row(comparison: StoredComparison, at: str) -> tuple[Any, ...]:
    """The columns of a comparison with its checksum, but for its run."""
    said = {"margins": as_json(comparison.margins), "flags": as_json(comparison.flags), "at": at}
    values = {**comparison._asdict(), **said}
    return sealed(COMPARISONS, [values[column] for column in COMPARISONS.columns])


def run_of(row: Any) -> RunRecord:
    """A run from the columns of `RUN_COLUMNS`.

    Raises:
        DamagedRow: It holds what no run does.
    """
    names = RUN_COLUMNS.replace(" ", "").split(",")
    if wrong := wrong_type("run", names[1:], row[1:]):
        raise DamagedRow(f"run {row[1]!r:.60}: {wrong}")
    record = dict(zip(names, row, strict=True))
    settings = StoredSettings(json.loads(record["settings"]))
    return RunRecord(**record | {"settings": settings, "demo": bool(record["demo"])})


def call_of(row: Any) -> StoredCall:
    """A call with its response, from all columns and the checksum.

    Raises:
        DamagedRow: It is not what was written.
    """
    row = CALLS.opened(row)
    messages = tuple(Message(role, content) for role, content in json.loads(row[6]))
    response = ChatResponse(
        text=row[8],
        reasoning=row[9],
        finish=Finish(row[10]),
        finish_raw=row[11],
        model=row[12],
        fingerprint=row[13],
        request_id=row[14],
        usage=Usage(*row[15:20]),
        latency_s=row[20],
        attempts=row[21],
        sent=json.loads(row[7]),
        cost_usd=row[22],
        price_source=row[23],
    )
    return StoredCall(row[0], row[1], CallKey(*row[2:5]), row[5], messages, response, row[25])


_NO_DETAIL: Mapping[str, Any] = {}


def grade_of(row: Any) -> tuple[str, int, Score]:
    """A grade with its detail, as it is stored.

    Raises:
        DamagedRow: It is not what was written.
    """
    columns = GRADES.opened(row)
    item_id, iteration, score = _graded(columns)
    return item_id, iteration, replace(score, detail=json.loads(columns[6]))


def short_grade_of(row: Any) -> tuple[str, int, Score]:
    """A grade without its detail, from the columns for that.

    Raises:
        DamagedRow: It is not what was written.
    """
    return _graded(GRADES.opened_short(row))


def _graded(row: Any) -> tuple[str, int, Score]:
    """What thousands of grades have alike is kept once."""
    _, item_id, iteration, values, reason, flags, *_ = row
    numbers = {sys.intern(name): value for name, value in json.loads(values).items()}
    marks = () if flags == "[]" else tuple(sys.intern(flag) for flag in json.loads(flags))
    return sys.intern(item_id), iteration, Score(numbers, reason, marks, _NO_DETAIL)


def comparison_of(row: Any) -> StoredComparison:
    """A comparison, planned or done, from all columns and the checksum.

    Raises:
        DamagedRow: It is not what was written.
    """
    values = dict(zip(COMPARISONS.columns, COMPARISONS.opened(row), strict=True))
    values |= {"margins": json.loads(values["margins"])}
    values |= {"flags": tuple(json.loads(values["flags"]))}
    return StoredComparison(*map(values.__getitem__, StoredComparison._fields))


def totals_of(row: Any) -> CallTotals:
    """One sample's calls of one phase, added up.

    Raises:
        DamagedRow: One of them holds what no call does.
    """
    item_id, iteration, phase, calls, attempts, truncated, *used, cost = row
    if not all(isinstance(n, int) for n in (iteration, attempts, *used)):
        raise DamagedRow(f"the calls of item {item_id!r:.60} hold counts that are no numbers")
    return CallTotals(item_id, iteration, phase, calls, attempts, truncated, Usage(*used), cost)


def asked_of(row: Any) -> AskedParties:
    """Whom a run has asked.

    Raises:
        DamagedRow: It holds what no party does.
    """
    run_id, *columns = row
    if wrong := wrong_type("party", ("party", "label", "endpoint", "entry"), columns):
        raise DamagedRow(f"run {run_id!r:.60}, a party: {wrong}")
    party, label, endpoint, entry = columns
    return AskedParties(run_id, party, label, endpoint, entry and json.loads(entry))


def failure_of(row: Any) -> Failure:
    """Why a sample has no usable answer.

    Raises:
        DamagedRow: It holds what no failure does.
    """
    if wrong := wrong_type("failure", Failure._fields, row):
        raise DamagedRow(f"a failure of item {row[0]!r:.60}: {wrong}")
    return Failure(*row)


def document_of(text: str) -> dict[str, Any]:
    """A run's last result.

    Raises:
        DamagedRow: It is none.
    """
    document = object_of(text)
    if wrong := KINDS["run"].columns["document"](document):
        raise DamagedRow(f"its result {wrong}")
    return document


def object_of(text: str) -> dict[str, Any]:
    """The JSON object in a column.

    Raises:
        DamagedRow: It holds something else.
    """
    value = json.loads(text)
    if not isinstance(value, dict):
        raise DamagedRow(f"{text!r:.40} is no JSON object")
    return value
