"""How far each two models of a board differ, with intervals: what a pinned row is set against."""

from itertools import combinations

import numpy as np

from ..ratings.comparisons import Floats
from ..statistics.student import quantile
from .board_files import put_file
from .gather import SiteBoard, SiteRun
from .shapes import FilePart, SitePairs

METHOD = (
    "mean difference on the samples that both have scored, with a 95 % interval by Student's t on "
    "a standard error that keeps families of items together; bench compare tests two runs"
)


def pair_file(board: SiteBoard) -> FilePart:
    """The differences of a board's models in the value that their main number is made of."""
    runs = list(board.runs.items())
    clusters = {item.id: item.cluster for item in board.board.pack.items}
    names = list(dict.fromkeys(run.items.value for _, run in runs if run.items.value))
    value = names[0] if names else ""
    made: SitePairs = {
        "key": board.key,
        "metric": value,
        "method": METHOD,
        "models": [run.run.run_id for _, run in runs],
        "rows": _differences([run for _, run in runs], value, clusters),
    }
    return put_file(f"boards/{board.key}-pairs", made)


def _differences(
    runs: list[SiteRun], value: str, clusters: dict[str, str]
) -> list[list[float] | None]:
    """The upper triangle: difference and both ends, or nothing."""
    samples = _samples(runs, value)
    families = sorted({clusters.get(item, item) for item, _ in samples})
    place = {family: n for n, family in enumerate(families)}
    of = np.array([place[clusters.get(item, item)] for item, _ in samples], dtype=np.int64)
    table = np.array([list(row) for row in samples.values()], dtype=np.float64).T
    if not samples:
        return [None for _ in combinations(runs, 2)]
    return [
        _difference(table[a] - table[b], of, len(families))
        for a, b in combinations(range(len(runs)), 2)
    ]


def _samples(runs: list[SiteRun], value: str) -> dict[tuple[str, int], list[float]]:
    """By sample the value of each run; NaN where it has none."""
    found: dict[tuple[str, int], list[float]] = {}
    for n, run in enumerate(runs):
        for row in run.items.items:
            for sample in row.samples:
                number = sample.values.get(value)
                if number is not None:
                    key = (row.item_id, sample.iteration)
                    found.setdefault(key, [float("nan")] * len(runs))[n] = number
    return found


def _difference(gaps: Floats, of: np.ndarray, families: int) -> list[float] | None:
    known = ~np.isnan(gaps)
    n = int(known.sum())
    if not n:
        return None
    mean = float(gaps[known].mean())
    totals = np.bincount(of[known], gaps[known] - mean, families)
    there = int(np.count_nonzero(np.bincount(of[known], minlength=families)))
    if there < 2:
        return [round(mean, 6)]
    error = float(np.sqrt(there / (there - 1) * np.square(totals).sum())) / n
    arm = quantile(0.975, there - 1) * error
    return [round(number, 6) for number in (mean, mean - arm, mean + arm)]
