"""From a judge's answers to its profile: what it tells apart, and what moves it that must not.

A check is a better and a worse version of one reply, graded or compared: right, wrong or a tie
(worth one half). All numbers are pure functions of the answers. docs/judge-exam.md has the rules.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import erf, exp, lgamma, log, log1p, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eibench.statistics import cluster_bootstrap, holm, share_interval, student_cdf

from .questions import CANARY, GRADE, PAIR, VERSION, JudgeAnswer
from .situations import DOSES, FAULTS

LEVEL = 0.05
"""How often a fair judge may be accused of anything."""
MISREADS = "misreads"
SOUND_MISSES = 0.02
"""How often a sound judge may grade a coarse version as high as the good reply."""
TOLD_APART = 0.75
"""The share of checks that must be right for a dose to count as told apart."""
_STEEPNESS = np.linspace(0.0, 4.0, 801)
_CDF = np.array([[0.5 * (1 + erf(k * step / sqrt(2))) for step in (1, 2, 3)] for k in _STEEPNESS])
_LOG = np.log(np.clip(_CDF, 1e-9, 1)), np.log(np.clip(1 - _CDF, 1e-9, 1))
_SEED = 0
Floats = npt.NDArray[np.float64]


class OrderCheck(NamedTuple):
    """One comparison of a better and a worse version of a situation's reply.

    Attributes:
        steps: By how many doses they differ, 1 to 3.
        right: 1, 0, or 0.5 for a tie.
    """

    situation: str
    form: str
    fault: str
    dose: str
    steps: int
    right: float


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its 95 % interval, where there is enough to make one."""

    value: float | None
    ci95: tuple[float, float] | None
    n: int


@dataclass(frozen=True, slots=True)
class Effect:
    """Something that must not matter.

    Attributes:
        name: ``place``, one of the controls, ``misreads``, or ``prefers`` and a fault.
        value: The share, or the mean difference in points, that it is measured by.
        fair: What that is for a fair judge.
        n: How many answers it stands on.
        p: Of a fair judge being so far off; ``None`` where it cannot be tested.
        named: Whether it is a defect. Errors where the fault is coarse are tested alone, all
            others together by Holm, each at half of `LEVEL`.
    """

    name: str
    value: float | None
    fair: float
    n: int
    p: float | None
    named: bool = False


@dataclass(frozen=True, slots=True)
class Profile:
    """What an exam says of a judge.

    Attributes:
        order: Share of all checks that are right.
        doses: By dose, the share of checks right in which the worse version has it.
        faults: By fault, likewise.
        threshold: The smallest dose told apart in three of four checks (1 small, 2 medium, 3
            coarse), from a normal model through all checks; infinite where the order is chance.
        threshold_ci95: By resampling situations.
        across: Share of pairs of a good reply in one situation and a coarse one in another that
            their grades put in order: what absolute scores need.
        effects: What must not matter, tested together.
        repeat_sd: Standard deviation of a grade that is asked for again, in points; ``None``
            with fewer than four.
        spread: Standard deviation of all grades of versions, in points.
        unread: Share of replies that could not be read.
        ties: Share of checks that are ties.
    """

    order: Share
    doses: Mapping[str, Share]
    faults: Mapping[str, Share]
    threshold: float
    threshold_ci95: tuple[float, float] | None
    across: float | None
    effects: Sequence[Effect] = ()
    repeat_sd: float | None = None
    spread: float | None = None
    unread: float = 0.0
    ties: float = 0.0
    asked: int = 0
    situations: int = 0


def profile(answers: Mapping[str, Sequence[JudgeAnswer]]) -> Profile:
    """The profile from the answers by situation, or by situation, a blank and the iteration.

    Those about canaries are no part of it.
    """
    answers = {
        name: [a for a in answered if a.question.what != CANARY]
        for name, answered in answers.items()
    }
    checks = [
        check for name, answered in sorted(answers.items()) for check in _checks(name, answered)
    ]
    every = [answer for answered in answers.values() for answer in answered]
    unread = [answer for answer in every if answer.value is None]
    threshold, interval = _threshold(checks)
    grades = [a.value for a in every if a.question.form == GRADE and a.value is not None]
    again = _differences(answers, "again")
    return Profile(
        order=_share(checks),
        doses={dose: _share([c for c in checks if c.dose == dose]) for dose in DOSES},
        faults={fault: _share([c for c in checks if c.fault == fault]) for fault in FAULTS},
        threshold=threshold,
        threshold_ci95=interval,
        across=_across(answers),
        effects=name_defects(_effects(answers, checks)),
        repeat_sd=float(np.sqrt(np.mean(again**2) / 2)) if len(again) >= 4 else None,
        spread=float(np.std(grades)) if len(grades) > 1 else None,
        unread=len(unread) / len(every) if every else 0.0,
        ties=float(np.mean([c.right == 0.5 for c in checks])) if checks else 0.0,
        asked=len(every),
        situations=len(answers),
    )


def _checks(situation: str, answers: Sequence[JudgeAnswer]) -> Iterable[OrderCheck]:
    known = [a for a in answers if a.value is not None and a.question.what == VERSION]
    good = next((a.value for a in known if a.question.form == GRADE and not a.question.dose), None)
    for answer in known:
        one, value = answer.question, answer.value
        assert value is not None
        steps = 1 if one.form == PAIR else DOSES.index(one.dose) + 1 if one.dose else 0
        lead = value if one.form == PAIR else None if good is None else good - value
        if steps and lead is not None:
            right = 0.5 if lead == 0 else float(lead > 0)
            yield OrderCheck(_situation(situation), one.form, one.fault, one.dose, steps, right)


def _situation(key: str) -> str:
    """The situation of a key of answers, which names the iteration after a blank."""
    return key.split(" ")[0]


def _share(checks: Sequence[OrderCheck]) -> Share:
    if not checks:
        return Share(None, None, 0)
    ends = share_interval([c.right for c in checks], [c.situation for c in checks])
    return Share(float(np.mean([c.right for c in checks])), ends, len(checks))


def _threshold(checks: Sequence[OrderCheck]) -> tuple[float, tuple[float, float] | None]:
    """The dose told apart in three of four checks, from P(right) = Phi(k steps)."""
    rows = {name: n for n, name in enumerate(sorted({c.situation for c in checks}))}
    sums = np.zeros((len(rows), 6))
    for check in checks:
        row = sums[rows[check.situation]]
        row[check.steps - 1] += check.right
        row[check.steps + 2] += 1 - check.right
    point = _steepness(sums.sum(axis=0, keepdims=True))[0] if len(sums) else 0.0
    rng = np.random.default_rng(_SEED)
    interval = cluster_bootstrap(sums, _steepness, rng=rng)[0] if len(sums) else None
    ends = interval and (_dose(interval[1]), _dose(max(0.0, interval[0])))
    return _dose(point), ends


def _steepness(totals: Floats) -> Floats:
    """The likeliest k for numbers of right and wrong checks by steps, shape (n, 6)."""
    likelihood = totals[:, :3] @ _LOG[0].T + totals[:, 3:] @ _LOG[1].T
    best: Floats = _STEEPNESS[likelihood.argmax(axis=1)]
    return best


_QUANTILE = 0.6744897501960817
"""Of the normal distribution at `TOLD_APART`."""


def _dose(k: float) -> float:
    return _QUANTILE / k if k > 0 else float("inf")


def _across(answers: Mapping[str, Sequence[JudgeAnswer]]) -> float | None:
    """How far grades of different situations can be set against each other."""
    good, coarse = (
        {
            name: a.value
            for name, answered in answers.items()
            for a in answered
            if a.question.form == GRADE and a.question.what == VERSION and a.question.dose == dose
            and a.value is not None
        }
        for dose in ("", DOSES[-1])
    )  # fmt: skip
    sizes = Counter(_situation(name) for name in good)
    pairs = len(good) * len(coarse) - sum(sizes[_situation(name)] for name in coarse)
    if not pairs:
        return None
    others = _by_situation(coarse)
    within = [
        _lead(grade, coarse[other])
        for name, grade in good.items()
        for other in others.get(_situation(name), ())
    ]
    grades, lower = np.array(list(good.values())), np.sort(list(coarse.values()))
    above = np.searchsorted(lower, grades, "left") + np.searchsorted(lower, grades, "right")
    return float((above.sum() / 2 - sum(within)) / pairs)


def _lead(good: float, coarse: float) -> float:
    return 0.5 if good == coarse else float(good > coarse)


def _by_situation(grades: Mapping[str, float]) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for name in grades:
        names.setdefault(_situation(name), []).append(name)
    return names


def _differences(answers: Mapping[str, Sequence[JudgeAnswer]], what: str) -> Floats:
    """Of a control that is graded, what it adds to the grade of the reply as it was."""
    leads = []
    for answered in answers.values():
        grades = {
            (a.question.what, a.question.fault, a.question.dose): a.value
            for a in answered
            if a.question.form == GRADE and a.value is not None
        }
        for (name, fault, dose), value in grades.items():
            if name == what and (base := grades.get((VERSION, fault, dose))) is not None:
                leads.append(value - base)
    return np.array(leads, dtype=float)


def _effects(
    answers: Mapping[str, Sequence[JudgeAnswer]], checks: Sequence[OrderCheck]
) -> list[Effect]:
    every = [a for answered in answers.values() for a in answered]
    pairs = [a for a in every if a.question.form == PAIR and a.value]
    firsts = [(a.value > 0) == a.question.first for a in pairs if a.value is not None]
    effects = [_binomial("place", firsts, two_sided=True)]
    for what, two_sided in (("longer", False), ("markdown", True)):
        wins = [a.value < 0 for a in pairs if a.question.what == what and a.value is not None]
        effects.append(_binomial(what, wins, two_sided=two_sided))
    effects += [
        _mean(what, _differences(answers, what), two_sided=what == "names")
        for what in ("names", "author", "injected")
    ]
    for fault in FAULTS:
        worse = [c.right < 0.5 for c in checks if c.fault == fault and c.right != 0.5]
        effects.append(_binomial(f"prefers {fault}", worse, two_sided=False))
    misses = [c.right < 1 for c in checks if c.form == GRADE and c.dose == DOSES[-1]]
    p = upper_tail(sum(misses), len(misses), SOUND_MISSES) if misses else None
    share = float(np.mean(misses)) if misses else None
    return [*effects, Effect(MISREADS, share, SOUND_MISSES, len(misses), p)]


def _binomial(name: str, hits: Sequence[bool], *, two_sided: bool) -> Effect:
    n, k = len(hits), sum(hits)
    if not n:
        return Effect(name, None, 0.5, 0, None)
    p = min(1.0, 2 * upper_tail(max(k, n - k), n, 0.5)) if two_sided else upper_tail(k, n, 0.5)
    return Effect(name, k / n, 0.5, n, p)


def _mean(name: str, differences: Floats, *, two_sided: bool) -> Effect:
    """Student's test of a mean difference; of equal differences it is certain."""
    n = len(differences)
    if n < 4:
        return Effect(name, float(differences.mean()) if n else None, 0.0, n, None)
    mean, error = float(differences.mean()), float(differences.std(ddof=1)) / sqrt(n)
    if error == 0:
        p = 1.0 if mean == 0 or (mean < 0 and not two_sided) else 0.0
    else:
        t = mean / error
        p = 2 * student_cdf(-abs(t), n - 1) if two_sided else student_cdf(-t, n - 1)
    return Effect(name, mean, 0.0, n, p)


def upper_tail(hits: int, n: int, share: float) -> float:
    """P(at least so many hits of n), each with this share."""
    logs = (
        lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(share) + (n - k) * log1p(-share)
        for k in range(hits, n + 1)
    )
    return min(1.0, sum(map(exp, logs)))


def name_defects(effects: Sequence[Effect]) -> list[Effect]:
    """The effects with those named that are no chance: half of the level is for `MISREADS`."""
    adjusted = holm([None if effect.name == MISREADS else effect.p for effect in effects])
    return [
        replace(e, named=p is not None and p < LEVEL / 2)
        for e, p in zip(
            effects,
            (e.p if e.name == MISREADS else p for e, p in zip(effects, adjusted, strict=True)),
            strict=True,
        )
    ]
