"""Ability profiles: the metrics of each group of a result, or of several, on one axis."""

from collections.abc import Iterator, Sequence

from ..types.result_document import ResultDocument
from .charts.rows import SHAPES, ChartRow, Mark, RowChart, ladder
from .words import ends, figure, plain_name


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
