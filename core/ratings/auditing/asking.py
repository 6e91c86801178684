"""What a judge's replies were like: which could not be read, were asked for again, were repaired.

Only a journal knows; a file of comparisons holds what was read.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .estimates import AuditEstimate, share, unknown

RE_ASKED = frozenset({"re-asked", "re-asked twice"})
REPAIRED = "repaired"
_FILE = "a file of comparisons holds only what was read"


class Reply(NamedTuple):
    """One comparison that was asked for.

    Attributes:
        family: Of its item.
        read: Whether it could be read in the end.
        flags: What was unusual.
    """

    family: str
    read: bool
    flags: Sequence[str] = ()


class Verdicts(NamedTuple):
    """The rubric verdicts of the same judge.

    How many samples were graded, and how many of these ended without a number, were asked for more
    than once, or were read from repaired JSON.
    """

    total: int = 0
    unscored: int = 0
    re_asked: int = 0
    repaired: int = 0
    reasons: Mapping[str, int] = {}


class Asking(NamedTuple):
    """Shares of comparisons, with intervals over families, and counts of verdicts.

    `verdicts` is ``None`` where they are not known, for `reason`.
    """

    unread: AuditEstimate
    re_asked: AuditEstimate
    repaired: AuditEstimate
    verdicts: Verdicts | None
    reason: str | None = None


NOT_KNOWN = Asking(unknown(_FILE), unknown(_FILE), unknown(_FILE), None, _FILE)


def read_asking(replies: Sequence[Reply], verdicts: Verdicts) -> Asking:
    """How a judge's replies were read: all comparisons that were answered, and the rubric's."""
    return Asking(
        unread=unread_share(replies),
        re_asked=_part(replies, [not RE_ASKED.isdisjoint(reply.flags) for reply in replies]),
        repaired=_part(replies, [REPAIRED in reply.flags for reply in replies]),
        verdicts=verdicts if verdicts.total else None,
        reason=None if verdicts.total else "no verdict of this judge",
    )


def unread_share(replies: Sequence[Reply]) -> AuditEstimate:
    """The share of answered comparisons that could not be read."""
    return _part(replies, [not reply.read for reply in replies])


def _part(replies: Sequence[Reply], hits: Sequence[bool]) -> AuditEstimate:
    index = {name: i for i, name in enumerate(sorted({reply.family for reply in replies}))}
    family = np.array([index[reply.family] for reply in replies], dtype=np.int64)
    return share(np.array(hits, dtype=np.bool_), family)
