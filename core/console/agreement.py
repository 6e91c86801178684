"""The agreement of two judges as tables: on each criterion, and on the order of models."""

from collections import defaultdict
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from ..hooks.sections import Table
from ..text import line, plural
from .differences import estimate, graded_by, title
from .tables import table, warning

if TYPE_CHECKING:
    from ..analysis.agreement import Agreement, ModelOrder
    from ..reports.columns import EstimateRow


def agreement(document: "Agreement") -> RenderableType:
    """Everything `bench agreement` prints."""
    parts: list[RenderableType] = [title(document, "agreement of two judges")]
    parts += [Text(line(message)) for message in _head(document)]
    parts += [Text(""), table(_criteria(document))]
    parts += [Text(line(message)) for message in _undefined(document)]
    if document.order:
        parts += [Text(""), table(_order(document.order))]
        parts += [Text(line(message)) for message in _order_lines(document.order)]
    return Group(*parts, *map(warning, document.warnings))


def _head(document: "Agreement") -> list[str]:
    first, second = document.judges
    lines = [f"judge 1 {first}", f"judge 2 {second}"]
    lines += [f"run     {run.name}  (run {run.run_id})" for run in document.runs]
    counts = document.transcripts
    message = f"read    {plural(counts.both, 'transcript')} by both judges"
    for number, only in (("1", counts.only_first), ("2", counts.only_second)):
        if only.total:
            message += f" + {only.total} by judge {number} alone (by the other: {only})"
    message += f" + {counts.neither} by neither" if counts.neither else ""
    return [*lines, graded_by(document), message]


def _criteria(document: "Agreement") -> Table:
    """One row a value; Cohen's kappa where any value is yes or no."""
    with_kappa = any(row.kappa for row in document.agreement.values())
    rows = [
        (
            name,
            *(_kappa(row.kappa) if with_kappa else ()),
            *estimate(row.icc),
            *estimate(row.spearman),
            *estimate(row.mean_difference),
            row.n,
        )
        for name, row in document.agreement.items()
    ]
    kappa = ("kappa", "95 %") if with_kappa else ()
    columns = ("value", *kappa, "ICC(A,1)", "95 %", "Spearman", "95 %", "1 − 2", "95 %", "n")
    note = (
        f"Intervals are over {document.families} families of items. "
        "1 − 2: how much higher judge 1 grades on average."
    )
    return Table("Agreement", columns, rows, note=note)


def _kappa(found: "EstimateRow | None") -> tuple[str, str]:
    return estimate(found) if found else ("–", "")


def _undefined(document: "Agreement") -> list[str]:
    """Why numbers are missing, with the values that lack them; not what a warning says of all."""
    lacking: dict[str, list[str]] = defaultdict(list)
    labels = {"kappa": "kappa", "icc": "ICC", "spearman": "Spearman", "mean_difference": "1 − 2"}
    for name, row in document.agreement.items():
        for key, label in labels.items():
            found: EstimateRow | None = getattr(row, key)
            if found and (reason := found.reason) and reason not in document.warnings:
                lacking[f"{label}: {reason}"].append(name)
    return [f"{message} ({', '.join(names)})" for message, names in lacking.items()]


def _order(order: "ModelOrder") -> Table:
    second = sorted((row.means[1] for row in order.means), reverse=True)
    rows = [
        (row.name, row.run_id, row.means[0], place, row.means[1], other)
        for place, row in enumerate(order.means, start=1)
        for other in [second.index(row.means[1]) + 1]
    ]
    columns = ("model", "run", "judge 1", "place", "judge 2", "place")
    return Table(f"Order of {order.models} models by mean {order.value}", columns, rows)


def _order_lines(order: "ModelOrder") -> list[str]:
    lines = []
    for found, label in ((order.spearman, "Spearman"), (order.kendall, "Kendall's tau-b")):
        value, ci95 = estimate(found)
        reason = f": {found.reason}" if found.reason else ""
        lines.append(f"{label} {value}, 95 % interval {ci95}{reason}")
    return lines
