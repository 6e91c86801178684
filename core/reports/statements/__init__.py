"""What the program claims, and its words: the one place where statements are made.

Pure functions from documents to typed statements, each with its plain-English `text`. Terminal,
report, site, index and `bench compare` render these and decide nothing themselves, so no two of
them contradict each other.

- `results`: of one run: against baselines, whole or partial, how it failed, its rank, where it
  came from, its judges.
- `boards`: of models beside each other: who is first, who is tied, which baselines nobody passes.
- `pairs`: of two runs.
- `settling`: what would settle which of two is better.

Three rules hold everywhere:

1. No claim without an interval. With fewer than `few_families.FEWEST_FAMILIES` families there is
   none, and the statement is that the items are too few to tell. A FAIL or incomplete result is
   set against no baseline.
2. Words about ranks (first, shares first place, told apart, tied) stand on what holds of all
   models of a board at once: `rank_ci95_board` and `tied_with`. `rank_ci95` is in JSON and behind
   ``--details``. ``None`` in either means not known, never told apart.
3. Where less is better, it is said.
"""

from .baselines import AgainstBaseline as AgainstBaseline
from .baselines import Side as Side
from .baselines import TooFew as TooFew
from .baselines import against_baselines as against_baselines
from .baselines import chance as chance
from .baselines import chosen_of as chosen_of
from .baselines import not_above as not_above
from .baselines import short_of as short_of
from .baselines import too_few as too_few
from .boards import BaselineNote as BaselineNote
from .boards import Leader as Leader
from .boards import LeaderKind as LeaderKind
from .boards import RankedBy as RankedBy
from .boards import StatedBoard as StatedBoard
from .boards import baseline_notes as baseline_notes
from .boards import better_end as better_end
from .boards import board_statement as board_statement
from .boards import first_mark as first_mark
from .boards import joint_rank as joint_rank
from .boards import leader as leader
from .boards import number_named as number_named
from .boards import ranked_by as ranked_by
from .boards import tied_names as tied_names
from .boards import which_end as which_end
from .judges import JudgeFindings as JudgeFindings
from .judges import answered_by as answered_by
from .judges import judge_findings as judge_findings
from .judges import whole_judges as whole_judges
from .pairs import OnBoard as OnBoard
from .pairs import PairStatement as PairStatement
from .pairs import PairVerdict as PairVerdict
from .pairs import pair_sentences as pair_sentences
from .pairs import pair_statement as pair_statement
from .results import Completeness as Completeness
from .results import Origin as Origin
from .results import StatedRank as StatedRank
from .results import completeness as completeness
from .results import origin as origin
from .results import placed as placed
from .results import placed_among as placed_among
from .settling import Settle as Settle
from .settling import sample_cost as sample_cost
from .settling import settle as settle
