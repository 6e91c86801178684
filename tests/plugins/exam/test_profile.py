"""Levels and power of the exam, on judges of known defects (`benchmarks/simulated_judges.py`)."""

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import simulated_judges as simulated
from eibench.plugins.exam.profile import Effect, name_defects, profile, upper_tail
from eibench.plugins.exam.questions import GRADE, PAIR, ExamQuestion, questions
from eibench.plugins.exam.situations import DOSES, FAULTS
from eibench.plugins.exam.verdict import (
    ABSOLUTE_TOO,
    DIFFERENCES,
    NOT_ABSOLUTE,
    NOT_FIT,
    defects,
    verdict,
)


def test_every_fault_meets_every_dose_and_both_orders() -> None:
    """Of 24 situations each cell is graded four times; each step is compared 24 times."""
    asked = [q for n in range(24) for q in questions(n)]
    graded = Counter((q.fault, q.dose) for q in asked if q.form == GRADE and q.what == "version")
    assert {graded[fault, dose] for fault in FAULTS for dose in DOSES} == {4}
    pairs = [q for q in asked if q.form == PAIR and q.what == "version"]
    assert Counter(q.dose for q in pairs) == dict.fromkeys(DOSES, 24)
    assert sum(q.first for q in pairs) == len(pairs) / 2
    controls = Counter(q.what for q in asked if q.what != "version")
    assert max(controls.values()) - min(controls.values()) <= 1


@given(st.integers(0, 200), st.booleans())
def test_a_question_is_read_back_from_its_key(number: int, has_pairs: bool) -> None:
    """Answers are kept by it."""
    for question in questions(number, has_pairs):
        assert ExamQuestion.of(question.key) == question


def test_the_upper_tail_is_the_binomial_one() -> None:
    """P(X >= 9 | 10, 1/2) = 11 / 1024; a thousand trials do not overflow."""
    assert upper_tail(9, 10, 0.5) == pytest.approx(11 / 1024)
    assert upper_tail(0, 10, 0.5) == pytest.approx(1)
    assert upper_tail(5_000, 10_000, 0.5) == pytest.approx(0.504, abs=1e-3)


@pytest.mark.parametrize(
    ("judge", "defect"),
    [
        (simulated.place_only, "place"),
        (simulated.length_only, "longer"),
        (simulated.flattered, "prefers flattering"),
        (simulated.obeying, "injected"),
    ],
)
def test_a_defect_is_named_and_no_other(judge: simulated.Judge, defect: str) -> None:
    """In 12 exams the defect is named in nine or more, and others in two at most."""
    named = [{e.name for e in defects(profile(simulated.exam(judge, n)))} for n in range(12)]
    assert sum(defect in names for names in named) >= 9
    assert sum(bool(names - {defect}) for names in named) <= 2


def test_a_judge_that_answers_at_random_keeps_no_order() -> None:
    """And is accused of nothing else in most exams."""
    results = [profile(simulated.exam(simulated.random, n)) for n in range(12)]
    assert all(verdict(result).words == NOT_FIT for result in results)
    assert sum("its order is chance" in verdict(r).reason for r in results) >= 9


def test_a_constant_judge_tells_nothing_apart() -> None:
    """All its grades are ties, and it picks the first of two."""
    found = verdict(profile(simulated.exam(simulated.constant, 1)))
    assert found.words == NOT_FIT
    assert "picks the first text in 100 %" in found.reason


def test_a_judge_that_cannot_be_read_is_not_fit() -> None:
    """A fifth of its replies say nothing; the reason says how many."""
    found = verdict(profile(simulated.exam(simulated.unread, 1)))
    assert found.words == NOT_FIT
    assert "of its replies could not be read" in found.reason


@pytest.mark.parametrize(
    ("name", "enough", "too_little", "words"),
    [
        ("unread", 0.05, 0.051, NOT_FIT),
        ("ties", 0.5, 0.51, NOT_FIT),
        ("medium", 0.75, 0.74, DIFFERENCES),
        ("across", 0.95, 0.94, NOT_ABSOLUTE),
    ],
)
def test_what_a_judge_is_fit_for_changes_where_the_page_says(
    name: str, enough: float, too_little: float, words: str
) -> None:
    """Of a judge without a fault one share alone falls short."""
    judge = replace(profile(simulated.exam(simulated.fair(), 1)), across=1.0)

    def fit_for(share: float) -> str:
        if name == "medium":
            doses = {**judge.doses, DOSES[1]: replace(judge.doses[DOSES[1]], value=share)}
            return verdict(replace(judge, doses=doses)).words
        changed: dict[str, Any] = {name: share}
        return verdict(replace(judge, **changed)).words

    assert (fit_for(enough), fit_for(too_little)) == (ABSOLUTE_TOO, words)


def test_errors_where_the_fault_is_coarse_are_named() -> None:
    """A judge that takes one reply in five for its opposite, in two thirds of exams at least."""
    results = [profile(simulated.exam(simulated.careless, n)) for n in range(30)]
    named = sum(any(e.name == "misreads" for e in defects(result)) for result in results)
    assert named >= 18
    assert sum(verdict(result).words == ABSOLUTE_TOO for result in results) <= 2


@pytest.mark.parametrize("name", ["misreads", "place"])
def test_a_defect_has_half_of_the_five_percent_of_a_fair_judge(name: str) -> None:
    """Errors where the fault is coarse the one half, all else the other."""
    named = [name_defects([Effect(name, 0.7, 0.5, 40, p)])[0].named for p in (0.024, 0.026)]
    assert named == [True, False]


def test_a_fair_judge_is_rarely_accused() -> None:
    """Of 200 exams of fair judges 5 % at most, plus two standard errors, name a defect."""
    accused = sum(bool(defects(profile(simulated.exam(simulated.fair(), n)))) for n in range(200))
    assert accused <= 200 * 0.05 + 2 * np.sqrt(200 * 0.05 * 0.95)


def test_two_judges_are_ordered_by_their_noise() -> None:
    """Of noise s and 1.5 s: rightly in 80 % of exams (92 % in 200)."""
    right = 0
    for n in range(60):
        low, high = (
            profile(simulated.exam(simulated.fair(sd), n + int(sd * 1000))).order.value or 0
            for sd in (5.0, 7.5)
        )
        right += low > high
    assert right >= 48


def test_the_threshold_follows_the_noise() -> None:
    """A judge of little noise tells small doses apart, one of much noise only coarse ones."""
    sharp, dull = (profile(simulated.exam(simulated.fair(sd), 3)) for sd in (2.0, 16.0))
    assert sharp.threshold < 1 < dull.threshold
    assert sharp.threshold_ci95 is not None
    assert sharp.threshold_ci95[0] <= sharp.threshold <= sharp.threshold_ci95[1]
    assert verdict(dull).words in (DIFFERENCES, NOT_FIT)


def test_iterations_of_a_situation_stay_together_in_intervals() -> None:
    """The same answers again narrow no interval."""
    answers = simulated.exam(simulated.fair(), 5)
    once = profile({f"{name} 1": rows for name, rows in answers.items()})
    twice = profile({f"{name} {n}": rows for name, rows in answers.items() for n in (1, 2)})
    assert once.order.ci95 is not None
    assert twice.order.ci95 is not None
    widths = [of.order.ci95[1] - of.order.ci95[0] for of in (once, twice) if of.order.ci95]
    assert widths[1] == pytest.approx(widths[0], rel=0.15)


def test_grades_of_other_situations_are_set_against_each_other() -> None:
    """As counted pair by pair, a situation's own left out, a tie one half."""
    answers = simulated.exam(simulated.fair(12), 6)
    grades = {
        (name, a.question.dose): round(a.value)
        for name, rows in answers.items()
        for a in rows
        if a.question.form == GRADE and a.question.what == "version" and a.value is not None
    }
    rounded = {
        name: [replace(a, value=None if a.value is None else round(a.value)) for a in rows]
        for name, rows in answers.items()
    }
    counted = [
        0.5 if good == coarse else float(good > coarse)
        for (name, dose), good in grades.items()
        if not dose
        for (other, worse), coarse in grades.items()
        if worse == "coarse" and other != name
    ]
    assert profile(rounded).across == pytest.approx(np.mean(counted))
