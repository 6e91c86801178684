"""What is known of a board's judges from exams that the same journal holds.

An exam is a run whose model is the judge and whose result has `exam` among its notes: `benchmark`,
whose prompts were used, `verdict` and `reason`.
"""

from collections.abc import Sequence

from ..journal import Journal
from ..parties.graders import Judge, Panel
from ..parties.party import Party


def judge_exams(journal: Journal, judge: Judge | None, benchmark: str) -> Sequence[str]:
    """A line for each judge: its latest exam, or that it was not examined.

    Args:
        journal: Holds the exams.
        judge: Of a board, or its panel; there is no line where none was asked.
        benchmark: Whose prompts count.
    """
    parties = judge.judges if isinstance(judge, Panel) else () if judge is None else (judge,)
    return [_line(journal, party, benchmark) for party in parties]


def _line(journal: Journal, judge: Party, benchmark: str) -> str:
    spec, by = str(judge.spec), judge.short
    for run in reversed([run for run in journal.runs() if run.model == spec]):
        if run.party.settings != judge.settings:
            continue
        document = journal.document(run)
        exam = document["notes"].get("exam") if document else None
        if exam and exam.get("benchmark") == benchmark:
            day = (run.finished_at or run.created_at)[:10]
            return f"judge {by} examined {day}: {exam['verdict']}: {exam['reason']}"
    return f"judge {by} not examined: bench exam {spec}"
