"""What several judges gave the same samples."""

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from ..types import SampleScore

Key = tuple[str, int]
J = TypeVar("J", bound=Hashable)
"""What judges are known by."""


class VerdictTable(NamedTuple):
    """A value of the samples of which each judge gave one.

    Attributes:
        keys: Item and iteration of each.
        clusters: Each one's cluster.
        rows: What the judges gave it, in their order.
    """

    keys: Sequence[Key]
    clusters: Sequence[str]
    rows: Sequence[Sequence[float]]


def verdicts_of(
    by_judge: Mapping[J, Mapping[Key, SampleScore]], judges: Sequence[J], value: str
) -> VerdictTable:
    """What these judges gave; nothing where one of them gave nothing.

    Args:
        by_judge: Scores that could be read.
        judges: Whose.
        value: Which of their numbers.
    """
    scores = [by_judge.get(judge, {}) for judge in judges]
    keys, clusters, rows = [], [], []
    for key in sorted(set.intersection(*map(set, scores))):
        given = [own[key].score.values.get(value) for own in scores]
        if None not in given:
            keys.append(key)
            clusters.append(scores[0][key].cluster)
            rows.append([v for v in given if v is not None])
    return VerdictTable(keys, clusters, rows)
