"""`bench items`: which items carry the information, and a smaller pack."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

import eibench
from eibench import Benchmark, JsonDict, Table, UsageError, run_selector, scaled_values
from eibench.text import interval, number, plural

from .csv_tables import read_table
from .item_analysis import (
    BY_DIFFICULTY,
    CHOICES,
    ItemMatrix,
    LeftOutModels,
    SmallerPack,
    reliability,
    select,
    study_items,
)

_EXAMPLES = (
    "\b\nExamples:\n"
    "  bench items eqbench-v2 --dataset official\n"
    "  bench items eqbench-v2 --scores matrix.csv --select 45 -o small.txt\n"
    "  bench items eqbench-v2 --select 45 --by discrimination --among top:6\n"
)


@click.command("items", cls=eibench.Command, epilog=_EXAMPLES)
@eibench.benchmark_argument
@click.option("--scores", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              metavar="FILE", help="A CSV file instead of runs: models in rows, items in "
              "columns.")  # fmt: skip
@eibench.run_options("judge", "dataset")
@click.option("--select", "count", type=int, metavar="N", help="Choose N items.")
@click.option("--by", type=click.Choice(sorted(CHOICES)), default=BY_DIFFICULTY, show_default=True,
              help="How they are chosen.")  # fmt: skip
@click.option("--among", metavar="MODELS|top:N", help="Choose on these models, by commas, or the "
              "best N.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Where --select writes the items' ids.")  # fmt: skip
@eibench.shared_options("demo", "runs_dir")
@eibench.json_option
def items_command(
    benchmark: Benchmark,
    scores: Path | None,
    count: int | None,
    by: str,
    among: str | None,
    output: Path | None,
    runs_dir: Path,
    json_output: bool,
) -> None:
    """Say which items are hard and which tell models apart, and choose a smaller pack.

    Of each item: its mean over models, and its correlation with the other items; of the board:
    its reliability. --select chooses items, by default even over difficulty, which keeps the
    score. What it says of a selection is for models left out of the choice, beside 200 random
    packs.
    """
    name, table = benchmark.name, of_csv(scores) if scores else of_runs(benchmark.name, runs_dir)
    chosen = _among(table, among)
    studied, board = study_items(table), reliability(table)
    selection = select(chosen, count, by) if count else None
    if output and not selection:
        raise UsageError("-o goes with --select N")
    if selection and output:
        if not selection.accepted:
            raise UsageError(f"{output} is not written: {selection.reason}; --by difficulty may do")
        output.write_text(_as_file(name, table, selection), "utf-8")
    if json_output:
        document: JsonDict = {
            "benchmark": name, "models": list(table.models),
            "reliability": board._asdict(), "items": [one._asdict() for one in studied],
            "selection": selection and {
                **selection._asdict(), "measured": selection.measured._asdict(),
                "random": selection.random._asdict(),
            },
        }  # fmt: skip
        eibench.show_json(document)
        return
    eibench.show(*_parts(name, table, studied, board, selection))


def of_csv(path: Path) -> ItemMatrix:
    """The table of a file; items without a number for each model are left out."""
    file = read_table(path)
    columns, left_out = file.numeric(())
    whole = {name: values for name, values in columns.items() if None not in values}
    if len(whole) < 2:
        raise UsageError(f"{path} has no two columns with a number for each model")
    if some := [*left_out, *(name for name in columns if name not in whole)]:
        eibench.warn(f"{plural(len(some), 'column')} without a number for each model left out")
    scores = np.array([list(map(float, values)) for values in whole.values()]).T  # type: ignore[arg-type]
    return ItemMatrix(file.models(), tuple(whole), scores)


def of_runs(benchmark: str, folder: Path) -> ItemMatrix:
    """The newest whole run of each model on one pack; items that all of them have."""
    with eibench.open_runs(folder) as stored:
        chosen = stored.chosen(run_selector()._replace(benchmark=benchmark))
        whole = [r for r in chosen if r.document and r.document["status"] == "complete"]
        rows: dict[str, dict[str, float]] = {}
        for name, run in stored.of(whole).newest_of_each().items():
            sums: dict[str, list[float]] = {}
            for (item_id, _), value in scaled_values(run).items():
                sums.setdefault(item_id, []).append(value)
            if sums:
                rows[name] = {i: sum(v) / len(v) for i, v in sums.items()}
        worse = bool(whole) and _less_is_better(whole[0].document)
    if len({run.record.pack_sha256 for run in whole}) > 1:
        raise UsageError("these runs are of several packs; name one with --dataset")
    shared = sorted(set.intersection(*map(set, rows.values()))) if rows else []
    if len(rows) < 2 or len(shared) < 2:
        raise UsageError(f"{benchmark} has {len(rows)} models with whole runs; two are the least")
    scores = np.array([[row[item] for item in shared] for row in rows.values()])
    return ItemMatrix(tuple(rows), tuple(shared), -scores if worse else scores)


def _less_is_better(document: Any) -> bool:
    metric = next(iter(document["metrics"].values()), None) if document else None
    return bool(metric and metric["higher_is_better"] is False)


def _among(table: ItemMatrix, among: str | None) -> ItemMatrix:
    """The table of the models that items are chosen on."""
    if not among:
        return table
    if among.startswith("top:") and among[4:].isdigit():
        order = np.argsort(-table.scores.mean(axis=1), kind="stable")[: int(among[4:])]
        kept = sorted(int(n) for n in order)
    else:
        names = [name.strip() for name in among.split(",")]
        for name in names:
            eibench.check_name(name, table.models, f"--among {name}: no such model", "there are")
        kept = [table.models.index(name) for name in names]
    return ItemMatrix(tuple(table.models[n] for n in kept), table.items, table.scores[kept])


def _as_file(benchmark: str, table: ItemMatrix, selection: SmallerPack) -> str:
    lines = [
        f"# {len(selection.items)} of {len(table.items)} items of {benchmark}, by {selection.by}, "
        f"chosen on {plural(len(table.models), 'model')}.",
        "# A run of them is a part of its own: bench run " + benchmark
        + ' --items "$(grep -v \'^#\' FILE | paste -sd, -)"',
        *selection.items,
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _parts(
    benchmark: str, table: ItemMatrix, studied: Sequence[Any], board: Any,
    selection: SmallerPack | None,
) -> list[Table]:  # fmt: skip
    rows = [
        (one.item_id, number(one.difficulty), interval(one.ci95), number(one.discrimination),
         interval(one.discrimination_ci95), "points the wrong way" if one.wrong_way else "")
        for one in studied
    ]  # fmt: skip
    if board.value is None:
        note = f"reliability of the board: {board.reason}"
    else:
        note = f"reliability of the board {number(board.value)} ({interval(board.ci95)})"
    columns = ("item", "mean", "95 %", "with the others", "95 %", "")
    title = f"{benchmark}: {plural(len(table.models), 'model')}, {len(table.items)} items"
    parts = [Table(title, columns, rows, note=note, right=(1, 2, 3, 4))]
    if selection:
        parts.append(_selection(table, selection))
    return parts


def _selection(table: ItemMatrix, one: SmallerPack) -> Table:
    def row(name: str, measured: LeftOutModels) -> tuple[str, str, str, str]:
        return (name, number(measured.rms), number(measured.rho, 3), number(measured.bias))

    share = 100 * (1 - len(one.items) / len(table.items))
    note = (
        f"{one.reason}; {share:.0f} % of calls and money saved. The numbers are of models left out "
        "of the choice: error of their full score, rank correlation, mean error. A selection is a "
        f"part of its own and stands on no board of the whole: {', '.join(one.items)}"
    )
    rows = [row(f"by {one.by}", one.measured), row("random packs (median)", one.random)]
    high = f"random packs: rho of the 95th percentile {number(one.random_high, 3)}"
    columns = ("choice", "RMS error", "rho", "bias")
    return Table(f"{len(one.items)} items", columns, rows, note=f"{high}\n{note}", right=(1, 2, 3))
