"""The score of a question by proportions: Paech (2023), EQ-Bench, arXiv:2312.06281.

numpy is imported inside functions: what a benchmark says of itself needs none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

#: What a reference sums to, and to what ratings are scaled.
TOTAL = 10.0


def question_score(ratings: Sequence[float], reference: Sequence[float]) -> float | None:
    """Return 10 minus the summed distance of the normalised ratings to the reference.

    Paech (2023), section 3.5: the ratings are scaled to sum 10; the reference already does.
    The result lies in -10..10 for ratings and references that are not negative.

    Returns:
        None when the ratings sum to zero or less: they have no proportions to compare.

    Raises:
        ValueError: The two differ in length.
    """
    total = sum(ratings)
    if total <= 0:
        return None
    pairs = zip(ratings, reference, strict=True)
    return TOTAL - sum(abs(rating / total * TOTAL - target) for rating, target in pairs)


def score_answers(answers: Floats, references: Sequence[Sequence[float]]) -> Iterator[Floats]:
    """Yield the scores of many answers to each question, shape (n,).

    Args:
        answers: Shape (n, 4), none all zero.
        references: Of each question, shape (n_questions, 4).
    """
    import numpy as np

    ratings = answers / answers.sum(axis=1, keepdims=True) * TOTAL
    for reference in references:
        distances = np.abs(ratings - np.asarray(reference))
        yield TOTAL - distances.sum(axis=1)
