"""What the judge likes of place and length: told from both orders, and by likelihood.

Flips and who wins are told from pairs that were judged in both orders. A pair is two models'
transcripts of an item and iteration, and its own control.

The likelihood of the engine `fractional-logit` takes strength apart from place and length, so one
order is enough. Its terms are in log-odds; here they are told in pluses per criterion too, as a
score of 1/2 + D/10 is a margin of D. What is liked of length does harm as far as models differ in
length: its *harm* is what it moves the difference of two models by, typically, over the standard
error of that difference.
"""

from math import log, sqrt, tanh
from typing import NamedTuple

import numpy as np

from ..arrays import Floats, Ints, sum_by
from ..comparisons import Comparisons
from ..fractional_logit import as_calls, leave_one_out, maximise
from ..weighing import ItemCalls
from .estimates import AuditEstimate, from_replicates, mean, share, unknown


class PositionTerm(NamedTuple):
    """What being read first is worth, in log-odds and in pluses per criterion."""

    log_odds: AuditEstimate
    margin: AuditEstimate


class LengthTerm(NamedTuple):
    """What is liked of length.

    What a transcript e times as long gains in log-odds, and one twice as long in pluses per
    criterion. `harm` is the log-odds times the standard deviation of the log lengths of models,
    over the standard error of the difference of two ratings.
    """

    log_odds: AuditEstimate
    margin_per_doubling: AuditEstimate
    harm: AuditEstimate


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
    terms = {
        name: from_replicates(float(value), column, len(comparisons))
        for name, value, column in zip(calls.names, fit.beta, replicates.T, strict=True)
    }
    position, length = (terms.get(n) or _missing(n, comparisons) for n in Terms._fields)
    return Terms(
        PositionTerm(position, position.mapped(pluses)),
        LengthTerm(length, length.mapped(per_doubling), _harm(comparisons, length)),
    )


def _harm(comparisons: Comparisons, length: AuditEstimate) -> AuditEstimate:
    """What is liked of length, in standard errors of a rating difference where it is left in."""
    if length.value is None:
        return length
    calls, _ = as_calls(comparisons, length=False)
    replicates = leave_one_out(comparisons, calls, maximise(calls))[:, : calls.n_models]
    families = len(replicates)
    moved = _apart(replicates - replicates.mean(axis=0), calls.component)
    error = sqrt((families - 1) / families * float(moved.sum()))  # as `jackknife_error`
    if not error:
        return unknown("without one family each the ratings are the same")
    spread = sqrt(float(_apart(_log_lengths(comparisons), calls.component)[0]) / 2)
    return length.mapped(lambda slope: slope * spread / error)


def _log_lengths(comparisons: Comparisons) -> Floats:
    """The mean log length of each model's transcripts, shape (1, n_models)."""
    n = len(comparisons.models)
    ends = [(comparisons.a, comparisons.len_a), (comparisons.b, comparisons.len_b)]
    total = np.sum([sum_by(who, np.log(np.maximum(size, 1)), n) for who, size in ends], axis=0)
    calls = np.sum([sum_by(who, np.ones(len(who)), n) for who, _ in ends], axis=0)
    return np.asarray([total / calls])


def _apart(values: Floats, component: Ints) -> Floats:
    """The mean square difference of two models that comparisons connect; (n, n_models) to (n,)."""
    squares, pairs = np.zeros(len(values)), 0
    for one in np.unique(component):
        members = values[:, component == one]
        n = members.shape[1]
        squares += n * members.var(axis=1) * n
        pairs += n * (n - 1) // 2
    return np.asarray(squares / pairs)


def _missing(name: str, comparisons: Comparisons) -> AuditEstimate:
    if name == "length" and not comparisons.has_lengths:
        some = comparisons.has_some_lengths
        return unknown("some comparisons have no lengths" if some else "no lengths are known")
    return unknown(f"what {name} is worth cannot be told from strength here")


_ONE_ORDER = "no pair was read in both orders"


class Orders(NamedTuple):
    """What the order does to pairs that were read in both.

    Of `single` calls the other order is not there. Pairs with a tied call are left out of flips,
    the share of pairs whose winner changes with the order, and of who wins. `beyond_noise` is the
    share of pairs beyond what noise alone changes; `margin` what being read first is worth in
    pluses per criterion; `first_wins` the share of calls won by the transcript read first.
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
