"""What judges set beside each other say, in sentences with a grade each.

Grades are those of a judge's audit (`auditing.grades`); docs/judging.md has the limits.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ..ratings.auditing.grades import (
    NONE,
    NOT_SHOWN,
    NOT_TESTED,
    STRONG,
    WEAK,
    EffectSizes,
    conclusion,
    furthest,
    grade_leaning,
    grade_share,
)
from ..statistics.estimate import Estimate
from ..text import listed, number, plural
from ..types.result_document import ConclusionRow, Grade

if TYPE_CHECKING:
    from .judges import JudgeAmongOthers, JudgesDocument

DISORDER = EffectSizes(0.1, 0.3)
"""Of 1 less a rank correlation."""
OF_SPREAD = EffectSizes(0.2, 0.5)
"""Of points, in standard deviations of the models."""
LOST_VOTES = EffectSizes(0.1, 0.4)
"""Of all votes, the share that errors in common take away."""
LEAST_RUNS = 3
"""Of a liking for kin: one of the family and two of others."""
NAMED = 3
"""Most models that a sentence names."""
ASSUMING = "estimated assuming that judges differ in strictness, scale and liking for kin alone"
UNSEEN = "errors that all judges share cannot be seen"


def words_of(document: "JudgesDocument") -> list[ConclusionRow]:
    """The conclusions of judges set beside each other."""
    kin = [_kin_bias(row, document) for row in document.judges if row.own_models]
    return [
        _agreement(document),
        *(kin or [_untested("kin", "no judge is of the family of a model", len(document.models))]),
        *_ranking(document),
        votes_in_words(document.votes, len(document.judges)),
    ]


def of_one_run(each: Mapping[str, Estimate], votes: Estimate, n: int) -> list[ConclusionRow]:
    """The conclusions of the judges of `n` transcripts of one run that all of them graded.

    `each` has the rank correlation of each judge with the mean of the others.
    """
    subject, known = "order of transcripts", {j: row for j, row in each.items() if row.ci95}
    why = f"needs {LEAST_RUNS} runs that all judges graded, here is 1; bench judges has all runs"
    others = [_untested(name, why, 1) for name in ("kin", "ranking")]
    others += [votes_in_words(votes, len(each))]
    if not known:
        return [_untested(subject, str(next(iter(each.values())).reason), n), *others]
    judge, rho = min(known.items(), key=lambda pair: pair[1].value or 0.0)
    text = f"{judge} agrees least with the others: rank correlation {rho}"
    return [conclusion(subject, _graded(rho), text, rho, n), *others]


def _graded(rho: Estimate) -> Grade:
    """The grade of a rank correlation."""
    least = 1 - (rho.value or 0.0)
    ends = (1 - rho.ci95[1], 1 - rho.ci95[0]) if rho.ci95 else (least, least)
    return grade_share(Estimate(least, ends, None), DISORDER)


def _agreement(document: "JudgesDocument") -> ConclusionRow:
    """How nearly each judge orders the models as all do, by the one that differs most."""
    known = [row for row in document.judges if row.pooled.value is not None]
    n = len(document.models)
    if not known or n < 4:  # Fisher's interval needs four
        return _untested("order of models", f"needs 4 models that all judges graded, here {n}", n)
    least = min(known, key=lambda row: row.pooled.value or 0.0)
    rho = least.pooled
    verdict = _graded(rho)
    if verdict == NOT_TESTED:
        why = f"{plural(n, 'model')} tell too little: rank correlation {rho} with all judges"
        return conclusion("order of models", verdict, f"{why} ({least.judge})", rho, n)
    text = f"{least.judge} orders the models least as all judges do: rank correlation {rho}"
    return conclusion("order of models", verdict, text, rho, n)


def _kin_bias(row: "JudgeAmongOthers", document: "JudgesDocument") -> ConclusionRow:
    """What a judge gives its own family."""
    subject, by_kin = f"{row.judge} and its kin", row.liking_for_kin
    n = row.own_models
    if by_kin.value is None or by_kin.ci95 is None:
        return _untested(subject, str(by_kin.reason), n)
    spread = document.spread_of_models
    slight, strong = (share * spread for share in OF_SPREAD)
    verdict = grade_leaning(by_kin, 0.0, EffectSizes(slight, strong))
    text = f"gives its own family ({plural(n, 'model')}) {by_kin} points more than it is worth, "
    text += ASSUMING
    if verdict == NOT_SHOWN:
        text += f"; up to {number(furthest(by_kin))} is possible"
    return conclusion(subject, verdict, text, by_kin, n)


def _untested(subject: str, why: str, n: int) -> ConclusionRow:
    return conclusion(subject, NOT_TESTED, why, Estimate(None, None, None), n)


def _ranking(document: "JudgesDocument") -> Iterator[ConclusionRow]:
    """What becomes of the ranking without each judge and without kin, and who is disputed."""
    n = len(document.models)
    if n < 2:  # a ranking
        yield _untested("ranking", f"needs 2 models that all judges graded, here {n}", n)
        return
    yield _without_each(document)
    if any(row.own_models for row in document.judges):
        yield _without_kin(document)
    yield _disputed(document)


def _without_each(document: "JudgesDocument") -> ConclusionRow:
    most = max(document.judges, key=lambda row: (row.without_leader, row.without_moved))
    led = [row.judge for row in document.judges if row.without_leader]
    text = f"without {most.judge} a model moves by up to {most.without_moved:g} ranks"
    if not most.without_moved:
        text = "no model moves without any one judge"
    text += f"; the first changes without {listed(led, NAMED)}" if led else "; the first stays"
    verdict: Grade = STRONG if led else WEAK if most.without_moved >= 1 else NONE
    value = Estimate(most.without_moved, None, None)
    return conclusion("one judge less", verdict, text, value, len(document.models))


def _without_kin(document: "JudgesDocument") -> ConclusionRow:
    ranks = [(row.rank, row.rank_without_kin) for row in document.models]
    known = [(rank, new) for rank, new in ranks if new is not None]
    if len(known) < len(ranks):
        why = "needs a judge of another family for each model, and judges linked by models"
        return _untested("ranking without kin", why, len(ranks))
    moved = sum(rank != new for rank, new in known)
    first = min(known)[1] == min(new for _, new in known)
    text = f"{plural(moved, 'model')} of {len(known)} change rank where no judge grades its kin"
    text += "; the first stays" if first else "; another comes first"
    verdict: Grade = NONE if not moved else WEAK if first else STRONG
    value = Estimate(float(moved), None, None)
    return conclusion("ranking without kin", verdict, text, value, len(known))


def _disputed(document: "JudgesDocument") -> ConclusionRow:
    rows = sorted(document.models, key=lambda row: -row.spread)
    most, spread = rows[0].spread, document.spread_of_models
    names = listed([f"{r.model} (±{number(r.spread)})" for r in rows[:NAMED]], NAMED)
    slight, strong = (share * spread for share in OF_SPREAD)
    verdict: Grade = NONE if most <= slight else STRONG if most >= strong else WEAK
    text = f"judges differ most on {names}; models differ by ±{number(spread)}"
    return conclusion("disputed models", verdict, text, Estimate(most, None, None), len(rows))


def votes_in_words(votes: Estimate, k: int) -> ConclusionRow:
    """How many votes so many judges are worth, at most: that they share nothing is never shown."""
    if votes.value is None:
        return _untested("shared errors", str(votes.reason), k)
    lost = 1 - votes.value / k
    verdict: Grade = STRONG if lost >= LOST_VOTES.strong else WEAK
    verdict = NOT_SHOWN if lost <= LOST_VOTES.slight else verdict
    between = f" [{number(votes.ci95[0], 1)}, {number(votes.ci95[1], 1)}]" if votes.ci95 else ""
    text = f"{k} judges count as at most {number(votes.value, 1)} votes{between}; {UNSEEN}"
    return conclusion("shared errors", verdict, text, votes, k)
