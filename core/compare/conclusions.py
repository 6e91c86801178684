"""What a judge's stored comparisons say of it. Importing this imports numpy."""

from collections.abc import Iterable, Sequence

from ..auditing.asking import Reply, unread_share
from ..auditing.conclusions import conclude
from ..journal import StoredComparison
from ..ratings.comparisons import Comparisons
from ..result_document import ConclusionRow, RatingRow
from .comparison_pool import as_comparisons


def replies_of(rows: Iterable[StoredComparison]) -> list[Reply]:
    """The comparisons that were answered, read or not."""
    answered = (row for row in rows if row.status in ("read", "unread"))
    return [Reply(row.family, row.status == "read", row.flags) for row in answered]


def conclusions_from(
    rows: Sequence[StoredComparison], ratings: Sequence[RatingRow]
) -> list[ConclusionRow]:
    """The conclusions as a document has them; none where no comparison was answered.

    Args:
        rows: Of one judge.
        ratings: Made of them.
    """
    if not (replies := replies_of(rows)):
        return []
    given = Comparisons.of(as_comparisons(rows))
    return [conclusion.as_json() for conclusion in conclude(given, unread_share(replies), ratings)]
