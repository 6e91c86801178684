"""The line between a judge and one that is gone: texts that both have graded, writer by writer.

Least squares over writers' means, each writer weighing alike; a new writer's interval is the
prediction interval of the line, Student's t with n - 2 degrees (Draper and Smith 1998, Applied
Regression Analysis, section 3.1).
"""

from collections.abc import Mapping
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .correlation import spearman
from .student import student_quantile

Floats = npt.NDArray[np.float64]
LEAST = 0.8
"""The rank correlation of writers under which there is no line worth having."""
FEWEST = 6
"""Writers."""


class WriterGrades(NamedTuple):
    """What both judges gave a writer, and what the line of the others says of it."""

    writer: str
    judge: float
    published: float
    left_out: float


class JudgeScale(NamedTuple):
    """From a judge's scores to those of the judge that published some.

    Attributes:
        intercept, slope: Published = intercept + slope x judge.
        rank_correlation: Spearman's rho of the writers.
        error: Root mean square error of writers that the line was not fitted to.
        writers: In the order of the published scores, the best first.
    """

    intercept: float
    slope: float
    rank_correlation: float
    error: float
    writers: tuple[WriterGrades, ...]
    spread: float
    centre: float
    squares: float

    def published(self, score: float) -> tuple[float, float, float]:
        """What a score of the judge is on the published scale, and its 95 % interval."""
        n = len(self.writers)
        arm = float(student_quantile(0.975, np.array([n - 2.0]))[0]) * self.spread
        arm *= sqrt(1 + 1 / n + (score - self.centre) ** 2 / self.squares)
        value = self.intercept + self.slope * score
        return value, value - arm, value + arm


def fit_scale(judge: Mapping[str, float], published: Mapping[str, float]) -> JudgeScale:
    """The line over the writers that both know.

    Raises:
        ValueError: They are fewer than `FEWEST`, the judge gives all the same, or their rank
            correlation is under `LEAST`.
    """
    names = sorted(set(judge) & set(published), key=lambda name: -published[name])
    if len(names) < FEWEST:
        raise ValueError(f"{len(names)} writers have grades by both judges; {FEWEST} are needed")
    x, y = (np.array([of[name] for name in names]) for of in (judge, published))
    if np.ptp(x) == 0:
        raise ValueError("the judge gives every writer the same")
    rho = spearman(x, y).value
    if rho is None or rho < LEAST:
        shown = "none" if rho is None else f"{rho:.2f}"
        raise ValueError(
            f"the judges' rank correlation over {len(names)} writers is {shown}; under {LEAST} "
            "there is no common scale"
        )
    slope, intercept = _line(x, y)
    left_out = []
    for k in range(len(names)):
        keep = np.arange(len(names)) != k
        b, a = _line(x[keep], y[keep])
        left_out.append(float(a + b * x[k]))
    residuals = y - intercept - slope * x
    return JudgeScale(
        intercept,
        slope,
        float(rho),
        float(np.sqrt(np.mean((np.array(left_out) - y) ** 2))),
        tuple(map(WriterGrades, names, x.tolist(), y.tolist(), left_out)),
        sqrt(float((residuals**2).sum()) / (len(names) - 2)),
        float(x.mean()),
        float(((x - x.mean()) ** 2).sum()),
    )


def _line(x: Floats, y: Floats) -> tuple[float, float]:
    """Slope and intercept."""
    centred = x - x.mean()
    slope = float((centred * y).sum() / (centred**2).sum())
    return slope, float(y.mean() - slope * x.mean())
