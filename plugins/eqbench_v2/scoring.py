"""The score of a question on the full scale: each rating against the reference's own.

Source of formula and constants: EQ-bench/EQ-Bench, lib/scoring.py, commit 0114d23. numpy is
imported inside functions: what a benchmark says of itself needs none.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

PERFECT = 10.0
WEIGHT = 0.7477
"""Of a penalty: upstream chose it so that random answers come out near zero."""
CLOSE = 5.0
"""Up to this distance the penalty is an S-shaped curve; beyond, it is the distance itself."""
HEIGHT, STEEPNESS, MIDDLE = 6.5, 1.2, 4.0


def penalty(distance: float) -> float:
    """Return what a rating costs that is `distance`, from 0 up, away from its reference.

    0 for none; 6.5 / (1 + e^(-1.2 (d - 4))) up to d = 5, so that a rating one off costs almost
    nothing; d beyond.
    """
    if distance == 0:
        return 0.0
    if distance <= CLOSE:
        return HEIGHT / (1 + math.exp(-STEEPNESS * (distance - MIDDLE)))
    return distance


def question_score(ratings: Sequence[float], reference: Sequence[float]) -> float:
    """Return 10 minus the weighted sum of the penalties of all ratings.

    At most 10; for ratings from 0 to 10 at least -19.908. Four zeros are an answer like others.

    Raises:
        ValueError: The two differ in length.
    """
    pairs = zip(ratings, reference, strict=True)
    return PERFECT - WEIGHT * sum(penalty(abs(rating - target)) for rating, target in pairs)


def score_answers(answers: Floats, references: Sequence[Sequence[float]]) -> Iterator[Floats]:
    """Yield the scores of many answers to each question, shape (n,).

    Args:
        answers: Ratings, shape (n, n_emotions). The fewer different ones, the faster.
        references: Of each question, shape (n_questions, n_emotions).
    """
    import numpy as np

    levels, level = np.unique(answers, return_inverse=True)
    columns = level.reshape(answers.shape).T
    for reference in references:
        tables = [_penalties(np.abs(levels - target)) for target in reference]
        found = (table[column] for table, column in zip(tables, columns, strict=True))
        total = sum(found, np.zeros(len(answers)))
        yield PERFECT - WEIGHT * total


def _penalties(distances: Floats) -> Floats:
    """`penalty` of each distance."""
    import numpy as np

    curve = HEIGHT / (1 + np.exp(-STEEPNESS * (distances - MIDDLE)))
    near = np.where(distances == 0, 0.0, curve)
    return np.where(distances <= CLOSE, near, distances)
