"""What comparisons say of their judge, in sentences with a grade each.

A grade is one of `Grade`; docs/judge-report.md#conclusions has the rule. What was not tested is
a conclusion like the others, so that nobody takes it for passed.
"""

from collections.abc import Sequence
from itertools import permutations

from ...text import listed, plural
from ...types.result_document import ConclusionRow, Grade, RatingRow
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
    furthest,
    grade_count,
    grade_leaning,
    needed,
)
from .leanings import Orders, Terms, estimate_terms, read_orders

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
    parts = (_place(orders, terms, calls), _length(terms, ratings, calls), _flips(orders, calls))
    return [*parts, _unread(unread)]


def _place(orders: Orders, terms: Terms, calls: int) -> ConclusionRow:
    """By who wins, where both orders were read often enough; else by the likelihood."""
    by_wins = _place_by_wins(orders.first_wins, calls)
    if by_wins["verdict"] != NOT_TESTED:
        return by_wins
    by_likelihood = _place_by_likelihood(terms.position.margin, calls)
    known = by_likelihood["verdict"] != NOT_TESTED or orders.first_wins.value is None
    return by_likelihood if known else by_wins


def _place_by_wins(found: AuditEstimate, calls: int) -> ConclusionRow:
    grade = grade_leaning(found, 0.5, FIRST_WINS)
    if found.value is None or grade == NOT_TESTED:
        hint = _needed(found, FIRST_WINS.strong / 2)
        return _not_tested("place", found, calls, "pairs", hint)
    first = found.value >= 0.5 or grade in (NONE, NOT_SHOWN)
    seen = found if first else _mirrored(found)
    message = f"the judge picks the {'first' if first else 'second'} text in {_percent(seen.value)}"
    message += f" of calls ({_percents(seen)}; fair: 50 %)"
    if grade == NOT_SHOWN:
        message += f"; up to {100 * furthest(found, 0.5):.0f} points are possible"
    return _conclusion("place", grade, message, found)


def _place_by_likelihood(found: AuditEstimate, calls: int) -> ConclusionRow:
    grade = grade_leaning(found, 0.0, PLUSES)
    if found.value is None or grade == NOT_TESTED:
        hint = _needed(found, PLUSES.strong / 2)
        return _not_tested("place", found, calls, "calls", hint)
    message = f"between equals the first text gets {_more(found)} ({_ends(found)}; fair: 0)"
    if grade == NOT_SHOWN:
        message += f"; up to {furthest(found):.2f} are possible"
    return _conclusion("place", grade, message, found)


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
        return _conclusion("length", grade, message, harm)
    message += f": {abs(harm.value):.1f} {_ERRORS}"
    return _conclusion("length", grade, message + _reordered(ratings), harm)


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
    found = []
    for group in _groups(ratings):
        for row, other in permutations(group, 2):
            one, two = row.get("rating_length_adjusted"), other.get("rating_length_adjusted")
            if one is None or two is None:
                continue
            if row["rating"] < other["rating"] and one > two:
                found.append((one - two, row["model"], other["model"]))
    found.sort(key=lambda change: (-change[0], *change[1:]))
    return [(winner, loser) for _, winner, loser in found]


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
    return _conclusion("flips", grade, message, beyond)


def _unread(found: AuditEstimate) -> ConclusionRow:
    if found.value is None:
        return _conclusion("unread", NOT_TESTED, str(found.reason), found)
    message = f"{round(found.value * found.n)} of {plural(found.n, 'comparison')} could not be read"
    return _conclusion("unread", grade_count(found, UNREAD), message, found)


def _conclusion(about: str, grade: Grade, text: str, found: AuditEstimate) -> ConclusionRow:
    """A row about ``place``, ``length``, ``flips`` or ``unread``.

    Its value is what the grade stands on, not always the first number of the text.
    """
    return {
        "about": about,
        "verdict": grade,
        "text": text,
        "value": found.value,
        "ci95": None if found.ci95 is None else list(found.ci95),
        "n": found.n,
    }


def _not_tested(
    about: str, found: AuditEstimate, calls: int, what: str, hint: str
) -> ConclusionRow:
    """Why there is no grade, and where more would help, what is known."""
    n = found.n or calls
    if found.ci95 is None:
        message = f"{found.reason} ({n} {what if found.n else 'calls'})"
    else:
        message = f"{n} {what} {hint}"
    return _conclusion(about, NOT_TESTED, message, found._replace(n=n))


def _needed(found: AuditEstimate, room: float) -> str:
    few = "are too few to tell"
    return "" if found.ci95 is None else f"{few}; about {needed(found, room)} are needed"


def _mirrored(found: AuditEstimate) -> AuditEstimate:
    """The share of the others."""
    assert found.value is not None and found.ci95 is not None
    low, high = found.ci95
    return found._replace(value=1 - found.value, ci95=(1 - high, 1 - low))


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f} %"


def _percents(found: AuditEstimate) -> str:
    assert found.ci95 is not None
    return f"{100 * found.ci95[0]:.0f} … {100 * found.ci95[1]:.0f} %"


def _more(found: AuditEstimate) -> str:
    """So many pluses more, or fewer."""
    assert found.value is not None
    return f"{abs(found.value):.2f} {'more' if found.value >= 0 else 'fewer'} pluses per criterion"


def _ends(found: AuditEstimate) -> str:
    assert found.ci95 is not None
    return f"{found.ci95[0]:+z.2f} … {found.ci95[1]:+z.2f}"
