"""Which judge of a panel answered how many, and what that makes of a result."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..benchmark.model import REFUSED
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
    """What came of each judge's verdicts, on the samples that came as far as being judged.

    A judge owes a verdict only where the panel assigned it.
    """
    read = {
        judge: {(s.item_id, s.iteration): s.score.reason is None for s in verdicts}
        for judge, verdicts in by_judge.items()
    }
    refused = {(s.item_id, s.iteration) for s in scores if REFUSED in (s.score.reason or "")}
    judged = {(s.item_id, s.iteration) for s in scores}
    judged |= {(f.item_id, f.iteration) for f in failures if f.kind == OF_JUDGE}
    judged = judged.union(*read.values()) - refused
    replies = {}
    for judge, read_by_judge in read.items():
        # Of each verdict that it owed whether it could be read; ``None`` where it gave none.
        outcomes = [read_by_judge.get(key) for key in judged if judge in panel.assigned(*key)]
        replies[judge] = Replies(
            len(outcomes), len(outcomes) - outcomes.count(None), outcomes.count(False)
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
