"""Numbers side by side: two runs and their paired differences; before and after scoring again."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from ..hooks.sections import Table
from ..text import interval, line, number, p_value, plural
from .fitted import Column, Grid
from .tables import table, titled, warning

if TYPE_CHECKING:
    from ..reports.comparing import MetricNumbers, RunComparison
    from ..reports.estimates import EstimateRow
    from ..reports.pairing import ValueDifference
    from ..run.rescore_all import CheckedRun, Number


def regraded(checked: Sequence["CheckedRun"], *, dry: bool) -> RenderableType:
    """Everything `bench rescore --all` prints."""
    changed = [one for one in checked if one.changes]
    parts: list[RenderableType] = [_table(changed)] if changed else []
    parts += [
        Text(line(f"left as it is: {one.run.run_id} ({one.run.name}): {one.reason}"))
        for one in checked
        if one.reason
    ]
    done = "would change" if dry else "changed"
    message = f"{plural(len(checked), 'result')} looked at, {len(changed)} {done}"
    more = "; bench rescore --all changes them" if dry and changed else ""
    return Group(*parts, Text(message + more))


def _table(changed: Sequence["CheckedRun"]) -> Grid:
    columns = [Column(heading) for heading in ("run", "benchmark", "model", "metric")]
    grid = Grid([*columns, *(Column(heading, right=True) for heading in ("old", "new"))])
    for one in changed:
        named = [line(name) for name in (one.run.run_id, one.run.benchmark, one.run.name)]
        for change in one.changes:
            grid.add_row(*named, line(change.metric), _cell(change.old), _cell(change.new))
    return grid


def _cell(value: "Number") -> str:
    ends = f" ({' … '.join(map(number, value.ci95))})" if value.ci95 else ""
    return number(value.value) + ends


def comparison(document: "RunComparison", statement: str) -> RenderableType:
    """Everything `bench compare` prints: last what the two runs come to."""
    parts: list[RenderableType] = [title(document, "A − B"), *_sides(document)]
    if metrics := _metrics(document):
        parts += [Text(""), table(metrics)]
    parts += [Text(""), table(_differences(document)), *(Text(t) for t in _missing(document))]
    last = Text(line(statement), style="bold")
    return Group(*parts, *map(warning, document.warnings), last)


def title(document: "RunComparison", what: str) -> Text:
    """The line above a table of several runs: what it is about, and by whom it was graded."""
    return titled(f"{document.benchmark}  {what}", demo=document.demo)


def graded_by(document: "RunComparison") -> str:
    """Pack and grading options, on one line."""
    pack = document.dataset
    message = f"pack    {pack['name']} ({pack['sha256'][:12]})"
    for name, value in document.grade_options.items():
        shown = ("on" if value else "off") if isinstance(value, bool) else str(value)
        message += f"  ·  {name} {shown}"
    return line(message)


def share(value: float | None) -> str:
    """A share in per cent."""
    return "–" if value is None else f"{value:.0%}"


def _sides(document: "RunComparison") -> list[Text]:
    lines = []
    for letter, side in (("A", document.a), ("B", document.b)):
        counts = side.samples
        lines.append(
            f"{letter}       {side.name}  (run {side.run_id}, {side.status})  ·  "
            f"{plural(counts.total, 'sample')} = {counts.scored} scored + "
            f"{counts.unscored} unscored + {counts.failed} failed + {counts.pending} to do"
        )
    lines.append(graded_by(document))
    lines += [f"judge   {document.judge}"] if document.judge else []
    return [Text(line(message)) for message in lines]


def _metrics(document: "RunComparison") -> Table | None:
    """The main metrics of both runs; the others are in the JSON document."""
    rows = [
        (metric.label or name, *_numbers(metric.a), *_numbers(metric.b))
        for name, metric in document.metrics.items()
        if not metric.group
    ]
    columns = ("metric", "A", "95 % interval", "n", "B", "95 % interval", "n")
    note = "Each over all scored samples of its own run."
    main, metrics = document.main, document.metrics
    if main and any(main.chosen):  # which of several numbers the main metric is
        words = [metrics[name].label if name else main.label for name in main.chosen]
        note += f" {main.label} is A's {words[0]} and B's {words[1]}."
    return Table("Metrics side by side", columns, rows, note=note) if rows else None


def _numbers(metric: "MetricNumbers | None") -> tuple[float | None, str, int | None]:
    if metric is None:
        return None, "–", None
    return metric.value, interval(metric.ci95), metric.n


def _differences(document: "RunComparison") -> Table:
    """The main difference first, then those of the values that are not the same numbers."""
    main = document.main
    rows = [_difference(main.label, main.row)] if main else []
    rows += [
        _difference(name, row)
        for name, row in document.differences.items()
        if not main or row._replace(p_holm=None) != main.row
    ]
    columns = ("value", "A − B", "95 % interval", "SE", "p", "p (Holm)", "A higher", "pairs")
    note = (
        "On the samples that both runs have. Intervals and tests are over families of items; "
        f"p (Holm) allows for all {len(document.differences)} values being looked at, "
        "p is of one difference alone."
    )
    marked = 0 if main else None
    return Table("Paired differences", (*columns, "families"), rows, note=note, marked=marked)


def _difference(name: str, row: "ValueDifference") -> tuple[str | float | None, ...]:
    return (
        name.replace("_", " "),
        row.difference,
        interval(row.ci95),
        row.standard_error,
        p_value(row.p),
        p_value(row.p_holm),
        share(row.share_a_higher),
        row.n,
        row.families,
    )


def _missing(document: "RunComparison") -> list[str]:
    """What only one of the runs has."""
    lines, counts = [], document.samples
    for one, other, only in (("A", "B", counts.only_a), ("B", "A", counts.only_b)):
        if only.total:
            message = f"only {one} has a score for {plural(only.total, 'sample')}"
            lines.append(f"{message} (in {other}: {only}); they are left out")
    for name, row in document.differences.items():
        if row.reason and row.reason not in document.warnings:
            lines.append(line(f"{name}: {row.reason}"))
    return lines


def estimate(row: "EstimateRow") -> tuple[str, str]:
    """An estimate and its interval as two cells."""
    return number(row.value), interval(row.ci95)
