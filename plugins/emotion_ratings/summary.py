"""The numbers of a run: the better of two passes, with intervals over questions.

A run reports the mean of its question scores x 10. Samples that could not be read are NaN in
the arrays and None in results, never 0, except in the one number that says so (`zero_filled`).
Importing this imports numpy, so the benchmark does it when it is needed.
"""

import itertools
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from eibench import Baseline, Metric
from eibench.statistics import Interval, cluster_bootstrap, cluster_index, cluster_sums
from eibench.statistics import iteration_spread as spread

from .guessing import ScoreAnswers

Floats = npt.NDArray[np.float64]

LEVEL = 0.95
#: From the scale of a question, whose best score is 10, to that of a run.
SCALE = 10.0
Pass = Literal["first_pass", "revised"]


@dataclass(frozen=True, slots=True)
class PassSummary:
    """All numbers of a run.

    Attributes:
        score: That of the better pass. Its interval chooses the pass anew in each resample, so it
            holds what the choice itself adds.
        chosen_interval: Of the chosen pass by itself, at 97.5 %: one of both passes is outside of
            its own in at most 5 % (Bonferroni), so it may be held against a baseline. None where
            one pass was asked for, whose own interval may.
        gain: Revised minus first pass, over the samples where both could be read.
        zero_filled: The chosen pass with unreadable answers as 0, as some peers count.
        valid: Whether the chosen pass could be read in at least 5/6 of the samples.
        iteration_sd: Standard deviation (n - 1) of the scores of iterations.
    """

    score: Metric
    chosen: Pass | None
    chosen_interval: Interval | None
    first_pass: Metric
    revised: Metric | None
    gain: Metric | None
    zero_filled: Metric
    total: int
    valid: bool
    per_iteration: tuple[float | None, ...]
    iteration_sd: float | None


def summarise(
    first: npt.ArrayLike,
    revised: npt.ArrayLike | None,
    questions: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    iterations: npt.ArrayLike | None = None,
    replicates: int = 10_000,
) -> PassSummary:
    """Return the numbers of a run, its intervals over questions with all their iterations.

    The final score is the better pass (Paech 2023, section 3.7), the revised one when equal; a pass
    counts only if it has at least 95 % as many readable answers as the other (the published code's
    rule, made symmetric). It is taken over all samples together. All arrays have the shape
    (n_samples,): question scores, 10 the best, NaN if unread, questions and iterations.
    """
    columns = _columns(first, revised)
    totals = columns.sum(axis=0, keepdims=True)
    values = _statistics(totals)[0]
    sums = cluster_sums(columns, cluster_index(questions)) if len(columns) else columns
    stands_on = _stands_on(sums, revised=bool(_choose_revised(totals)[0]))
    again = deepcopy(rng)
    intervals = cluster_bootstrap(
        sums, _statistics, rng=rng, replicates=replicates, stands_on=stands_on
    )
    score, first_pass, second, gain, zero_filled = (
        Metric(_finite(value), interval, over="questions", families=families)
        for value, interval, families in zip(values, intervals, stands_on, strict=True)
    )
    n_first, n_revised, n_both, total = (int(n) for n in totals[0, [1, 3, 5, 6]])
    chosen_revised = bool(_choose_revised(totals)[0])
    n = n_revised if chosen_revised else n_first
    per_iteration = _per_iteration(columns, iterations)
    asked = revised is not None
    wider = cluster_bootstrap(
        sums,
        _statistics,
        rng=again,
        replicates=replicates,
        level=1 - (1 - LEVEL) / 2,
        stands_on=stands_on,
    )
    return PassSummary(
        score=replace(score, n=n),
        chosen=None if n == 0 else "revised" if chosen_revised else "first_pass",
        chosen_interval=wider[2 if chosen_revised else 1] if asked else None,
        first_pass=replace(first_pass, n=n_first),
        revised=replace(second, n=n_revised) if asked else None,
        gain=replace(gain, n=n_both) if asked else None,
        zero_filled=replace(zero_filled, n=total),
        total=total,
        valid=total > 0 and 6 * n >= 5 * total,
        per_iteration=per_iteration,
        iteration_sd=spread(per_iteration),
    )


def better_pass(first: npt.ArrayLike, revised: npt.ArrayLike) -> Pass:
    """The pass that the score of a run comes from, as `summarise` chooses it of the same arrays."""
    totals = _columns(first, revised).sum(axis=0, keepdims=True)
    return "revised" if _choose_revised(totals)[0] else "first_pass"


def _columns(first: npt.ArrayLike, revised: npt.ArrayLike | None) -> Floats:
    """Return what each sample adds to the totals, shape (n_samples, 7).

    Sum and count of the first pass, of the revised pass, of the gain; and 1.
    """
    one = np.asarray(first, dtype=np.float64)
    two = np.full_like(one, np.nan) if revised is None else np.asarray(revised, dtype=np.float64)
    parts = [(np.nan_to_num(values), ~np.isnan(values)) for values in (one, two, two - one)]
    return np.column_stack([*itertools.chain(*parts), np.ones_like(one)])


def _statistics(totals: Floats) -> Floats:
    """Return score, first pass, revised, gain and zero-filled score of each row, NaN if none."""
    chosen = _choose_revised(totals)
    with np.errstate(invalid="ignore", divide="ignore"):
        first, revised, gain = (totals[:, i] / totals[:, i + 1] for i in (0, 2, 4))
        filled = np.where(chosen, totals[:, 2], totals[:, 0]) / totals[:, 6]
    score = np.where(chosen, revised, first)
    return SCALE * np.column_stack([score, first, revised, gain, filled])


def _stands_on(sums: Floats, *, revised: bool) -> list[int]:
    """Return how many questions have a part in each statistic."""
    first, second, both = ((sums[:, i] > 0).sum() for i in (1, 3, 5))
    return [int(n) for n in (second if revised else first, first, second, both, len(sums))]


def _choose_revised(totals: Floats) -> npt.NDArray[np.bool_]:
    """Return, for each row of totals, whether the final score is the revised pass."""
    sum_first, n_first, sum_revised, n_revised = totals[:, :4].T
    # Means compared by cross-multiplication, so a pass without answers divides by nothing.
    better = sum_revised * n_first >= sum_first * n_revised
    enough_first, enough_revised = 20 * n_first >= 19 * n_revised, 20 * n_revised >= 19 * n_first
    return np.asarray((n_revised > 0) & enough_revised & (better | ~enough_first))


def _per_iteration(columns: Floats, iterations: npt.ArrayLike | None) -> tuple[float | None, ...]:
    ids = np.zeros(len(columns), dtype=np.intp) if iterations is None else iterations
    if not len(columns):
        return ()
    totals = cluster_sums(columns, cluster_index(ids))
    return tuple(_finite(score) for score in _statistics(totals)[:, 0])


def _finite(value: float) -> float | None:
    return float(value) if value == value else None


_RATINGS = range(11)


def find_baselines(
    references: Sequence[Sequence[float]], score: ScoreAnswers, *, proportional: bool
) -> Mapping[str, Baseline]:
    """Return the exact baselines of a pack on the scale of a run, by enumeration.

    Of all whole answers 0-10: random ones, each question by itself, with the standard deviation
    over runs; the best of four equal ratings; the best same answer to every question. Where only
    proportions count four zeros are none, and equal ratings have no height. References have the
    shape (n_questions, n_emotions); none of them: ``ValueError``.
    """
    if not references:
        raise ValueError("no references to compute baselines from")
    return {**_find_baselines(tuple(map(tuple, references)), score, proportional)}


@lru_cache(maxsize=8)
def _find_baselines(
    references: tuple[tuple[float, ...], ...], score: ScoreAnswers, proportional: bool
) -> Mapping[str, Baseline]:
    every = list(itertools.product(_RATINGS, repeat=len(references[0])))
    # By columns, as so many rows of four are summed far faster.
    answers = np.array(every[proportional:], dtype=np.float64, order="F")
    totals, variance, mean = np.zeros(len(answers)), 0.0, SCALE / len(references)
    for scores in score(answers, references):
        totals += scores
        variance += float(scores.var())
    equal = (answers == answers[:, :1]).all(axis=1)
    uniform = _best(answers[equal], totals[equal] * mean, "all equal")
    return {
        "random": Baseline(float(totals.mean()) * mean, "random", sd=variance**0.5 * mean),
        "uniform": replace(uniform, answer=None) if proportional else uniform,
        "best_constant": _best(answers, totals * mean, "best constant"),
    }


def _best(answers: Floats, scores: Floats, label: str) -> Baseline:
    """Pick the best answer, of equals the one with the smallest sum, then the first."""
    # Where only proportions count, (1, 2, 1, 1) and (2, 4, 2, 2) differ by rounding only.
    best = np.flatnonzero(scores >= scores.max() - 1e-9)
    first = best[np.argmin(answers[best].sum(axis=1))]
    return Baseline(float(scores[first]), label, answer=tuple(answers[first].tolist()))
