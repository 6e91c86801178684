"""From the numbers of an answer to its distance, after the preprocessing of the paper.

Wang et al. (2023), "The SECEU test for LLMs": null vectors stay, negative numbers are lifted
by the lowest one, and what does not sum to 10 is scaled to it.
"""

import math
from collections.abc import Sequence

from .stories import POINTS, ROUNDING


def sums_to_ten(values: Sequence[float]) -> bool:
    """Whether numbers are an allocation of ten points, but for their rounding."""
    return abs(math.fsum(values) - POINTS) <= ROUNDING + 1e-9


def prepared(values: Sequence[float]) -> tuple[float, ...] | None:
    """An answer as it is scored.

    Four zeros stay; then |minimum| is added to each number if one is negative; then the
    numbers are scaled to sum to 10, unless they do but for rounding.

    Returns:
        ``None`` when all are one negative number: lifted, they have no direction.
    """
    if not any(values):
        return tuple(0.0 for _ in values)
    lift = max(0.0, -min(values))
    lifted = [value + lift for value in values]
    total = math.fsum(lifted)
    if total <= 0:
        return None
    if sums_to_ten(lifted):
        return tuple(lifted)
    return tuple(value / total * POINTS for value in lifted)


def distance(answer: Sequence[float], reference: Sequence[float]) -> float:
    """The Euclidean distance of an answer to the standard scores, used as printed."""
    return math.dist(answer, reference)
