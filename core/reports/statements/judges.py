"""Statements about judges: what was found against them, and who of a panel answered."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from ...parties.graders import Replies
from ...parties.party import Party
from ...text import plural
from ...types.result_document import ConclusionRow, ResultDocument
from ..comparability import judge_in
from ..judge_replies import replies_in
from ..ratings import WholeJudges


class JudgeFindings(NamedTuple):
    """What was found against a judge, or against several together."""

    strong: Sequence[str]
    weak: Sequence[str]

    @property
    def text(self) -> str:
        """``judge: 2 strong findings (place, length)``; empty where none is strong."""
        if not self.strong:
            return ""
        subjects = ", ".join(name.replace("_", " ") for name in self.strong)
        return f"judge: {plural(len(self.strong), 'strong finding')} ({subjects})"


def judge_findings(conclusions: Sequence[ConclusionRow]) -> JudgeFindings:
    """What conclusions have against the judge, the strong ones and the weak ones."""

    def of(verdict: str) -> list[str]:
        return [row["about"] for row in conclusions if row["verdict"] == verdict]

    return JudgeFindings(of("strong"), of("weak"))


def answered_by(document: ResultDocument) -> list[str]:
    """Of a panel how many verdicts each judge gave, and how many comparisons.

    ``verdicts: openai/a 20 of 20, openai/b 0 of 20``, where one did not answer all, or too seldom
    so that it could be read; nothing where all are whole, or where there is no panel.
    """
    by_kind, judge = dict[str, list[tuple[str, Replies]]](), judge_in(document)
    names = _names(judge.judges if judge else ())
    for row in document.get("judges", ()):
        for kind, replies in replies_in(row):
            name = names.get(row["judge"], row["judge"])
            by_kind.setdefault(kind, []).append((name, replies))
    return [
        f"{kind}: {_gave(of_kind)}"
        for kind, of_kind in by_kind.items()
        if not all(replies.whole for _, replies in of_kind)
    ]


def gave_verdicts(replies: Mapping[Party, Replies]) -> str:
    """``verdicts: openai/a 20 of 20, openai/b 0 of 20``, whether all are whole or not."""
    names = _names(replies)
    return (
        f"verdicts: {_gave([(names[str(judge)], of_judge) for judge, of_judge in replies.items()])}"
    )


def whole_judges(short: WholeJudges | None) -> str:
    """``2 of 3 judges`` of a panel of which some did not answer all; empty elsewhere."""
    return f"{short['whole']} of {short['judges']} judges" if short else ""


def _names(judges: Collection[Party]) -> dict[str, str]:
    """What judges are called, by label: their specs; with the host where two differ in it alone."""
    several = Counter(judge.short for judge in judges)
    return {str(judge): str(judge) if several[judge.short] > 1 else judge.short for judge in judges}


def _gave(replies: Iterable[tuple[str, Replies]]) -> str:
    return ", ".join(
        f"{name} {of_judge.answered} of {of_judge.asked}"
        + (f" ({of_judge.unread} unread)" if of_judge.unread else "")
        for name, of_judge in replies
    )
