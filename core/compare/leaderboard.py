"""A benchmark's models beside each other: a view of the journal, computed, never stored.

One board is about one pack and one judge. Partial runs, and those asked otherwise than the
pack says, are there and say so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NotRequired, TypedDict, cast

from ..benchmark import Benchmark, Pack
from ..benchmark.values import weighing
from ..journal import RunRecord, StoredComparison
from ..reports.comparability import ASKED_OTHERWISE, is_partial, off_published
from ..reports.judge_replies import short_panel
from ..reports.judges import JudgesDocument
from ..reports.kin import KinRule
from ..reports.otherwise import AskedOtherwise
from ..reports.pairing import equal_families, reach_of
from ..reports.ratings import BoardRow
from ..reports.score_ranks import ItemScores, ScoredItems, place_rows
from ..reports.statements import RankedBy, StatedBoard, board_statement, not_above
from ..types import JsonObject
from ..types.result_document import (
    BaselineRow,
    DatasetRow,
    Facts,
    MetricRow,
    RatingRow,
    ResultDocument,
)
from .boards import Board
from .rating_summary import RatingSummary
from .which_board import OtherBoard


class _Apart(TypedDict, total=False):
    """What else keeps a board apart: players of roles, and what is not as usual, or as meant."""

    roles: Mapping[str, str]
    options: JsonObject
    asked_otherwise: Mapping[str, Mapping[str, str]]


class JudgeRatings(TypedDict):
    """What one judge of a panel says alone: ratings, or models' main metric by name."""

    judge: str
    ratings: NotRequired[Sequence[RatingRow]]
    scores: NotRequired[Mapping[str, MetricRow]]


class _Several(TypedDict, total=False):
    """Of a board that several judges made."""

    kin: KinRule
    judges: Sequence[JudgeRatings]
    robustness: Sequence[JudgesDocument]
    judge_exams: Sequence[str]


class LeaderboardDocument(StatedBoard, _Apart, _Several):
    """The document of `bench leaderboard --json`."""

    benchmark: str
    dataset: DatasetRow
    judge: str | None
    engine: str | None
    engine_version: str | None
    anchors: Sequence[Facts]
    statement: str
    others: Sequence[OtherBoard]
    warnings: Sequence[str]


@dataclass
class Leaderboard:
    """One board, read.

    By a model's name: the result, the run (some were only compared and have no scored result), the
    scores of its items in the metric that ranks, and how it was asked otherwise than the pack says.
    `compared` are the comparisons that the ratings stand on. `robustness` says how the ranking
    hangs on who judges: by scores, then by ratings. `others` could have been meant too.
    `judge_scores` are of a panel's judges, each alone: models' main metric, by judge and model.
    `judge_exams` says of each judge how its exam ended, or that there was none.
    """

    board: Board
    benchmark: Benchmark
    pack: Pack
    documents: dict[str, ResultDocument]
    runs: Mapping[str, RunRecord]
    standing: RatingSummary | None
    warnings: list[str] = field(default_factory=list)
    compared: Sequence[StoredComparison] | None = None
    changed: Mapping[str, str] = field(default_factory=dict)
    robustness: Sequence[JudgesDocument] = ()
    scores: Mapping[str, ItemScores | None] = field(default_factory=dict)
    kin: KinRule | None = None
    others: Sequence[OtherBoard] = ()
    judge_scores: Mapping[str, Mapping[str, MetricRow]] = field(default_factory=dict)
    judge_exams: Sequence[str] = ()

    @cached_property
    def demo(self) -> bool:
        """Whether a demo model is on it: then no row says anything of real models."""
        return any(run.demo for run in self.runs.values())

    @property
    def ratings(self) -> Sequence[RatingRow]:
        """The rows of its models that were compared."""
        return self.standing.ratings if self.standing else ()

    def as_json(self) -> LeaderboardDocument:
        """The document."""
        standing, board = self.standing, self.board
        pack = {"name": board.pack_name, "sha256": board.pack_sha256}
        roles = {role: who.label for role, who in board.roles}
        apart: _Apart = {"roles": roles} if roles else {}
        apart |= {"options": board.protocol} if board.protocol else {}
        asked = AskedOtherwise((), board.judge_asked, board.roles_asked).as_json(board.judge)
        apart |= {"asked_otherwise": asked} if asked else {}
        stated = self._stated()
        return {
            **stated,
            "benchmark": self.benchmark.name,
            "dataset": cast("DatasetRow", {**pack, "n_items": len(self.pack.items)}),
            "judge": board.judge.label if board.judge else None,
            **apart,
            **self._of_judges(),
            "engine": standing.details.get("engine") if standing else None,
            "engine_version": standing.details.get("engine_version") if standing else None,
            "anchors": standing.details.get("anchors", []) if standing else [],
            "statement": board_statement(stated),
            "others": self.others,
            "warnings": [
                *self.warnings,
                *self._placed[1],
                *(standing.warnings if standing else ()),
            ],
        }

    def _stated(self) -> StatedBoard:
        """What statements are made of; baselines where they are of the metric that ranks."""
        baselines = dict[str, BaselineRow]()
        for document in self.documents.values():
            if next(iter(document["metrics"]), None) == self.metric:
                baselines |= document["baselines"]
        return {
            "demo": self.demo,
            "metric": self._ranked_by(),
            "baselines": baselines,
            "rows": self.rows(),
            "conclusions": list(self.standing.conclusions) if self.standing else [],
        }

    def _ranked_by(self) -> RankedBy:
        """The metric that models are ranked by, as the first result that has it says."""
        name = self.metric
        having = [d for d in self.documents.values() if name in d["metrics"]]
        label = having[0]["metric_labels"][name][0] if having else ""
        better = having[0]["metrics"][name]["higher_is_better"] if having else None
        return {
            "name": name,
            "label": label or name.replace("_", " "),
            "higher_is_better": better,
        }

    def _of_judges(self) -> _Several:
        """What several judges say, each and together."""
        scored = self.judge_scores.items()
        judges = [
            *(JudgeRatings(judge=judge, ratings=rows) for judge, rows in self.by_judge.items()),
            *(JudgeRatings(judge=judge, scores=rows) for judge, rows in scored),
        ]
        parts: _Several = {"judges": judges} if judges else {}
        parts |= {"kin": self.kin} if self.kin else {}
        parts |= {"judge_exams": self.judge_exams} if self.judge_exams else {}
        return {**parts, "robustness": self.robustness} if self.robustness else parts

    @property
    def by_judge(self) -> Mapping[str, Sequence[RatingRow]]:
        """The ratings by each judge of a panel."""
        return self.standing.details.get("by_judge", {}) if self.standing else {}

    @property
    def metric(self) -> str:
        """The name of the metric that models are ranked by where none is rated."""
        names = (name for document in self.documents.values() for name in document["metrics"])
        return self.benchmark.ranked_by or next(names, "score")

    @property
    def beside_published(self) -> list[str]:
        """The models whose comparability line lets them stand beside published scores."""
        message = f"; {self.pack.comparability}"
        return [n for n, d in self.documents.items() if d["comparability"].endswith(message)]

    @property
    def off_published(self) -> str | None:
        """Why nothing on it may stand beside published scores, as others judged or played."""
        if not self.board.as_meant:
            return ASKED_OTHERWISE
        return off_published(self.benchmark, self.board.judge, dict(self.board.roles))

    def rows(self) -> list[BoardRow]:
        """A row per model: the rated ones by rank, then the others by their main metric.

        Of the others the whole ones come first. Where none is rated, all are ranked by the metric.
        """
        return list(self._placed[0])

    @cached_property
    def _placed(self) -> tuple[list[BoardRow], list[str]]:
        """The rows, and what to know of their ranks by scores."""
        rated = {row["model"]: row for row in self.ratings}
        others = [name for name in self.documents if name not in rated]
        names = (*rated, *sorted(others, key=self._by_metric))
        rows = [self._row(name, rated.get(name)) for name in names]
        warnings = [] if rated else place_rows(rows, self._scored)
        return rows, warnings

    @property
    def _scored(self) -> ScoredItems:
        clusters = {item.id: item.cluster for item in self.pack.items}
        reach = reach_of(self.benchmark, self.metric)
        weighed = weighing(self.pack.items, self.benchmark.values, self.metric)
        counted = weighed.words if weighed else ""
        return ScoredItems(self.metric, self.scores, clusters, self.equal_families, counted, reach)

    @property
    def equal_families(self) -> int | None:
        """As `pairing.equal_families` has it of the whole pack."""
        items = [item.id for item in self.pack.items]
        return equal_families(self.benchmark, self.pack, self.metric, items)

    def told_apart(self, first: str, second: str) -> bool | None:
        """Whether the board tells two of its models, named, apart, all its pairs at once.

        ``None`` where that is not known: too few families, a model without a rating among rated
        ones, or ratings that no chain of comparisons connects.
        """
        rows = {row["model"]: row for row in self.rows()}
        one, other = rows[first], rows[second]
        if one["tied_with"] is None or other["tied_with"] is None:
            return None
        rated = self.standing.rated if self.standing else None
        if one["rating"] is not None and rated and rated.half_width_between(first, second) is None:
            return None
        return second not in one["tied_with"]

    def _by_metric(self, name: str) -> tuple[bool, bool, bool, float, str]:
        metric = self.documents[name]["metrics"].get(self.metric)
        value = metric["value"] if metric else None
        better = -1 if metric and metric["higher_is_better"] else 1
        partial = is_partial(self.documents[name])
        short = short_panel(self.documents[name]) is not None
        return short, partial, value is None, better * (value or 0.0), name

    def _row(self, name: str, rating: RatingRow | None) -> BoardRow:
        document = self.documents.get(name)
        empty = dict.fromkeys(_RATING)
        row = {"model": name, **empty, "comparisons": 0, **(rating or {})}
        row |= {"changed": self.changed.get(name)}
        row |= _scored(document) if document else _unscored(self.runs.get(name))
        return cast("BoardRow", row)


_RATING = ["rating", "rd", "ci95", "rank", "rank_ci95", "tied_with", "rank_ci95_board"]
_RATING += ["rating_length_adjusted", "ci95_length_adjusted", "depends_on_length"]
"""What a model without comparisons has not."""


def _scored(document: ResultDocument) -> dict[str, object]:
    """The rest of a row with a result."""
    return {
        "run_id": document["run_id"],
        "status": document["status"],
        "partial": is_partial(document),
        "short_panel": short_panel(document),
        "iterations": document["iterations"],
        "metrics": document["metrics"],
        "not_above": not_above(document),
        "items": document["items"],
        "cost_usd": document["cost_usd"],
    }


def _unscored(run: RunRecord | None) -> dict[str, object]:
    """The rest of a row without a scored result; the run may be on another machine."""
    known = {"run_id": run.run_id, "status": run.status} if run else {}
    names = ("run_id", "status", "partial", "iterations", "not_above", "items", "cost_usd")
    empty = dict.fromkeys(names)
    return {**empty, "metrics": {}, **known}
