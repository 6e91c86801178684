"""`bench agreement`: how well two judges agree on runs that both have graded."""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import click

import eibench
from eibench import EstimateRow, Paragraph, Table, UsageError, provided, run_selector
from eibench.text import in_words, interval, line, number, plural

from .agreement import Agreement, Judged, ModelOrder, agree
from .two_judges import two_judges


def show_agreement(document: Agreement) -> None:
    """Everything `bench agreement` prints."""
    title = f"{document.benchmark}  agreement of two judges" + "  DEMO" * document.demo
    head = Paragraph("\n".join(map(line, _head(document))), title)
    order = [_order(document.order)] if document.order else []
    eibench.show(head, _values(document), *order, warnings=document.warnings)


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


def _values(document: Agreement) -> Table:
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


def _cells(estimate: EstimateRow | None) -> tuple[str, str]:
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


_EXAMPLES = "\b\nExamples:\n  bench rejudge 7a3c --judge openai/gpt-4.1\n  bench agreement 7a3c\n"


@click.command("agreement", cls=eibench.Command, epilog=_EXAMPLES)
@click.argument("runs", metavar="RUN...", nargs=-1, shell_complete=eibench.completion("runs"))
@eibench.run_options("model", "benchmark")
@click.option("--judge", "judges", multiple=True, metavar="SPEC",
              shell_complete=eibench.completion("judges"),
              help="One of the two judges; give it twice where there are more.")  # fmt: skip
@eibench.shared_options("set")
@eibench.run_options("dataset")
@eibench.shared_options("runs_dir")
@eibench.json_option
def agreement_command(
    runs: tuple[str, ...],
    judges: tuple[str, ...],
    changes: Mapping[str, str],
    runs_dir: Path,
    json_output: bool,
) -> None:
    """Say how well two judges agree on the same runs.

    ICC, Spearman's rho and the mean difference of each value, over the transcripts that both
    graded, with intervals; of several runs also the order of models by either judge.
    """
    document = _agreement(runs, provided("judges") or (), changes, runs_dir)
    if json_output:
        eibench.show_json(document)
    else:
        show_agreement(document)


def _agreement(
    starts: tuple[str, ...], judges: tuple[str, ...], options: Mapping[str, str], folder: Path
) -> Agreement:
    if not (starts or any(run_selector())):
        raise UsageError("Missing argument 'RUN...'.")
    with eibench.open_runs(folder, *starts) as stored:
        runs = eibench.chosen_runs(stored, starts)
        runs.refuse_unlike()
        first, *_ = each = list(runs)
        graders = [eibench.RunGraders(run.id, run.graders(options)) for run in each]
        pairs = two_judges(first.benchmark, graders, judges)
        pack = first.pack_by(pairs[0][0], run_selector().data_path)
        judged = [
            Judged(*(run.graded(grader, pack.clusters) for grader in pair))
            for run, pair in zip(each, pairs, strict=True)
        ]
        return agree(pack, judged, leave_out=first.plugin.not_judged)
