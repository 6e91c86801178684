"""Statements about judges: what was found against them, and who of a panel answered."""

from collections.abc import Sequence
from typing import NamedTuple

from ...result_document import ConclusionRow, ResultDocument
from ...text import plural


class JudgeFindings(NamedTuple):
    """What was found against a judge, or against several together.

    Attributes:
        strong: What about, each.
        weak: Likewise.
    """

    strong: Sequence[str]
    weak: Sequence[str]

    @property
    def text(self) -> str:
        """``judge: 2 strong findings (place, length)``; empty where none is strong."""
        if not self.strong:
            return ""
        about = ", ".join(name.replace("_", " ") for name in self.strong)
        return f"judge: {plural(len(self.strong), 'strong finding')} ({about})"


def judge_findings(conclusions: Sequence[ConclusionRow]) -> JudgeFindings:
    """What conclusions have against the judge, the strong ones and the weak ones."""

    def of(verdict: str) -> list[str]:
        return [row["about"] for row in conclusions if row["verdict"] == verdict]

    return JudgeFindings(of("strong"), of("weak"))


def answered_by(document: ResultDocument) -> list[str]:
    """Of a panel how many samples each judge has graded, where one has not graded all.

    ``openai/judge-b graded 0 of 20``; nothing where all have, or where there is no panel.
    """
    judges = document.get("judges", ())
    if "panel" not in document or document["panel"]["rule"] == "rotate":
        return []
    due = document["items"]["total"] - document["items"]["pending"] - document["items"]["failed"]
    read = [(row["judge"], row["graded"] - row["unread"]) for row in judges]
    if all(n >= due for _, n in read):
        return []
    return [f"{judge} graded {n} of {due}" for judge, n in read]
