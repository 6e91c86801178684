"""Charts of results: where one stands, its abilities, several side by side and less the first."""

from collections.abc import Iterator, Sequence
from typing import TypeGuard

from .. import statistics
from ..hooks.sections import Part, Table
from ..reports.comparing import RunComparison
from ..reports.pairing import ValueDifference
from ..reports.ratings import ranks
from ..reports.statements import better_end, joint_rank
from ..reports.statements.baselines import main_metric
from ..text import p_value
from ..types.result_document import ResultDocument
from .charts.rows import SHAPES, ChartRow, Mark, RowChart, forest, ladder
from .gather import SiteRun
from .words import ends, figure, label_of, plain_name, signed, took


def profiles(documents: Sequence[ResultDocument]) -> list[RowChart]:
    """A chart for each group of metrics, with a mark for each result."""
    groups = dict[str, dict[str, None]]()
    for document in documents:
        for name, group in document["metric_groups"].items():
            groups.setdefault(group, {})[name] = None
    charts = (_profile(documents, group, list(names)) for group, names in groups.items())
    return [chart for chart in charts if chart.rows]


def _profile(documents: Sequence[ResultDocument], group: str, names: Sequence[str]) -> RowChart:
    rows = [row for name in names for row in _row(documents, name)]
    if len(documents) == 1:
        rows.sort(key=lambda row: -(row.marks[0].value or 0.0))
        return ladder(group, rows, ("", "", "value", "95 % interval"))
    return ladder(group, rows, ("", "", *(d["name"] for d in documents)))


def _row(documents: Sequence[ResultDocument], name: str) -> Iterator[ChartRow]:
    found = [document["metrics"].get(name) for document in documents]
    marks = [
        Mark(metric["value"], metric["ci95"], SHAPES[n % len(SHAPES)], n)
        for n, metric in enumerate(found)
        if metric and metric["value"] is not None
    ]
    if not marks:
        return
    labels = (d["metric_labels"].get(name, [""])[0] for d in documents)
    label = next(filter(None, labels), plain_name(name))
    cells = [figure(metric["value"] if metric else None) for metric in found]
    if len(documents) == 1:
        cells.append(ends(marks[0].ci95))
    yield ChartRow(label, marks, cells)


COLUMNS = ("", "", "difference", "95 % interval", "p", "p, Holm")


def side_by_side(documents: Sequence[ResultDocument]) -> RowChart:
    """The main number of each run, the best first."""
    rows = [row for n, document in enumerate(documents) for row in _number(document, n)]
    columns = ("", "", "value", "95 % interval", "cost and time")
    return main_ladder(documents[0], rows, "95 % intervals", columns)


def _number(document: ResultDocument, n: int) -> list[ChartRow]:
    found = main_metric(document)
    if found is None or found[1]["value"] is None:
        return []
    metric = found[1]
    name = document["name"] + " DEMO" * document["demo"]
    cells = (figure(metric["value"]), ends(metric["ci95"]), took(document))
    return [ChartRow(name, [Mark(metric["value"], metric["ci95"], SHAPES[n % 4], n)], cells)]


def paired(comparisons: Sequence[RunComparison]) -> RowChart | None:
    """The paired difference in the main metric, of each other run to the first.

    ``None`` where that is no mean over samples.
    """
    made = [c.main for c in comparisons if c.main]
    if not made or len(made) < len(comparisons):
        return None
    found = [main.row for main in made]
    adjusted = statistics.differences.holm([difference.p for difference in found])
    rows = [
        _difference(c.b.name, d, n, p)
        for n, (c, d, p) in enumerate(zip(comparisons, found, adjusted, strict=True), 1)
    ]
    first = comparisons[0].a.name
    caption = (
        f"{made[0].label}: each run less {first}, on the samples that both have scored. "
        "Holm's adjustment is over the runs of this chart"
    )
    return forest(caption, rows, COLUMNS)


def deltas(comparison: RunComparison, series: int) -> RowChart:
    """The difference in every value of samples but that of the main metric."""
    main = comparison.main.row if comparison.main else None
    values = comparison.differences.items()
    found = {n: d for n, d in values if d._replace(p_holm=None) != main}
    rows = [_difference(plain_name(n), d, series, d.p_holm) for n, d in found.items()]
    caption = (
        f"{comparison.b.name} less {comparison.a.name}. "
        f"Holm's adjustment is over all {len(comparison.differences)} values"
    )
    if reasons := dict.fromkeys(filter(None, (d.reason for d in found.values()))):
        caption += f". Where there is no interval: {'; '.join(reasons)}"
    return forest(caption, rows, COLUMNS)


def _difference(name: str, found: ValueDifference, series: int, adjusted: float | None) -> ChartRow:
    """A row of a forest; documents have A less B, a chart what was changed less the first."""
    value = None if found.difference is None else -found.difference
    ci95 = None if found.ci95 is None else sorted(-end for end in found.ci95)
    shape = SHAPES[series % 4]
    p = p_value(found.p), p_value(adjusted)
    cells = (signed(value), ends(ci95), *p)
    surely = ci95 is not None and (ci95[0] > 0 or ci95[1] < 0)
    marks = [Mark(value, ci95, shape, series)] if value is not None else []
    return ChartRow(name, marks, cells, "sure" if surely else "other")


def standing(given: SiteRun) -> list[RowChart]:
    """Where the main number stands: among baselines, and among published scores."""
    document = given.document
    made = [_among_baselines(document), *_among_published(given.sections, document)]
    return [chart for chart in made if chart and chart.rows]


def _among_baselines(document: ResultDocument) -> RowChart | None:
    found = main_metric(document)
    if found is None or found[1]["value"] is None:
        return None
    metric = found[1]
    own = ChartRow(document["name"], [Mark(metric["value"], metric["ci95"])],
                   (figure(metric["value"]), ends(metric["ci95"])), "own")  # fmt: skip
    rows = [own]
    for baseline in document["baselines"].values():
        marks = [Mark(baseline["value"], None, "diamond", 1)]
        rows.append(ChartRow(baseline["label"], marks, (figure(baseline["value"]), "baseline")))
    return main_ladder(document, rows, "its 95 % interval", ("", "", "value", "95 % interval"))


def main_ladder(
    document: ResultDocument, rows: list[ChartRow], interval: str, columns: Sequence[str]
) -> RowChart:
    """Numbers of a result's main metric, the best first; where less is better, it says so."""
    name, metric = main_metric(document) or ("score", None)
    end = better_end(metric["higher_is_better"]) if metric else ""
    rows.sort(key=lambda row: (row.marks[0].value or 0.0) * (1 if end else -1))
    title = label_of(document, name) + (f" ({end})" if end else "")
    return ladder(f"{title}, with {interval}", rows, columns)


def _among_published(sections: Sequence[Part], document: ResultDocument) -> Iterator[RowChart]:
    """A plugin's table in which the result's own row is marked, as a chart."""
    found = main_metric(document)
    for table in sections:
        if not is_charted(table) or found is None:
            continue
        rows = list[ChartRow]()
        for n, row in enumerate(table.rows):
            value = row[-1]
            if not isinstance(value, int | float):
                break
            own = n == table.marked
            mark = Mark(value, found[1]["ci95"]) if own else Mark(value, None, "ring", 2)
            cells = (figure(value), ends(mark.ci95) if own else "published")
            rows.append(
                ChartRow(str(row[1]), [mark], cells, "own" if own else "beside", str(row[0]))
            )
        else:
            yield ladder(table.title, rows, ("", "", "value", "95 % interval"))


def among_rated(document: ResultDocument) -> RowChart | None:
    """Where the rating stands among those that the result itself holds."""
    if not document["ratings"]:
        return None
    rows = [
        ChartRow(
            row["model"] + (" DEMO" if row.get("demo") else ""),
            [Mark(row["rating"], row["ci95"], series=0 if own else 5)],
            (figure(row["rating"], 0), ends(row["ci95"], 0)),
            "own" if own else "other",
            ranks(joint_rank(row)),
        )
        for row in document["ratings"]
        for own in [row["model"] == document["name"]]
    ]
    engine = document["notes"].get("rating", {}).get("engine", "")
    caption = (
        f"Rating by comparison ({engine}), with 95 % intervals; ranks are of all models at once"
    )
    return ladder(caption, rows, ("", "", "rating", "95 % interval"))


def is_charted(part: Part) -> TypeGuard[Table]:
    """Whether a part of a plugin is drawn as a chart."""
    return isinstance(part, Table) and part.marked is not None
