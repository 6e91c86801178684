"""All that is known about one item of a run, as a document: every call, and the scores."""

from collections.abc import Mapping, Sequence
from typing import TypedDict, cast

from ..journal import StoredCall
from ..parties.party import is_imported
from ..types import JsonDict, JsonObject
from .decoded import ItemComparison


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
    demo: bool
    imported: JsonObject | None
    item_id: str
    iterations: Sequence[IterationRow]
    comparisons: Sequence[ItemComparison]


def score_facts(score: ItemScore) -> dict[str, str]:
    """What is said of a score beside its values wherever it is shown, by what that is called."""
    return {"flags": ", ".join(score["flags"])} if score["flags"] else {}


_UNKNOWN = dict.fromkeys(("finish", "usage", "latency_s", "attempts", "sent"))
"""What another program did not write down of a call."""


def item_call(call: StoredCall, *, public: bool = False) -> ItemCall:
    """A call as documents have it; if it is public, without the host that was asked."""
    unknown, asked = JsonDict(), (call.asked.public if public else call.asked).label
    if is_imported(call.asked.spec):
        # What the model was asked was compared with the file; what its judge was, nobody knows.
        unknown = {"model": asked, **_UNKNOWN}
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
