"""Which judge of a panel answered how many, and what that makes of a result."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..journal import Failure
from ..parties.graders import Panel, Replies
from ..parties.party import Party
from ..types import SampleScore
from ..types.result_document import JudgeRow, ResultDocument
from .ratings import WholeJudges

OF_JUDGE = "judge"
"""The kind of failure of a sample that has a transcript and no verdict."""


def replies_of(
    panel: Panel,
    scores: Iterable[SampleScore],
    failures: Iterable[Failure],
    by_judge: Mapping[Party, Sequence[SampleScore]],
) -> dict[Party, Replies]:
    """What came of each judge's verdicts, on the samples that came as far as being judged."""
    verdicts = {
        judge: {(s.item_id, s.iteration): s.score.reason is None for s in verdicts_of_judge}
        for judge, verdicts_of_judge in by_judge.items()
    }
    judged = {(s.item_id, s.iteration) for s in scores}
    judged |= {(f.item_id, f.iteration) for f in failures if f.kind == OF_JUDGE}
    judged = judged.union(*verdicts.values())
    replies = {}
    for judge, verdicts_of_judge in verdicts.items():
        verdicts_due = [
            verdicts_of_judge.get(key) for key in judged if judge in panel.assigned(*key)
        ]
        replies[judge] = Replies(
            len(verdicts_due),
            len(verdicts_due) - verdicts_due.count(None),
            verdicts_due.count(False),
        )
    return replies


def replies_in(row: JudgeRow) -> Iterator[tuple[str, Replies]]:
    """What one judge of a result gave: verdicts, and comparisons where it was to make some."""
    yield "verdicts", Replies(row["asked"], row["graded"], row["unread"])
    if comparisons := row.get("comparisons"):
        yield (
            "comparisons",
            Replies(comparisons["asked"], comparisons["answered"], comparisons["unread"]),
        )


def short_panel(document: ResultDocument) -> WholeJudges | None:
    """How many judges answered all, where some of the panel did not; ``None`` elsewhere."""
    panel = document.get("panel")
    if panel is None or panel["whole"] == panel["judges"]:
        return None
    return {"whole": panel["whole"], "judges": panel["judges"]}
