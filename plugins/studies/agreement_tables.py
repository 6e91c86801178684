"""How well two judges agree, as tables."""

from collections import defaultdict

from eibench import Estimate, Paragraph, Table
from eibench.text import in_words, interval, line, number, plural

from .agreement import Agreement, ModelOrder


def agreement_parts(document: Agreement) -> list[Paragraph | Table]:
    """All that `bench judges` prints of runs."""
    title = f"{document.benchmark}  agreement of two judges" + "  DEMO" * document.demo
    head = Paragraph("\n".join(map(line, _head(document))), title)
    order = [_order(document.order)] if document.order else []
    return [head, agreement_of_values(document), *order]


def _head(document: Agreement) -> list[str]:
    first, second = document.judges
    pack = document.dataset
    graded_by = f"pack    {pack['name']} ({str(pack['sha256'])[:12]})"
    for name, value in document.grade_options.items():
        graded_by += f"  ·  {name} {in_words(value)}"
    counts = document.transcripts
    read = f"read    {plural(counts.both, 'transcript')} by both judges"
    for judge, only in (("1", counts.only_first), ("2", counts.only_second)):
        if only.total:
            read += f" + {only.total} by judge {judge} alone (by the other: {only})"
    read += f" + {counts.neither} by neither" if counts.neither else ""
    runs = [f"run     {run.name}  (run {run.run_id})" for run in document.runs]
    return [f"judge 1 {first}", f"judge 2 {second}", *runs, graded_by, read]


def agreement_of_values(document: Agreement) -> Table:
    """One row a value; Cohen's kappa where any value is yes or no."""
    with_kappa = any(row.kappa for row in document.agreement.values())
    rows = [
        (
            name,
            *(_cells(row.kappa) if with_kappa else ()),
            *_cells(row.icc),
            *_cells(row.spearman),
            *_cells(row.mean_difference),
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
    notes = "\n".join([note, *map(line, _undefined(document))])
    return Table("Agreement", columns, rows, note=notes, right=range(1, len(columns)))


def _cells(estimate: Estimate | None) -> tuple[str, str]:
    """An estimate and its interval."""
    return (number(estimate.value), interval(estimate.ci95)) if estimate else ("–", "")


def _undefined(document: Agreement) -> list[str]:
    """Why numbers are missing, with the values that lack them; not what a warning says of all."""
    lacking: dict[str, list[str]] = defaultdict(list)
    for name, row in document.agreement.items():
        estimates = {
            "kappa": row.kappa,
            "ICC": row.icc,
            "Spearman": row.spearman,
            "1 − 2": row.mean_difference,
        }
        for label, estimate in estimates.items():
            reason = estimate and estimate.reason
            if reason and reason not in document.warnings:
                lacking[f"{label}: {reason}"].append(name)
    return [f"{message} ({', '.join(names)})" for message, names in lacking.items()]


def _order(order: ModelOrder) -> Table:
    second = sorted((row.means[1] for row in order.means), reverse=True)
    rows = [
        (row.name, row.run_id, row.means[0], rank, row.means[1], second.index(row.means[1]) + 1)
        for rank, row in enumerate(order.means, start=1)
    ]
    columns = ("model", "run", "judge 1", "place", "judge 2", "place")
    notes = []
    for label, estimate in (("Spearman", order.spearman), ("Kendall's tau-b", order.kendall)):
        value, ci95 = _cells(estimate)
        reason = f": {estimate.reason}" if estimate.reason else ""
        notes.append(line(f"{label} {value}, 95 % interval {ci95}{reason}"))
    title = f"Order of {order.models} models by mean {order.value}"
    return Table(title, columns, rows, note="\n".join(notes))
