"""The JSON of a site's boards: what a page shows, its downloads hold and its script reads."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypedDict

from ..types.result_document import ConclusionRow, OpenInterval, Ranks


class SiteMetric(TypedDict):
    """A column of numbers; `low` and `high` are the fixed ends of its shades."""

    name: str
    label: str
    group: str
    higher_is_better: bool | None
    low: float | None
    high: float | None


class SiteRow(TypedDict):
    """A model.

    `first` and `short_of` are marks of the first place, and of a baseline that it does not pass;
    `residual` is by how much a criterion exceeds what its score foretells; `verified`, `weights`
    and `prompt_format` are of a submission.
    """

    id: str
    model: str
    href: str | None
    family: str
    size_b: float | None
    date: str | None
    partial: bool
    changed: str | None
    status: str | None
    rank: Ranks | None
    rank_alone: Ranks | None
    first: str
    short_of: str
    rating: float | None
    rating_ci95: OpenInterval | None
    score: float | None
    score_ci95: OpenInterval | None
    chosen: str
    criteria: Mapping[str, float | None]
    residual: Mapping[str, float | None]
    cost_usd: float | None
    output_tokens: int | None
    seconds: float | None
    completeness: str
    scored: int | None
    total: int | None
    tied_with: Sequence[str]
    runs: Sequence[str]
    verified: str
    weights: str | None
    prompt_format: str | None


class SiteView(TypedDict):
    """The same models by another judge or rule: ranks and values with intervals by row."""

    name: str
    ranks: Mapping[str, Ranks]
    values: Mapping[str, Sequence[float | None]]


class SiteControl(TypedDict):
    """A control; `scale` is what it takes off at 100 % of a model with twice the mean."""

    name: str
    label: str
    value: str
    scale: float


class SiteAdjusting(TypedDict):
    """Controls, why others are absent, and what `statistics.adjusted` works on: by row's id."""

    controls: Sequence[SiteControl]
    absent: Sequence[str]
    models: Sequence[str]
    values: Sequence[Sequence[float]]
    left_out: Sequence[Sequence[Sequence[float]]]
    t: float | None
    t_pairs: float | None


class SitePublished(TypedDict):
    """Scores that others published, in a table of their own."""

    title: str
    note: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | float | None]]
    comparable: Sequence[str]


class SiteBaseline(TypedDict):
    """What a trivial respondent would get."""

    label: str
    value: float


class SiteBoardDocument(TypedDict):
    """A board, as its JSON holds it."""

    key: str
    benchmark: str
    title: str
    pack: str
    pack_sha256: str
    n_items: int
    judge: str | None
    roles: Mapping[str, str]
    options: Sequence[str]
    date_from: str | None
    date_to: str | None
    version: str
    comparability: str
    demo: bool
    sentence: str
    rated: bool
    engine: str | None
    metric: SiteMetric
    criteria: Sequence[SiteMetric]
    rows: Sequence[SiteRow]
    views: Sequence[SiteView]
    adjusting: SiteAdjusting | None
    published: SitePublished | None
    baselines: Sequence[SiteBaseline]
    conclusions: Sequence[ConclusionRow]
    warnings: Sequence[str]


class SitePairs(TypedDict):
    """Differences of each two rows: of the first less the second, with both ends of an interval.

    `rows` holds the upper triangle, row by row; ``None`` where no sample is shared. `criteria` has
    the same by name and place in it, of the pairs that have it. `settle` says by place what would
    tell two apart, of those that are not. `sentences` are to be filled in for two models, with
    `number`, what the differences are in.
    """

    metric: str
    method: str
    number: str
    sentences: Mapping[str, str]
    models: Sequence[str]
    rows: Sequence[Sequence[float] | None]
    criteria: Mapping[str, Mapping[str, Sequence[float]]]
    settle: Mapping[str, str]


class FilePart(NamedTuple):
    """A file of a site: its path below the folder, and its bytes."""

    path: str
    content: bytes
