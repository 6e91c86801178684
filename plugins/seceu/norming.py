"""From people's answers to a norm: standard scores, scale, reliability, pattern template.

The method is that of Wang et al. (2023): consensus scoring, distances to the standard scores
of the whole group, and each person's similarity to the template of all the others. Pure
functions of one array; importing this imports numpy.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eibench.statistics import pearson

from .norms import MeanAndSD, Norm
from .psychometrics import cronbach_alpha

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Normed:
    """What people's answers give.

    Attributes:
        standard: Mean points of each option, a row of four per item.
        template, item_sds: Mean and standard deviation of the distances of each item.
        scores, spread: SECEU score of each person in the order given; mean and SD of those.
        alpha: Cronbach's of the distances; ``None`` with one item, or without variance.
        similarities: Of each person to the template of the others; ``None`` where the distances
            of that person do not vary, or there are fewer than three items.
        similarity: Mean and SD of those that exist; ``None`` with fewer than two.
    """

    standard: tuple[tuple[float, ...], ...]
    template: tuple[float, ...]
    item_sds: tuple[float, ...]
    scores: tuple[float, ...]
    spread: MeanAndSD
    alpha: float | None
    similarities: tuple[float | None, ...]
    similarity: MeanAndSD | None

    @property
    def people(self) -> int:
        """How many there are."""
        return len(self.scores)

    def as_norm(self, source: str) -> Norm:
        """The norm that a pack holds."""
        return Norm(
            source,
            *self.spread,
            self.template,
            people=self.people,
            best=min(self.scores),
            similarity=self.similarity,
            scores=tuple(sorted(self.scores)),
            similarities=tuple(sorted(r for r in self.similarities if r is not None)),
        )


def make_norm(points: "Floats") -> Normed:
    """The norm of people's answers, shape (n_people, n_items, 4), each row summing to 10.

    Standard deviations are with n - 1.

    Raises:
        ValueError: There are fewer than two people, or all have the same score.
    """
    if points.ndim != 3 or len(points) < 2:
        raise ValueError("a norm needs two people or more")
    standard = points.mean(axis=0)
    distances = np.linalg.norm(points - standard, axis=2)
    scores = distances.mean(axis=1)
    spread = _spread(scores.tolist())
    if spread is None or spread.sd <= 1e-9 * max(1.0, spread.mean):
        raise ValueError("all people have the same score, which makes no scale")
    similarities = leave_one_out(distances)
    return Normed(
        standard=tuple(tuple(row) for row in standard.tolist()),
        template=tuple(distances.mean(axis=0).tolist()),
        item_sds=tuple(distances.std(axis=0, ddof=1).tolist()),
        scores=tuple(scores.tolist()),
        spread=spread,
        alpha=cronbach_alpha(distances),
        similarities=similarities,
        similarity=_spread([r for r in similarities if r is not None]),
    )


def leave_one_out(distances: "Floats") -> tuple[float | None, ...]:
    """The correlation of each person's distances with the mean of all others' distances.

    Args:
        distances: Shape (n_people, n_items), n_people >= 2.
    """
    rest = (distances.sum(axis=0) - distances) / (len(distances) - 1)
    pairs = zip(distances.round(9), rest.round(9), strict=True)
    return tuple(pearson(person, others).value for person, others in pairs)


def _spread(values: Sequence[float]) -> MeanAndSD | None:
    if len(values) < 2:
        return None
    return MeanAndSD(float(np.mean(values)), float(np.std(values, ddof=1)))
