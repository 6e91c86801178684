"""What judges give models of their own family, all judges' likings estimated together.

Judges may use the scale more or less widely: with the best models for kin, one who uses all of it
would seem to like them. So each is first divided by how widely it uses the scale, as items tell
it, or, where there are ratings alone, as models do that have the same judges for kin.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .bootstrap import Floats, cluster_ids, cluster_index, cluster_sums
from .estimate import Estimate
from .student import quantile
from .votes import LEAST_CALIBRATING, NARROWEST, elsewhere

_NO_LINK = 1e-9
"""Singular values below this share of the largest are rounding."""
Bools = npt.NDArray[np.bool_]


class Scales(NamedTuple):
    """How widely judges use the scale, beside the mean of all.

    Attributes:
        values: About 1 each, shape (n_judges,).
        replicates: Without one cluster of items, or one model, each, shape (n, n_judges).
    """

    values: Floats
    replicates: Floats


def scales_from_items(
    verdicts: npt.ArrayLike,
    models: npt.ArrayLike,
    items: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
) -> Scales | None:
    """How far each judge follows what all judges give the other models on the same item.

    Within each model, so that a liking for a model is no wider use of the scale.

    Args:
        verdicts: Shape (n, n_judges), none missing.
        models: Whose transcript each is of, shape (n,).
        items: What it is about, shape (n,).
        clusters: Cluster of each, shape (n,); without it each is its own.

    Returns:
        None with fewer than three models or clusters, or where a judge follows next to nothing.
    """
    table, item = np.asarray(verdicts, dtype=np.float64), cluster_index(np.asarray(items))
    model, ids = cluster_index(np.asarray(models)), cluster_index(cluster_ids(clusters, len(table)))
    if min(int(code.max()) for code in (model, item, ids)) < LEAST_CALIBRATING - 1:
        return None
    cell = model * (item.max() + 1) + item
    return _scales(table, elsewhere(table.mean(axis=1), item, cell), model, ids)


def scales_from_models(table: npt.ArrayLike, kin: npt.ArrayLike) -> Scales | None:
    """How far each judge follows what all judges give models, within those of the same kin.

    Both have shape (n_models, n_judges). None where fewer than four models have a fellow, or a
    judge follows next to nothing.
    """
    values = np.asarray(table, dtype=np.float64)
    group = np.unique(np.asarray(kin, dtype=bool), axis=0, return_inverse=True)[1].ravel()
    fellows = np.bincount(group)
    if int((fellows - 1).sum()) < LEAST_CALIBRATING:
        return None
    return _scales(values, values.mean(axis=1), group, np.arange(len(values)))


def _scales(
    table: Floats, quality: Floats, groups: npt.NDArray[np.intp], clusters: npt.NDArray[np.intp]
) -> Scales | None:
    """Slopes of the columns on `quality` within groups, over their mean."""
    rows = np.column_stack([quality, table])
    centred = rows - (cluster_sums(rows, groups) / np.bincount(groups)[:, None])[groups]
    sums = cluster_sums(centred[:, 1:] * centred[:, :1], clusters)
    follows = np.vstack([sums.sum(axis=0), sums.sum(axis=0) - sums])
    mean = follows.mean(axis=1, keepdims=True)
    if (follows <= NARROWEST * np.abs(mean)).any():
        return None
    return Scales(follows[0] / mean[0], follows[1:] / mean[1:])


def liking_for_kin(
    table: npt.ArrayLike, kin: npt.ArrayLike, judge: int, scales: Scales | None = None
) -> Estimate:
    """What a judge gives its own family beyond what it is worth to the others, in its points.

    The least-squares fit of y_mj / s_j = q_m + b_j + l_j kin_mj: the two-way model of
    `judge_effects` with a liking of each judge for its own family. The error is that of this
    judge, of its own residuals with the degrees of freedom that their variance has (Satterthwaite
    1946, Biometrics Bulletin 2, 110-114), together with that of the scales (jackknife); so a
    judge with tastes for single models has a wide interval. It takes a liking to be one number
    for all of a family, and what a family does well to be no better seen by this judge.

    `table` is what each judge gives each model, shape (n_models, n_judges), `kin` whether a judge
    is of a model's family. Without scales judges use the scale alike. No value where it is not
    identified.
    """
    is_kin, values = np.asarray(kin, dtype=bool), np.asarray(table, dtype=np.float64)
    if not is_kin[:, judge].any():
        return Estimate(None, None, "no model is of its family")
    alike = np.ones((1, is_kin.shape[1]))
    used = scales or Scales(alike[0], alike)
    fit = _fit(values / used.values, is_kin, judge)
    if isinstance(fit, str):
        return Estimate(None, None, f"not identified: {fit}")
    by_judge = (fit.weights * values).sum(axis=0)
    gain = float(_points(by_judge, used.values, judge))
    moved = _points(by_judge, used.replicates, judge)
    scatter = (1 - 1 / len(moved)) * float(((moved - moved.mean()) ** 2).sum())
    error = float(np.sqrt(fit.variance * used.values[judge] ** 2 + scatter))
    half = quantile(0.975, fit.freedom) * error
    return Estimate(gain, (gain - half, gain + half))


def _points(by_judge: Floats, scales: Floats, judge: int) -> Floats:
    """The liking in points of the judge, of what each judge's column adds to it."""
    return np.asarray(scales[..., judge] * (by_judge / scales).sum(axis=-1))


class _Fit(NamedTuple):
    """A liking: what each number of the table weighs in it, its variance, degrees of freedom."""

    weights: Floats
    variance: float
    freedom: int


def _fit(table: Floats, kin: Bools, judge: int) -> _Fit | str:
    """The liking of one judge, or why it is not identified."""
    judges = np.flatnonzero(kin.any(axis=0))
    columns = [_two_way(np.where(np.arange(kin.shape[1]) == j, kin, 0.0)) for j in judges]
    design, column = np.stack([c.ravel() for c in columns], axis=1), int((judges < judge).sum())
    if _rank(design) == _rank(np.delete(design, column, axis=1)):
        return "needs models that are kin of no judge"
    inverse = np.asarray(np.linalg.pinv(design.T @ design, rcond=_NO_LINK, hermitian=True))
    likings = inverse @ (design.T @ table.ravel())
    left = (_two_way(table).ravel() - design @ likings).reshape(table.shape)[:, judge]
    n_models, n_judges = kin.shape
    design_of_judge = design.reshape(n_models, n_judges, -1)[:, judge]
    maker = (1 - 1 / n_judges) * (np.eye(n_models) - 1 / n_models)
    maker = maker - design_of_judge @ inverse @ design_of_judge.T
    trace = float(np.trace(maker))
    freedom = int(trace**2 / float((maker**2).sum()) + _NO_LINK) if trace > _NO_LINK else 0
    if not freedom:
        return "needs more models of other families"
    variance = float(left @ left) / trace * float(inverse[column, column])
    return _Fit((inverse @ design.T)[column].reshape(table.shape), variance, freedom)


def _two_way(table: Floats) -> Floats:
    """What models and judges leave of a table."""
    by_model = table.mean(axis=1, keepdims=True)
    return np.asarray(table - table.mean(axis=0) - by_model + table.mean())


def _rank(design: Floats) -> int:
    return int(np.linalg.matrix_rank(design, tol=_NO_LINK)) if design.size else 0
