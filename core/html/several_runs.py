"""What the page of several runs shows: side by side, and paired differences to the first."""

from collections.abc import Sequence

from .. import statistics
from ..reports.comparing import RunComparison
from ..reports.pairing import ValueDifference
from ..reports.statements.baselines import main_metric
from ..text import p_value
from ..types.result_document import ResultDocument
from .charts.rows import SHAPES, ChartRow, Mark, RowChart, forest
from .one_run import main_ladder
from .words import ends, figure, plain_name, signed, took

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
