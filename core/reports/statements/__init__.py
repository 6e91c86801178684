"""What the program claims, and its words: the one place where statements are made.

Pure functions from documents to typed statements, each with its plain-English `text`. Terminal,
report, site, index and `bench compare` render these and decide nothing themselves, so no two of
them contradict each other.

- `results`: of one run: against baselines, whole or partial, how it failed, its rank, where it
  came from, its judges.
- `boards`: of models beside each other: who is first, who is tied, which baselines nobody passes.
- `pairs`: of two runs.

Three rules hold everywhere:

1. No claim without an interval. With fewer than `few_families.FEWEST_FAMILIES` families there is
   none, and the statement is that the items are too few to tell. A FAIL or incomplete result is
   set against no baseline.
2. Words about ranks (first, shares first place, told apart, tied) stand on what holds of all
   models of a board at once: `rank_ci95_board` and `tied_with`. `rank_ci95` is in JSON and behind
   ``--details``. ``None`` in either means not known, never told apart.
3. Where less is better, it is said.
"""

from .baselines import (
    AgainstBaseline,
    Side,
    TooFew,
    against_baselines,
    chance,
    chosen_of,
    not_above,
    too_few,
)
from .boards import (
    BaselineNote,
    Leader,
    LeaderKind,
    RankedBy,
    StatedBoard,
    baseline_notes,
    better_end,
    board_statement,
    joint_rank,
    leader,
    ranked_by,
    tied_names,
)
from .judges import JudgeFindings, answered_by, judge_findings, whole_judges
from .pairs import OnBoard, PairStatement, PairVerdict, pair_statement
from .results import (
    Completeness,
    Origin,
    StatedRank,
    completeness,
    origin,
    placed,
    placed_among,
)

__all__ = [
    "AgainstBaseline",
    "BaselineNote",
    "Completeness",
    "JudgeFindings",
    "Leader",
    "LeaderKind",
    "OnBoard",
    "Origin",
    "PairStatement",
    "PairVerdict",
    "RankedBy",
    "Side",
    "StatedBoard",
    "StatedRank",
    "TooFew",
    "against_baselines",
    "answered_by",
    "baseline_notes",
    "better_end",
    "board_statement",
    "chance",
    "chosen_of",
    "completeness",
    "joint_rank",
    "judge_findings",
    "leader",
    "not_above",
    "origin",
    "pair_statement",
    "placed",
    "placed_among",
    "ranked_by",
    "tied_names",
    "too_few",
    "whole_judges",
]
