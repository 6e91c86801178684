"""Statements about models beside each other: who is first, who is tied, what nobody passes."""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import NamedTuple, TypedDict

from ...statistics.few_families import FEWEST_FAMILIES
from ...text import listed, plural
from ...types.result_document import (
    BaselineRow,
    ConclusionRow,
    MetricRow,
    Ranks,
    RatingRow,
)
from ..ratings import BoardRow
from .baselines import baseline_words
from .judges import judge_findings

NAMED = 4
"""Models that a sentence names."""
_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class RankedBy(TypedDict):
    """The metric that models are ranked by where none is rated."""

    name: str
    label: str
    higher_is_better: bool | None


class StatedBoard(TypedDict):
    """What of a leaderboard document statements are made of."""

    demo: bool
    metric: RankedBy
    baselines: Mapping[str, BaselineRow]
    rows: Sequence[BoardRow]
    conclusions: Sequence[ConclusionRow]


def joint_rank(row: RatingRow | BoardRow) -> Ranks | None:
    """The ranks that a model may have, of all models of the board at once.

    ``None`` where that is not known: no interval, or an engine or a program that told none.
    """
    return row.get("rank_ci95_board")


def tied_names(row: RatingRow | BoardRow) -> Sequence[str] | None:
    """Who cannot be told apart from a model, of all pairs of the board at once.

    ``None`` where that is not known, as where its joint rank is not.
    """
    return row["tied_with"] if joint_rank(row) else None


class LeaderKind(Enum):
    """What can be said of the first place of a board."""

    NONE = "none"
    """No model has a rank."""
    ALONE = "alone"
    """One model has a rank."""
    FIRST = "first"
    """One model, and no other may have that place."""
    SHARED = "shared"
    """Several models that may each have it."""
    UNKNOWN = "unknown"
    """There are ranks by the numbers alone, none of them with an interval."""
    UNPAIRED = "unpaired"
    """Numbers have intervals, and differences have none: the metric is no mean over items."""


class Leader(NamedTuple):
    """Who has the first place, or may have it, the best number first, of how many with a rank.

    `others` says whether the board has models without one too.
    """

    kind: LeaderKind
    models: Sequence[str]
    of: int
    others: bool = False

    @property
    def text(self) -> str:
        """A clause: ``a is first of 4``, ``two of 4 models share first place: a, b``."""
        if self.kind is LeaderKind.NONE:
            return "no model has a rank"
        if self.kind is LeaderKind.ALONE:
            return f"{self.models[0]} alone makes no ranking: a second whole run does"
        if self.kind is LeaderKind.UNKNOWN:
            return f"too few items for a ranking ({FEWEST_FAMILIES} different texts needed)"
        if self.kind is LeaderKind.UNPAIRED:
            return (
                "no ranking: the metric is no mean over items, so models cannot be paired by item"
            )
        if self.kind is LeaderKind.FIRST:
            return f"{self.models[0]} is first of {self.of}{' ranked models' * self.others}"
        return f"{self._many} share first place: {listed(self.models, NAMED)}"

    @property
    def _many(self) -> str:
        """``two of 4 models``, ``both models``, ``all three ranked models``."""
        n, models = len(self.models), "ranked models" if self.others else "models"
        if n < self.of:
            return f"{counted(n)} of {self.of} {models}"
        return f"both {models}" if n == 2 else f"all {counted(n)} {models}"


def counted(n: int) -> str:
    """A number in words up to ten, with a small letter."""
    return _WORDS[n] if n < len(_WORDS) else str(n)


def leader(rows: Sequence[RatingRow] | Sequence[BoardRow]) -> Leader:
    """Who is first of rows in the order of their rank.

    A model may be first if its joint rank interval begins with 1. One without such an interval,
    as of too few items, is not among those that are ranked; where none has one the first place is
    not known, however far apart the numbers are.
    """
    numbered: list[RatingRow | BoardRow] = [row for row in rows if row["rank"] is not None]
    ranked = [row for row in numbered if joint_rank(row)] or numbered
    if not ranked:
        return Leader(LeaderKind.NONE, (), 0)
    if len(ranked) == 1:
        return Leader(LeaderKind.ALONE, [ranked[0]["model"]], 1)
    may = [row["model"] for row in ranked if (ends := joint_rank(row)) and ends[0] == 1]
    if not may:
        unpaired = any(_has_interval(row) for row in ranked)
        return Leader(LeaderKind.UNPAIRED if unpaired else LeaderKind.UNKNOWN, (), len(ranked))
    kind = LeaderKind.FIRST if len(may) == 1 else LeaderKind.SHARED
    return Leader(kind, may, len(ranked), others=len(ranked) < len(rows))


def _has_interval(row: RatingRow | BoardRow) -> bool:
    """Whether the metric of a row without a rating has an interval."""
    metrics: Mapping[str, MetricRow] = row.get("metrics") or {}  # type: ignore[assignment]
    main = next(iter(metrics.values()), None)
    return bool(row["rating"] is None and main and main["ci95"])


def better_end(higher_is_better: bool | None) -> str:
    """``less is better`` where it is; empty where more is, or where neither end is better."""
    return "less is better" if higher_is_better is False else ""


def number_named(label: str, higher_is_better: bool | None) -> str:
    """A metric as sentences about models name it: ``distance, where less is better``."""
    return label + (f", where {end}" if (end := better_end(higher_is_better)) else "")


def which_end(higher_is_better: bool | None) -> str:
    """Which end of a number is better, always said, as in the head of a column."""
    if higher_is_better is None:
        return "neither end is better"
    return f"{'higher' if higher_is_better else 'lower'} is better"


def first_mark(front: Leader, model: str) -> str:
    """The mark of a model in the first place, or of one that may have it; empty for the others."""
    if model not in front.models or front.kind not in (LeaderKind.FIRST, LeaderKind.SHARED):
        return ""
    return "first" if front.kind is LeaderKind.FIRST else "shares first"


def ranked_by(board: StatedBoard) -> str:
    """``SECEU score, where less is better``; empty where models are ranked by a rating."""
    if any(row["rating"] is not None for row in board["rows"]):
        return ""
    metric = board["metric"]
    return number_named(metric["label"], metric["higher_is_better"])


class BaselineNote(NamedTuple):
    """Which models of a board, where it is known, are not surely better than a baseline.

    `everybody`: none of the board's ranked models is surely better.
    """

    name: str
    words: str
    models: Sequence[str]
    everybody: bool
    higher_is_better: bool

    @property
    def text(self) -> str:
        """``not surely above chance (random 18.0): a, b``."""
        return f"not surely {self._than} {self.words}: {listed(self.models, 8)}"

    @property
    def clause(self) -> str:
        """``none is surely above chance (random 18.0)``; of one model ``it is not``."""
        who = "none is" if len(self.models) > 1 else "it is not"
        return f"{who} surely {self._than} {self.words}"

    @property
    def _than(self) -> str:
        return "above" if self.higher_is_better else "better than"


def baseline_notes(board: StatedBoard) -> list[BaselineNote]:
    """A note for each baseline that some model is not surely better than, the easiest first."""
    higher = board["metric"]["higher_is_better"]
    if higher is None:
        return []
    known = [row for row in board["rows"] if row["not_above"] is not None]
    easiest_first = sorted(
        board["baselines"].items(), key=lambda pair: pair[1]["value"] * (1 if higher else -1)
    )
    notes = []
    for name, baseline in easiest_first:
        models = [row["model"] for row in known if name in (row["not_above"] or ())]
        if models:
            everybody = len(models) == len(known)
            words = baseline_words(name, baseline)
            notes.append(BaselineNote(name, words, models, everybody, higher))
    return notes


def board_statement(board: StatedBoard) -> str:
    """The sentence that a board comes to.

    Who is first or shares first place, by what, whether that is better than guessing, and what
    was found strongly against the judge. Says DEMO of a board of demo models.
    """
    front = leader(board["rows"])
    clauses = [front.text]
    by = ranked_by(board)
    if by and front.kind in (LeaderKind.FIRST, LeaderKind.SHARED):
        clauses[0] += f", by {by}"
    if any(row.get("depends_on_length") for row in board["rows"]):
        clauses.append("some are tied only because of length (--details)")
    if front.kind is LeaderKind.NONE:
        without = f"{plural(len(board['rows']), 'model')}, none of which has a rank"
        clauses[0] = (
            without if board["rows"] else "no run counts on this board: the warnings say why"
        )
    else:
        clauses += [note.clause for note in baseline_notes(board) if note.everybody][:1]
    clauses.append(judge_findings(board["conclusions"]).text)
    demo = "DEMO: " if board["demo"] else ""
    return demo + "; ".join(filter(None, clauses))
