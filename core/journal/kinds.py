"""What the lines of a file may hold: each kind's columns, and what they must be.

A column that a migration adds to a table is added here too, but for checksums; a test holds the
two together.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..types import Finish
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
    text,
    time,
    whole,
)

RUN_ID = r"(?P<digits>[0-9a-f]{8,32})(-(?P<ordinal>[1-9][0-9]*))?"

#: What `bench show` and `bench runs` rely on; a document may hold more (docs/results.md).
_DOCUMENT = record(
    {
        "run_id": text,
        "benchmark": text,
        "name": text,
        "status": text,
        "demo": boolean,
        "judge": optional(text),
        "comparability": text,
        "metrics": object_of(
            record(
                {
                    "value": optional(number),
                    "ci95": optional(row_of(number, number)),
                    "n": whole(0),
                    "higher_is_better": optional(boolean),
                },
                more=True,
            )
        ),
        "metric_labels": object_of(row_of(text, text)),
        "invalid": optional(text),
        "baselines": object_of(
            record(
                {
                    "value": number,
                    "label": text,
                    "sd": optional(number),
                    "answer": optional(list_of(number)),
                },
                more=True,
            )
        ),
        "items": record(
            dict.fromkeys(("total", "scored", "unscored", "failed", "pending"), whole(0))
            | {"truncated": optional(whole(0))},
            more=True,
        ),
        "unscored": list_of(
            record({"item_id": text, "iteration": whole(1), "reason": text}, more=True)
        ),
        "failed": list_of(
            record({"item_id": text, "iteration": whole(1), "reason": text}, more=True)
        ),
        "calls": record(
            dict.fromkeys(("model", "judge", "replayed", "retries"), whole(0)), more=True
        ),
        "tokens": record(
            dict.fromkeys(("input", "cached", "output", "reasoning"), optional(whole(0))),
            more=True,
        ),
        "cost_usd": optional(number),
        "elapsed_s": positive,
        "warnings": list_of(text),
    },
    more=True,
)
_ANY_OBJECT = object_of(anything)
_RUN_ID = matching(RUN_ID, "a run's id")


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of line.

    Attributes:
        table: Whose rows it holds.
        columns: What each column must be, in the order of the table.
        json: The columns that hold JSON.
        key: What tells the rows of one run from one another.
        free: Columns that two machines may fill otherwise for the same thing.
        later: Columns that lines of older programs lack; they are null there.
    """

    table: str
    columns: Mapping[str, Shape]
    json: frozenset[str]
    key: tuple[str, ...] = ()
    free: frozenset[str] = frozenset()
    later: frozenset[str] = frozenset()

    @property
    def fields(self) -> dict[str, Shape]:
        """What a line of this kind has beside its kind."""
        owner = {} if self.table == "runs" else {"run": _RUN_ID}
        return owner | {field_of(column): shape for column, shape in self.columns.items()}


def field_of(column: str) -> str:
    """A column's name in a line, where ``kind`` is the line's own."""
    return "failure_kind" if column == "kind" else column


def quoted(columns: Iterable[str], prefix: str = "") -> str:
    """Columns as SQL; one of them is a word of SQL."""
    return ", ".join(f'{prefix}"{column}"' for column in columns)


KINDS = {
    "run": Kind(
        "runs",
        {
            "run_id": _RUN_ID,
            "identity": matching("[0-9a-f]{32}", "32 hexadecimal digits"),
            "ordinal": whole(1),
            "benchmark": text,
            "benchmark_version": text,
            "model": text,
            "name": text,
            "demo": whole(0, 1),
            "pack_name": text,
            "pack_sha256": matching("[0-9a-f]{64}", "64 hexadecimal digits"),
            "endpoint": optional(text),
            "settings": _ANY_OBJECT,
            "created_at": time,
            "finished_at": optional(time),
            "status": matching("[a-z]+", "a word"),
            "elapsed_s": positive,
            "document": optional(_DOCUMENT),
        },
        frozenset({"settings", "document"}),
    ),
    "call": Kind(
        "calls",
        {
            "item_id": text,
            "iteration": whole(1),
            "phase": text,
            "digest": text,
            "occurrence": whole(0),
            "model": text,
            "messages": list_of(row_of(text, text)),
            "sent": _ANY_OBJECT,
            "text": text,
            "reasoning": text,
            "finish": one_of(frozenset(Finish)),
            "finish_raw": optional(text),
            "returned_model": optional(text),
            "fingerprint": optional(text),
            "request_id": optional(text),
            "input_tokens": whole(0),
            "cached_tokens": whole(0),
            "cache_write_tokens": whole(0),
            "output_tokens": whole(0),
            "reasoning_tokens": whole(0),
            "latency_s": positive,
            "attempts": whole(0),
            "cost_usd": optional(positive),
            "price_source": optional(text),
            "at": time,
            "address": optional(text),
        },
        frozenset({"messages", "sent"}),
        ("item_id", "iteration", "phase", "digest", "occurrence"),
        frozenset({"latency_s", "at", "address"}),
        frozenset({"address"}),
    ),
    "grade": Kind(
        "grades",
        {
            "grader": text,
            "item_id": text,
            "iteration": whole(1),
            "values": object_of(optional(numeric)),
            "reason": optional(text),
            "flags": list_of(text),
            "detail": _ANY_OBJECT,
            "at": time,
            "graded_by": optional(_ANY_OBJECT),
        },
        frozenset({"values", "flags", "detail", "graded_by"}),
        ("grader", "item_id", "iteration"),
        frozenset({"at"}),
    ),
    "comparison": Kind(
        "comparisons",
        {
            "pool": text,
            "item_id": text,
            "iteration": whole(1),
            "run_a": _RUN_ID,
            "run_b": _RUN_ID,
            "a": text,
            "b": text,
            "first": one_of(frozenset("ab")),
            "batch": whole(1),
            "stage": text,
            "rank": optional(whole(1)),
            "status": one_of(frozenset({"planned", "read", "unread", "known"})),
            "judge": text,
            "family": text,
            "margins": object_of(whole(-5, 5)),
            "reason": optional(text),
            "flags": list_of(text),
            "transcript_a": optional(text),
            "transcript_b": optional(text),
            "len_a": optional(whole(0)),
            "len_b": optional(whole(0)),
            "at": time,
            "grader": optional(text),
        },
        frozenset({"margins", "flags"}),
        ("pool", "item_id", "iteration", "run_b", "first"),
        frozenset({"at", "batch", "stage", "rank", "grader"}),
        frozenset({"grader"}),
    ),
    "failure": Kind(
        "failures",
        {
            "item_id": text,
            "iteration": whole(1),
            "kind": text,
            "reason": text,
            "attempts": whole(0),
            "at": time,
        },
        frozenset(),
        ("item_id", "iteration"),
    ),
    "party": Kind(
        "parties",
        {
            "party": one_of(frozenset({"model", "judge"})),
            "label": text,
            "endpoint": optional(text),
            "entry": optional(_ANY_OBJECT),
        },
        frozenset({"entry"}),
        ("party", "label"),
        frozenset({"endpoint", "entry"}),
    ),
    "view": Kind(
        "views",
        {
            "name": matching("[A-Za-z0-9._-]{1,200}", "a view's name"),
            "document": _DOCUMENT,
            "at": time,
        },
        frozenset({"document"}),
        ("name",),
        frozenset({"document", "at"}),
    ),
}
