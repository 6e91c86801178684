"""The smallest difference that a planned run can show, by how two models of the journal differ."""

from collections.abc import Mapping
from math import sqrt
from typing import TYPE_CHECKING

from ..benchmark import Pack
from ..errors import BenchError
from .run_set import RunSet

if TYPE_CHECKING:
    from .stored_run import StoredRun

POWER = 0.8
"""How often it is shown."""


def scaled_values(run: "StoredRun") -> dict[tuple[str, int], float]:
    """What each sample adds to the main metric, on the scale of the metric."""
    rows = {(r.item_id, r.iteration): r.value for r in run.samples() if r.value is not None}
    document = run.document
    metric = next(iter(document["metrics"].values()), None) if document else None
    mean = sum(rows.values()) / len(rows) if rows else 0.0
    if not mean or metric is None or metric["value"] is None:
        return rows
    times = metric["value"] / mean  # such as 10 where questions count to 10 and the metric to 100
    return {key: times * value for key, value in rows.items()}


def smallest_difference(
    runs: RunSet, benchmark: str, pack: Pack, judge: str | None, n_items: int
) -> float | None:
    """The true difference that is told apart in 80 % of runs, at 5 %, two-sided.

    By the standard error of the difference of the two newest models of the journal, which shrinks
    with the root of the number of items; reruns as theirs. ``None`` where the journal has no two
    whole runs on the pack by that judge, or nothing can be planned with them.

    Args:
        runs: Of the journal.
        benchmark: Whose runs count.
        pack: On which.
        judge: The label of the judge; ``None`` where none is asked.
        n_items: Of the planned run.
    """
    newest: dict[str, StoredRun] = {}
    for run in reversed(list(runs.where(benchmark=benchmark))):
        document = run.document
        if document is None or document["status"] != "complete":
            continue
        if document["dataset"]["sha256"] == pack.source.sha256 and document["judge"] == judge:
            newest.setdefault(document["name"], run)
        if len(newest) == 2:
            one, other = newest.values()
            return _between(one, other, {i.id: i.cluster for i in pack.items}, n_items)
    return None


def _between(
    one: "StoredRun", other: "StoredRun", families: Mapping[str, str], n_items: int
) -> float | None:
    import numpy as np

    from ..statistics.settling import settling
    from ..statistics.student import student_quantile

    try:
        known = settling(scaled_values(one), scaled_values(other), families, difference=1.0)
    except (BenchError, KeyError):  # the pack's items are others by now
        return None
    if not known.error or not known.items:
        return None
    times = n_items / known.items
    degrees = np.array([max(known.families * times - 1, 1.0)])
    quantiles = (float(student_quantile(p, degrees)[0]) for p in (0.975, POWER))
    return sum(quantiles) * known.error / sqrt(times)
