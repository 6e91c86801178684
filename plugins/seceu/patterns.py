"""Pattern similarity: whether a model finds hard what people find hard.

The correlation of its distances with those of people, story by story (Wang et al. 2023,
"LLMs' representational pattern"). With 40 stories its interval is wide, so nothing is said
without it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from eibench.statistics import pearson, why_no_interval

from .norms import Norm
from .psychometrics import p_of_zero_correlation
from .results import Run


class Pattern(NamedTuple):
    """How a model's distances go with those of people, item by item.

    Attributes:
        r: ``None`` where it does not exist; `why` says why.
        p: Of r = 0.
        percentile: Percentage of the norm's people whose own similarity is lower.
        unlike: Whether r is below the mark of a qualitatively different pattern.
        shown: Whether its whole interval is.
    """

    r: float | None
    interval: tuple[float, float] | None = None
    p: float | None = None
    n: int = 0
    percentile: float | None = None
    unlike: bool = False
    shown: bool = False
    why: str = ""


_CLOSE = 9
"""Decimals of a distance; beyond them two that are equal may differ by rounding."""


def pattern_of(run: Run) -> Pattern:
    """The pattern similarity of a run."""
    if run.norm is None:
        return Pattern(None, why="the pack has no pattern template")
    distances = run.distances()
    template = [run.items[i].content.human for i in distances]
    return similarity(run.norm, list(distances.values()), template)


def similarity(norm: Norm, distances: Sequence[float], template: Sequence[float]) -> Pattern:
    """How distances go with the template, and where that lies among people."""
    if len(distances) < 3:
        return Pattern(None, n=len(distances), why="fewer than three stories have an answer")
    correlation = pearson([round(d, _CLOSE) for d in distances], template)
    if correlation.value is None:
        return Pattern(None, n=correlation.n, why="the distances do not vary")
    mark = norm.unlike
    interval = None if why_no_interval(correlation.n) else correlation.interval
    return Pattern(
        correlation.value,
        interval,
        p_of_zero_correlation(correlation.value, correlation.n),
        correlation.n,
        norm.similarity_place(correlation.value),
        unlike=mark is not None and correlation.value < mark,
        shown=mark is not None and interval is not None and interval[1] < mark,
    )


def pattern_warnings(pattern: Pattern, mark: float | None) -> list[str]:
    """What has to be said of a similarity below the mark, with its interval or not at all."""
    if not pattern.unlike or pattern.interval is None or mark is None:
        return []
    low, high = pattern.interval
    warning = (
        f"pattern similarity {pattern.r:.2f} ({low:.2f} … {high:.2f}) is below {mark:.3f}, "
        "the paper's mark of a pattern qualitatively different from people's"
    )
    if pattern.shown:
        return [f"{warning}, and so is its whole interval"]
    return [f"{warning}; but its interval reaches over it, so this run does not show it"]
