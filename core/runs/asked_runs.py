"""How the runs of a journal asked their judges and roles, where that was otherwise than meant."""

from ..journal import Journal
from ..parties.graders import Judge
from ..reports.otherwise import AskedOtherwise, JudgeDepartures, RoleDepartures


class AskedRuns:
    """What counts as another grader, or as other players, by a run's id; as the journal is now."""

    def __init__(self, journal: Journal) -> None:
        self._by_run = journal.askings()

    def judge(self, run_id: str, judge: Judge | None) -> JudgeDepartures:
        """How a run asked a judge, or those of a panel."""
        if judge is None or run_id not in self._by_run:
            return ()
        return AskedOtherwise.of(self._by_run[run_id], judge).grading

    def roles(self, run_id: str) -> RoleDepartures:
        """How a run asked who plays its roles."""
        return AskedOtherwise.of(self._by_run.get(run_id, ()), None).playing
