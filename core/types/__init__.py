"""The nouns that every part shares: requests, responses, items, scores, metrics.

All are frozen and hold plain values, so that they can be journalled, compared
and replayed. Nothing here does I/O.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeAlias

from .rules import NumberRule, Rule, Setting, TextRule, UnsettableRule, holding, settings_of

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from .result_document import BaselineRow, MetricRow

    Content = TypeVar("Content", default=Any, covariant=True)
    Transcript = TypeVar("Transcript", default=Any)
else:  # a default is for type checkers alone
    from typing import TypeVar

    Content, Transcript = TypeVar("Content", covariant=True), TypeVar("Transcript")


Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
"""What JSON can say."""
JsonObject: TypeAlias = Mapping[str, Json]
JsonDict: TypeAlias = dict[str, Json]


def json_writer(*, sort_keys: bool) -> Callable[[object], str]:
    """What writes values as JSON without spaces and without NaN.

    `json` prepares its encoder anew for each value, which takes longer than writing a small one.
    """
    plain = json.JSONEncoder(
        ensure_ascii=False, allow_nan=False, sort_keys=sort_keys, separators=(",", ":")
    )
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:  # an interpreter without C
        return plain.encode
    text = json.encoder.encode_basestring
    encode = make(None, plain.default, text, None, ":", ",", sort_keys, False, False)

    def write(value: object) -> str:
        try:
            return "".join(encode(value, 0))
        except RecursionError:
            raise ValueError("a value that holds itself") from None

    return write


_write = json_writer(sort_keys=True)


def canonical(value: object) -> str:
    """The one JSON text of a value: sorted keys, no spaces, no NaN.

    Raises:
        ValueError: The value holds NaN or an infinity.
    """
    return _write(value)


def digest(value: object) -> str:
    """128 bits of the SHA-256 of a value's canonical JSON, as 32 hexadecimal digits."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()[:32]


class Message(NamedTuple):
    """One message of a conversation."""

    role: str
    """``system``, ``user`` or ``assistant``."""
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingSetting(Setting):
    """A sampling parameter that a person may set.

    Attributes:
        draws: Whether it decides how replies are drawn, so that it is said where a server does
            not take it.
        repeats: Whether it only repeats what would be drawn anyway, so that results with
            different values of it are asked alike.
        sent_as: What else providers call it; a point stands before a field within another.
        unknown_to: Hosts of the APIs that do not know it, so that it is not sent there.
        unset: The word by which it is not sent, whatever the benchmark says.
    """

    draws: bool = True
    repeats: bool = False
    sent_as: tuple[str, ...] = ()
    unknown_to: tuple[str, ...] = ()
    unset: str = "none"


ANTHROPIC, OPENAI = "api.anthropic.com", "api.openai.com"
"""Hosts that stand for their APIs."""
DRAWING = "How replies are drawn"
"""The heading above sampling parameters."""


def _parameter(
    metavar: str, rule: Rule | None, text: str, *, unset: str = "none", **facts: Any
) -> Any:
    """A field of a sampling parameter; in place of a value a person may give a word: not sent."""
    held = UnsettableRule(rule, unset) if rule else None
    facts |= {"metavar": metavar, "help": text, "section": DRAWING, "unset": unset}
    return holding(SamplingSetting(rule=held, **facts))


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a reply is drawn. ``None`` means: not sent, the server's default holds."""

    temperature: float | None = _parameter("T", NumberRule(0), "Sampling temperature.")
    top_p: float | None = _parameter("P", NumberRule(0, 1), "Nucleus sampling.")
    top_k: int | None = _parameter(
        "K", NumberRule(1, whole=True), "Draw from the K likeliest tokens.", unknown_to=(OPENAI,)
    )
    min_p: float | None = _parameter(
        "P", NumberRule(0, 1), "Minimum-probability sampling.", unknown_to=(ANTHROPIC, OPENAI)
    )
    max_tokens: int | None = _parameter(
        "N", NumberRule(1, 10**12, whole=True), "Room for the reply, thinking included.",
        draws=False,
    )  # fmt: skip
    seed: int | None = _parameter(
        "N", NumberRule(whole=True), "Sent to the model; iteration I gets N + I - 1.",
        repeats=True, unknown_to=(ANTHROPIC,),
    )  # fmt: skip
    stop: tuple[str, ...] | None = None
    reasoning_effort: str | None = _parameter(
        "E", TextRule(), "Such as low, medium, high; the word unset keeps it from being sent.",
        sent_as=("output_config.effort", "thinking"), unset="unset",  # none is an effort
    )  # fmt: skip
    json_schema: JsonObject | None = None
    extra_body: JsonObject | None = _parameter(  # noqa: RUF009 - makes a field
        "JSON", None, "More fields for each request.",
        form="json", may_hold_key=True, draws=False,
    )  # fmt: skip

    def sent(self) -> JsonDict:
        """The parameters that have a value, by name."""
        values = zip(_SAMPLING, _values_of(self), strict=True)
        return {name: value for name, value in values if value is not None}


_SAMPLING = tuple(field.name for field in fields(Sampling))
_values_of = attrgetter(*_SAMPLING)
SAMPLING: Mapping[str, SamplingSetting] = settings_of(Sampling)
"""The parameters that a person may set."""


class SamplingChanges(NamedTuple):
    """What a person changes of a benchmark's sampling.

    Attributes:
        values: The parameters that get another value.
        unset: Those that get none, so that they are not sent, in the order of `SAMPLING`.
    """

    values: Sampling = Sampling()
    unset: tuple[str, ...] = ()

    @classmethod
    def of(cls, by_name: Mapping[str, Any]) -> "SamplingChanges":
        """That of parameters by name, each with its value or its word for none."""
        unset = tuple(n for n, one in SAMPLING.items() if n in by_name and by_name[n] == one.unset)
        return cls(Sampling(**{n: v for n, v in by_name.items() if n not in unset}), unset)

    def applied_to(self, base: Sampling) -> Sampling:
        """Another sampling with these changes."""
        changes: dict[str, Any] = {**self.values.sent(), **dict.fromkeys(self.unset)}
        return replace(base, **changes)


def unknown_to(host: str) -> tuple[str, ...]:
    """The parameters that the API of a host does not know."""
    return tuple(name for name, one in SAMPLING.items() if host in one.unknown_to)


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request, as the benchmark meant it."""

    messages: tuple[Message, ...]
    sampling: Sampling = field(default_factory=Sampling)
    cache_prefix: int = 0
    """Leading messages that many requests share, for providers that cache prompts."""

    def as_json(self) -> JsonDict:
        """The request as plain values; what its digest is made of."""
        messages = [[m.role, m.content] for m in self.messages]
        return {"messages": messages, **self.sampling.sent()}


class Finish(StrEnum):
    """Why a reply ended."""

    STOP = "stop"
    LENGTH = "length"
    REFUSAL = "refusal"
    CONTENT_FILTER = "content_filter"
    EMPTY = "empty"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call. ``input`` includes cached ones, ``output`` includes reasoning."""

    input: int = 0
    cached: int = 0
    cache_write: int = 0
    output: int = 0
    reasoning: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input + other.input,
            self.cached + other.cached,
            self.cache_write + other.cache_write,
            self.output + other.output,
            self.reasoning + other.reasoning,
        )


@dataclass(frozen=True, slots=True)
class ChatResponse:
    """One reply with all that is known about how it came about."""

    text: str
    """The answer alone, without thinking."""
    reasoning: str = ""
    """The model's thinking, from its own field or from ``<think>`` text."""
    finish: Finish = Finish.STOP
    finish_raw: str | None = None
    model: str | None = None
    """The model id the server says it used."""
    fingerprint: str | None = None
    provider: str | None = None
    """Which host a broker says has answered, such as ``Together``."""
    request_id: str | None = None
    usage: Usage = field(default_factory=Usage)
    latency_s: float = 0.0
    """Of the last attempt."""
    attempts: int = 1
    sent: JsonObject = field(default_factory=dict)
    """The exact parameters sent; one that is absent was not sent."""
    cost_usd: float | None = None
    price_source: str | None = None

    @property
    def truncated(self) -> bool:
        """Whether the token limit cut the reply off."""
        return self.finish == Finish.LENGTH

    def as_json(self) -> JsonDict:
        """The response as plain values."""
        # Not asdict: it copies every value deeply, which a site of many replies waits for.
        named = dict(zip(_RESPONSE, _values_of_response(self), strict=True))
        usage = dict(zip(_USAGE, _values_of_usage(self.usage), strict=True))
        return {**named, "usage": usage, "sent": dict(self.sent), "finish": str(self.finish)}


_RESPONSE = tuple(field.name for field in fields(ChatResponse))
_values_of_response = attrgetter(*_RESPONSE)
_USAGE = tuple(field.name for field in fields(Usage))
_values_of_usage = attrgetter(*_USAGE)


@dataclass(frozen=True, slots=True)
class Item(Generic[Content]):
    """One row of a data pack.

    Subclass it, or put the benchmark's own data into ``content``.
    """

    id: str
    content: Content = None  # type: ignore[assignment]  # an item may be its id alone
    family: str = ""
    """Items that share a text have the same family; empty stands for the item itself."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """What kinds it is of, such as ``{"task": "irony"}``: values may be summed up by them."""
    weight: float = 1.0
    """What it counts in the means of values, and in ratings; above 0."""

    @property
    def cluster(self) -> str:
        """The unit that intervals resample."""
        return self.family or self.id


@dataclass(frozen=True, slots=True)
class Score:
    """What grading one sample gave.

    Attributes:
        values: The sample's numbers by name; ``None`` where one could not be read.
        reason: Why there is no number at all; ``None`` when the sample is scored.
        flags: What was unusual, such as a recovered reading.
        detail: Anything else worth keeping, as plain JSON values.
    """

    values: Mapping[str, float | None] = field(default_factory=dict)
    reason: str | None = None
    flags: tuple[str, ...] = ()
    detail: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def unscored(cls, reason: str, **rest: Any) -> "Score":
        """A score without a number, and why."""
        return cls(reason=reason, **rest)


@dataclass(frozen=True, slots=True)
class PairScore:
    """What comparing two transcripts of one item gave.

    Attributes:
        margins: By criterion, 1 to 5 where the one shown first wins, -1 to -5 where the
            second does, 0 for a draw; empty when nothing could be read.
        reason: Why nothing could be read; ``None`` when it could.
        flags: What was unusual, such as a repaired reply.
        len_first: Characters of the first transcript as the judge saw it; ``None`` where that is
            not known.
        len_second: Likewise of the second.
        replies: The judge's raw replies, in the order they came.
    """

    margins: Mapping[str, int]
    reason: str | None = None
    flags: tuple[str, ...] = ()
    len_first: int | None = None
    len_second: int | None = None
    replies: tuple[str, ...] = ()


NO_RESPONSE = "no response was given"
"""Why a sample is unscored that answers made elsewhere leave out."""


class SampleScore(NamedTuple):
    """The score of one sample, with what metrics need to know about the sample."""

    item_id: str
    cluster: str
    iteration: int
    score: Score


@dataclass(frozen=True, slots=True)
class Metric:
    """A number over many samples.

    Attributes:
        value: ``None`` when it does not exist.
        ci95: 95 % interval, or ``None`` when there is too little to make one.
        n: How many samples it stands on.
        higher_is_better: ``None`` where neither end is better.
        over: What the interval is over, such as ``questions``.
        label: What a table calls it.
        group: The heading that a table puts it under; empty for the main ones.
        note: What a reader of the number has to know, for a line below the table.
        families: How many families of items it stands on, where they are fewer than those of
            all scored samples: a metric of fewer than eight says that this is why it has no
            interval.
        chosen: The name of the metric that it is, where it is the best of several.
        ci95_chosen: That one's own interval, which allows for the choice: what is held against
            baselines. `ci95` may be that of choosing anew.
        of_iterations: It is a spread over iterations: 0 where all of them have one text is no
            measurement, and is said to be none.
    """

    value: float | None
    ci95: tuple[float, float] | None = None
    n: int = 0
    higher_is_better: bool | None = True
    over: str = ""
    label: str = ""
    group: str = ""
    note: str = ""
    families: int | None = None
    chosen: str = ""
    ci95_chosen: tuple[float, float] | None = None
    of_iterations: bool = False

    def as_json(self) -> "MetricRow":
        """The fields of a result document."""
        ci95 = None if self.ci95 is None else list(self.ci95)
        better = self.higher_is_better
        row: MetricRow = {
            "value": self.value, "ci95": ci95, "n": self.n, "higher_is_better": better
        }  # fmt: skip
        if self.chosen:
            ends = None if self.ci95_chosen is None else list(self.ci95_chosen)
            row = {**row, "chosen": self.chosen, "ci95_chosen": ends}
        return row


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a trivial respondent, or people, would get on the same pack."""

    value: float
    label: str
    sd: float | None = None
    """Standard deviation of a whole run, where the respondent is random."""
    answer: tuple[float, ...] | None = None
    n: int | None = None
    """How many people, or answers, it is of."""
    ci: tuple[float, float] | None = None
    """Its 95 % interval, which comes from other data than a run's: claims allow for it."""

    def as_json(self) -> "BaselineRow":
        """The fields of a result document."""
        row: BaselineRow = {
            "value": self.value, "label": self.label, "sd": self.sd, "answer": self.answer
        }  # fmt: skip
        if self.n is not None:
            row = {**row, "n": self.n}
        return row if self.ci is None else {**row, "ci95": list(self.ci)}


@dataclass(frozen=True, slots=True)
class Summary:
    """A benchmark's own account of its scores.

    Attributes:
        metrics: By name, the main one first.
        invalid: Why the benchmark's validity rule is not met; ``None`` when it is.
        warnings: One line each.
        notes: Further facts for the document, by name.
    """

    metrics: Mapping[str, Metric]
    invalid: str | None = None
    warnings: tuple[str, ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)
