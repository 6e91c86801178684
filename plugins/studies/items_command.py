"""`bench items`: which items carry the information, and a smaller pack."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np

import eibench
from eibench import Benchmark, JsonDict, Table, UsageError
from eibench.text import interval, number, plural

from .csv_tables import read_table
from .item_analysis import (
    BY_DIFFICULTY,
    CHOICES,
    FEWEST_MODELS,
    ItemMatrix,
    ItemStudy,
    LeftOutModels,
    Reliability,
    SmallerPack,
    reliability,
    select,
    study_items,
)

Values = Mapping[tuple[str, int], float]
_NAMED = 8
_EXAMPLES = (
    "\b\nExamples:\n"
    "  bench items eqbench-v2 --dataset official\n"
    "  bench items eqbench-v2 --scores matrix.csv --select 45 -o small.txt\n"
    "  bench items eqbench-v2 --select 45 --by discrimination --among top:6\n"
)


class ItemSource(NamedTuple):
    """A table of scores, what it is of, and lines about what is not in it."""

    table: ItemMatrix
    title: str
    notes: Sequence[str] = ()


@click.command("items", cls=eibench.AuditCommand, epilog=_EXAMPLES)
@eibench.benchmark_argument
@click.option("--scores", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              metavar="FILE", help="A CSV file instead of runs: models in rows, items in "
              "columns.")  # fmt: skip
@eibench.shared_options("board")
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
    **protocol: str | None,
) -> None:
    """Say which items are hard and which tell models apart, and choose a smaller pack.

    Of each item of the board that `bench leaderboard` would show: its mean over models, in the
    metric that ranks, and its correlation with the other items; of the board: its reliability.
    --select chooses items, by default even over difficulty, which keeps the score. What it says of
    a selection is for models left out of the choice, beside 200 random packs.
    """
    name = benchmark.name
    source = of_csv(scores) if scores else of_board(benchmark, runs_dir, **protocol)
    table = source.table
    chosen = among_models(table, among)
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
            "benchmark": name, "board": source.title, "models": list(table.models),
            "higher_is_better": table.higher_is_better, "notes": list(source.notes),
            "reliability": board._asdict(), "items": [one._asdict() for one in studied],
            "selection": selection and {
                **selection._asdict(), "measured": selection.measured._asdict(),
                "random": selection.random._asdict(),
            },
        }  # fmt: skip
        eibench.show_json(document)
        return
    eibench.show(*_parts(name, source, studied, board, selection))


def of_csv(path: Path) -> ItemSource:
    """The table of a file; items without a number for each model are left out."""
    file = read_table(path)
    columns, left_out = file.numeric(())
    whole = {name: values for name, values in columns.items() if None not in values}
    if len(whole) < 2:
        raise UsageError(f"{path} has no two columns with a number for each model")
    scores = np.array([list(map(float, values)) for values in whole.values()]).T  # type: ignore[arg-type]
    some = [*left_out, *(name for name in columns if name not in whole)]
    return ItemSource(ItemMatrix(file.models(), tuple(whole), scores), path.name, _without(some))


def of_board(benchmark: Benchmark, runs_dir: Path, **protocol: str | None) -> ItemSource:
    """The board's models, and the items that all of them have, in the order of the pack."""
    board = eibench.chosen_board(benchmark, runs_dir, **protocol)
    means = {name: _means(values) for name, values in board.values.items()} if board else {}
    asked = [item.id for item in board.pack.items] if board else []
    shared = [item for item in asked if all(item in row for row in means.values())]
    if board is None or len(means) < 2 or len(shared) < 2:
        raise UsageError(
            f"{benchmark.name} has {plural(len(means), 'model')} with a run on this board and "
            f"{plural(len(shared) if means else 0, 'item')} that all have; it takes two of each"
            + "".join(f"; {note}" for note in (board.notes if board else ()))
        )
    scores = np.array([[row[item] for item in shared] for row in means.values()])
    higher = board.higher_is_better is not False
    table = ItemMatrix(tuple(means), tuple(shared), scores, higher, board.ends)
    notes = [*_without([item for item in asked if item not in shared]), *board.notes]
    return ItemSource(table, f"{board.label}; {board.title}" + "  DEMO" * board.demo, notes)


def _means(values: Values) -> dict[str, float]:
    """By item the mean over its iterations."""
    by_item: dict[str, list[float]] = {}
    for (item, _), value in values.items():
        by_item.setdefault(item, []).append(value)
    return {item: sum(each) / len(each) for item, each in by_item.items()}


def _without(items: Sequence[str]) -> list[str]:
    """The line about the items that are not in the table."""
    named = ", ".join(items[:_NAMED]) + ", …" * (len(items) > _NAMED)
    what = f"Left out, as not every model has a number: {plural(len(items), 'item')}"
    return [f"{what} ({named})"] if items else []


def among_models(table: ItemMatrix, among: str | None) -> ItemMatrix:
    """The table of the models that items are chosen on."""
    if not among:
        return table
    if among.startswith("top:") and among[4:].isdigit():
        means = table.scores.mean(axis=1)
        order = np.argsort(-means if table.higher_is_better else means, kind="stable")
        kept = sorted(int(n) for n in order[: int(among[4:])])
    else:
        names = [name.strip() for name in among.split(",")]
        for name in names:
            eibench.check_name(name, table.models, f"--among {name}: no such model", "there are")
        kept = [table.models.index(name) for name in names]
    return table.only(kept)


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
    benchmark: str,
    source: ItemSource,
    studied: Sequence[ItemStudy],
    board: Reliability,
    selection: SmallerPack | None,
) -> list[Table]:
    table = source.table
    columns = ["item", f"mean ({'low' if table.higher_is_better else 'high'} is hard)"]
    rows = [[one.item_id, number(one.difficulty)] for one in studied]
    known = f"{number(board.value)} ({interval(board.ci95)})"
    reliable = board.reason if board.value is None else known
    notes = [f"reliability of the board: {reliable}", *source.notes]
    if len(table.models) < FEWEST_MODELS:
        notes.append(f"intervals and correlations over models need at least {FEWEST_MODELS} models")
    else:
        columns += ["95 %", "correlation with the other items", "95 %", "remark"]
        rows = [[*row, *_over_models(one)] for row, one in zip(rows, studied, strict=True)]
    n, items = plural(len(table.models), "model"), plural(len(table.items), "item")
    title, right = f"{benchmark}: {n}, {items}; {source.title}", (1, 2, 3, 4)[: len(columns) - 1]
    part = Table(title, columns, rows, note="\n".join(notes), right=right)
    return [part, *([_selection(table, selection)] if selection else [])]


def _over_models(one: ItemStudy) -> tuple[str, str, str, str]:
    remark = "points the wrong way" if one.wrong_way else ""
    correlation = number(one.discrimination), interval(one.discrimination_ci95)
    return (interval(one.ci95), *correlation, remark)


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
