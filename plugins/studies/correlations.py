"""How columns of a score table go together: the document that `bench correlate` prints.

Each pair of columns stands on the models that have both. What cannot be computed is null, with
the reason beside it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from eibench.statistics import Correlation, leave_one_out, pearson, spearman

from .distribution import describe, min_max
from .scores import ScoreTable

MIN_PAIRS = 3
"""Fewer have no correlation."""


class ScorePair(NamedTuple):
    """A model that has both scores."""

    model: str
    x: float
    y: float
    flags: tuple[str, ...]


class Coefficient(NamedTuple):
    """A coefficient with its interval."""

    value: float | None
    ci95: tuple[float, float] | None


class LeftOut(NamedTuple):
    """Pearson's r without a model."""

    value: float
    without: str


class ColumnCorrelation(NamedTuple):
    """One column against another.

    `leave_one_out` has the lowest and the highest Pearson's r that leaving out one model gives,
    `distribution` the shapes of both columns on scales from 0, their lowest, to 100, their highest.
    """

    x: str
    y: str
    n: int
    pearson: Coefficient
    spearman: Coefficient
    reason: str | None
    leave_one_out: Mapping[str, LeftOut] | None
    distribution: Mapping[str, Mapping[str, float | None] | None]
    pairs: Sequence[ScorePair]


class Correlations(NamedTuple):
    """The document of `bench correlate`."""

    source: str
    demo: bool
    judges: Mapping[str, str | None]
    correlations: Sequence[ColumnCorrelation]
    left_out: Sequence[str]
    warnings: Sequence[str]


def build_correlations(table: ScoreTable, x: str, ys: Sequence[str]) -> Correlations:
    """The document: one column against each of the others, all of them of the table."""
    rows = [_correlation(table, x, y) for y in ys]
    demo = any("DEMO" in pair.flags for row in rows for pair in row.pairs)
    judges = {name: table.judges.get(name) for name in (x, *ys)}
    return Correlations(table.source, demo, judges, rows, table.left_out, table.warnings)


def _correlation(table: ScoreTable, x: str, y: str) -> ColumnCorrelation:
    columns = zip(table.models, table.columns[x], table.columns[y], table.flags, strict=True)
    pairs = [ScorePair(m, a, b, f) for m, a, b, f in columns if a is not None and b is not None]
    xs, ys = [p.x for p in pairs], [p.y for p in pairs]
    return ColumnCorrelation(
        x,
        y,
        len(pairs),
        pearson=_coefficient(pearson(xs, ys)),
        spearman=_coefficient(spearman(xs, ys)),
        reason=_reason({x: xs, y: ys}),
        leave_one_out=_leave_one_out(pairs),
        distribution={"x": _shape(xs), "y": _shape(ys)},
        pairs=pairs,
    )


def _coefficient(correlation: Correlation) -> Coefficient:
    return Coefficient(correlation.value, correlation.interval)


def _reason(columns: Mapping[str, Sequence[float]]) -> str | None:
    """Why there is no coefficient of two columns; None when there is one."""
    for n in map(len, columns.values()):
        if n < MIN_PAIRS:
            have, both = "model has" if n == 1 else "models have", " and ".join(map(repr, columns))
            return f"only {n} {have} both {both}; a correlation needs {MIN_PAIRS}"
    for name, values in columns.items():
        if min(values) == max(values):
            return f"{name!r} is constant: all {len(values)} models have {values[0]:g}"
    return None


def _leave_one_out(pairs: Sequence[ScorePair]) -> Mapping[str, LeftOut] | None:
    without = leave_one_out([p.x for p in pairs], [p.y for p in pairs])
    known = [LeftOut(r, p.model) for r, p in zip(without, pairs, strict=True) if r is not None]
    return {"low": min(known), "high": max(known)} if known else None


def _shape(values: Sequence[float]) -> dict[str, float | None] | None:
    scores = min_max(values)
    if scores is None:
        return None
    shape = describe(scores)._asdict().items()
    return {name if name == "n" else f"min_max_{name}": value for name, value in shape}


def csv_rows(table: ScoreTable, document: Correlations) -> Iterator[Sequence[str | float | None]]:
    """The pairs as rows of a table: the model, the one column, the others, and the flags.

    A model is there if it is in a pair, and only with scores that are in one.
    """
    rows = document.correlations
    x, ys = rows[0].x, [row.y for row in rows]
    scores: dict[str, dict[str, float]] = {}
    for row in rows:
        for pair in row.pairs:
            scores.setdefault(pair.model, {x: pair.x})[row.y] = pair.y
    flags = {m: "; ".join(f) for m, f in zip(table.models, table.flags, strict=True)}
    some = any(flags.values())
    yield ["model", x, *ys, *(["flags"] if some else [])]
    for model in table.models:
        if model in scores:
            cells = [scores[model].get(name) for name in (x, *ys)]
            yield [model, *cells, *([flags[model]] if some else [])]
