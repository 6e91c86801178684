"""The slop score of github.com/sam-paech/slop-score, as its page has it and with fixed limits.

Score = 100 (0.6 w + 0.25 c + 0.15 t): slop words per 1,000 words, contrasts per 1,000 characters
and slop trigrams per 1,000 words, each min-max scaled with a margin of 10 % of the range on
either side, and not clamped. On the page the limits are those of the models that stand on it,
so a model's score moves when another joins.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

Number = TypeVar("Number", float, npt.NDArray[np.float64])
"""A measure, or an array of replicates of it."""

WEIGHTS = {"slop_words": 0.6, "contrasts": 0.25, "slop_trigrams": 0.15}
"""By measure."""
MARGIN = 0.1
FIXED_LIMITS = {
    "slop_words": (2.1214882577844882, 43.924784489934034),
    "contrasts": (-0.0323480255696472, 0.8881555162544392),
    "slop_trigrams": (-0.027052241145113065, 1.2293612202273094),
}
"""Those of the board of 7 November 2025: 22 models and its human texts, with the margin."""


class ScaleEnds(NamedTuple):
    """What is 0 and what is 1."""

    low: float
    high: float


def limits_of(board: Sequence[Mapping[str, float]]) -> dict[str, ScaleEnds] | None:
    """The limits that models make, each given by its measures; ``None`` where all are alike."""
    limits = {}
    for name in WEIGHTS:
        values = [row[name] for row in board]
        margin = MARGIN * (max(values) - min(values))
        limits[name] = ScaleEnds(min(values) - margin, max(values) + margin)
    return limits if all(low < high for low, high in limits.values()) else None


def slop_score(
    measures: Mapping[str, Number], limits: Mapping[str, tuple[float, float]] = FIXED_LIMITS
) -> Number:
    """The score of measures, or of arrays of them: 0 to 100 within the limits, more is sloppier."""
    words, contrasts, trigrams = (
        (measures[name] - limits[name][0]) * (100 * weight / (limits[name][1] - limits[name][0]))
        for name, weight in WEIGHTS.items()
    )
    return words + contrasts + trigrams
