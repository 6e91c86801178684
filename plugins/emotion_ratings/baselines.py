"""What respondents get who have not read the dialogues, exactly, by enumeration.

Importing this imports numpy, so the benchmark does it when it is needed.
"""

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .summary import SCALE

Floats = npt.NDArray[np.float64]
#: From answers, shape (n_answers, n_emotions), and references to their question scores: of
#: each reference in turn, shape (n_answers,).
ScoreAnswers = Callable[[Floats, Sequence[Sequence[float]]], Iterable[Floats]]

_RATINGS = range(11)


class Constant(NamedTuple):
    """An answer that is given to every question, and what it scores."""

    score: float
    answer: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Baselines:
    """What a run scores without reading the dialogues, on the scale of a run.

    Attributes:
        random: Expected score of uniform random whole ratings 0-10.
        random_sd: Its standard deviation over runs.
        uniform: The best of the answers whose ratings are all equal.
        best_constant: The best same answer to every question.
    """

    random: float
    random_sd: float
    uniform: Constant
    best_constant: Constant


def find_baselines(
    references: Sequence[Sequence[float]], score: ScoreAnswers, *, all_zero: bool
) -> Baselines:
    """Return the exact baselines of a pack, by enumeration of all whole answers 0-10.

    Args:
        references: Of each question, shape (n_questions, n_emotions). A random run answers
            each question once and independently.
        score: The scores of answers to each question.
        all_zero: Whether all zeros are an answer.

    Raises:
        ValueError: There are no references.
    """
    if not references:
        raise ValueError("no references to compute baselines from")
    every = list(itertools.product(_RATINGS, repeat=len(references[0])))
    # By columns, as so many rows of four are summed far faster.
    answers = np.array(every if all_zero else every[1:], dtype=np.float64, order="F")
    totals, variance, mean = np.zeros(len(answers)), 0.0, SCALE / len(references)
    for scores in score(answers, references):
        totals += scores
        variance += float(scores.var())
    equal = (answers == answers[:, :1]).all(axis=1)
    return Baselines(
        random=float(totals.mean()) * mean,
        random_sd=variance**0.5 * mean,
        uniform=_best(answers[equal], totals[equal] * mean),
        best_constant=_best(answers, totals * mean),
    )


def _best(answers: Floats, scores: Floats) -> Constant:
    """Pick the best answer, of equals the one with the smallest sum, then the first."""
    # Where only proportions count, (1, 2, 1, 1) and (2, 4, 2, 2) differ by rounding only.
    best = np.flatnonzero(scores >= scores.max() - 1e-9)
    first = best[np.argmin(answers[best].sum(axis=1))]
    return Constant(float(scores[first]), tuple(int(rating) for rating in answers[first]))
