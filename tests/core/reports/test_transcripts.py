"""All that is known about one item."""

from typing import TYPE_CHECKING

from eibench.core.journal import GradeCount, Journal, RunRecord
from eibench.core.runs.stored_run import StoredRun

if TYPE_CHECKING:
    from tests.core.conftest import Lab


class Counting(Journal):
    """A journal that counts how often it looks through a whole run."""

    looks = 0

    def graders(self, run: RunRecord) -> list[GradeCount]:
        """Likewise."""
        self.looks += 1
        return super().graders(run)


async def test_a_run_is_looked_through_once_for_all_iterations(lab: "Lab") -> None:
    """And each of them has its own calls and score."""
    lab.take_items(1)
    await lab.run(iterations=5)
    with Counting(lab.runs_dir, create=False) as journal:
        (run,) = journal.runs()
        record = StoredRun(journal, run).item("1")
        assert journal.looks == 1
        ((grader, _),) = journal.graders(run)
        for n, one in enumerate(record["iterations"], start=1):
            score = journal.score_of(run, grader, "1", n)
            assert one["iteration"] == n and score is not None
            assert one["score"] and one["score"]["values"] == score.values
            calls = journal.calls(run, "1", n)
            assert [c["text"] for c in one["calls"]] == [c.response.text for c in calls]
