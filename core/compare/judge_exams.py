"""What is known of a board's judges from exams that the same journal holds.

An exam is a run whose model is the judge and whose result has `exam` among its notes: `benchmark`,
whose prompts were used, `verdict` and `reason`.
"""

from collections.abc import Sequence

from ..journal import Journal
from ..parties.graders import Judge
from ..parties.party import Party
from ..parties.party_settings import settings_in
from ..reports.comparability import is_partial
from ..reports.suggestions import bench, url_of


def judge_exams(journal: Journal, judge: Judge | None, benchmark: str) -> Sequence[str]:
    """A line for each judge: when it sat the exam and what came of it, or that it has not.

    Args:
        journal: Holds the exams.
        judge: Of a board, or its panel; there is no line where none was asked.
        benchmark: Of the board. An exam with its prompts goes before one with others.
    """
    return [_line(journal, party, benchmark) for party in (judge.judges if judge else ())]


def _line(journal: Journal, judge: Party, benchmark: str) -> str:
    exams = [
        (run, document, exam)
        for run in journal.runs()
        if run.party == judge
        if (document := journal.document(run)) and (exam := document["notes"].get("exam"))
    ]
    if not exams:
        asked = [w for text in settings_in(judge.settings).texts for w in ("--judge-set", text)]
        server = ["--base-url", url] if (url := url_of(judge)) else []
        command = bench("exam", str(judge.spec), *server, *asked)
        return f"judge {judge.short} has not sat the exam: {command}"
    newest = max(range(len(exams)), key=lambda n: (exams[n][2]["benchmark"] == benchmark, n))
    run, document, exam = exams[newest]
    of = "a part of the exam" if is_partial(document) else "the exam"
    by = f" by the prompts of {exam['benchmark']}" * (exam["benchmark"] != benchmark)
    day = (run.finished_at or run.created_at)[:10]
    return f"judge {judge.short} sat {of}{by} on {day}: {exam['verdict']}: {exam['reason']}"
