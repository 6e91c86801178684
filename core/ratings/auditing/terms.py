"""Place and length: what they are worth between equals.

The likelihood of the engine `fractional-logit` takes strength apart from both, so one order is
enough. Its terms are in log-odds; here they are told in pluses per criterion too, as a score of
1/2 + D/10 is a margin of D.

What is liked of length does harm as far as models differ in length: its *harm* is what it moves the
difference of two models by, typically, over the standard error of that difference.
"""

from math import log, sqrt, tanh
from typing import NamedTuple

import numpy as np

from ..arrays import Floats, Ints, sum_by
from ..comparisons import Comparisons
from ..fractional_logit import as_calls, leave_one_out, maximise
from .estimates import AuditEstimate, unknown


class PositionTerm(NamedTuple):
    """What being read first is worth, in log-odds and in pluses per criterion."""

    log_odds: AuditEstimate
    margin: AuditEstimate


class LengthTerm(NamedTuple):
    """What is liked of length.

    Attributes:
        log_odds: What a transcript e times as long gains.
        margin_per_doubling: What one twice as long gains, pluses per criterion.
        harm: `log_odds` times the standard deviation of the log lengths of models, over the
            standard error of the difference of two ratings.
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
        name: AuditEstimate.of_replicates(float(value), column, len(comparisons))
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
