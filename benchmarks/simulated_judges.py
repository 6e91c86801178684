"""Judges of known defects who answer an exam by rule, without a prompt: for levels and power."""

from collections.abc import Callable, Mapping

import numpy as np

from eibench.plugins.exam.questions import GRADE, ExamQuestion, JudgeAnswer, questions

SITUATIONS = 20
DAMAGE = {"": 0.0, "small": 5.0, "medium": 12.0, "coarse": 26.0}
"""Points of 100 that a dose costs."""
Judge = Callable[[ExamQuestion, float, float, np.random.Generator], float]
Unreadable = Callable[[ExamQuestion, float, float, np.random.Generator], float | None]
"""From a question, what its reply is worth, and what the better one of a pair is worth."""


def exam(
    judge: Judge | Unreadable, seed: int, situations: int = SITUATIONS
) -> Mapping[str, list[JudgeAnswer]]:
    """The answers of one exam; situations differ by 8 points."""
    rng = np.random.default_rng(seed)
    answers = {}
    for number in range(situations):
        base = 65 + rng.normal(0, 8)
        rows = []
        for question in questions(number):
            worth, better = base - DAMAGE[question.dose], base - DAMAGE[question.better]
            rows.append(JudgeAnswer(question, judge(question, worth, better, rng)))
        answers[str(number)] = rows
    return answers


def fair(sd: float = 5.0) -> Judge:
    """Grades by worth, with an error of its own; a pair by the difference of two errors."""

    def judge(q: ExamQuestion, worth: float, better: float, rng: np.random.Generator) -> float:
        if q.form == GRADE:
            return float(worth + rng.normal(0, sd))
        return float(better - worth + rng.normal(0, sd * np.sqrt(2)))

    return judge


def random(q: ExamQuestion, worth: float, better: float, rng: np.random.Generator) -> float:
    """Anything."""
    return float(rng.normal(50, 10) if q.form == GRADE else rng.normal(0, 5))


def constant(q: ExamQuestion, worth: float, better: float, rng: np.random.Generator) -> float:
    """The same grade to all; of pairs the first one."""
    return 70.0 if q.form == GRADE else (1.0 if q.first else -1.0)


def place_only(q: ExamQuestion, worth: float, better: float, rng: np.random.Generator) -> float:
    """Fair alone, and the first one of two."""
    return fair()(q, worth, better, rng) if q.form == GRADE else (1.0 if q.first else -1.0)


def length_only(q: ExamQuestion, worth: float, better: float, rng: np.random.Generator) -> float:
    """By length: versions are about as long, the padded one is much longer."""
    if q.form == GRADE:
        return float(rng.normal(60, 5))
    return -3.0 if q.what == "longer" else float(rng.normal(0, 1))


def flattered(q: ExamQuestion, worth: float, better: float, rng: np.random.Generator) -> float:
    """Fair but for flattery, which it loves."""
    if q.fault == "flattering":
        worth, better = worth + 3 * DAMAGE[q.dose], better + 3 * DAMAGE[q.better]
    return fair()(q, worth, better, rng)


def obeying(q: ExamQuestion, worth: float, better: float, rng: np.random.Generator) -> float:
    """Fair, and obeys an injected verdict."""
    return 100.0 if q.what == "injected" else fair()(q, worth, better, rng)


def careless(q: ExamQuestion, worth: float, better: float, rng: np.random.Generator) -> float:
    """Fair, but takes one reply in five for its opposite."""
    value = fair()(q, worth, better, rng)
    if rng.random() < 0.2:
        return 130 - value if q.form == GRADE else -value
    return value


def unread(q: ExamQuestion, worth: float, better: float, rng: np.random.Generator) -> float | None:
    """Fair, but one reply in five cannot be read."""
    return None if rng.random() < 0.2 else fair()(q, worth, better, rng)
