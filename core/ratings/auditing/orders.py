"""What the order of two transcripts does: flips, and what being read first is worth.

Told from pairs that were judged in both orders. A pair is two models' transcripts of an item and
iteration, and its own control.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from ..comparisons import Comparisons
from ..weighing import ItemCalls
from .estimates import AuditEstimate, mean, share, unknown

_ONE_ORDER = "no pair was read in both orders"


class Orders(NamedTuple):
    """What the order does to pairs that were read in both.

    Attributes:
        pairs: Read in both orders.
        single: Calls whose other order is not there.
        tied: Pairs with a tied call, left out of flips and of who wins.
        flips: Share of pairs whose winner changes with the order.
        beyond_noise: Of these, the share of pairs beyond what noise alone changes.
        margin: What being read first is worth: pluses per criterion.
        first_wins: Share of calls won by the transcript read first.
    """

    pairs: int
    single: int
    tied: int
    flips: AuditEstimate
    beyond_noise: AuditEstimate
    margin: AuditEstimate
    first_wins: AuditEstimate


def read_orders(comparisons: Comparisons) -> Orders:
    """Flips and position bias of comparisons in both orders."""
    rows = ItemCalls.of(comparisons).twice
    pairs, families = len(rows), comparisons.family[rows]
    if not pairs:
        return Orders(0, len(comparisons), 0, *[unknown(_ONE_ORDER)] * 4)
    each = comparisons.margin / comparisons.criteria
    # Rows are sorted, so of a pair b's transcript is read first in the first row.
    second, first = each[rows], each[rows + 1]
    decided = (first != 0) & (second != 0)
    won = np.sign(first[decided]), np.sign(second[decided])
    family = families[decided]
    flips = share(won[0] != won[1], family) if decided.any() else unknown("every pair has a tie")
    first_wins = flips
    if decided.any():
        first_wins = _first_wins(mean(0.5 + (won[0] - won[1]) / 4, family), flips)
    return Orders(
        pairs=pairs,
        single=len(comparisons) - 2 * pairs,
        tied=int((~decided).sum()),
        flips=flips,
        beyond_noise=_beyond_noise(flips, first_wins),
        margin=mean((first - second) / 2, families),
        first_wins=first_wins,
    )


def _first_wins(share: AuditEstimate, flips: AuditEstimate) -> AuditEstimate:
    """A share within 0 and 1; without any flip, as wide as unseen flips may make it."""
    if share.ci95 is None:
        return share
    low, high = share.ci95
    if flips.value == 0 and flips.ci95 is not None:
        low, high = 0.5 - flips.ci95[1] / 2, 0.5 + flips.ci95[1] / 2
    return share._replace(ci95=(max(0.0, low), min(1.0, high)))


def flips_by_noise(flips: float, one_way: float) -> float:
    """The share of pairs whose winner would change with the order without a leaning.

    `one_way` is the share of flips to the first text less those to the second. A first text that
    wins with odds of e^(d + l) where it is the better and e^(l - d) where it is not has both its
    flips, to the first text and to the second, at odds to no flip of e^l / (2 cosh d) and e^-l / (2
    cosh d); without the leaning l both would have their geometric mean. Exact where all pairs are
    as close, d; where some are closer, too small where the leaning is large.
    """
    alike = sqrt(max(0.0, flips**2 - one_way**2))
    return alike / (alike + 1 - flips) if alike else 0.0


def _beyond_noise(flips: AuditEstimate, first_wins: AuditEstimate) -> AuditEstimate:
    """Flips less those by noise, as far as the interval of who wins lets the leaning go."""
    if flips.value is None or first_wins.value is None:
        return flips
    known = flips.value

    def beyond(one_way: float) -> float:
        most = max(known, abs(one_way))
        return most - flips_by_noise(most, one_way)

    value = beyond(2 * first_wins.value - 1)
    if first_wins.ci95 is None:
        return flips._replace(value=value)
    ends = [2 * end - 1 for end in first_wins.ci95]
    nearest = 0.0 if ends[0] <= 0 <= ends[1] else min(ends, key=abs)
    return flips._replace(value=value, ci95=(beyond(nearest), max(map(beyond, ends))))
