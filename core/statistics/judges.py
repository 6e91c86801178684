"""How far a ranking hangs on its judges: agreement, liking for kin, the ranking without each.

A judge's means of models are all that is needed: rubric scores or ratings. `kin` estimates what
judges give their own families.
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .agreement import icc_agreement
from .bootstrap import Floats
from .correlation import Correlation, mean_ranks, spearman
from .estimate import Estimate
from .kin import Bools, Scales, liking_for_kin

_NO_LINK = 1e-9
"""Singular values below this share of the largest are rounding."""


class WithoutJudge(NamedTuple):
    """What becomes of the ranking without a judge.

    `rho` is Spearman's, of the ranking by the others with that by all; `moved` the most ranks that
    a model moves; `leader` whether another model, or several, come first.
    """

    rho: float | None
    moved: float
    leader: bool


class JudgeStudy(NamedTuple):
    """How judges compare on the same models; columns are judges, rows models.

    Attributes:
        icc: ICC(A,1) of the judges' means of models.
        pairs: Rank correlation of each two judges, by their places.
        pooled: Of each judge with the mean of all.
        kin: What each judge gives its own family beyond its worth, in points of that judge.
        spread: Of each model, the standard deviation of what the judges give it, each judge's
            strictness taken out.
        ranks: Of each model, 1 for the best, by all judges.
        ranks_without_kin: Likewise, by the judges that are no kin of the model, how strict
            each is taken out, so that no model gains by whom it is judged.
    """

    icc: Estimate
    pairs: dict[tuple[int, int], Correlation]
    pooled: list[Correlation]
    kin: list[Estimate]
    without: list[WithoutJudge]
    spread: Floats
    ranks: Floats
    ranks_without_kin: Floats | None


def study_judges(
    means: npt.ArrayLike, kin: npt.ArrayLike, scales: Scales | None = None
) -> JudgeStudy:
    """How far judges agree on models, and what their ranking hangs on.

    Args:
        means: What each judge gives each model, shape (n_models, n_judges), two judges or more;
            higher is better, and none is missing.
        kin: Whether a judge is of a model's family, the same shape.
        scales: How widely judges use the scale, for what they give their kin; without it, alike.

    Raises:
        ValueError: The shapes differ, or a number is missing.
    """
    table, is_kin = np.asarray(means, dtype=np.float64), np.asarray(kin, dtype=bool)
    if table.ndim != 2 or table.shape[1] < 2 or table.shape != is_kin.shape:
        raise ValueError(f"need two tables of models by judges, got {table.shape}, {is_kin.shape}")
    if not np.isfinite(table).all():
        raise ValueError("each judge has to have graded each model")
    judges, pool = range(table.shape[1]), table.mean(axis=1)
    centred = table - table.mean(axis=0)
    return JudgeStudy(
        icc=icc_agreement(table),
        pairs={pair: spearman(*table[:, pair].T) for pair in combinations(judges, 2)},
        pooled=[spearman(table[:, j], pool) for j in judges],
        kin=[liking_for_kin(table, is_kin, j, scales) for j in judges],
        without=[_without(table, j) for j in judges],
        spread=centred.std(axis=1, ddof=1),
        ranks=ranks_of(pool),
        ranks_without_kin=_ranks_without_kin(table, is_kin),
    )


def ranks_of(values: Floats) -> Floats:
    """Ranks, 1 for the highest; ties have their mean rank."""
    return mean_ranks(-values)


def _without(table: Floats, judge: int) -> WithoutJudge:
    before = table.mean(axis=1)
    after = np.delete(table, judge, axis=1).mean(axis=1)
    old, new = ranks_of(before), ranks_of(after)
    first = set(np.flatnonzero(old == old.min())) != set(np.flatnonzero(new == new.min()))
    return WithoutJudge(spearman(before, after).value, float(np.abs(old - new).max()), first)


def _ranks_without_kin(table: Floats, kin: Bools) -> Floats | None:
    """Ranks by the judges that are no kin; None where judges cannot be set beside each other."""
    valid = np.where(kin, np.nan, table)
    effects = judge_effects(valid)
    if effects is None or kin.all(axis=1).any():
        return None
    return ranks_of(np.asarray(np.nanmean(valid - effects, axis=1)))


def judge_effects(verdicts: npt.ArrayLike) -> Floats | None:
    """How much more each judge gives than the mean of all, what is graded being the same.

    The least-squares fit of y_sj = q_s + b_j with sum b_j = 0, from those that several judges
    graded: the additive two-way model with missing cells (Searle 1971, Linear Models, section 7.1),
    q taken out first. `verdicts` have shape (n, k), NaN where one is missing or does not count.
    None where judges are not linked by what they graded.
    """
    table = np.asarray(verdicts, dtype=np.float64)
    known = ~np.isnan(table)
    several = known.sum(axis=1) > 1
    cells, values = known[several].astype(float), np.where(known, table, 0.0)[several]
    counts = cells.sum(axis=1, keepdims=True)
    left = np.diag(cells.sum(axis=0)) - cells.T @ (cells / counts)
    beyond = (values - cells * (values.sum(axis=1, keepdims=True) / counts)).sum(axis=0)
    effects, _, rank, _ = np.linalg.lstsq(left, beyond, rcond=_NO_LINK)
    return np.asarray(effects) if rank == table.shape[1] - 1 else None
