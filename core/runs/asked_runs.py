"""How the runs of a journal asked their judges and roles, where that was otherwise than meant."""

from functools import cached_property

from ..journal import Journal
from ..parties.graders import Judge
from ..reports.otherwise import AskedOtherwise, JudgeDepartures, RoleDepartures, judge_changes
from .finding import JUDGE, JudgeNames


class AskedRuns:
    """What counts as another grader, or as other players, by a run's id; as the journal is now."""

    def __init__(self, journal: Journal) -> None:
        self._journal, self._by_run = journal, journal.askings()

    @cached_property
    def _names(self) -> JudgeNames:
        return JudgeNames(self._journal.asked(role=JUDGE))

    def judge(self, run_id: str, judge: Judge | None) -> JudgeDepartures:
        """How a run asked a judge, or those of a panel, each as it was asked first."""
        if judge is None or run_id not in self._by_run:
            return ()
        askings = self._by_run[run_id]
        same = {one: set(self._names.all_of(one)) for one in judge.judges}
        each = ((one, judge_changes(askings, parties)) for one, parties in same.items())
        return AskedOtherwise(judges=tuple(each)).grading

    def roles(self, run_id: str) -> RoleDepartures:
        """How a run asked who plays its roles."""
        return AskedOtherwise.of(self._by_run.get(run_id, ()), None).playing
