"""What the journal gives back, as typed rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..errors import JournalError
from ..parties.graders import Grader, Judge
from ..parties.party import Party
from ..types import ChatResponse, JsonDict, JsonObject, Message, Usage, json_writer

_write = json_writer(sort_keys=False)


def as_json(value: object) -> str:
    """The JSON text that columns hold.

    Raises:
        TypeError, ValueError: The value holds what JSON cannot.
    """
    return _write(value)


class StoredSettings(JsonDict):
    """What a run was made with; a setting that every run has is there, or the run is damaged."""

    def __missing__(self, name: str) -> object:
        raise JournalError(
            f"the journal is damaged: the settings of a run hold no {name!r}; nothing was "
            "changed. Restore the journal from a copy, or use another --runs-dir"
        )


class CallKey(NamedTuple):
    """What a call is known by within its sample."""

    phase: str
    digest: str
    occurrence: int


class StoredCall(NamedTuple):
    """One answered call."""

    item_id: str
    iteration: int
    key: CallKey
    asked: Party
    messages: tuple[Message, ...]
    response: ChatResponse
    address: str | None = None
    """Host and port that answered; ``None`` for the provider's own host."""


class Failure(NamedTuple):
    """Why a sample has no usable answer."""

    item_id: str
    iteration: int
    kind: str
    reason: str
    attempts: int


class StoredComparison(NamedTuple):
    """Two transcripts of one item that were, or will be, compared.

    Attributes:
        pool: Digest of what must be alike for two comparisons to meet in one rating.
        run_a: The run for whose rating it was asked.
        run_b: The other run.
        a: Name of the model of `run_a`.
        b: Name of the model of `run_b`.
        first: ``a`` or ``b``: whose transcript the judge read first.
        batch: In which it was planned, from 1.
        stage: What the schedule was doing then.
        rank: Where the model stood then; ``None`` before it was compared.
        status: ``planned``, ``read``, ``unread``, or ``known`` where the other's run has it.
        grader: Digest of what the judge is sent and of how its words are read.
        margins: By criterion, positive where `a` wins.
        transcript_a: Digest; ``None`` while planned.
        len_a: Characters that the judge saw; ``None`` while planned, or where it is not known.
    """

    pool: str
    item_id: str
    iteration: int
    run_a: str
    run_b: str
    a: str
    b: str
    first: str
    batch: int
    stage: str
    rank: int | None
    status: str
    judge: Judge
    family: str
    grader: str
    margins: Mapping[str, int] = {}
    reason: str | None = None
    flags: tuple[str, ...] = ()
    transcript_a: str | None = None
    transcript_b: str | None = None
    len_a: int | None = None
    len_b: int | None = None


class AskedParties(NamedTuple):
    """Whom a run has asked.

    Attributes:
        run_id: The run.
        role: ``model``, ``judge`` or ``role:NAME``.
        party: Who, as it was asked first: what its calls are known by.
        endpoint: What bench.toml calls the endpoint; ``None`` where it has no name.
        entry: What its server said of the model when it was first asked; ``None`` where it
            said nothing.
    """

    run_id: str
    role: str
    party: Party
    endpoint: str | None = None
    entry: JsonObject | None = None


class CallTotals(NamedTuple):
    """Calls of one sample in one phase, added up."""

    item_id: str
    iteration: int
    phase: str
    calls: int
    attempts: int
    truncated: int
    usage: Usage
    cost_usd: float | None
    seconds: float


class CutOff(NamedTuple):
    """A reply that the token limit, or the context, cut off."""

    item_id: str
    iteration: int
    phase: str
    text: str
    reasoning: str
    latency_s: float


class ReplySource(NamedTuple):
    """Replies of a run's model from one address under one name.

    Attributes:
        address: Host and port; ``None`` for the provider's own host.
        model: What the server says it used; ``None`` where it says nothing.
        fingerprint: Likewise.
        calls: How many replies.
        first: When the first came.
        last: When the last came.
    """

    address: str | None
    model: str | None
    fingerprint: str | None
    calls: int
    first: str
    last: str


class GradeCount(NamedTuple):
    """A grader of a run's samples, and how many grades of its there are."""

    grader: Grader
    grades: int


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run's row."""

    n: int
    run_id: str
    identity: str
    ordinal: int
    benchmark: str
    benchmark_version: str
    model: str
    name: str
    demo: bool
    pack_name: str
    pack_sha256: str
    endpoint: str | None
    settings: Mapping[str, Any]
    created_at: str
    finished_at: str | None
    status: str
    elapsed_s: float

    @property
    def party(self) -> Party:
        """Its model, where it was asked first."""
        return Party.of(self.model, self.endpoint)
