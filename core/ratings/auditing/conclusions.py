"""What comparisons say of their judge, in sentences with a grade each.

A grade is one of `Grade`; docs/judge-report.md#conclusions has the rule. What was not tested is
a conclusion like the others, so that nobody takes it for passed.
"""

from collections.abc import Sequence
from itertools import permutations

from ...text import listed, plural
from ...types.result_document import ConclusionRow, RatingRow
from ..comparisons import Comparisons
from .estimates import AuditEstimate
from .grades import (
    FIRST_WINS,
    FLIPS,
    HARM,
    NONE,
    NOT_SHOWN,
    NOT_TESTED,
    PLUSES,
    UNREAD,
    conclusion,
    furthest,
    grade_count,
    grade_leaning,
    needed,
)
from .orders import Orders, read_orders
from .terms import Terms, estimate_terms

Rows = Sequence[RatingRow]
"""Ratings as in `bench rate --json`."""
_ERRORS = "standard errors of a rating difference"
NAMED = 3
"""Most pairs of models whose order a conclusion names."""


def conclude(
    comparisons: Comparisons, unread: AuditEstimate, ratings: Rows = ()
) -> list[ConclusionRow]:
    """The conclusions from one judge's comparisons; where none was read, only that is told.

    `unread` is the share of them that could not be read; ratings made of them say what length does
    to the order of models.
    """
    if not len(comparisons):
        return [_unread(unread)]
    comparisons = comparisons.compact()
    orders, terms = read_orders(comparisons), estimate_terms(comparisons)
    return conclusions_of(orders, terms, unread, ratings, len(comparisons))


def conclusions_of(
    orders: Orders, terms: Terms, unread: AuditEstimate, ratings: Rows, calls: int
) -> list[ConclusionRow]:
    """The conclusions from the parts of an audit; `calls` is how many comparisons it is of."""
    parts = (_position(orders, terms, calls), _length(terms, ratings, calls), _flips(orders, calls))
    return [*parts, _unread(unread)]


def _position(orders: Orders, terms: Terms, calls: int) -> ConclusionRow:
    """By who wins, where both orders were read often enough; else by the likelihood."""
    by_wins = _position_by_wins(orders.first_wins, calls)
    if by_wins["verdict"] != NOT_TESTED:
        return by_wins
    by_likelihood = _position_by_likelihood(terms.position.margin, calls)
    known = by_likelihood["verdict"] != NOT_TESTED or orders.first_wins.value is None
    return by_likelihood if known else by_wins


def _position_by_wins(share: AuditEstimate, calls: int) -> ConclusionRow:
    grade = grade_leaning(share, 0.5, FIRST_WINS)
    if share.value is None or grade == NOT_TESTED:
        hint = _needed(share, FIRST_WINS.strong / 2)
        return _not_tested("place", share, calls, "pairs", hint)
    first = share.value >= 0.5 or grade in (NONE, NOT_SHOWN)
    seen = share if first else _mirrored(share)
    message = f"the judge picks the {'first' if first else 'second'} text in {_percent(seen.value)}"
    message += f" of calls ({_percents(seen)}; fair: 50 %)"
    if grade == NOT_SHOWN:
        message += f"; up to {100 * furthest(share, 0.5):.0f} points are possible"
    return conclusion("place", grade, message, share, share.n)


def _position_by_likelihood(margin: AuditEstimate, calls: int) -> ConclusionRow:
    grade = grade_leaning(margin, 0.0, PLUSES)
    if margin.value is None or grade == NOT_TESTED:
        hint = _needed(margin, PLUSES.strong / 2)
        return _not_tested("place", margin, calls, "calls", hint)
    message = f"between equals the first text gets {_more(margin)} ({_ends(margin)}; fair: 0)"
    if grade == NOT_SHOWN:
        message += f"; up to {furthest(margin):.2f} are possible"
    return conclusion("place", grade, message, margin, margin.n)


def _length(terms: Terms, ratings: Rows, calls: int) -> ConclusionRow:
    """By the harm to ratings: a liking that moves none of them counts as none."""
    slope, harm = terms.length.margin_per_doubling, terms.length.harm
    grade = grade_leaning(harm, 0.0, HARM)
    if harm.value is None or grade == NOT_TESTED:
        tells = "do not tell it from strength"
        most = "" if harm.ci95 is None else f"{tells}; up to {furthest(harm):.1f} {_ERRORS}"
        return _not_tested("length", harm, calls, "calls", f"{most} are possible")
    message = f"a text twice as long gets {_more(slope)} ({_ends(slope)}; fair: 0)"
    if grade in (NONE, NOT_SHOWN):
        size = f"{furthest(harm):.2f} {_ERRORS}"
        message += f": at most {size}" if grade == NONE else f"; up to {size} are possible"
        return conclusion("length", grade, message, harm, harm.n)
    message += f": {abs(harm.value):.1f} {_ERRORS}"
    return conclusion("length", grade, message + _reordered(ratings), harm, harm.n)


def _reordered(ratings: Rows) -> str:
    """What taking length out does to the order of models; empty where that is not known."""
    known = [row for row in ratings if row.get("rating_length_adjusted") is not None]
    if len(known) < 2:
        return ""
    changed = changed_order(known)
    if not changed:
        return "; the order of models stays when it is taken out"
    pairs = listed([f"{winner} before {loser}" for winner, loser in changed], NAMED)
    return f"; the order of models changes when it is taken out: {pairs}"


def changed_order(ratings: Rows) -> list[tuple[str, str]]:
    """Pairs of models that change places when length is taken out, the furthest apart first.

    Each with who is before whom then. Ratings stand in the order of the document.
    """
    changes = []
    for group in _groups(ratings):
        for row, other in permutations(group, 2):
            one, two = row.get("rating_length_adjusted"), other.get("rating_length_adjusted")
            if one is None or two is None:
                continue
            if row["rating"] < other["rating"] and one > two:
                changes.append((one - two, row["model"], other["model"]))
    changes.sort(key=lambda change: (-change[0], *change[1:]))
    return [(winner, loser) for _, winner, loser in changes]


def _groups(ratings: Rows) -> list[list[RatingRow]]:
    """Ratings that comparisons connect: they stand together, and ranks begin at 1 in each."""
    groups: list[list[RatingRow]] = []
    for row in ratings:
        if not groups or (row["rank"] == 1 and row["rating"] != groups[-1][0]["rating"]):
            groups.append([])
        groups[-1].append(row)
    return groups


def _flips(orders: Orders, calls: int) -> ConclusionRow:
    """By what a leaning adds to the flips that noise makes where models are close."""
    flips, beyond = orders.flips, orders.beyond_noise
    grade = grade_leaning(beyond, 0.0, FLIPS)
    if flips.value is None or beyond.value is None or grade == NOT_TESTED:
        return _not_tested("flips", beyond, calls, "pairs", _needed(beyond, FLIPS.strong / 2))
    message = f"the winner changes with the order in {_percent(flips.value)} of pairs"
    noise = max(0.0, flips.value - beyond.value)
    message += f" ({_percents(flips)}; by noise alone: {_percent(noise)})"
    if grade == NOT_SHOWN:
        message += f"; a leaning may change up to {100 * furthest(beyond):.0f} %"
    return conclusion("flips", grade, message, beyond, beyond.n)


def _unread(share: AuditEstimate) -> ConclusionRow:
    if share.value is None:
        return conclusion("unread", NOT_TESTED, str(share.reason), share, share.n)
    message = f"{round(share.value * share.n)} of {plural(share.n, 'comparison')} could not be read"
    return conclusion("unread", grade_count(share, UNREAD), message, share, share.n)


def _not_tested(
    subject: str, estimate: AuditEstimate, calls: int, what: str, hint: str
) -> ConclusionRow:
    """Why there is no grade, and where more would help, what is known."""
    n = estimate.n or calls
    if estimate.ci95 is None:
        message = f"{estimate.reason} ({n} {what if estimate.n else 'calls'})"
    else:
        message = f"{n} {what} {hint}"
    return conclusion(subject, NOT_TESTED, message, estimate, n)


def _needed(estimate: AuditEstimate, room: float) -> str:
    few = "are too few to tell"
    return "" if estimate.ci95 is None else f"{few}; about {needed(estimate, room)} are needed"


def _mirrored(estimate: AuditEstimate) -> AuditEstimate:
    """The share of the others."""
    assert estimate.value is not None and estimate.ci95 is not None
    low, high = estimate.ci95
    return estimate._replace(value=1 - estimate.value, ci95=(1 - high, 1 - low))


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f} %"


def _percents(estimate: AuditEstimate) -> str:
    assert estimate.ci95 is not None
    return f"{100 * estimate.ci95[0]:.0f} … {100 * estimate.ci95[1]:.0f} %"


def _more(estimate: AuditEstimate) -> str:
    """So many pluses more, or fewer."""
    assert estimate.value is not None
    word = "more" if estimate.value >= 0 else "fewer"
    return f"{abs(estimate.value):.2f} {word} pluses per criterion"


def _ends(estimate: AuditEstimate) -> str:
    assert estimate.ci95 is not None
    return f"{estimate.ci95[0]:+z.2f} … {estimate.ci95[1]:+z.2f}"
