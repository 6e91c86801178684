"""The journal's columns, each declared once: what SQLite holds, and what a file may bring.

SQL, checksums, checks of types and the lines of files follow from these rows; `migrations` is
the file's own schema. A test holds the two together.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, NamedTuple

from ..parties.graders import RULES, Grader, Judge, grader_of, judge_of
from ..parties.party import Party, party_of
from ..types import Finish
from ..types.result_document import ResultDocument
from .shapes import (
    Shape,
    anything,
    boolean,
    list_of,
    matching,
    number,
    numeric,
    object_of,
    one_of,
    optional,
    positive,
    record,
    row_of,
    shape_of,
    text,
    time,
    whole,
)
from .tables import AnyTable, Checked, DamagedRow, Json, TableSchema

PARTY = record(
    {
        "provider": matching(r"[^/]+", "a provider"),
        "name": matching(r"(?s:.+)", "a name"),
        "host": optional(text),
    }
)
_PANEL = record(
    {
        "rule": one_of(frozenset(RULES)),
        "judges": list_of(PARTY),
        "quorum": whole(0),
        "exclude_kin": boolean,
        "overlap": number,
    },
    required=frozenset({"rule", "judges", "quorum", "exclude_kin"}),
)


def judge(value: object) -> str | None:
    """A judge, or a panel of several."""
    shape = _PANEL if isinstance(value, dict) and "rule" in value else PARTY
    return shape(value)


def option(value: object) -> str | None:
    """What an option may be."""
    is_one = not isinstance(value, list | dict)
    return None if is_one else "must be a text, a number, true, false or null"


GRADER: Shape = record(
    {
        "version": text,
        "judge": optional(judge),
        "options": object_of(option),
        "grading": text,
        "prompts": object_of(text),
        "sampling": object_of(anything),
        "offline": boolean,
    }
)


@lru_cache(256)
def party_in(column: str) -> Party:
    """The party of a column; raises as `grader_in` does."""
    return party_of(_checked(column, PARTY))


@lru_cache(256)
def judge_in(column: str) -> Judge:
    """The judge or the panel of a column; raises as `grader_in` does."""
    return judge_of(_checked(column, judge))


@lru_cache(256)
def grader_in(column: str) -> Grader:
    """The grader of a column.

    Raises:
        DamagedRow: It holds none.
    """
    return grader_of(_checked(column, GRADER))


def _checked(column: object, shape: Shape) -> Any:
    value = json.loads(column) if isinstance(column, str) else column
    if wrong := shape(value):
        raise DamagedRow(f"who was asked, or has graded, {wrong}")
    return value


RUN_ID = r"(?P<digits>[0-9a-f]{8,32})(-(?P<ordinal>[1-9][0-9]*))?"

_DOCUMENT = shape_of(ResultDocument)

Text = Annotated[str, text]
TextOrNone = Annotated[str | None, text]
Time = Annotated[str, time]
Count = Annotated[int, whole(0)]
CountOrNone = Annotated[int | None, whole(0)]
FromOne = Annotated[int, whole(1)]
Seconds = Annotated[float, positive]
RunId = Annotated[str, matching(RUN_ID, "a run's id")]
AnyObject = Annotated[str, Json(object_of(anything))]
AnyObjectOrNone = Annotated[str | None, Json(object_of(anything))]


class RunRow(NamedTuple):
    """A run and its last result."""

    run_id: RunId
    identity: Annotated[str, matching("[0-9a-f]{32}", "32 hexadecimal digits")]
    ordinal: FromOne
    benchmark: Text
    benchmark_version: Text
    model: Text
    name: Text
    demo: Annotated[int, whole(0, 1)]
    pack_name: Text
    pack_sha256: Annotated[str, matching("[0-9a-f]{64}", "64 hexadecimal digits")]
    endpoint: TextOrNone
    settings: AnyObject
    created_at: Time
    finished_at: Annotated[str | None, time]
    status: Annotated[str, matching("[a-z]+", "a word")]
    elapsed_s: Seconds
    document: Annotated[str | None, Json(_DOCUMENT)]


class CallRow(NamedTuple):
    """An answered call."""

    item_id: Text
    iteration: FromOne
    phase: Text
    digest: Text
    occurrence: Count
    asked: Annotated[str, Json(PARTY)]
    messages: Annotated[str, Json(list_of(row_of(text, text)))]
    sent: AnyObject
    text: Text
    reasoning: Text
    finish: Annotated[str, one_of(frozenset(Finish))]
    finish_raw: TextOrNone
    returned_model: TextOrNone
    fingerprint: TextOrNone
    request_id: TextOrNone
    input_tokens: Count
    cached_tokens: Count
    cache_write_tokens: Count
    output_tokens: Count
    reasoning_tokens: Count
    latency_s: Seconds
    attempts: Count
    cost_usd: Annotated[float | None, positive]
    price_source: TextOrNone
    at: Time
    address: TextOrNone


class GradeRow(NamedTuple):
    """A sample's score, by one grader."""

    grader: Text
    item_id: Text
    iteration: FromOne
    values: Annotated[str, Json(object_of(optional(numeric)))]
    reason: TextOrNone
    flags: Annotated[str, Json(list_of(text))]
    detail: AnyObject
    at: Time
    graded_by: Annotated[str, Json(GRADER)]


class ComparisonRow(NamedTuple):
    """Two transcripts of one item that were, or will be, compared."""

    pool: Text
    item_id: Text
    iteration: FromOne
    run_a: RunId
    run_b: RunId
    a: Text
    b: Text
    first: Annotated[str, one_of(frozenset("ab"))]
    batch: FromOne
    stage: Text
    rank: Annotated[int | None, whole(1)]
    status: Annotated[str, one_of(frozenset({"planned", "read", "unread", "known"}))]
    judge: Annotated[str, Json(judge)]
    family: Text
    grader: Text
    margins: Annotated[str, Json(object_of(whole(-5, 5)))]
    reason: TextOrNone
    flags: Annotated[str, Json(list_of(text))]
    transcript_a: TextOrNone
    transcript_b: TextOrNone
    len_a: CountOrNone
    len_b: CountOrNone
    at: Time


class FailureRow(NamedTuple):
    """Why a sample has no usable answer."""

    item_id: Text
    iteration: FromOne
    kind: Text
    reason: Text
    attempts: Count
    at: Time


class PartyRow(NamedTuple):
    """Whom a run has asked."""

    role: Annotated[str, matching("model|judge|role:[a-z][a-z0-9_]*", "a party's role")]
    party: Annotated[str, Json(PARTY)]
    endpoint: TextOrNone
    entry: AnyObjectOrNone


class ViewRow(NamedTuple):
    """A result beside that of the whole run."""

    name: Annotated[str, matching("[A-Za-z0-9._-]{1,200}", "a view's name")]
    document: Annotated[str, Json(_DOCUMENT)]
    at: Time


_SAMPLE = ("item_id", "iteration")
RUNS = TableSchema("run", "runs", RunRow)
CALLS = Checked(
    "call",
    "calls",
    CallRow,
    key=(*_SAMPLE, "phase", "digest", "occurrence"),
    free=("latency_s", "at", "address"),
)
GRADES = Checked("grade", "grades", GradeRow, key=("grader", *_SAMPLE), free=("at",))
COMPARISONS = Checked(
    "comparison",
    "comparisons",
    ComparisonRow,
    key=("pool", *_SAMPLE, "run_b", "first"),
    free=("at", "batch", "stage", "rank", "grader"),
)
FAILURES = TableSchema("failure", "failures", FailureRow, key=_SAMPLE)
PARTIES = TableSchema(
    "party", "parties", PartyRow, key=("role", "party"), free=("endpoint", "entry")
)
VIEWS = TableSchema("view", "views", ViewRow, key=("name",), free=("document", "at"))

TABLES: Mapping[str, AnyTable] = {
    table.kind: table for table in (RUNS, CALLS, GRADES, COMPARISONS, FAILURES, PARTIES, VIEWS)
}
"""By what a line of a file calls their rows, in the order of the lines."""
CHECKED = (CALLS, GRADES, COMPARISONS)
