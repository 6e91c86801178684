"""How far each two models of a board differ, with intervals: what a pinned row is set against."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from math import inf, isclose, isfinite
from typing import NamedTuple, TypedDict

import numpy as np

from ..ratings.arrays import Floats
from ..ratings.result import Ratings
from ..reports.graded import Key
from ..reports.pairing import equal_families, metric_terms, reach_of
from ..reports.statements import OnBoard, number_named, pair_sentences, sample_cost, settle
from ..statistics.few_families import why_no_interval
from ..statistics.joint import effective_clusters
from ..statistics.settling import Settling, more_items, settling
from ..statistics.student import quantile
from ..statistics.wild import wild_intervals
from .board_files import put_file
from .gather import SiteBoard, SiteRun
from .shapes import FilePart, SitePairs
from .slugs import slug

SCORED = (
    "mean difference on the samples that both have scored, of this pair alone, with the 95 % "
    "interval of bench compare, from items with eight different texts on"
)
RATED = (
    "difference of the ratings, with the 95 % interval by which the board tells two models apart, "
    "from ratings without the items of one text each; none where a rating has an open end"
)
INTERVALS = 200
"""Of a board: each takes a millisecond or two. Those of models next to each other come first."""
PLANNED = 100
"""Pairs of a board of which it is planned what would settle them, a tenth as fast."""

Gap = Sequence[float]
"""A difference, and both ends of its interval where there is one."""


def pair_file(board: SiteBoard) -> FilePart:
    """The differences of a board's models in their rating, else in the metric that ranks."""
    standing = board.board.standing
    pairs = _rated(board, standing.rated) if standing and standing.rated else _scored(board)
    return put_file(f"boards/{board.key}-pairs", pairs)


def _rated(board: SiteBoard, ratings: Ratings) -> SitePairs:
    # Rows of a board are known by their run, if they have one.
    ids = {row["model"]: row["run_id"] or slug(row["model"]) for row in board.document["rows"]}
    names = [row.model for row in ratings.rows]
    runs = [board.runs.get(name) for name in names]
    rows = [_gap(ratings, a, b) for a, b in combinations(range(len(ratings.rows)), 2)]
    families = np.unique([i.cluster for i in board.board.pack.items], return_counts=True)[1]
    effective = float(effective_clusters(families))

    def plan(gap: Gap, _one: SiteRun, _two: SiteRun) -> Settling:
        error = (gap[2] - gap[0]) / quantile(0.975, max(effective - 1, 1.0))
        return more_items(gap[0], error, len(board.board.pack.items), effective)

    return {
        "metric": "rating",
        "method": RATED,
        **sentences_on(len(names), "rating", higher_is_better=True),
        "models": [ids[name] for name in names],
        "rows": rows,
        "criteria": _criteria(board, runs, INTERVALS),
        "settle": _settle(board, runs, rows, plan),
    }


def _gap(ratings: Ratings, a: int, b: int) -> Gap | None:
    """The first rating less the second; nothing where its interval is not known."""
    one, other = ratings.rows[a], ratings.rows[b]
    width = ratings.half_width_between(one.model, other.model)
    if not width or any(None in (row.ci95 or ()) for row in (one, other)):
        return None
    gap = one.rating - other.rating
    return [round(end, 3) for end in (gap, gap - width, gap + width)]


def _scored(board: SiteBoard) -> SitePairs:
    names = [row["model"] for row in board.document["rows"]]
    runs = [board.runs[name] for name in names if name in board.runs]
    metric, of = board.board.metric, board.document["metric"]
    rows = _differences(board, metric, [_main(run, metric) for run in runs], INTERVALS)
    left = max(0, INTERVALS - len(rows))
    clusters = {item.id: item.cluster for item in board.board.pack.items}

    def plan(_gap: Gap, one: SiteRun, two: SiteRun) -> Settling:
        return settling(_main(one, metric), _main(two, metric), clusters)

    return {
        "metric": metric,
        "method": SCORED,
        **sentences_on(len(runs), of["label"], higher_is_better=of["higher_is_better"]),
        "models": [run.run.run_id for run in runs],
        "rows": rows,
        "criteria": _criteria(board, runs, left),
        "settle": _settle(board, runs, rows, plan),
    }


class Sentences(TypedDict):
    """What a page says of any two models of a board, and in what they differ."""

    number: str
    sentences: Mapping[str, str]


def sentences_on(models: int, label: str, *, higher_is_better: bool | None) -> Sentences:
    """`pair_sentences` of a board of so many models, and what all pairs at once say."""
    apart, tied = (OnBoard(models, label, told_apart).text for told_apart in (True, False))
    sentences = {**pair_sentences(higher_is_better), "apart": apart, "tied": tied}
    return {"number": number_named(label, higher_is_better), "sentences": sentences}


def _settle(
    board: SiteBoard,
    runs: Sequence[SiteRun | None],
    rows: Sequence[Gap | None],
    plan: Callable[[Gap, SiteRun, SiteRun], Settling],
) -> dict[str, str]:
    """What would tell the pairs with an interval apart that are not, in the words of bench compare.

    Of a pair without one, and of more than so many, nothing.
    """
    pack = [item.id for item in board.board.pack.items]
    asked = [{row.item_id for row in run.items.items} if run else set() for run in runs]
    words = dict[str, str]()
    pairs = list(combinations(range(len(runs)), 2))
    for n in _near(pairs, PLANNED):
        a, b = pairs[n]
        one, two, gap = runs[a], runs[b], rows[n]
        if not (one and two and gap and len(gap) > 1 and gap[1] <= 0 <= gap[2]):
            continue
        costs = [sample_cost(run.document) for run in (one, two)]
        unasked = len([item for item in pack if item not in asked[a] | asked[b]])
        words[str(n)] = settle(plan(gap, one, two), costs, unasked).text
    return words


def _main(run: SiteRun, metric: str) -> Mapping[Key, float]:
    """What samples add to the metric that ranks; nothing where it is no mean of such."""
    values, metric_row = list(run.main.values()), run.document["metrics"].get(metric)
    stated = metric_row["value"] if metric_row else None
    is_mean = stated is not None and values and isclose(stated, sum(values) / len(values))
    return run.main if is_mean else {}


def _criteria(
    board: SiteBoard, runs: Sequence[SiteRun | None], most: int
) -> dict[str, dict[str, Gap]]:
    """Of each criterion the differences of the pairs that so many intervals are enough for."""
    groups = dict[str, None]()
    for document in board.board.documents.values():
        groups |= dict.fromkeys(document["metric_groups"])
    benchmark, pack = board.board.benchmark, board.board.pack
    tables = {
        name: [metric_terms(benchmark, pack, name, _values(run, name)) for run in runs]
        for name in groups
    }
    tables = {name: table for name, table in tables.items() if any(table)}
    gaps = dict[str, dict[str, Gap]]()
    for name, table in tables.items():
        rows = _differences(board, name, table, most // len(tables), without=False)
        gaps[name] = {str(n): row for n, row in enumerate(rows) if row}
    return gaps


def _values(run: SiteRun | None, name: str) -> Mapping[Key, float]:
    samples = ((row.item_id, s) for row in run.items.items for s in row.samples) if run else ()
    return {(item, s.iteration): v for item, s in samples if (v := s.values.get(name)) is not None}


class _Pairs(NamedTuple):
    """Sums and counts of pairs' differences by family, shape (n_pairs, n_families)."""

    sums: Floats
    sizes: Floats


def _differences(
    board: SiteBoard,
    metric: str,
    values: Sequence[Mapping[Key, float]],
    most: int,
    *,
    without: bool = True,
) -> list[Gap | None]:
    """The upper triangle: difference and both ends, or nothing.

    Values are by sample, of each model in the order of the board; only `most` pairs have an
    interval, those of models next to each other first. The others are there if `without` one is
    wanted.
    """
    pairs = list(combinations(range(len(values)), 2))
    near = _near(pairs, most)
    chosen = range(len(pairs)) if without else sorted(near)
    sums = _by_family(board, values, [pairs[n] for n in chosen])
    gaps: list[Gap | None] = [None] * len(pairs)
    for n, total, size in zip(chosen, sums.sums.sum(axis=1), sums.sizes.sum(axis=1), strict=True):
        gaps[n] = [round(float(total / size), 6)] if size else None
    row_of = {n: row for row, n in enumerate(chosen)}
    items, benchmark = {item for of in values for item, _ in of}, board.board.benchmark
    equal = equal_families(benchmark, board.board.pack, metric, sorted(items))
    limits = reach_of(benchmark, metric), equal or inf
    for rows, ends in _intervals(sums, [row_of[n] for n in near], limits):
        for row, low, high in zip(rows, *ends, strict=True):
            if isfinite(high - low):
                n = chosen[row]
                gaps[n] = [*(gaps[n] or ()), round(float(low), 6), round(float(high), 6)]
    return gaps


def _near(pairs: Sequence[tuple[int, int]], most: int) -> list[int]:
    """Places of so many pairs, those of models next to each other first."""
    return sorted(range(len(pairs)), key=lambda n: pairs[n][1] - pairs[n][0])[: max(0, most)]


def _by_family(
    board: SiteBoard, values: Sequence[Mapping[Key, float]], pairs: Sequence[tuple[int, int]]
) -> _Pairs:
    clusters = {item.id: item.cluster for item in board.board.pack.items}
    keys = sorted({key for of in values for key in of if key[0] in clusters})
    families = sorted({clusters[item] for item, _ in keys})
    column = {family: n for n, family in enumerate(families)}
    at = np.array([column[clusters[item]] for item, _ in keys], dtype=np.int64)
    table = np.array([[of.get(key, np.nan) for key in keys] for of in values], dtype=np.float64)
    sums, sizes = np.zeros((2, len(pairs), len(families)))
    for n, (a, b) in enumerate(pairs if keys else ()):
        gaps = table[a] - table[b]
        known = ~np.isnan(gaps)
        sums[n] = np.bincount(at[known], gaps[known], len(families))
        sizes[n] = np.bincount(at[known], minlength=len(families))
    return _Pairs(sums, sizes)


def _intervals(
    sums: _Pairs, rows: Sequence[int], limits: tuple[float, float]
) -> Iterator[tuple[list[int], Floats]]:
    """The intervals of some pairs, those with the same families together."""
    patterns = dict[bytes, list[int]]()
    for row in rows:
        patterns.setdefault((sums.sizes[row] > 0).tobytes(), []).append(row)
    for alike in patterns.values():
        known = np.flatnonzero(sums.sizes[alike[0]] > 0)
        if why_no_interval(known.size):
            continue
        cells = np.ix_(np.array(alike), known)
        # The draws of `statistics.paired_difference`, which bench compare shows.
        rng = np.random.default_rng(0)
        parts = sums.sums[cells].T, sums.sizes[cells].T
        yield alike, wild_intervals(*parts, rng=rng, reach=limits[0], equal=limits[1])
