"""Where on the ladder a new model is looked for first.

Where there are scores, such as a judge's grades on a rubric, those of the ladder's models say what
strength goes with what score (a straight line by least squares), and how surely. That chooses the
first opponents. No rating is drawn towards it.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..ratings.arrays import Floats
from ..ratings.mixed_model import VAGUE
from .goals import Goal

FEWEST_SCORED = 8
"""Models with a score that it takes to draw a line."""
_WIDTH = 1.5  # SDs of the ladder, for a model of which nothing is known


class Guess(NamedTuple):
    """A strength before anything was compared, natural units of the logit."""

    mean: float
    deviation: float


def prior_of(goal: Goal, strengths: Mapping[str, float], n_models: int) -> tuple[Floats, Floats]:
    """Means and precisions, shape (n_models,): vague for the ladder; the new model is the last."""
    mean, precision = np.zeros(n_models), np.full(n_models, VAGUE)
    if first_guess := guess(strengths, goal.pool.scores, goal.model):
        mean[-1], precision[-1] = first_guess.mean, first_guess.deviation**-2
    return mean, precision


def guess(strengths: Mapping[str, float], scores: Mapping[str, float], model: str) -> Guess | None:
    """From its score where that says more than that it is a model like those; else as one of them.

    None where less than two models differ in strength.
    """
    ladder = np.array([strengths[name] for name in sorted(strengths)])
    spread = float(ladder.std(ddof=1)) if len(ladder) > 1 else 0.0
    if not spread > 0:
        return None
    usual = Guess(float(ladder.mean()), _WIDTH * spread)
    scored = _from_score(strengths, scores, model)
    return scored if scored and scored.deviation < usual.deviation else usual


def _from_score(
    strengths: Mapping[str, float], scores: Mapping[str, float], model: str
) -> Guess | None:
    """The prediction of a regression, with its standard error; None where there is too little."""
    names = sorted(strengths.keys() & scores.keys() - {model})
    x, y = (np.array([of[name] for name in names]) for of in (scores, strengths))
    if model not in scores or len(names) < FEWEST_SCORED or float(np.ptp(x)) == 0:
        return None
    away, squares = x - x.mean(), float(((x - x.mean()) ** 2).sum())
    slope, new = float(away @ y) / squares, scores[model] - float(x.mean())
    rest = y - y.mean() - slope * away
    n = len(names)
    error = float(rest @ rest) / (n - 2) * (1 + 1 / n + new**2 / squares)
    # A line that fits by chance does not make a model's place sure.
    least = (float(y.std(ddof=1)) / n) ** 2
    return Guess(float(y.mean()) + slope * new, max(error, least) ** 0.5)
