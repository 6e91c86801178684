"""The rows of the journal, each column declared once, and what else the journal gives back.

The file's tables, checks of types and the lines of files follow from the fields of rows; beside a
field that may be None is why.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, NamedTuple, cast

from ..errors import JournalError
from ..parties.graders import RULES, Grader, Judge, grader_of, judge_of
from ..parties.party import Party, party_of
from ..parties.party_settings import AS_JUDGE, wrong_identity
from ..types import ChatResponse, Finish, JsonDict, JsonObject, Message, Usage, json_writer
from ..types.result_document import ResultDocument
from . import shapes
from .shapes import Shape, list_of, matching, object_of, one_of, optional, record, text, whole
from .tables import DamagedRow, Json

PARTY = record(
    {
        "provider": matching(r"[^/]+", "a provider"),
        "name": matching(r"(?s:.+)", "a name"),
        "endpoint": optional(text),
        "settings": wrong_identity,
    },
    required=frozenset({"provider", "name", "endpoint"}),
)
_PANEL = record(
    {
        "rule": one_of(frozenset(RULES)),
        "judges": list_of(PARTY),
        "quorum": whole(0),
        "exclude_kin": shapes.boolean,
        "overlap": shapes.number,
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
        "sampling": object_of(shapes.anything),
        "offline": shapes.boolean,
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

_FIELDS = shapes.shape_of(ResultDocument)


def _document(value: object) -> str | None:
    """What is wrong with a result, in which each metric has its label."""
    if wrong := _FIELDS(value):
        return wrong
    document = cast("ResultDocument", value)
    unnamed = [name for name in document["metrics"] if name not in document["metric_labels"]]
    return f'"metric_labels" lacks {", ".join(unnamed)}' if unnamed else None


Text = Annotated[str, text]
TextOrNone = Annotated[str | None, text]
Time = Annotated[str, shapes.time]
Count = Annotated[int, whole(0)]
CountOrNone = Annotated[int | None, whole(0)]
FromOne = Annotated[int, whole(1)]
Seconds = Annotated[float, shapes.positive]
RunId = Annotated[str, matching(RUN_ID, "a run's id")]
ANY_OBJECT = Json(object_of(shapes.anything))
AnyObject = Annotated[str, ANY_OBJECT]
AnyObjectOrNone = Annotated[JsonObject | None, ANY_OBJECT]
TimeOrNone = Annotated[str | None, shapes.time]
DocumentOrNone = Annotated[str | None, Json(_document)]
Texts = Annotated[tuple[str, ...], Json(list_of(text))]


_write = json_writer(sort_keys=False)


def as_json(value: object) -> str:
    """The JSON text that columns hold."""
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
    """The URL that answered; ``None`` for the provider's own host."""


class CallRow(NamedTuple):
    """The same in columns."""

    item_id: Text
    iteration: FromOne
    phase: Text
    digest: Text  # of the request as the plugin meant it
    occurrence: Count  # which time this digest, in this sample and phase
    asked: Annotated[str, Json(PARTY)]
    messages: Annotated[str, Json(list_of(shapes.row_of(text, text)))]  # [[role, content], ...]
    sent: AnyObject  # the exact parameters
    text: Text
    reasoning: Text
    finish: Annotated[str, one_of(frozenset(Finish))]  # normalised
    finish_raw: TextOrNone  # None where the server gave none; so the three that follow
    returned_model: TextOrNone  # None: see above
    fingerprint: TextOrNone  # None: see above
    request_id: TextOrNone  # None: see above
    input_tokens: Count
    cached_tokens: Count
    cache_write_tokens: Count
    output_tokens: Count
    reasoning_tokens: Count
    latency_s: Seconds
    attempts: Count
    cost_usd: Annotated[float | None, shapes.positive]  # None where the price is not known
    price_source: TextOrNone  # likewise None
    at: Time
    address: TextOrNone  # the URL that answered; None for the provider's own host
    provider: TextOrNone  # which host a broker chose; None where the server does not say


class GradeRow(NamedTuple):
    """A sample's score, by one grader."""

    grader: Text  # digest of `graded_by`
    item_id: Text
    iteration: FromOne
    values: Annotated[str, Json(object_of(optional(shapes.numeric)))]  # by name
    reason: TextOrNone  # why unscored; None when scored
    flags: Annotated[str, Json(list_of(text))]
    detail: AnyObject
    at: Time
    graded_by: Annotated[str, Json(GRADER)]


class Failure(NamedTuple):
    """Why a sample has no usable answer."""

    item_id: Text
    iteration: FromOne
    kind: Text
    reason: Text
    attempts: Count


class StoredComparison(NamedTuple):
    """Two transcripts of one item that were, or will be, compared.

    Its status is ``known`` where the run of `b` has it; margins are positive where `a` wins.
    """

    pool: Text  # digest of what must be alike for two comparisons to meet in one rating
    item_id: Text
    iteration: FromOne
    run_a: RunId  # for whose rating it was asked
    run_b: RunId  # it may be on another machine
    a: Text  # the name of the model of `run_a`
    b: Text
    first: Annotated[str, one_of(frozenset("ab"))]  # whose transcript the judge read first
    batch: FromOne  # in which it was planned
    stage: Text  # what the schedule was doing then
    rank: Annotated[int | None, whole(1)]  # where `a` stood then; None before it was compared
    status: Annotated[str, one_of(frozenset({"planned", "read", "unread", "known"}))]
    judge: Annotated[Judge, Json(judge)]
    family: Text
    grader: Text  # digest of what the judge is sent and of how its words are read
    margins: Annotated[Mapping[str, int], Json(object_of(whole(-5, 5)))] = {}
    reason: TextOrNone = None  # why unread; else None
    flags: Texts = ()
    transcript_a: TextOrNone = None  # digest; None while planned
    transcript_b: TextOrNone = None  # likewise None
    len_a: CountOrNone = None  # characters the judge saw; None while planned, or not known
    len_b: CountOrNone = None  # likewise None


class PersonLabel(NamedTuple):
    """What one person gave a transcript, or two of one item, whose names the person did not see.

    Attributes:
        label_set: Id of the set of questions that people were shown.
        entry: Id of the question within its set.
        person: The person's pseudonym, of this set alone.
        item_id, iteration: Of the sample.
        run_b: The id of the other run of a pair.
        value: The name of the value that was rated; ``win`` for a pair.
        rating: On the scale of the set; of a pair 1 for this run, 0 for the other, 0.5 for neither.
        probability: With which the item was drawn.
        stratum: Of those that the drawing told apart; empty where it told none.
        repeats: The entry that this one shows again.
        transcript, transcript_b: Digests of what was shown.
        recruited: How the person came to take part.
        comment: What the person wrote beside the rating.
    """

    label_set: Annotated[str, matching("[0-9a-f]{12}", "the id of a set of labels")]
    entry: Text
    person: Text
    item_id: Text
    iteration: FromOne
    run_b: Annotated[str | None, matching(RUN_ID, "a run's id")]  # None for a single transcript
    value: Text
    rating: Annotated[float, shapes.number]
    probability: Annotated[float, shapes.positive]
    stratum: Text
    repeats: TextOrNone  # None where it shows none again
    transcript: Text
    transcript_b: TextOrNone  # None for a single transcript
    recruited: Text
    comment: Text


class AskedParties(NamedTuple):
    """Whom a run has asked."""

    run_id: str
    role: Annotated[str, matching("model|judge|role:[a-z][a-z0-9_]*", "a party's role")]
    party: Annotated[Party, Json(PARTY)]
    addresses: Texts = ()  # the last one last; none for the provider's own host
    entry: AnyObjectOrNone = None  # the server's own words of it; None where it has none


class PartyAsking(NamedTuple):
    """That a party was asked so in a phase of a run, at least once.

    Attributes:
        otherwise: How fields differ from what was meant (`types.otherwise`); empty for as meant.
    """

    phase: Text
    party: Annotated[Party, Json(PARTY)]
    otherwise: Annotated[Mapping[str, str], Json(object_of(text))]


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


class LongReply(NamedTuple):
    """A long reply that seems to be, word for word, another one too.

    Attributes:
        digest: Of the request as the plugin meant it.
        messages: What was asked, as a hash.
        text: The reply, as a hash.
        drawn: Whether what was sent asks for chance: a temperature of `DRAWN` and more.
    """

    item_id: str
    iteration: int
    phase: str
    digest: str
    messages: int
    text: int
    temperature: float | None
    drawn: bool


class LongReplies(NamedTuple):
    """Of an item with long replies of a party: how many were drawn, in how many iterations."""

    item_id: str
    phase: str
    drawn: int
    drawn_in: int


class ReplySource(NamedTuple):
    """Replies of a run's model from one address under one name, and when the first and last came.

    The address is a URL, ``None`` for the provider's own host; model, fingerprint and
    provider are what the server says, ``None`` where it says nothing.
    """

    address: str | None
    model: str | None
    fingerprint: str | None
    provider: str | None
    calls: int
    first: str
    last: str


class OddOpening(NamedTuple):
    """A reply that begins with a bracket of some kind, and what was asked."""

    item_id: str
    iteration: int
    phase: str
    text: str
    messages: tuple[Message, ...]


class OtherProviders(NamedTuple):
    """How many replies of a judge or a role, by phase, came from which host of a broker."""

    phase: str
    asked: Party
    provider: str
    calls: int


class GradeCount(NamedTuple):
    """A grader of a run's samples, and how many grades of its there are."""

    grader: Grader
    grades: int


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run's row, but for its result."""

    n: int
    run_id: RunId
    identity: Annotated[str, matching("[0-9a-f]{32}", "32 hexadecimal digits")]  # docs/runs.md
    ordinal: FromOne  # 2 and more for --fresh
    benchmark: Text
    benchmark_version: Text
    model: Text  # the spec
    name: Text  # --name, or the spec
    demo: Annotated[bool, whole(0, 1)]
    pack_name: Text
    pack_sha256: Annotated[str, matching("[0-9a-f]{64}", "64 hexadecimal digits")]
    endpoint: TextOrNone  # of its model; None for the provider's own host
    settings: Annotated[Mapping[str, Any], ANY_OBJECT]
    created_at: Time
    finished_at: TimeOrNone  # None until a command has gone through all samples
    status: Annotated[str, matching("[a-z]+", "a word")]
    elapsed_s: Seconds  # of all commands that worked on it

    @property
    def party(self) -> Party:
        """Its model."""
        party = Party.of(self.model, self.endpoint)
        asked = self.settings.get(AS_JUDGE)
        return party_in(as_json({**party.as_json(), "settings": asked})) if asked else party
