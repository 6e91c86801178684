"""All that is known about one item of a run, as a document: calls, scores, and comparisons."""

from collections.abc import Mapping, Sequence
from typing import TypedDict, cast

from ..journal import StoredCall, StoredComparison
from ..parties.party import is_imported
from ..types import JsonDict, JsonObject
from .columns import FitColumn, FitTable


class ItemComparison(TypedDict):
    """A comparison of a run's transcript; margins are positive where this run's model wins."""

    iteration: int
    opponent: str
    opponent_run: str
    asked_by: str
    judge: str
    first: bool
    status: str
    winner: str | None
    margins: Mapping[str, int]
    reason: str | None


def decoded(row: StoredComparison, run_id: str, *, public: bool = False) -> ItemComparison:
    """A comparison as the run of an id sees it; if it is public, without the host of its judge."""
    side = "a" if row.run_a == run_id else "b"
    sign = 1 if side == "a" else -1
    margins = {name: sign * margin for name, margin in row.margins.items()}
    total = sum(margins.values())
    winner = "draw" if not total else "this" if total > 0 else "opponent"
    return {
        "iteration": row.iteration,
        "opponent": row.b if side == "a" else row.a,
        "opponent_run": row.run_b if side == "a" else row.run_a,
        "asked_by": row.run_a,
        "judge": (row.judge.public if public else row.judge).label,
        "first": row.first == side,
        "status": row.status,
        "winner": winner if row.status == "read" else None,
        "margins": margins,
        "reason": row.reason,
    }


def comparisons_table(rows: Sequence[ItemComparison], name: str) -> FitTable:
    """A row a comparison; on a narrow terminal without the criteria and the judge."""
    shown = {"this": name, "draw": "draw", None: "not read"}
    winners = [shown.get(r["winner"], r["opponent"]) for r in rows]
    margins = [row["margins"] for row in rows]
    pluses = [[sum(max(0, s * m) for m in of_row.values()) for s in (1, -1)] for of_row in margins]
    criteria = [
        row["reason"] or ", ".join(f"{name} {m:+d}" for name, m in row["margins"].items())
        for row in rows
    ]
    columns = [
        FitColumn("against", [row["opponent"] for row in rows]),
        FitColumn("shown", ["first" if row["first"] else "second" for row in rows]),
        FitColumn("winner", winners),
        FitColumn("pluses", [" : ".join(map(str, n)) for n in pluses]),
        FitColumn("by criterion", criteria, 1),
        FitColumn("judge", [row["judge"] for row in rows], 2),
    ]
    if len({row["iteration"] for row in rows}) > 1:
        columns.insert(0, FitColumn("iteration", [row["iteration"] for row in rows], 3))
    note = (
        f"pluses: of {name}, then of the other, over all criteria; with those of other runs; "
        "a wide terminal, a file and --json have the criteria"
    )
    return FitTable("Comparisons", columns, None, note)


class TokenRow(TypedDict):
    """Tokens of one call."""

    input: int
    output: int


class ItemCall(TypedDict):
    """One call: who was asked, and which model says that it answered.

    Of an imported one it is not known how it was made, and the rest where its file says so.
    """

    phase: str
    asked: str
    model: str
    messages: Sequence[Sequence[str]] | None
    text: str
    reasoning: str
    finish: str | None
    usage: TokenRow | None
    latency_s: float | None
    attempts: int | None
    sent: JsonObject | None


class ItemScore(TypedDict):
    """The latest score of one iteration, whose it is, and whose verdicts it is made of."""

    values: Mapping[str, float | None]
    reason: str | None
    flags: Sequence[str]
    detail: JsonObject
    judge: str | None
    judges: Sequence[str]


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
    name: str
    demo: bool
    imported: JsonObject | None
    item_id: str
    iterations: Sequence[IterationRow]
    comparisons: Sequence[ItemComparison]


def score_facts(score: ItemScore) -> dict[str, str]:
    """What is said of a score beside its values wherever it is shown, by what that is called."""
    return {"flags": ", ".join(score["flags"])} if score["flags"] else {}


_UNKNOWN = dict.fromkeys(("latency_s", "attempts", "sent"))
"""What another program did not write down of a call."""


def item_call(call: StoredCall, *, public: bool = False) -> ItemCall:
    """A call as documents have it; if it is public, without the host that was asked."""
    unknown, asked = JsonDict(), (call.asked.public if public else call.asked).label
    if is_imported(call.asked.spec):
        # What the model was asked was compared with the file; what its judge was, nobody knows.
        ended = {} if call.response.finish_raw else {"finish": None}
        counted = {} if call.response.usage.input else {"usage": None}
        unknown = {"model": call.response.model or asked, **_UNKNOWN, **ended, **counted}
        unknown |= {} if call.messages else {"messages": None}
    row = {
        "phase": call.key.phase,
        "asked": asked,
        "model": asked,
        "messages": [list(m) for m in call.messages],
        **call.response.as_json(),
        **unknown,
    }
    return cast("ItemCall", row)
