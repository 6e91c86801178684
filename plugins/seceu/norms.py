"""What people got on the same stories: the scale that an EQ is read on.

A SECEU score is a distance, so lower is better; an EQ turns it round, with mean 100 and
standard deviation 15 among the people of the norm (Wang et al. 2023, "LLMs' EQ").
"""

import bisect
from dataclasses import dataclass
from typing import NamedTuple

EQ_MEAN, EQ_SD = 100.0, 15.0
EXPERT, POOR = 115.0, 85.0
"""Above the first: expert; below the second: poor; between them, both included: normal."""


class MeanAndSD(NamedTuple):
    """Mean and standard deviation of people."""

    mean: float
    sd: float


@dataclass(frozen=True, slots=True)
class Norm:
    """What is known of the people of a norm; what is not is ``None``, or empty.

    Attributes:
        source: Who they are, for a note.
        mean, sd: Of their SECEU scores.
        template: Their mean distance on each item, in pack order.
        best: The lowest score among them.
        similarity: Of each one's distances to the template of the others.
        scores, similarities: Each person's, in rising order.
    """

    source: str
    mean: float
    sd: float
    template: tuple[float, ...]
    people: int | None = None
    best: float | None = None
    similarity: MeanAndSD | None = None
    scores: tuple[float, ...] = ()
    similarities: tuple[float, ...] = ()

    def eq(self, score: float) -> float:
        """The EQ of a SECEU score: Wang et al. (2023), equation 2."""
        return EQ_SD * (self.mean - score) / self.sd + EQ_MEAN

    def percentile(self, score: float) -> float:
        """The percentage of the norm's people with a worse (higher) SECEU score.

        Counted where their scores are known, ties as half. Else from the lognormal
        distribution of that mean and SD: it is within 1.75 points of the 15 published
        percentiles, where a normal one is off by up to 7.2.
        """
        if self.scores:
            return 100 - percentage_below(self.scores, score)
        from .psychometrics import lognormal_share_below

        return 100 * (1 - lognormal_share_below(score, mean=self.mean, sd=self.sd))

    def beyond_best(self, score: float) -> bool:
        """Whether nobody of the norm was as close: then a percentile says little."""
        return self.best is not None and score < self.best

    def similarity_place(self, r: float) -> float | None:
        """The percentage of people whose own similarity is lower; a normal one if need be."""
        if self.similarities:
            return percentage_below(self.similarities, r)
        if self.similarity is None:
            return None
        from .psychometrics import normal_share_below

        mean, sd = self.similarity
        return 100 * normal_share_below(r, mean=mean, sd=sd)

    @property
    def unlike(self) -> float | None:
        """Below this similarity the paper calls a pattern qualitatively different: M - SD."""
        return None if self.similarity is None else self.similarity.mean - self.similarity.sd


def percentage_below(ascending: tuple[float, ...], value: float) -> float:
    """The percentage of values below a value, those equal to it as half."""
    below = bisect.bisect_left(ascending, value)
    equal = bisect.bisect_right(ascending, value) - below
    return 100 * (below + equal / 2) / len(ascending)


def band(eq: float) -> str:
    """Expert, normal or poor: Wang et al. (2023), "The assessment of LLMs' EQ"."""
    if eq > EXPERT:
        return "expert"
    return "poor" if eq < POOR else "normal"
