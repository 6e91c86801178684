"""What place and length are worth between equals, from all comparisons at once.

The likelihood of the engine `fractional-logit` takes strength apart from both, so one order is
enough. Its terms are in log-odds; here they are told in pluses per criterion too, as a score of
1/2 + D/10 is a margin of D.
"""

from math import log, tanh
from typing import NamedTuple

from ..ratings.comparisons import Comparisons
from ..ratings.fractional_logit import as_calls, leave_one_out, maximise
from .estimates import AuditEstimate, from_replicates, unknown


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
