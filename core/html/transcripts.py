"""Transcripts inside a page: compressed, and put into the page as text when they are opened.

A judge's prompt is the transcript once more, so of it only the reply is shown.
"""

import base64
import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, NotRequired, TypedDict

from ..benchmark.model import role_in
from ..hooks.sections import Plot, Table, TranscriptView, Turn
from ..hooks.sections.formulas import plot_table
from ..reports.transcripts import ItemCall, ItemComparison, ItemDocument, IterationRow, score_facts
from ..text import harmless
from ..types import JsonDict
from .charts.svg import figure
from .gather import SiteRun
from .words import plain_name

_GRADING = ("judge", "compare")


class ItemText(NamedTuple):
    """All that was said about an item, and by iteration how its benchmark shows it."""

    record: ItemDocument
    views: Mapping[int, TranscriptView]


class Said(TypedDict):
    """A turn, as a page's script reads it; all texts are harmless."""

    who: str
    kind: str
    text: str
    thinking: str
    cut: bool
    private: NotRequired[bool]
    notes: NotRequired[Sequence[str]]
    quotes: NotRequired[Sequence[JsonDict]]


class Graded(TypedDict):
    """How a sample was graded; a verdict is a judge and its words."""

    failed: str | None
    reason: str | None
    facts: Sequence[Sequence[str]]
    values: Sequence[Sequence[str]]
    verdicts: Sequence[Sequence[str]]


class Content(TypedDict):
    """What was said in an iteration of an item, and how it was graded."""

    turns: Sequence[Said]
    beside: Sequence[JsonDict]
    compared: Sequence[Sequence[str]]
    grade: Graded


def texts_of(run: SiteRun, ids: Iterable[str], *, public: bool) -> Iterator[ItemText]:
    """All that was said about items of a run; if it is public, nobody's host is named."""
    for document in run.stored.item_documents(ids, run.document["grader"], public=public):
        yield ItemText(document, run.stored.transcript_views(document))


def packed(read: Mapping[int, Content]) -> list[JsonDict]:
    """Contents of an item by iteration, each packed."""
    return [{"iteration": n, "packed": pack(content)} for n, content in read.items()]


def pack(value: object) -> str:
    """A value as scripts unpack it: JSON, gzip, base64."""
    content = gzip.compress(json.dumps(value).encode(), 6, mtime=0)
    return base64.b64encode(content).decode()


def contents(item: ItemText) -> dict[int, Content]:
    """What was said in each iteration of an item, and how it was graded, as pages show it."""
    return {row["iteration"]: _content(item, row) for row in item.record["iterations"]}


def _content(item: ItemText, row: IterationRow) -> Content:
    compared = [c for c in item.record["comparisons"] if c["iteration"] == row["iteration"]]
    view = item.views.get(row["iteration"], TranscriptView())
    return {
        "turns": [*map(_own_turn, view.turns)] or list(_turns(row["calls"])),
        "beside": [*map(_alongside, view.alongside)],
        "compared": [_compared(c) for c in compared],
        "grade": _grade(row),
    }


def _own_turn(turn: Turn) -> Said:
    """A turn of a benchmark's own view."""
    quotes: list[JsonDict] = [
        {"text": harmless(q.text), "note": harmless(q.note)} for q in turn.quotes
    ]
    notes, plain = [*map(harmless, turn.notes)], _turn(turn.who, turn.text, turn.thinks)
    return {**plain, "kind": turn.kind, "notes": notes, "quotes": quotes, "private": True}


def _alongside(part: Table | Plot) -> JsonDict:
    """A table; of a plot its lines, which a page's script draws above their numbers."""
    if isinstance(part, Table):
        return _table(part)
    lines = [[list(point) for point in one.points] for one in part.series]
    return {**_table(plot_table(part)), "lines": lines}


def _table(table: Table) -> JsonDict:
    rows = [[_cell(cell) for cell in row] for row in table.rows]
    return {
        "title": harmless(table.title),
        "columns": [*map(harmless, table.columns)],
        "rows": rows,
    }


def _cell(cell: object) -> str:
    return figure(cell) if isinstance(cell, float) else harmless("" if cell is None else str(cell))


def _compared(row: ItemComparison) -> list[str]:
    won = {"this": "won", "opponent": "lost", "draw": "draw", None: "not read"}[row["winner"]]
    shown = "shown first" if row["first"] else "shown second"
    margins = ", ".join(f"{plain_name(name)} {m:+d}" for name, m in row["margins"].items())
    return [harmless(text) for text in (row["opponent"], shown, won, row["reason"] or margins)]


def _turns(calls: Sequence[ItemCall]) -> Iterator[Said]:
    """What was said, each message once: a call begins with those of the calls before it."""
    sent: dict[str, list[tuple[str, str]]] = {}
    for call in calls:
        if call["phase"] in _GRADING:
            continue
        before = sent.get(call["phase"], [])
        messages = [(role, text) for role, text in call["messages"] or ()]
        known = _in_common(messages, before)
        for role, text in messages[known:]:
            yield _turn(role, text)
        yield _turn(_speaker(call), call["text"], call["reasoning"], call["finish"])
        sent[call["phase"]] = [*messages, ("assistant", call["text"])]


def _in_common(one: Sequence[tuple[str, str]], two: Sequence[tuple[str, str]]) -> int:
    pairs = enumerate(zip(one, two, strict=False))
    alike = ((a[0], a[1].strip()) == (b[0], b[1].strip()) for _, (a, b) in pairs)
    return next((n for n, same in enumerate(alike) if not same), min(len(one), len(two)))


def _speaker(call: ItemCall) -> str:
    role = role_in(call["phase"])
    return f"{call['model']} ({role})" if role else call["model"]


def _turn(who: str, text: str, thinking: str = "", finish: str | None = None) -> Said:
    return {
        "who": harmless(who),
        "kind": who if who in ("user", "system") else "model",
        "text": harmless(text),
        "thinking": harmless(thinking),
        "cut": finish == "length",
    }


def _grade(row: IterationRow) -> Graded:
    score = row["score"]
    values = score["values"].items() if score else ()
    facts = score_facts(score) if score else {}
    return {
        "failed": _shown(row["failed"]),
        "reason": _shown(score["reason"]) if score else None,
        "facts": [[name.capitalize(), harmless(text)] for name, text in facts.items()],
        "values": [[harmless(plain_name(n)), figure(v)] for n, v in values if v is not None],
        "verdicts": [[harmless(c["asked"]), harmless(c["text"])] for c in _verdicts(row)],
    }


def _verdicts(row: IterationRow) -> Sequence[ItemCall]:
    """What the judges of a score said; of one whose judges are known otherwise now, all."""
    verdicts = [call for call in row["calls"] if call["phase"] == "judge"]
    judges = row["score"]["judges"] if row["score"] else ()
    return [call for call in verdicts if call["asked"] in judges] or verdicts


def _shown(value: object) -> str | None:
    return None if value is None else harmless(str(value))
