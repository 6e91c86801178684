"""`bench leaderboard`: the models of a benchmark, ranked, with intervals."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from ..benchmark import Benchmark
from ..console.safe import line, plural
from ..engine.leaderboard import Leaderboard, read_leaderboard
from ..journal import Journal
from ..plugins import installed
from ..reports.files import as_text
from ..reports.sections import Table
from . import options
from .rate import anchor_sets
from .settings import config_option
from .stored import as_given


@click.command("leaderboard")
@options.benchmark_argument
@click.option("--dataset", metavar="NAME|SHA", help="The pack, where runs are of several.")
@click.option("--judge", metavar="SPEC", help="The judge, where there are several.")
@options.option("--engine", metavar="NAME", help="The rating engine, if not the default.")
@options.option("--anchor", "anchors", multiple=True, metavar="MODEL=RATING",
                help="Fix a model's rating; two of them fix the scale.")  # fmt: skip
@options.option("--published", is_flag=True,
                help="Show the published board too, in a table of its own.")  # fmt: skip
@options.runs_dir_option
@options.json_option
@options.option("--csv", "csv_output", is_flag=True, help="Print comma-separated values.")
@config_option
def leaderboard_command(
    benchmark: Benchmark,
    dataset: str | None,
    judge: str | None,
    engine: str | None,
    anchors: tuple[str, ...],
    published: bool,
    runs_dir: Path,
    json_output: bool,
    csv_output: bool,
) -> None:
    """Rank the models of a benchmark that the journal holds."""
    dataset, judge = as_given("dataset", dataset), as_given("judge", judge)
    catalogue = installed()
    chosen = catalogue.rating_engines.get(engine, tuple(catalogue.broken)).name if engine else None
    with Journal(runs_dir, create=False) as journal:
        board = read_leaderboard(
            journal,
            catalogue,
            benchmark,
            dataset=dataset,
            judge=judge,
            engine=chosen,
            anchors=anchor_sets(anchors),
        )
    beside = benchmark.published(board.pack) if published else None
    document = board.as_json()
    if json_output:
        click.echo(as_text({**document, "published": _as_json(beside)} if published else document))
        return
    if csv_output:
        from ..reports.csv_tables import csv_text

        click.echo(csv_text(_csv_rows(document)), nl=False)
        return
    _show(board, document, beside, asked=published)


def _as_json(table: Table | None) -> dict[str, Any] | None:
    if table is None:
        return None
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    return {"title": table.title, "rows": rows, "note": table.note}


def _show(
    board: Leaderboard, document: Mapping[str, Any], beside: Table | None, *, asked: bool
) -> None:
    from ..console import output, tables

    output.show(tables.table(_table(board, document)))
    for warning in document["warnings"]:
        output.show(tables.warning(warning))
    if beside:
        output.show(tables.table(beside))
    elif asked:
        told = f"no published board may stand beside {board.benchmark.name} on this pack"
        output.show(tables.warning(told))


def _table(board: Leaderboard, document: Mapping[str, Any]) -> Table:
    from ..console.safe import interval

    rated = bool(board.standing and board.standing.ratings)
    first = next((name for row in document["rows"] for name in row["metrics"]), "score")
    name = board.benchmark.ranked_by or first
    columns = ["rank", "model", *["rating", "95 % interval", "ties"] * rated]
    columns += [name.replace("_", " "), "95 % interval", "scored", "cost"]
    rows, n_items = [], document["dataset"]["n_items"]
    for position, row in enumerate(document["rows"], start=1):
        metric = row["metrics"].get(name, {"value": None, "ci95": None})
        tied = len(row["tied_with"]) if row["tied_with"] is not None else None
        rating = [_whole(row["rating"]), _points(row["ci95"]), tied] * rated
        own = [metric["value"], interval(metric["ci95"]), _scored(row, n_items), _cost(row)]
        rows.append([_rank(row) if rated else position, _named(row), *rating, *own])
    pack = board.board
    anchors = ", ".join(f"{a['model']} = {a['rating']:g}" for a in document["anchors"])
    note = f"pack {pack.pack_name} ({pack.pack_sha256[:12]}); judge {pack.judge or 'none'}"
    if rated:
        scale = f"anchored at {anchors}" if anchors else "not anchored"
        note += f"; engine {document['engine']}, {scale}; intervals over families of items"
        note += "; ties: models that cannot be told apart from this one"
        note += "; in parentheses: the 95 % interval of the rank"
    note = "\n".join([note, *_changed(document)])
    return Table(f"{board.benchmark.name}: {plural(len(rows), 'model')}", columns, rows, note=note)


def _changed(document: Mapping[str, Any]) -> list[str]:
    """How models were asked otherwise than the pack says: a line for those that were alike."""
    changed = dict[str, list[str]]()
    for row in document["rows"]:
        if row["changed"]:
            changed.setdefault(row["changed"], []).append(row["model"])
    return [line(f"changed: {', '.join(models)}: {told}") for told, models in changed.items()]


def _rank(row: Mapping[str, Any]) -> str:
    """A rank with its interval."""
    if row["rank"] is None:
        return "–"
    low, high = row["rank_ci95"] or (None, None)
    return f"{row['rank']}" if low is None else f"{row['rank']} ({low}–{high})"


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)


def _points(ci95: Sequence[float] | None) -> str:
    return "–" if ci95 is None else f"{ci95[0]:z.0f} … {ci95[1]:z.0f}"


def _named(row: Mapping[str, Any]) -> str:
    marks = [" DEMO"] if row.get("demo") else []
    marks += [" (partial)"] if row["partial"] else []
    marks += [" (changed)"] if row["changed"] else []
    return str(row["model"]) + "".join(marks)


def _scored(row: Mapping[str, Any], n_items: int) -> str:
    """Samples with a score, of those that the pack has in as many iterations."""
    items = row["items"]
    return f"{items['scored']}/{n_items * row['iterations']}" if items else "–"


def _cost(row: Mapping[str, Any]) -> str:
    cost = row.get("cost_usd")
    return "–" if cost is None else f"${cost:.2f}"


def _csv_rows(document: Mapping[str, Any]) -> list[list[str | float | None]]:
    names = list(dict.fromkeys(name for row in document["rows"] for name in row["metrics"]))
    heading: list[str | float | None] = ["rank", "model", "rating", "rating_low", "rating_high"]
    heading += ["comparisons", "status", "partial", "changed", "cost_usd"]
    for name in names:
        heading += [name, f"{name}_low", f"{name}_high"]
    return [heading, *[_csv_row(row, names) for row in document["rows"]]]


def _csv_row(row: Mapping[str, Any], names: list[str]) -> list[str | float | None]:
    low, high = row["ci95"] or (None, None)
    cells: list[str | float | None] = [row["rank"], row["model"], row["rating"], low, high]
    partial = None if row["partial"] is None else str(row["partial"]).lower()
    cells += [row["comparisons"], row.get("status"), partial, row["changed"], row.get("cost_usd")]
    for name in names:
        metric = row["metrics"].get(name, {"value": None, "ci95": None})
        cells += [metric["value"], *(metric["ci95"] or (None, None))]
    return cells
