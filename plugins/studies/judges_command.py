"""`bench judges`: how far a benchmark's ranking hangs on who judges."""

from pathlib import Path

import click

import eibench
from eibench import Benchmark, JudgesDocument, Table, UsageError, provided
from eibench.text import number


@click.command("judges", cls=eibench.Command)
@eibench.benchmark_argument
@click.option("--judge", "judges", multiple=True, metavar="SPEC",
              help="Only these judges; by default all that graded any model.")  # fmt: skip
@click.option("--dataset", metavar="NAME|PATH|SHA", help="The pack, where runs are of several.")
@eibench.shared_options("demo", "runs_dir")
@eibench.json_option
def judges_command(
    benchmark: Benchmark,
    judges: tuple[str, ...],
    dataset: str | None,
    runs_dir: Path,
    json_output: bool,
) -> None:
    """Say how far a benchmark's ranking hangs on who judges.

    Agreement of judges, what each gives its own family beyond its worth, the ranking without
    each, and the models on which they differ most. docs/judging.md says how to read it.
    """
    if not benchmark.judged:
        raise UsageError(f"{benchmark.name} asks no judge")
    chosen = provided("dataset")
    pack = chosen and eibench.named_pack(benchmark, chosen)
    named = provided("judges") or ()
    with eibench.open_runs(runs_dir) as stored:
        document = eibench.compare_judges(stored, benchmark, pack, named=named)
    if json_output:
        eibench.show_json(document)
        return
    eibench.show_conclusions(document.conclusions, "The judges")
    for table in (_judges(document), _pairs(document), _models(document)):
        eibench.show(table)
    for warning in document.warnings:
        eibench.warn(warning)


def _judges(document: JudgesDocument) -> Table:
    columns = ("judge", "own family", "order as all", "gives its own more", "moves without it")
    rows = [
        (
            row.judge,
            f"{row.family} ({row.own_models})",
            str(row.pooled),
            str(row.liking_for_kin),
            f"{row.without_moved:g}{', and the first' if row.without_leader else ''}",
        )
        for row in document.judges
    ]
    note = (
        f"{document.value}, pack {document.dataset}; agreement of all: ICC {document.icc}\n"
        f"gives its own more: points, {document.assuming}; no proof; "
        "moves without it: the most ranks that a model moves"
    )
    return Table(f"{document.benchmark}: judges", columns, rows, note=note)


def _pairs(document: JudgesDocument) -> Table:
    rows = [(pair.first, pair.second, str(pair.rho)) for pair in document.pairs]
    return Table("Pairs of judges", ("judge", "judge", "rank correlation"), rows)


def _models(document: JudgesDocument) -> Table:
    judges = [row.judge for row in document.judges]
    columns = ("rank", "without kin", "model", *judges, "spread")
    rows = [
        (
            f"{row.rank:g}",
            "–" if row.rank_without_kin is None else f"{row.rank_without_kin:g}",
            row.model,
            *(number(row.means[judge]) for judge in judges),
            number(row.spread),
        )
        for row in document.models
    ]
    note = "spread: standard deviation of the judges, the strictness of each taken out"
    return Table("Models", columns, rows, note=note)
