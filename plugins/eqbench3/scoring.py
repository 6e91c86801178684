"""From verdicts to the rubric score, every criterion, and the ability profile.

All are means over verdicts, with one bootstrap for all of them in which families
of scenarios are drawn whole: scenarios that share a text stand or fall together.

`kinds_table` is the section of a result that shows how the kinds of scenario did.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from eibench import Item, JsonDict, Metric, ResultDocument, SampleScore, Summary, Table

from .protocol import RUBRIC, RUBRIC_SCORE, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from eibench.statistics import Interval

UNREAD = "unread"
"""Flag of a sample whose judge could not be read."""
SEED = 0
"""Of the bootstrap: the same data gives the same interval."""
_OVER = "families of scenarios"


class _Column(NamedTuple):
    """One metric: its name, the most it can be, and of each sample sum and number of its values."""

    name: str
    metric: Metric
    most: float
    sums: list[float]
    counts: list[int]


def summarise(
    protocol: Protocol,
    items: Sequence[Item],
    scores: Sequence[SampleScore],
    *,
    graded: bool = True,
) -> Summary:
    """The metrics of a run, and how its kinds of scenario did.

    Where no verdicts were wanted the rubric score, which has no value then, is the only metric.
    """
    kinds = {item.id: item.content.kind for item in items}
    ordered = sorted(scores, key=lambda s: (s.item_id, s.iteration))
    scored = [s for s in ordered if s.score.values.get(RUBRIC) is not None]
    columns = _columns(protocol, scored) if graded else [_main(scored)]
    metrics = _with_intervals(columns, [s.cluster for s in scored])
    notes = {
        "scale": protocol.scale,
        "families": len({s.cluster for s in scored}),
        "kinds": _by_kind(items, ordered, {i: kind.name for i, kind in kinds.items()}),
        "judge": _judge(ordered),
    }
    return Summary(metrics, notes=notes)


def _columns(protocol: Protocol, scored: Sequence[SampleScore]) -> list[_Column]:
    quality = {name for kind in protocol.kinds.values() for name in kind.scored}
    criteria = dict.fromkeys(c for kind in protocol.kinds.values() for c in kind.rubric.criteria)
    scale = f"0-{protocol.scale}"
    columns = [_main(scored)]
    for name in sorted(criteria, key=lambda c: c not in quality):
        better = True if name in quality else None
        kind = "quality criteria" if better else "style criteria, neither end better"
        metric = Metric(None, None, 0, better, group=f"{kind} ({scale})")
        columns.append(_column(name, metric, protocol.scale, [name], scored))
    for trait, names in protocol.profile.items():
        metric = Metric(None, None, 0, None, label=trait, group=f"ability profile ({scale})")
        columns.append(_column(f"profile_{trait}", metric, protocol.scale, names, scored))
    return columns


def _main(scored: Sequence[SampleScore]) -> _Column:
    return _column(RUBRIC_SCORE, Metric(None, label="rubric score (0-100)"), 100, [RUBRIC], scored)


def _column(
    name: str, metric: Metric, most: float, values: Sequence[str], scored: Sequence[SampleScore]
) -> _Column:
    known = [[v for n in values if (v := s.score.values.get(n)) is not None] for s in scored]
    return _Column(name, metric, most, [float(sum(v)) for v in known], [len(v) for v in known])


def _with_intervals(columns: Sequence[_Column], clusters: Sequence[str]) -> dict[str, Metric]:
    """The metrics of columns; one of which no sample has a value is there without one."""
    families = [
        len({c for c, n in zip(clusters, column.counts, strict=True) if n}) for column in columns
    ]
    intervals = _intervals(columns, clusters, families) if clusters else [None] * len(columns)
    return {
        column.name: _metric(column, interval, n)
        for column, interval, n in zip(columns, intervals, families, strict=True)
    }


def _intervals(
    columns: Sequence[_Column], clusters: Sequence[str], families: Sequence[int]
) -> Sequence["Interval | None"]:
    import numpy as np

    from eibench.statistics import cluster_bootstrap, cluster_index, cluster_sums

    n = len(columns)
    matrix = np.array([c.sums for c in columns] + [c.counts for c in columns], dtype=float).T

    def means(totals: "npt.NDArray[np.float64]") -> "npt.NDArray[np.float64]":
        with np.errstate(invalid="ignore"):
            return totals[:, :n] / totals[:, n:]

    sums = cluster_sums(matrix, cluster_index(clusters))
    rng = np.random.default_rng(SEED)
    ends = [(0.0, column.most) for column in columns]
    return cluster_bootstrap(sums, means, rng=rng, stands_on=families, ends=ends)


def _metric(column: _Column, interval: "Interval | None", families: int) -> Metric:
    n = sum(column.counts)
    return replace(
        column.metric,
        value=sum(column.sums) / n if n else None,
        ci95=interval,
        n=sum(1 for count in column.counts if count),
        over=_OVER,
        families=families,
    )


def _by_kind(
    items: Sequence[Item], ordered: Sequence[SampleScore], kinds: Mapping[str, str]
) -> dict[str, JsonDict]:
    """For each kind of scenario: how many there are, and how its samples did."""
    counts = Counter(kinds[item.id] for item in items)
    rows: dict[str, JsonDict] = {}
    for name, n_items in counts.items():
        samples = [s.score for s in ordered if kinds[s.item_id] == name]
        values = [v for s in samples if (v := s.values.get(RUBRIC)) is not None]
        rows[name] = {
            "items": n_items,
            "scored": sum(s.reason is None for s in samples),
            "unscored": sum(s.reason is not None for s in samples),
            "rubric_score": sum(values) / len(values) if values else None,
        }
    return rows


def _judge(ordered: Sequence[SampleScore]) -> dict[str, int]:
    """What had to be done to read the judge."""
    flags = Counter(flag for s in ordered for flag in set(s.score.flags))
    return {
        "re_asked": flags["re-asked"] + flags["re-asked twice"],
        "repaired": flags["repaired"],
        "unread": flags[UNREAD],
    }


COLUMNS = ("kind of scenario", "scenarios", "samples", "scored", "unscored")
_Row = tuple[str, int, int, int, int, int, float | None]


def kinds_table(document: ResultDocument) -> Table | None:
    """A row per kind of scenario; nothing for a run that asked for no verdicts."""
    notes = document["notes"]
    if not notes.get("kinds") or not document["judge"]:
        return None
    iterations = document["iterations"]
    rows = [_row(name, row, iterations) for name, row in notes["kinds"].items()]
    judge = notes["judge"]
    note = (
        f"judge: {judge['re_asked']} asked again, {judge['repaired']} repaired, "
        f"{judge['unread']} unread"
    )
    columns = (*COLUMNS, _rest(document, rows), "rubric score")
    return Table("Kinds of scenario", columns, rows, note=note)


class _KindNotes(TypedDict):
    """What a result notes of a kind of scenario."""

    items: int
    scored: int
    unscored: int
    rubric_score: float | None


def _rest(document: ResultDocument, rows: Sequence[_Row]) -> str:
    """What became of samples that are neither scored nor unscored."""
    beyond = sum(row[2] for row in rows) - document["items"]["total"]
    if beyond <= 0:
        return "failed or not done yet"
    out = "not asked for" if document.get("imported") is None else "not imported"
    return out if beyond == sum(row[5] for row in rows) else f"failed, not done yet or {out}"


def _row(name: str, row: _KindNotes, iterations: int) -> _Row:
    """A kind's row: its samples are those scored, those unscored, and the rest."""
    scenarios, scored, unscored = row["items"], row["scored"], row["unscored"]
    samples = scenarios * iterations
    rest = samples - scored - unscored
    return name, scenarios, samples, scored, unscored, rest, row["rubric_score"]
