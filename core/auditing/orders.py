"""What the order of two transcripts does, from pairs that were judged in both orders.

A pair is two models' transcripts of an item and iteration. A call's winner is the model with
more pluses in all; a call can be tied. As each pair is its own control, it does not matter who
is better: a judge without a leaning gives nothing to a place.
"""

from typing import NamedTuple

import numpy as np

from ..ratings.comparisons import Comparisons
from ..ratings.items import pair_orders
from .estimates import AuditEstimate, mean, share, unknown

_ONE_ORDER = "no pair was read in both orders"


class Orders(NamedTuple):
    """What the order does.

    Attributes:
        pairs: Read in both orders.
        single: Calls whose other order is not there.
        tied: Pairs with a tied call, left out of flips and of who wins.
        flips: Share of pairs whose winner changes with the order.
        margin: What being read first is worth: pluses per criterion.
        first_wins: Share of calls won by the transcript read first.
    """

    pairs: int
    single: int
    tied: int
    flips: AuditEstimate
    margin: AuditEstimate
    first_wins: AuditEstimate


def read_orders(comparisons: Comparisons) -> Orders:
    """Flips and position bias of comparisons in both orders."""
    items = pair_orders(comparisons)
    pairs = len(items.a)
    if not pairs:
        return Orders(0, len(comparisons), 0, *[unknown(_ONE_ORDER)] * 3)
    each = comparisons.margin / comparisons.criteria
    # Rows are sorted, so of a pair b's transcript is read first in the first row.
    second, first = each[items.rows], each[items.rows + 1]
    decided = (first != 0) & (second != 0)
    won = np.sign(first[decided]), np.sign(second[decided])
    family = items.family[decided]
    flips = share(won[0] != won[1], family) if decided.any() else unknown("every pair has a tie")
    return Orders(
        pairs=pairs,
        single=len(comparisons) - 2 * pairs,
        tied=int((~decided).sum()),
        flips=flips,
        margin=mean((first - second) / 2, items.family),
        first_wins=_first_wins(mean(0.5 + (won[0] - won[1]) / 4, family), flips)
        if decided.any()
        else flips,
    )


def _first_wins(found: AuditEstimate, flips: AuditEstimate) -> AuditEstimate:
    """A share within 0 and 1; without any flip, as wide as unseen flips may make it."""
    if found.ci95 is None:
        return found
    low, high = found.ci95
    if flips.value == 0 and flips.ci95 is not None:
        low, high = 0.5 - flips.ci95[1] / 2, 0.5 + flips.ci95[1] / 2
    return found._replace(ci95=(max(0.0, low), min(1.0, high)))
