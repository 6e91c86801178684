"""The order of two transcripts, and place and length: what they are worth between equals.

The likelihood of the engine `fractional-logit` takes strength apart from both, so one order is
enough. Its terms are in log-odds; here they are told in pluses per criterion too, as a score of
1/2 + D/10 is a margin of D.

The effect of the order is told from pairs that were judged in both orders. A pair is two
models' transcripts of an item and iteration, and its own control.
"""

from math import log, tanh
from typing import NamedTuple

import numpy as np

from ..ratings.comparisons import Comparisons
from ..ratings.fractional_logit import as_calls, leave_one_out, maximise
from ..ratings.weighing import pair_orders
from .estimates import AuditEstimate, from_replicates, mean, share, unknown

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


class PositionTerm(NamedTuple):
    """What being read first is worth, in log-odds and in pluses per criterion."""

    log_odds: AuditEstimate
    margin: AuditEstimate


class LengthTerm(NamedTuple):
    """What a transcript e times as long gains, log-odds; twice as long, pluses per criterion."""

    log_odds: AuditEstimate
    margin_per_doubling: AuditEstimate


class Terms(NamedTuple):
    """Estimates of the likelihood."""

    position: PositionTerm
    length: LengthTerm

    @property
    def lean(self) -> float:
        """What being read first is worth, in pluses per criterion; 0 where it is not known."""
        value = self.position.margin.value
        return 0.0 if value is None else value


def pluses(log_odds: float) -> float:
    """The margin between equals, pluses per criterion, that log-odds stand for."""
    return 5 * tanh(log_odds / 2)


def per_doubling(log_odds: float) -> float:
    """The margin that twice the length is worth, from the log-odds of e times the length."""
    return pluses(log(2) * log_odds)


def estimate_terms(comparisons: Comparisons) -> Terms:
    """The terms that the data can tell from strength."""
    comparisons = comparisons.compact()
    calls, _ = as_calls(comparisons)
    fit = maximise(calls)
    replicates = leave_one_out(comparisons, calls, fit)[:, calls.n_models :]
    found = {
        name: from_replicates(float(value), column, len(comparisons))
        for name, value, column in zip(calls.names, fit.beta, replicates.T, strict=True)
    }
    position, length = (found.get(n) or _missing(n, comparisons) for n in Terms._fields)
    return Terms(
        PositionTerm(position, position.turned(pluses)),
        LengthTerm(length, length.turned(per_doubling)),
    )


def _missing(name: str, comparisons: Comparisons) -> AuditEstimate:
    if name == "length" and not comparisons.has_lengths:
        some = comparisons.has_some_lengths
        return unknown("some comparisons have no lengths" if some else "no lengths are known")
    return unknown(f"what {name} is worth cannot be told from strength here")
