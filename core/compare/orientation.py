"""What a judge said of two transcripts, turned from first and second to a and b."""

from ..journal import StoredComparison
from ..types import PairScore


def turned(row: StoredComparison, score: PairScore) -> StoredComparison:
    """A comparison with what came of it, margins and lengths turned to a and b."""
    sign = 1 if row.first == "a" else -1
    lengths = (score.len_first, score.len_second)[::sign]
    return row._replace(
        status="unread" if score.reason else "read",
        margins={name: sign * int(margin) for name, margin in score.margins.items()},
        reason=score.reason,
        flags=score.flags,
        len_a=lengths[0],
        len_b=lengths[1],
    )
