"""Charts of results: where one stands, its abilities, several side by side and less the first."""

from collections.abc import Iterable, Sequence
from typing import TypeGuard

from .. import statistics
from ..hooks.sections import Part, Table
from ..reports.comparing import RunComparison
from ..reports.pairing import ValueDifference
from ..reports.ratings import ranks
from ..reports.statements import better_end, joint_rank
from ..reports.statements.baselines import main_metric
from ..text import p_value
from ..types.result_document import MetricRow, ResultDocument
from .charts.rows import MEASURED, SHAPES, ChartRow, Mark, RowChart, ladder, measured
from .charts.svg import ends, figure, signed
from .gather import SiteRun
from .words import label_of, plain_name, took


def profiles(documents: Sequence[ResultDocument]) -> list[RowChart]:
    """A chart for each group of metrics, with a mark for each result."""
    groups = dict[str, dict[str, None]]()
    for document in documents:
        for name, group in document["metric_groups"].items():
            groups.setdefault(group, {})[name] = None
    headings = MEASURED if len(documents) == 1 else [document["name"] for document in documents]
    charts = (
        ladder(group, list(_profile(documents, names)), headings) for group, names in groups.items()
    )
    return [chart for chart in charts if chart.rows]


def _profile(documents: Sequence[ResultDocument], names: Iterable[str]) -> Sequence[ChartRow]:
    rows = list[ChartRow]()
    for name in names:
        metrics = [document["metrics"].get(name) for document in documents]
        values = [metric["value"] if metric else None for metric in metrics]
        labels = (document["metric_labels"].get(name, [""])[0] for document in documents)
        label = next(filter(None, labels), plain_name(name))
        marks = [
            Mark(metric["value"], metric["ci95"], SHAPES[n % len(SHAPES)], n)
            for n, metric in enumerate(metrics)
            if metric and metric["value"] is not None
        ]
        if marks:
            interval = [ends(marks[0].ci95)] * (len(documents) == 1)
            rows.append(ChartRow(label, marks, [*map(figure, values), *interval]))
    if len(documents) == 1:
        rows.sort(key=lambda row: -(row.marks[0].value or 0.0))
    return rows


def _known(document: ResultDocument) -> MetricRow | None:
    """The main metric, where it has a value."""
    main = main_metric(document)
    return main[1] if main and main[1]["value"] is not None else None


def _main_ladder(
    document: ResultDocument, rows: list[ChartRow], interval: str, *more: str
) -> RowChart:
    """Numbers of a result's main metric, the best first; where less is better, it says so."""
    name, metric = main_metric(document) or ("score", None)
    end = better_end(metric["higher_is_better"]) if metric else ""
    rows.sort(key=lambda row: (row.marks[0].value or 0.0) * (1 if end else -1))
    title = label_of(document, name) + (f" ({end})" if end else "")
    return ladder(f"{title}, with {interval}", rows, (*MEASURED, *more))


def side_by_side(documents: Sequence[ResultDocument]) -> RowChart:
    """The main number of each run, the best first."""
    rows = [
        measured(document["name"], metric["value"], metric["ci95"],
                 took(document), shape=SHAPES[n % len(SHAPES)], series=n)
        for n, document in enumerate(documents)
        if (metric := _known(document))
    ]  # fmt: skip
    return _main_ladder(documents[0], rows, "95 % intervals", "cost and time")


def standing(run: SiteRun) -> list[RowChart]:
    """Where the main number stands among baselines, if there are any."""
    document, metric = run.document, _known(run.document)
    if metric is None or not document["baselines"]:
        return []
    rows = [measured(document["name"], metric["value"], metric["ci95"], kind="own")]
    rows += baseline_rows(document)
    return [_main_ladder(document, rows, "its 95 % interval")]


def baseline_rows(document: ResultDocument) -> list[ChartRow]:
    """What trivial respondents, or people, would get."""
    return [measured(one["label"], one["value"], one.get("ci95"), words="baseline",
                     shape="diamond", series=1)
            for one in document["baselines"].values()]  # fmt: skip


def among_published(run: SiteRun) -> list[RowChart]:
    """Where the main number stands among published scores, by each plugin that says so."""
    main = main_metric(run.document)
    tables = filter(is_charted, run.sections) if main else ()
    return [chart for table in tables if main and (chart := _among_published(table, main[1]))]


def _among_published(table: Table, metric: MetricRow) -> RowChart | None:
    """A plugin's table in which the result's own row is marked; none where that has no numbers."""
    rows = list[ChartRow]()
    for n, (rank, name, *_, value) in enumerate(table.rows):
        if not isinstance(value, int | float):
            return None
        if n == table.marked:
            row = measured(str(name), value, metric["ci95"], kind="own", rank=str(rank))
        else:
            row = measured(str(name), value, words="published", shape="ring", series=2,
                           kind="beside", rank=str(rank))  # fmt: skip
        rows.append(row)
    return ladder(table.title, rows) if rows else None


def is_charted(part: Part) -> TypeGuard[Table]:
    """Whether a part of a plugin is drawn as a chart."""
    return isinstance(part, Table) and part.marked is not None


def among_rated(document: ResultDocument) -> RowChart | None:
    """Where the rating stands among those that the result itself holds."""
    if not document["ratings"]:
        return None
    rows = list[ChartRow]()
    for row in document["ratings"]:
        is_own, name = row["model"] == document["name"], row["model"]
        shown = measured(name, row["rating"], row["ci95"], digits=0, series=0 if is_own else 5)
        rows.append(shown._replace(kind="own" if is_own else "other", rank=ranks(joint_rank(row))))
    engine = document["notes"].get("rating", {}).get("engine", "")
    caption = (
        f"Rating by comparison ({engine}), with 95 % intervals; ranks are of all models at once"
    )
    return ladder(caption, rows, ("rating", "95 % interval"))


_DIFFERENCES = ("difference", "95 % interval", "p", "p, Holm")


def paired(comparisons: Sequence[RunComparison]) -> RowChart | None:
    """The paired difference in the main metric, of each other run to the first.

    ``None`` where that is no mean over samples.
    """
    mains = [comparison.main for comparison in comparisons if comparison.main]
    if not mains or len(mains) < len(comparisons):
        return None
    adjusted = statistics.differences.holm([main.row.p for main in mains])
    rows = [
        _difference(comparison.b.name, main.row, n, p)
        for n, (comparison, main, p) in enumerate(zip(comparisons, mains, adjusted, strict=True), 1)
    ]
    caption = (
        f"{mains[0].label}: each run less {comparisons[0].a.name}, on the samples that both have "
        "scored. Holm's adjustment is over the runs of this chart"
    )
    return ladder(caption, rows, _DIFFERENCES, reference=0.0)


def deltas(comparison: RunComparison, series: int) -> RowChart:
    """The difference in every value of samples but that of the main metric."""
    main = comparison.main.row if comparison.main else None
    values = comparison.differences.items()
    others = {name: d for name, d in values if d._replace(p_holm=None) != main}
    rows = [_difference(plain_name(name), d, series, d.p_holm) for name, d in others.items()]
    caption = (
        f"{comparison.b.name} less {comparison.a.name}. "
        f"Holm's adjustment is over all {len(comparison.differences)} values"
    )
    if reasons := dict.fromkeys(filter(None, (d.reason for d in others.values()))):
        caption += f". Where there is no interval: {'; '.join(reasons)}"
    return ladder(caption, rows, _DIFFERENCES, reference=0.0)


def _difference(name: str, row: ValueDifference, series: int, adjusted: float | None) -> ChartRow:
    """A row of differences; documents have A less B, a chart what was changed less the first."""
    value = None if row.difference is None else -row.difference
    ci95 = None if row.ci95 is None else sorted(-end for end in row.ci95)
    cells = (signed(value), ends(ci95), p_value(row.p), p_value(adjusted))
    is_sure = ci95 is not None and (ci95[0] > 0 or ci95[1] < 0)
    marks = [Mark(value, ci95, SHAPES[series % len(SHAPES)], series)] if value is not None else []
    return ChartRow(name, marks, cells, "sure" if is_sure else "other")
