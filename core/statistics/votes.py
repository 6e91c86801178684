"""How many independent votes a panel is worth.

k votes with errors of one size and a mean correlation rho are worth k / (1 + (k - 1) rho): the
design effect of Kish (1965), Survey Sampling, section 5.4, which is also the formula of Spearman
(1910) and Brown (1910) solved for the number of parts. Both are the variance of one vote's error
over the variance of the mean's. The error itself is not seen, as nobody knows the truth: what
all judges share, right or wrong, looks the same. So the number is an upper bound.
"""

import numpy as np
import numpy.typing as npt

from .bootstrap import Floats, cluster_bootstrap, cluster_ids, cluster_index, cluster_sums
from .estimate import Estimate
from .estimates import ROUNDING
from .few_families import why_no_interval

LEAST_JUDGES = 3
"""Two judges have one covariance, and none to hold it against."""
REPLICATES = 1000
LEAST_CALIBRATING = 3
"""With fewer models, or items, judges are taken to use the scale alike."""
NARROWEST = 0.1
"""A judge that follows the quality of models less than this share of the mean has no scale."""


def effective_votes(
    verdicts: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    quality: npt.ArrayLike | None = None,
    *,
    seed: int = 0,
    replicates: int = REPLICATES,
) -> Estimate:
    """At most how many independent votes judges are worth.

    Verdicts, shape (n, k), are truth plus error, y_sj = t_s + b_j + e_sj, so the covariance of two
    judges is the truth's variance v plus that of their errors. Errors are taken to correlate at 0
    or more, so v is at most the smallest covariance of any two judges; with it the mean variance of
    one judge's error over the variance of the mean's error is at its largest: (mean_j S_jj - v) /
    (mean_jk S_jk - v). It is exact where two judges share no error. The smallest of several numbers
    is too small by chance, so v is the mean of all covariances that bootstrap intervals (99 %, of
    all pairs together) do not tell from the smallest. With many judges that is still a little off:
    five independent ones have 4.94 on average, and an interval that reaches 5 in 89 %, so this
    bounds votes on average and not in every set.

    Judges who use the scale more or less widely than others covary more or less with all of them.
    With `quality`, what else is known of each transcript's, each judge is first divided by how it
    follows that, and what follows it is taken out; without it all are taken to use the scale alike.

    From 1 to k; k itself, without an interval, where no covariance stands out.
    """
    matrix = np.asarray(verdicts, dtype=np.float64)
    known = ~np.isnan(matrix).any(axis=1)
    ids, k = cluster_ids(clusters, len(matrix))[known], matrix.shape[1]
    if k < LEAST_JUDGES:
        return Estimate(None, None, f"needs {LEAST_JUDGES} judges, here are {k}")
    if reason := why_no_interval(np.unique(ids).size):
        return Estimate(None, None, reason)
    rows = matrix[known] - matrix[known].mean(axis=0)
    others = np.zeros(len(rows)) if quality is None else np.asarray(quality)[known]
    columns = np.column_stack([rows, others - others.mean()])
    products = (columns[:, :, None] * columns[:, None, :]).reshape(len(rows), -1)
    sizes = np.column_stack([np.ones(len(rows)), columns, products])
    sums, rng = cluster_sums(sizes, cluster_index(ids)), np.random.default_rng(seed)
    pairs = np.triu_indices(k, 1)

    def covariances(totals: Floats) -> Floats:
        return _covariances(totals, k, calibrated=quality is not None)

    whole = covariances(sums.sum(axis=0, keepdims=True))
    if np.isnan(whole).any():
        return Estimate(None, None, "a judge does not follow the quality of models")
    least = int(whole[0][pairs].argmin())

    def beyond(totals: Floats) -> Floats:
        covered = covariances(totals)[:, pairs[0], pairs[1]]
        return np.asarray(covered - covered[:, [least]])

    level = 1 - 0.01 / len(pairs[0])
    above = cluster_bootstrap(sums, beyond, rng=rng, replicates=replicates, level=level)
    alike = [interval is None or interval[0] <= 0 for interval in above]
    if all(alike):
        return Estimate(float(k), None, "no two judges stand out by errors that they share")
    apart = tuple(index[alike] for index in pairs)

    def votes(totals: Floats) -> Floats:
        return _votes(covariances(totals), apart)

    (interval,) = cluster_bootstrap(sums, votes, rng=rng, replicates=replicates)
    return Estimate(float(_votes(whole, apart)[0]), interval)


def _covariances(totals: Floats, k: int, *, calibrated: bool) -> Floats:
    """Those of the judges for each row of totals: n, sums, sums of products; quality is last."""
    n, sums = totals[:, :1, None], totals[:, 1 : k + 2]
    products = totals[:, k + 2 :].reshape(-1, k + 1, k + 1)
    shared = products / n - sums[:, :, None] * sums[:, None, :] / n**2
    if not calibrated:
        return np.asarray(shared[:, :k, :k])
    follows, spread = shared[:, :k, k], shared[:, k:, k:]
    with np.errstate(invalid="ignore", divide="ignore"):
        left = shared[:, :k, :k] - follows[:, :, None] * follows[:, None, :] / spread
        scale = follows / follows.mean(axis=1, keepdims=True)
        scale = np.where(scale > NARROWEST, scale, np.nan)
    return np.asarray(left / scale[:, :, None] / scale[:, None, :])


def _votes(covariances: Floats, apart: tuple[npt.NDArray[np.intp], ...]) -> Floats:
    """The bound for each row, where judges of these pairs share no error."""
    k = covariances.shape[1]
    truth = covariances[:, apart[0], apart[1]].mean(axis=1)
    one = covariances[:, range(k), range(k)].mean(axis=1) - truth
    together = covariances.mean(axis=(1, 2)) - truth
    known = together > ROUNDING * np.abs(one)
    bound = np.divide(one, together, out=np.full_like(one, float(k)), where=known)
    return np.asarray(np.clip(bound, 1, k))


def quality_elsewhere(
    pooled: npt.ArrayLike, models: npt.ArrayLike, items: npt.ArrayLike
) -> Floats | None:
    """What is given to the same model on other items, and to other models on the same item.

    `pooled` is the mean of all judges of each transcript, shape (n,). None with fewer than three
    models or items.
    """
    values = np.asarray(pooled, dtype=np.float64)
    codes = [np.unique(one, return_inverse=True)[1].ravel() for one in (models, items)]
    if min(int(code.max()) for code in codes) < LEAST_CALIBRATING - 1:
        return None
    cell = codes[0] * (codes[1].max() + 1) + codes[1]
    model, item = (elsewhere(values, code, cell) for code in codes)
    return np.asarray(model + item)


def elsewhere(values: Floats, code: npt.NDArray[np.intp], cell: npt.NDArray[np.intp]) -> Floats:
    """The mean of the others of the same code that are of another cell; of all where none is.

    All have shape (n,); codes count from 0, and each cell has one.
    """
    total, n = (_sums(code, v) - _sums(cell, v) for v in (values, np.ones(len(values))))
    where = n > 0
    return np.asarray(np.where(where, total / np.where(where, n, 1), values.mean()))


def _sums(code: npt.NDArray[np.intp], values: Floats) -> Floats:
    return np.asarray(np.bincount(code, values)[code], dtype=np.float64)
