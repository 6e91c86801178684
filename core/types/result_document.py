"""The result document (docs/results.md) as a type: every field, what it holds, who always has it.

What is built, stored, read from journals, printed and handed to plugins is this one
JSON object. Its fields are read-only: a result that differs is another document. The checks of
what comes from a file (`journal.shapes`) and docs/result.schema.json are made of these types.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict

if TYPE_CHECKING:
    from typing_extensions import ReadOnly
else:

    class ReadOnly:
        """A field that nobody sets; only type checkers know of it."""

        def __class_getitem__(cls, item: object) -> object:
            return item


class AtLeast(NamedTuple):
    """The smallest that a number may be."""

    least: int


class Length(NamedTuple):
    """How many values a list has."""

    n: int


Count = Annotated[int, AtLeast(0)]
Ordinal = Annotated[int, AtLeast(1)]
Interval = Annotated[Sequence[float], Length(2)]
"""Both ends."""
OpenInterval = Annotated[Sequence[float | None], Length(2)]
"""Its ends; ``None`` for one that is open."""
Ranks = Annotated[Sequence[Ordinal], Length(2)]
Facts = Mapping[str, Any]
"""What a benchmark or a program says of itself, by name."""
Status = Literal["complete", "fail", "incomplete", "budget", "waiting", "interrupted"]


class MetricRow(TypedDict):
    """A number over many samples."""

    value: ReadOnly[float | None]
    ci95: ReadOnly[Interval | None]
    n: ReadOnly[Count]
    higher_is_better: ReadOnly[bool | None]
    chosen: NotRequired[ReadOnly[str]]
    ci95_chosen: NotRequired[ReadOnly[Interval | None]]


class BaselineRow(TypedDict):
    """What a trivial respondent, or people, would get."""

    value: ReadOnly[float]
    label: ReadOnly[str]
    sd: ReadOnly[float | None]
    answer: ReadOnly[Sequence[float] | None]
    n: NotRequired[ReadOnly[Count]]
    ci95: NotRequired[ReadOnly[Interval]]


class SampleCounts(TypedDict):
    """How many samples ended how."""

    total: ReadOnly[Count]
    scored: ReadOnly[Count]
    unscored: ReadOnly[Count]
    failed: ReadOnly[Count]
    truncated: ReadOnly[Count | None]
    pending: ReadOnly[Count]
    absent: ReadOnly[Count]


class UnscoredSample(TypedDict):
    """A sample without a number, and why."""

    item_id: ReadOnly[str]
    iteration: ReadOnly[Ordinal]
    reason: ReadOnly[str]


class FailedSample(UnscoredSample):
    """A sample without a usable answer, and why."""

    kind: ReadOnly[str]


class PlayerPart(TypedDict):
    """Who plays a role."""

    model: ReadOnly[str]
    endpoint: ReadOnly[str | None]


class CallCounts(TypedDict):
    """How many calls were answered."""

    model: ReadOnly[Count]
    judge: ReadOnly[Count]
    replayed: ReadOnly[Count]
    retries: ReadOnly[Count]
    roles: NotRequired[ReadOnly[Mapping[str, Count]]]


class TokenCounts(TypedDict):
    """Tokens of all calls; ``None`` where the server counts none."""

    input: ReadOnly[Count | None]
    cached: ReadOnly[Count | None]
    output: ReadOnly[Count | None]
    reasoning: ReadOnly[Count | None]


class DatasetRow(TypedDict):
    """The pack."""

    name: ReadOnly[str]
    sha256: ReadOnly[str]
    n_items: ReadOnly[Count]


class ComparisonCounts(TypedDict, total=False):
    """How many comparisons the ratings are made of; empty where models are not compared."""

    total: ReadOnly[Count]
    read: ReadOnly[Count]
    unread: ReadOnly[Count]
    planned: ReadOnly[Count]
    opponents: ReadOnly[Sequence[str]]


class RatingRow(TypedDict):
    """The rating of one model, as in `bench rate --json`."""

    model: ReadOnly[str]
    rating: ReadOnly[float]
    rd: ReadOnly[float | None]
    ci95: ReadOnly[OpenInterval | None]
    rank: ReadOnly[Ordinal]
    rank_ci95: ReadOnly[Ranks | None]
    tied_with: ReadOnly[Sequence[str] | None]
    comparisons: ReadOnly[Count]
    rank_ci95_board: NotRequired[ReadOnly[Ranks | None]]
    rating_length_adjusted: NotRequired[ReadOnly[float | None]]
    ci95_length_adjusted: NotRequired[ReadOnly[OpenInterval | None]]
    depends_on_length: NotRequired[ReadOnly[Sequence[str] | None]]


Grade = Literal["strong", "weak", "not tested", "not shown", "none"]
"""How strong an effect is; what is most worth knowing is first."""


class ConclusionRow(TypedDict):
    """What the comparisons say of their judge."""

    about: ReadOnly[str]
    verdict: ReadOnly[Grade]
    text: ReadOnly[str]
    value: ReadOnly[float | None]
    ci95: ReadOnly[Interval | None]
    n: ReadOnly[Count]


_Reason = TypedDict("_Reason", {"told": ReadOnly[str]})  # noqa: UP013  # no name in code


class PlacementEnd(_Reason):
    """Why a placement is at its end."""

    kind: ReadOnly[str]
    advice: NotRequired[ReadOnly[str | None]]
    of: NotRequired[ReadOnly[str]]
    grader: NotRequired[ReadOnly[str]]


class RatingNotes(TypedDict, total=False):
    """How the ratings came about: `notes.rating`; `by_judge` goes into a result's `judges`."""

    engine: ReadOnly[str]
    engine_version: ReadOnly[str | None]
    anchors: ReadOnly[Sequence[Facts]]
    diagnostics: ReadOnly[Facts]
    stopped: ReadOnly[PlacementEnd | None]
    by_judge: ReadOnly[Mapping[str, Sequence[RatingRow]]]


class RunPart(TypedDict):
    """What was run."""

    run_id: ReadOnly[str | None]
    benchmark: ReadOnly[str]
    benchmark_version: ReadOnly[str]
    status: ReadOnly[Status]
    demo: ReadOnly[bool]
    imported: ReadOnly[Mapping[str, str] | None]
    model: ReadOnly[str | None]
    name: ReadOnly[str]
    main: ReadOnly[bool]
    endpoint: ReadOnly[str | None]
    judge: ReadOnly[str | None]
    judge_endpoint: ReadOnly[str | None]
    judged_by: ReadOnly[Mapping[str, Any] | None]
    roles: NotRequired[ReadOnly[Mapping[str, PlayerPart]]]
    checkpoint: NotRequired[ReadOnly[str]]
    grader: ReadOnly[str | None]


class ProtocolPart(TypedDict):
    """How it was asked."""

    options: ReadOnly[Facts]
    sampling: ReadOnly[Facts]
    not_sent: ReadOnly[Sequence[str]]
    asked_otherwise: NotRequired[ReadOnly[Mapping[str, Mapping[str, str]]]]
    dataset: ReadOnly[DatasetRow]
    iterations: ReadOnly[Ordinal]
    comparability: ReadOnly[str]


class MetricsPart(TypedDict):
    """What came out."""

    metrics: ReadOnly[Mapping[str, MetricRow]]
    metric_labels: ReadOnly[Mapping[str, Annotated[Sequence[str], Length(2)]]]
    metric_groups: ReadOnly[Mapping[str, str]]
    metric_notes: ReadOnly[Mapping[str, str]]
    metric_reasons: NotRequired[ReadOnly[Mapping[str, str]]]
    unmeasured: NotRequired[ReadOnly[Mapping[str, str]]]
    invalid: ReadOnly[str | None]
    notes: ReadOnly[Facts]
    baselines: ReadOnly[Mapping[str, BaselineRow]]


class SamplesPart(TypedDict):
    """What became of the samples."""

    items: ReadOnly[SampleCounts]
    unscored: ReadOnly[Sequence[UnscoredSample]]
    failed: ReadOnly[Sequence[FailedSample]]
    flags: ReadOnly[Mapping[str, Count]]


class AskedPart(TypedDict):
    """When and where the model gave the replies of a run."""

    first: ReadOnly[str]
    last: ReadOnly[str]
    addresses: ReadOnly[Sequence[str]]
    providers: NotRequired[ReadOnly[Sequence[str]]]
    now: NotRequired[ReadOnly[Count]]


class CostPart(TypedDict):
    """What it took."""

    calls: ReadOnly[CallCounts]
    tokens: ReadOnly[TokenCounts]
    cost_usd: ReadOnly[float | None]
    elapsed_s: ReadOnly[Annotated[float, AtLeast(0)]]
    asked: NotRequired[ReadOnly[AskedPart]]


class ComparisonsPart(TypedDict):
    """What comparisons with other models say."""

    comparisons: ReadOnly[ComparisonCounts]
    ratings: ReadOnly[Sequence[RatingRow]]
    conclusions: ReadOnly[Sequence[ConclusionRow]]


AgainstVerdict = Literal["better", "worse", "neither", "unknown"]


class AgainstRow(TypedDict):
    """What a result comes to against another run's; `difference` is this one less that one."""

    run_id: ReadOnly[str | None]
    name: ReadOnly[str]
    verdict: ReadOnly[AgainstVerdict]
    difference: ReadOnly[float | None]
    ci95: ReadOnly[Interval | None]
    n: ReadOnly[Count]
    statement: ReadOnly[str]


class ClosingPart(TypedDict):
    """What to know of it; of answers that were given, their rows; and what it is set against."""

    warnings: ReadOnly[Sequence[str]]
    against: NotRequired[ReadOnly[AgainstRow]]
    scores: NotRequired[ReadOnly[Mapping[str, Sequence[Facts]]]]


class RepliesRow(TypedDict):
    """How many of the comparisons that a judge was to make it made, and could not be read."""

    asked: ReadOnly[Count]
    answered: ReadOnly[Count]
    unread: ReadOnly[Count]


class JudgeComparisons(TypedDict, total=False):
    """What one judge of a panel says of models beside each other."""

    ratings: ReadOnly[Sequence[RatingRow]]
    comparisons: ReadOnly[RepliesRow]


class JudgeRow(JudgeComparisons):
    """What one judge of a panel says: of the samples `asked`, it `graded` some, read or not."""

    judge: ReadOnly[str]
    metrics: ReadOnly[Mapping[str, MetricRow]]
    asked: ReadOnly[Count]
    graded: ReadOnly[Count]
    unread: ReadOnly[Count]


class EstimateCells(TypedDict):
    """A number with its interval, or why there is none."""

    value: ReadOnly[float | None]
    ci95: ReadOnly[Interval | None]
    reason: ReadOnly[str | None]


class RobustnessRow(TypedDict):
    """How far several judges agree on the transcripts of a run.

    `judges` holds the rank correlation of each with the mean of the others.
    """

    value: ReadOnly[str]
    n: ReadOnly[Count]
    judges: ReadOnly[Mapping[str, EstimateCells]]
    votes: ReadOnly[EstimateCells]
    conclusions: ReadOnly[Sequence[ConclusionRow]]


class AgreementRow(TypedDict):
    """How far the judges of a panel agree on a value, on samples that all of them graded."""

    n: ReadOnly[Count]
    icc: ReadOnly[float | None]
    ci95: ReadOnly[Sequence[float | None] | None]
    reason: ReadOnly[str | None]


class PanelRow(TypedDict):
    """How several judges made one score; `whole` of them answered all that they were asked."""

    rule: ReadOnly[str]
    quorum: ReadOnly[Count]
    exclude_kin: ReadOnly[bool]
    overlap: NotRequired[ReadOnly[float]]
    split: ReadOnly[Count]
    agreement: ReadOnly[Mapping[str, AgreementRow]]
    judges: ReadOnly[Count]
    whole: ReadOnly[Count]


class PanelPart(TypedDict):
    """What several judges say, each and together; of a single judge there is none."""

    judges: NotRequired[ReadOnly[Sequence[JudgeRow]]]
    panel: NotRequired[ReadOnly[PanelRow]]
    robustness: NotRequired[ReadOnly[RobustnessRow]]


class ResultDocument(
    RunPart,
    ProtocolPart,
    MetricsPart,
    SamplesPart,
    CostPart,
    ComparisonsPart,
    ClosingPart,
    PanelPart,
):
    """All that a result says."""


def rating_notes(document: ResultDocument) -> RatingNotes | None:
    """How a result's ratings came about; ``None`` where models were not compared."""
    notes: RatingNotes | None = document["notes"].get("rating")
    return notes
