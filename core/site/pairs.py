"""How far each two models of a board differ, with intervals: what a pinned row is set against."""

from functools import cache
from itertools import combinations
from math import isfinite

import numpy as np

from ..few_families import why_no_interval
from ..ratings.comparisons import Floats
from ..ratings.result import Interval, Ratings
from ..statistics.student import quantile
from .board_files import put_file
from .gather import SiteBoard, SiteRun
from .shapes import FilePart, SitePairs
from .slugs import slug

SCORED = (
    "mean difference on the samples that both have scored, with a 95 % interval by Student's t on "
    "a standard error that keeps families of items together, from eight families on; bench compare "
    "tests two runs"
)
RATED = (
    "difference of the ratings, with the 95 % interval by which the board tells two models apart, "
    "from ratings that leave out one family of items each; none where a rating has an open end"
)


def pair_file(board: SiteBoard) -> FilePart:
    """The differences of a board's models in their rating, else in the value that is scored."""
    standing = board.board.standing
    made = _rated(board, standing.found) if standing and standing.found else _scored(board)
    return put_file(f"boards/{board.key}-pairs", made)


def _rated(board: SiteBoard, found: Ratings) -> SitePairs:
    # Rows of a board are known by their run, if they have one.
    ids = {row["model"]: row["run_id"] or slug(row["model"]) for row in board.document["rows"]}
    return {
        "key": board.key,
        "metric": "rating",
        "method": RATED,
        "models": [ids[row.model] for row in found.rows],
        "rows": [_gap(found, a, b) for a, b in combinations(range(len(found.rows)), 2)],
    }


def _gap(found: Ratings, a: int, b: int) -> list[float] | None:
    """The first rating less the second; nothing where its interval is not known."""
    if found.pair_half_width is None or any(_is_open(found.rows[n].ci95) for n in (a, b)):
        return None
    gap = found.rows[a].rating - found.rows[b].rating
    width = float(found.pair_half_width[a, b])
    return [round(end, 3) for end in (gap, gap - width, gap + width)] if isfinite(width) else None


def _is_open(ci95: Interval | None) -> bool:
    return ci95 is None or None in ci95


def _scored(board: SiteBoard) -> SitePairs:
    runs = list(board.runs.items())
    clusters = {item.id: item.cluster for item in board.board.pack.items}
    names = list(dict.fromkeys(run.items.value for _, run in runs if run.items.value))
    value = names[0] if names else ""
    return {
        "key": board.key,
        "metric": value,
        "method": SCORED,
        "models": [run.run.run_id for _, run in runs],
        "rows": _differences([run for _, run in runs], value, clusters),
    }


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


@cache
def _quantile(df: int) -> float:
    return quantile(0.975, df)


def _difference(gaps: Floats, of: np.ndarray, families: int) -> list[float] | None:
    known = ~np.isnan(gaps)
    n = int(known.sum())
    if not n:
        return None
    mean = float(gaps[known].mean())
    totals = np.bincount(of[known], gaps[known] - mean, families)
    there = int(np.count_nonzero(np.bincount(of[known], minlength=families)))
    if why_no_interval(there):
        return [round(mean, 6)]
    error = float(np.sqrt(there / (there - 1) * np.square(totals).sum())) / n
    arm = _quantile(there - 1) * error
    return [round(number, 6) for number in (mean, mean - arm, mean + arm)]
